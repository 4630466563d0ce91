/** Whether there is room for a reply, and for the replies of requests that are let in. */
import { type Bit, bit, mux, node, reg, uint, type UInt } from "../../../../../hdl-dsl/index.ts";
import { gbnFrameBytes } from "../../../wire/index.ts";
import { beatBytes, type GbnTaskParameters } from "./records.ts";

/** Beats of the largest reply, and one that its header takes when it is short. */
const most = gbnFrameBytes / beatBytes + 1;

/** `takes` with `beats`: a reply has come. `gone`: a beat, or the last one of a reply, has left. */
export function roomOf(
  p: GbnTaskParameters,
  takes: Bit,
  beats: UInt,
  gone: { readonly beat: Bit; readonly reply: Bit },
) {
  const used = reg(uint(Math.log2(p.beats) + 1), { init: 0, name: "beats_used" }),
    replies = reg(uint(Math.log2(p.replies) + 1), { init: 0, name: "replies_used" }),
    crowded = reg(bit, { init: 0, name: "crowded" });
  const more = mux(takes, beats, 0).is(6);
  used.set(used.add(more.zext(used.width)).sub(gone.beat.zext(used.width)));
  replies.set(replies.add(takes.zext(replies.width)).sub(gone.reply.zext(replies.width)));
  // Half is for what the nodes still have to answer.
  crowded.set(used.ge(p.beats / 2).or(replies.ge(p.replies / 2)));
  return {
    crowded,
    room: node(used.le(p.beats - most).and(replies.lt(p.replies)), { name: "room_for_reply" }),
    waits: node(used.any().or(replies.any()), { name: "replies_wait" }),
  };
}
