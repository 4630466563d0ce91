import {
  addressBits,
  bit,
  type Bit,
  constant,
  mux,
  node,
  orTree,
  reg,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { inlets, userClasses } from "../inside/index.ts";
import type { Candidate } from "./choice.ts";
import type { MergeParameters } from "./ports.ts";

/** Frames that go past a head which is watched, until it holds up others. */
export const patience = 64;

/**
 * One head after the other is watched for as long as it waits: when 64 frames have gone past it, and it lacks nothing
 * but cells of its user or room, then those go no more that would take this from it. A second pass waits for no
 * arrival: the room of the one may be in frames that wait for the other. So a head that waits for room goes, whatever
 * others need.
 */
export function watchHeads(p: MergeParameters, candidates: readonly (readonly Candidate[])[]) {
  const n = inlets(p),
    inlet = reg(uint(addressBits(n)), { init: 0, name: "watched_inlet" }),
    queue = reg(uint(addressBits(userClasses)), { init: 0, name: "watched_class" }),
    passed = reg(uint(addressBits(patience) + 1), { init: 0, name: "passed_watched" });
  const of = (f: (c: Candidate) => Bit, name: string): Bit =>
    node(orTree(candidates.flatMap((row, i) => row.map((c, k) => f(c).and(inlet.eq(i)).and(queue.eq(k))))), { name });
  const waits = of(c => c.valid, "watched_waits"),
    long = node(passed.eq(patience), { name: "watched_long" });
  const lacks = (f: (c: Candidate) => Bit, name: string): Bit => {
    const q = reg(bit, { init: 0, name: `urgent_${name}` });
    q.set(of(f, `watched_lacks_${name}`).and(long));
    return q;
  };
  const quota = lacks(c => c.lacksQuota, "quota"),
    room = lacks(c => c.lacksRoom, "room"),
    loop = node(inlet.eq(p.ports), { name: "watched_is_loop" });
  return {
    urgent: quota.or(room),
    /** Whether another head must not go. */
    holdsUp: (i: number, k: number): Bit => {
      const it = inlet.eq(i).and(queue.eq(k)),
        mayWait = i === p.ports ? loop : constant(1, 1);
      return room
        .or(quota.and(queue.eq(k)))
        .and(mayWait)
        .andNot(it);
    },
    /** The inlet whose head was taken in the cycle before, a bit each, and its class. */
    step: (chosen: UInt, classes: readonly UInt[]): void => {
      const goes = node(
          orTree(
            classes.map((of, i) =>
              chosen
                .bit(i)
                .and(inlet.eq(i))
                .and(of.eq(queue.zext(of.width))),
            ),
          ),
          { name: "watched_goes" },
        ),
        next = node(goes.or(waits.not()), { name: "watch_next" });
      when(next, () => {
        passed.set(0);
        queue.set(queue.add(1));
        when(queue.all(), () => inlet.set(mux(inlet.eq(n - 1), constant(0, inlet.width), inlet.add(1))));
      }).elseWhen(chosen.any().andNot(long), () => passed.set(passed.add(1)));
    },
  };
}
