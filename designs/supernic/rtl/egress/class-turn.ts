import { type Bit, constant, mux, node, orTree, reg, uint, type UInt, when } from "../../../../hdl-dsl/index.ts";
import { pickOf } from "../../../shared/frame/index.ts";
import { userClasses } from "../inside/index.ts";

const classBits = Math.log2(userClasses);

/** The class whose turn it is: its number, which is any while nobody asks, and a bit each, none while nobody asks. */
export interface ClassTurn {
  readonly number: UInt;
  readonly members: readonly Bit[];
}

/**
 * Round robin over the classes of a port, the one behind the last `served` first. What it is for each class that may
 * have been the last does not wait for which one that is: each bit of the number is one lookup table of six inputs.
 * While `held` is on, an urgent class is served beside the turns, which stay where they are: else a class behind the
 * urgent one would always be the next.
 */
export function classTurn(name: string, asks: readonly Bit[], served: Bit, held: Bit): ClassTurn {
  const last = reg(uint(classBits), { init: 0, name: `${name}_last` });
  const behind = (owner: number): UInt =>
    Array.from({ length: userClasses }, (_, i) => (owner + 1 + i) % userClasses).reduceRight<UInt>(
      (rest, k) => mux(asks[k] as Bit, constant(k, classBits), rest),
      constant(owner, classBits),
    );
  const number = node(
    pickOf(
      last,
      Array.from({ length: userClasses }, (_, owner) => behind(owner)),
    ),
    { name: `${name}_number` },
  );
  when(served.and(orTree(asks)).andNot(held), () => last.set(number.is(classBits)));
  return { number, members: asks.map((ask, k) => node(ask.and(number.eq(k)), { name: `${name}_to_${k}` })) };
}
