import { type Bit, bit, constant, mux, node, orTree, reg, uint, type UInt, when } from "../../../../hdl-dsl/index.ts";
import { userClasses } from "../inside/index.ts";

/** Packets of the urgent class that pass those of other classes, until one of these goes. */
export const urgentPatience = 64;
const countBits = Math.log2(urgentPatience) + 1;

/** A port's lists, as they stand. */
export interface Lined {
  /** By class: something waits, and it may leave or is dropped. */
  readonly waits: readonly Bit[];
  /** A packet has become the port's next, a cycle ago; and of which class that one is. */
  readonly loaded: Bit;
  readonly of: UInt;
}
/** Who goes in the next cycle. */
export interface Urgency {
  /** By class: it may be served. */
  readonly mayServe: readonly Bit[];
  /** Only the urgent class is served in this cycle, so it is nobody's turn. */
  readonly held: Bit;
}

/**
 * One class goes before the others, packet by packet (Fastswap's critical queue, other-systems.md section 5). While it
 * waits, the others are held; after `urgentPatience` of its packets that passed one, it waits until another class has
 * had its turn. It counts two cycles behind a choice: three packets more may pass, and up to three of others follow
 * each other then. `urgent` has its bit, or none.
 */
export function urgencyOf(name: string, urgent: UInt, { waits, loaded, of }: Lined): Urgency {
  const count = reg(uint(countBits), { init: 0, name: `${name}_passed` }),
    over = node(count.bit(countBits - 1), { name: `${name}_over` }),
    mine = Array.from({ length: userClasses }, (_, k) => urgent.bit(k));
  const asks = node(orTree(waits.map((w, k) => w.and(mine[k] ?? constant(0, 1)))), { name: `${name}_asks` }),
    others = node(orTree(waits.map((w, k) => w.andNot(mine[k] ?? constant(0, 1)))), { name: `${name}_others` });
  const hold = node(asks.andNot(over), { name: `${name}_hold` }),
    yields = node(others.and(over), { name: `${name}_yields` }),
    held = reg(bit, { init: 0, name: `${name}_held` });
  held.set(hold);
  when(loaded, () => {
    const passed = of.and(urgent).any().and(others);
    count.set(mux(passed, mux(over, count, count.add(1).trunc(countBits)), constant(0, countBits)));
  });
  return { mayServe: mine.map(m => mux(m, yields.not(), hold.not())), held };
}
