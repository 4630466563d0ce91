import { connect, instance, map, scope, type StreamIn, type Val } from "../../../hdl-dsl/index.ts";
import { type AxisBeat, FrameHead, HeaderInsert } from "../../shared/frame/index.ts";
import type { NetConfig } from "../rtl/index.ts";
import type { ExtendPathParameters } from "./extend-path.ts";
import { supply } from "./memory-port.ts";
import { gather, type ReplySide } from "./reply-port/gather.ts";
import { headerOf, sumUp } from "./reply-port/header.ts";
import { rememberAnswers } from "./reply-port/remember.ts";
import { requestHeader, type Requests } from "./request-port/types.ts";
import type { SlotParameters } from "./slot/ports.ts";

/**
 * Replies of all slots, in turn, and BUSY, as frames to the requesters (wire-format.md: a reply echoes the request's
 * fields). Latency: 6 cycles from `answer` to the first beat; initiation interval 1 beat, no bubble between frames.
 */
export function replyFrames(
  slots: readonly ReplySide[],
  requests: Requests,
  p: SlotParameters & Pick<ExtendPathParameters, "partBit">,
  config: Val<typeof NetConfig>,
): StreamIn<ReturnType<typeof AxisBeat>> {
  return scope("replies", () => {
    const summed = sumUp(gather(slots, requests), config),
      v = summed.payload,
      header = headerOf(v, p, config);
    const insert = instance("reply_header", HeaderInsert({ beatBytes: p.beatBytes, headerBytes: requestHeader }));
    connect(
      map(
        summed,
        FrameHead({ beatBytes: p.beatBytes, headerBytes: requestHeader }),
        () => ({ header, length: v.length }),
        { name: "head" },
      ),
      insert.head,
    );
    const hostData = rememberAnswers(summed, insert, requests, p);
    supply(insert.head.fire, v.number, [...slots.map(s => s.answerData), hostData], insert.data);
    return insert.frame;
  });
}
