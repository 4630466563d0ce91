/** What becomes of a frame whose number and receiver are known. */
import { mux, priority, reg, uint, type UInt, when } from "../../../../../hdl-dsl/index.ts";
import { joinFields } from "../../../../shared/frame/index.ts";
import {
  GbnAction,
  gbnBytes,
  wireSequenceBits,
  wireSlotBits,
  writtenBits,
} from "../../../../shared/go-back-n/rtl/index.ts";
import { gbnHeader, gbnTypes, managementSlot } from "../../../../shared/go-back-n/wire/index.ts";
import type { Numbered } from "./number.ts";
import type { GbnTxParameters } from "./records.ts";
import type { Plans } from "./units.ts";

/** Management has no session: its slot is 0, and its number too. */
function headerOf({ session, to, granted, ofSession, replies }: Numbered): UInt {
  return joinFields(gbnHeader, {
    type: gbnTypes.data,
    sequence: mux(ofSession, granted.sequence.resize(wireSequenceBits), 0),
    srcSlot: mux(ofSession, session.resize(wireSlotBits), managementSlot),
    dstSlot: mux(replies, to.slot, managementSlot),
    unused: 0,
  });
}

/** @returns how many frames have been given a number. */
export function plan(p: GbnTxParameters, { planned, outs, places }: Plans, frame: Numbered): UInt {
  const { head, to, granted, ofSession, decided, numbered, gone } = frame;
  planned.push.valid.set(decided);
  planned.push.payload.set({
    action: priority([frame.raw, GbnAction.asIs], [gone, GbnAction.discard], GbnAction.shift),
    mac: mux(frame.replies, to.mac, head.mac),
    header: headerOf(frame).is(gbnBytes * 8),
    ipLength: head.ipLength,
    checksum: head.checksum,
    udpLength: head.udpLength,
  });
  outs.push.valid.set(decided.andNot(gone));
  // While a session sends again, its new replies are kept only.
  outs.push.payload.set({ send: ofSession.not().or(granted.now), store: ofSession });
  places.push.valid.set(numbered);
  places.push.payload.set({
    at: { session: frame.session, place: granted.sequence.trunc(Math.log2(p.window)) },
    bytes: head.bytes,
  });
  const given = reg(uint(writtenBits), { init: 0 });
  when(numbered, () => given.set(given.add(1)));
  return given;
}
