/** Replies of a session leave in the order of its requests; everything else as it comes. */
import { connect, pack, type StreamIn } from "../../../../../hdl-dsl/index.ts";
import { GbnFrameKind, type SessionControl } from "../../../../shared/go-back-n/rtl/index.ts";
import type { GbnTxIo } from "./ports.ts";
import type { GbnTxParameters } from "./records.ts";
import type { arrivedQueue, Frames, Reorder } from "./units.ts";

interface OrderNeeds {
  readonly queue: ReturnType<typeof arrivedQueue>;
  readonly frames: Frames;
  readonly control: StreamIn<ReturnType<typeof SessionControl>>;
}

export function order(p: GbnTxParameters, reorder: Reorder, io: GbnTxIo, { queue, frames, control }: OrderNeeds): void {
  reorder.reply.valid.set(queue.pop.valid);
  queue.pop.ready.set(reorder.reply.ready);
  const arrived = queue.pop.payload;
  const ofRequest = arrived.queued.kind.eq(GbnFrameKind.session);
  reorder.reply.payload.set({
    // Only the last of several frames to a request waits for its turn.
    ordered: p.marksParts === true ? ofRequest.andNot(arrived.part) : ofRequest,
    turn: arrived.turn,
    meta: pack(arrived.queued),
  });
  connect(frames.beats, reorder.beats);
  connect(io.named, reorder.named);
  connect(control, reorder.control);
  io.crowded.set(reorder.crowded);
}
