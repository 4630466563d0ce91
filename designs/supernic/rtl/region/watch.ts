import { bit, type Bit, node, reg, uint, type Val, when } from "../../../../hdl-dsl/index.ts";
import type { SlotControl } from "./records.ts";

/** What is seen of a task in a cycle. */
interface Seen {
  /** It has packets, or one that it could take. */
  readonly has: Bit;
  /** It offers a right answer: what holds it up is the way out. */
  readonly offers: Bit;
  /** A right answer has left, or a task without packets has taken one. */
  readonly progress: Bit;
  /** Nothing of it is inside, and nothing is taken in this cycle. */
  readonly empty: Bit;
}

/**
 * Whether a slot's task is switched off: by software, or because it was stuck, which counts cycles in which it has
 * packets, offers nothing and makes no progress. Stuck, it stays off until software isolates it. It comes back when it
 * is isolated no more and nothing is inside.
 */
export function watch(control: Val<ReturnType<typeof SlotControl>>) {
  const off = reg(bit, { init: 0, name: "off" }),
    stuck = reg(bit, { init: 0, name: "stuck" }),
    idle = reg(uint(16), { init: 0, name: "idle" }),
    over = reg(bit, { init: 0, name: "patience_over" });
  /** It stays off: what waits is taken and dropped. */
  const stays = node(control.isolate.or(stuck), { name: "stays_off" });
  return {
    off,
    stuck,
    drains: node(off.and(stays), { name: "drains" }),
    step: ({ has, offers, progress, empty }: Seen): void => {
      // A cycle late, as whether the task takes is known late in the cycle.
      const moved = reg(bit, { init: 0, name: "moved" });
      moved.set(progress);
      const counts = node(has.andNot(offers).andNot(off), { name: "counts_idle" }),
        sticks = node(counts.and(over).andNot(moved), { name: "sticks" });
      when(moved.or(has.not()).or(off), () => {
        idle.set(0);
        over.set(0);
      }).elseWhen(counts, () => {
        when(idle.all().not(), () => idle.set(idle.add(1)));
        over.set(control.patience.any().and(idle.add(1).ge(control.patience)));
      });
      when(control.isolate, () => stuck.set(0)).elseWhen(sticks, () => stuck.set(1));
      off.set(stays.or(sticks).or(off.andNot(empty)));
    },
  };
}
