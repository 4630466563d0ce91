/** The packet meets its session: the table is asked, in order, and says what becomes of it. */
import {
  bit,
  type Bit,
  Fifo,
  instance,
  type InstanceOf,
  node,
  reg,
  stage,
  type StreamIn,
  uint,
  type Val,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { GbnFrameKind, type GbnReceiver, Named } from "../../../../shared/go-back-n/rtl/index.ts";
import { gbnVerdict } from "../../../../shared/go-back-n/wire/index.ts";
import type { GbnRxIo, GbnRxParameters } from "./ports.ts";
import { Queued } from "./verdict.ts";

/** Asks the table. Its memory's address hangs on the packet's kind, so that comes from a register. */
export function askTable(
  io: GbnRxIo,
  p: GbnRxParameters,
  queue: StreamIn<ReturnType<typeof Queued>>,
  receiver: InstanceOf<typeof GbnReceiver>,
) {
  const next = stage(queue, "full", { name: "next" });
  const head = next.payload;
  const names = instance("names", Fifo({ shape: Named(p), depth: 16, style: "distributed" }));
  const full = reg(bit, { init: 0 });
  full.set(io.crowded.or(names.level.ge(12)));
  const ofSession = node(head.kind.eq(GbnFrameKind.session)),
    refused = node(head.lost.or(ofSession.and(full).and(head.packet.control.not())));
  const asks = node(ofSession.and(head.bad.or(refused).not()));
  receiver.packet.valid.set(next.valid.and(asks));
  receiver.packet.payload.set(head.packet);
  next.ready.set(asks.not().or(receiver.packet.ready));
  const moves = node(next.fire);
  const earlyValid = reg(bit, { init: 0 });
  const lateValid = reg(bit, { init: 0 });
  const early = reg(Queued(p));
  const late = reg(Queued(p));
  earlyValid.set(moves);
  early.set({
    ...head,
    lost: refused,
  });
  lateValid.set(earlyValid);
  late.set(early);

  return { names, lateValid, late };
}

/** What the table has said of the packet. */
export function outcomeOf(
  p: GbnRxParameters,
  { lateValid, late }: ReturnType<typeof askTable>,
  receiver: InstanceOf<typeof GbnReceiver>,
) {
  const intact = node(lateValid.and(late.bad.or(late.lost).not()));
  const of = (k: Val<typeof GbnFrameKind>): Bit => intact.and(late.kind.eq(k));
  const is = (v: number): Bit => of(GbnFrameKind.session).and(receiver.verdict.what.eq(v));
  const accepted = node(is(gbnVerdict.accepted)),
    delivered = node(accepted.and(late.packet.control.not()));
  const managed = node(of(GbnFrameKind.management)),
    raw = node(of(GbnFrameKind.raw));
  const place = reg(uint(Math.log2(p.managed)), { init: 0 });
  when(managed, () => place.set(place.add(1)));
  return {
    of,
    is,
    accepted,
    /** DATA that is passed on: of a session, or to or from slot 0. */
    delivered,
    managed,
    raw,
    /** Where the sender of a management packet is kept. */
    place,
  };
}
