import {
  arbiter, connect, instance, map, node, scope, stage, struct, uint, type Bit, type StreamIn, type UInt, type Val,
} from "../../../hdl-dsl/index.ts";
import { clioHeader, ethernetHeader, ipv4Header, status, udpHeader, frameOffsets } from "../../packets/index.ts";
import type { AxisBeat} from "../rtl/index.ts";
import { cutFields, joinBytes, joinFields, type NetConfig } from "../rtl/index.ts";
import { ethernetType, ipHeader, ipOverhead, ipSum } from "./addresses.ts";
import { FrameHead, HeaderInsert } from "./header_insert.ts";
import { supply } from "./memory_port.ts";
import { requestHeader, type Requests } from "./request_port.ts";
import type { SlotParameters } from "./slot.ts";
import { bodyLengthBits, type BodyBeat, type OffloadReply } from "./types.ts";

/** What the reply side sees of a slot. */
export interface ReplySide {
  readonly answer: StreamIn<ReturnType<typeof OffloadReply>>; readonly answer_data: StreamIn<ReturnType<typeof BodyBeat>>;
}

/**
 * Replies of all slots, in turn, and BUSY, as frames to those who asked (wire-format.md: everything that a reply echoes is the request's). Latency: 6 cycles from `answer` to the first beat; initiation interval 1 beat, no bubble
 * between frames.
 */
export function replyFrames(slots: readonly ReplySide[], requests: Requests, p: SlotParameters, config: Val<typeof NetConfig>): StreamIn<ReturnType<typeof AxisBeat>> {
  return scope("replies", () => {
    const { store } = requests, busyNumber = slots.length;
    const Answer = struct({ place: uint(store.placeBits), number: uint(Math.ceil(Math.log2(slots.length + 1))), status: uint(4), opcode: uint(8), length: uint(bodyLengthBits) });
    const answers = slots.map((s, k) => map(s.answer, Answer, v => ({ place: store.place(k, v.context), number: k, status: v.status, opcode: v.opcode, length: v.length }), { name: `answer_${k}` }));
    const busy = map(requests.busy, Answer, v => ({ place: store.busyPlace, number: busyNumber, status: status.BUSY, opcode: v.opcode, length: 0 }), { name: "busy_answer" });
    // The header is read as the answer leaves its slot: then its place may be another's.
    const granted = arbiter([...answers, busy], { name: "granted" });
    const Headed = struct({ header: uint(requestHeader * 8), number: Answer.fields.number, status: uint(4), opcode: uint(8), length: uint(bodyLengthBits) });
    const headed = stage(map(granted, Headed, ({ place, ...v }) => ({ ...v, header: store.read(place) }), { name: "headed" }), "full", { name: "to_sum" });

    const asked_ip = cutFields(ipv4Header, headed.payload.header, frameOffsets.network);
    const ip_length = node(headed.payload.length.zext(16).add(ipOverhead + clioHeader.bytes));
    const Summed = struct({ ...Headed.fields, ipLength: uint(16), sum: uint(17) });
    const summed = stage(map(headed, Summed, v => ({ ...v, ipLength: ip_length, sum: ipSum(config, asked_ip.src, ip_length) }), { name: "summed" }), "full", { name: "to_head" });

    const v = summed.payload;
    const ethernet = cutFields(ethernetHeader, v.header), ip = cutFields(ipv4Header, v.header, frameOffsets.network);
    const udp = cutFields(udpHeader, v.header, frameOffsets.transport), clio = cutFields(clioHeader, v.header, frameOffsets.clio);
    const native = node(udp.dstPort.eq(config.nativePort)), flag = (f: UInt<1>): Bit => f.and(native);
    const size = node(v.length.zext(16).add(clioHeader.bytes));
    const header = joinBytes(
      joinFields(ethernetHeader, { dst: ethernet.src, src: config.mac, etherType: ethernetType }),
      ipHeader({ src: config.ip, dst: ip.src, totalLength: v.ipLength }, v.sum),
      joinFields(udpHeader, { srcPort: udp.dstPort, dstPort: udp.srcPort, length: node(v.length.zext(16).add(udpHeader.bytes + clioHeader.bytes)), checksum: 0 }),
      joinFields(clioHeader, {
        ...clio, opcode: v.opcode, status: v.status, size,
        flagRoute: flag(clio.flagRoute), flagRepl: flag(clio.flagRepl), flagTracked: flag(clio.flagTracked), flagRetry: flag(clio.flagRetry),
      }));
    const insert = instance("reply_header", HeaderInsert({ beatBytes: p.beatBytes, headerBytes: requestHeader }));
    connect(map(summed, FrameHead({ beatBytes: p.beatBytes, headerBytes: requestHeader }), () => ({ header, length: v.length }), { name: "head" }), insert.head);
    supply(insert.head.fire, v.number, slots.map(s => s.answer_data), insert.data);
    return insert.frame;
  });
}
