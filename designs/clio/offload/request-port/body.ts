/** The request's body goes the same way as its head, beat by beat, or nowhere. */
import { bit, type Bit, node, orTree, reg, uint, when } from "../../../../hdl-dsl/index.ts";
import { beatsOf, bodyLengthBits } from "../types.ts";
import type { Apart, Decision } from "./judge.ts";
import type { Parted } from "./part.ts";
import type { RequestPath } from "./types.ts";

export function passBody(
  { slots, p }: RequestPath,
  { begins, offloaded, parting }: Parted,
  { head, body }: Apart,
  { decides, enters, here }: Decision,
): void {
  const bodyLeft = reg(uint(bodyLengthBits), { init: 0, name: "body_left" });
  const bodyKept = reg(bit, { name: "body_kept" });
  const moving = node(bodyLeft.any(), { name: "moving" });
  slots.forEach((s, k) => {
    s.askedData.valid.set(
      body.pop.valid
        .and(moving)
        .and(bodyKept)
        .and(here[k] as Bit),
    );
    s.askedData.payload.set({ data: body.pop.payload.data, last: body.pop.payload.last });
  });
  const takes = node(bodyKept.not().or(orTree(slots.map((s, k) => (here[k] as Bit).and(s.askedData.ready)))), {
    name: "takes",
  });
  body.pop.ready.set(moving.and(takes));
  const beats = node(beatsOf(head.payload.length, p).resize(bodyLengthBits), { name: "beats" });
  when(decides, () => {
    bodyLeft.set(beats);
    bodyKept.set(enters);
  }).elseWhen(body.pop.fire, () => bodyLeft.set(bodyLeft.sub(1)));
  when(begins.and(offloaded), () => parting.set(1)).elseWhen(
    decides.and(beats.any().not()).or(body.pop.fire.and(bodyLeft.eq(1))),
    () => parting.set(0),
  );
}
