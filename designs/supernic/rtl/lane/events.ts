/** What the switch lane tells of each frame that ends. */
import { type Bit, constant, mux, node, reg, toBits, type UInt, type Val } from "../../../../hdl-dsl/index.ts";
import { copyBits, LaneEvents } from "./ports.ts";
import type { Bound } from "./records.ts";

/** What has happened, for the counters. @param ends the frame for `target` ends */
export function eventsOf(
  n: number,
  target: Val<ReturnType<typeof Bound>>,
  ends: Bit,
  software: { readonly badSoftware: Bit; readonly own: Bit },
) {
  const { to } = target;
  const events = reg(LaneEvents, { init: 0 }),
    toPorts = to.bits(0, n).any(),
    many = toBits(to.bits(0, n)).reduce<UInt>((sum, b) => sum.add(b.zext(copyBits)), constant(0, copyBits)),
    more = node(many.sub(toPorts.zext(copyBits)), { name: "copies_more" }),
    none = to.any().not();
  events.set({
    left: ends.and(toPorts),
    toSoftware: ends.and(to.bit(n)),
    notTaken: ends.and(none).and(target.late),
    nowhere: ends.and(none).andNot(target.late),
    badSoftware: software.badSoftware,
    own: software.own,
    copies: mux(ends, more, constant(0, copyBits)),
  });
  return events;
}
