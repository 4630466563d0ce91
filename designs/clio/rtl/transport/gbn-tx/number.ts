/** A frame's number and its receiver: asked in one cycle, known in the next. */
import {
  bit,
  type Bit,
  map,
  node,
  reg,
  stage,
  struct,
  type UInt,
  unpack,
  type Val,
} from "../../../../../hdl-dsl/index.ts";
import { GbnFrameKind, gbnFramesKept, sessionBits } from "../../../../shared/go-back-n/rtl/index.ts";
import type { GbnContext } from "../gbn-rx/ports.ts";
import type { GbnTxIo } from "./ports.ts";
import { type GbnTxParameters, Queued } from "./records.ts";
import { contextsOf, type Plans, type Reorder, type Sender } from "./units.ts";

/** What is decided about the frame at the head. */
export interface Numbered {
  readonly head: Queued;
  readonly session: UInt;
  /** Its receiver. */
  readonly to: Val<typeof GbnContext>;
  readonly granted: Sender["granted"];
  readonly ofSession: Bit;
  readonly raw: Bit;
  /** A reply to a request: it goes to the request's sender. */
  readonly replies: Bit;
  /** It leaves in this cycle; with a number; not at all, since its session is closed. */
  readonly decided: Bit;
  readonly numbered: Bit;
  readonly gone: Bit;
}

/** Room for a plan, a cycle old: one may be on its way. */
function roomIn({ planned, outs, places }: Plans): Bit {
  const room = reg(bit, { init: 0 });
  const [plan, way, place] = [planned, outs, places].map((f): Bit => f.level.le(gbnFramesKept - 2)) as [Bit, Bit, Bit];
  room.set(plan.and(way).and(place));
  return room;
}

export function number(p: GbnTxParameters, io: GbnTxIo, reorder: Reorder, sender: Sender, plans: Plans): Numbered {
  // A number is asked for by the kind alone, so that comes from a register.
  const Next = struct({ ofSession: bit, queued: Queued(p) });
  const queued = map(
    reorder.out,
    Next,
    meta => {
      const q = unpack(Queued(p), meta);
      return { ofSession: q.kind.eq(GbnFrameKind.session), queued: q };
    },
    { name: "ordered" },
  );
  const next = stage(queued, "full", { name: "next" });
  const { ofSession, queued: head } = next.payload;
  const session = head.index.trunc(sessionBits(p));
  const contexts = contextsOf(p);
  contexts.write(io.contextWrite.en, io.contextWrite.index, io.contextWrite.value);
  const to = contexts.readSync(head.index);
  const known = reg(bit, { init: 0 }),
    asking = reg(bit, { init: 0 });
  const room = roomIn(plans);
  const asks = node(next.valid.andNot(known).and(room.or(asking)));
  const answered = node(ofSession.not().or(sender.request.ready));
  // The request is held until it is answered.
  asking.set(asks.andNot(answered));
  sender.request.valid.set(asks.and(ofSession));
  sender.request.payload.set(session);
  known.set(asks.and(answered));
  const { granted } = sender;
  const numbered = node(known.and(ofSession).and(granted.granted)),
    gone = node(known.and(ofSession).and(granted.closed));
  const settled = ofSession.not().or(granted.granted).or(granted.closed);
  const decided = node(known.and(settled));
  next.ready.set(decided);
  const raw = node(head.kind.eq(GbnFrameKind.raw)),
    replies = node(ofSession.or(head.kind.eq(GbnFrameKind.management)));
  return { head, session, to, granted, ofSession, raw, replies, decided, numbered, gone };
}
