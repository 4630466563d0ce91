import { node, scope, type StreamIn } from "../../../hdl-dsl/index.ts";
import { passBody } from "./request-port/body.ts";
import { decide, takeApart } from "./request-port/judge.ts";
import { partFrames } from "./request-port/part.ts";
import { answerByHost, storeOf } from "./request-port/store.ts";
import type { Frames, RequestPath, Requests } from "./request-port/types.ts";

/**
 * Frames on their way to the slow path, parted by their opcode. Frames of an offload go to its slot; all others go on
 * to the software as they are. A request for an offload without room (all its contexts taken, or bodies waiting) is
 * answered BUSY at once. An operation that is done at most once is looked up (once-table.ts). A repetition of such an
 * operation is answered as the first time, or BUSY while the operation is being done. A frame waits here for nothing
 * but the one before it, so no offload can hold up the software's frames.
 *
 * A frame for an offload that keeps what processes give it (`removal`) goes there when its process exists, else to the
 * software. A removal is asked for between two frames, behind all that was let in while its process existed.
 *
 * A client that has as many requests in an offload as it has free contexts is answered BUSY, too (slot.ts).
 *
 * Latency for the software: 1 cycle and the beats up to the opcode's. For an offload: the whole frame, 5 cycles (13
 * when the operation is looked up) and its body's beats, and 5 more when its process is looked up. Initiation interval:
 * 1 beat for the software; one frame at a time for offloads.
 */
export function requestFrames(frames: StreamIn<Frames>, path: RequestPath): Requests {
  return scope("requests", () => {
    const parted = partFrames(frames, path),
      apart = takeApart(parted.apart, path);
    const decision = decide(path, parted, apart),
      { decides, enters, once } = decision;
    passBody(path, parted, apart, decision);
    const { headers, entries, placeBits, place, hostPlace } = storeOf(path, apart, decision),
      { host, again } = answerByHost(parted, apart, decision);
    return {
      busy: node(decides.and(enters.not()).and(again.not()), { name: "answers_busy" }),
      repeated: node(decides.and(again), { name: "answers_again" }),
      forgets: parted.forgets,
      soc: parted.soc,
      host,
      store: { read: at => headers.readAsync(at), placeBits, place, hostPlace },
      entryOf: at => entries.readAsync(at),
      done: (valid, reply) => once.done.set({ ...reply, valid, length: reply.length.trunc(once.done.length.width) }),
    };
  });
}
