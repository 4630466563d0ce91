import {
  arbiter,
  bit,
  type Bit,
  bitsFor,
  connect,
  instance,
  map,
  mux,
  node,
  reg,
  scope,
  stage,
  stream,
  type StreamIn,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../hdl-dsl/index.ts";
import { clioHeader, frameOffsets, statusBits } from "../wire/index.ts";
import { ethernetHeader, ipv4Header, udpHeader } from "../../shared/wire/index.ts";
import { type AxisBeat, cutFields, FrameHead, HeaderInsert, joinBytes, joinFields } from "../../shared/frame/index.ts";
import type { NetConfig } from "../rtl/index.ts";
import { ethernetType, ipHeader, ipOverhead, ipSum } from "./addresses.ts";
import type { ExtendPathParameters } from "./extend-path.ts";
import { supply } from "./memory-port.ts";
import { requestHeader, type Requests } from "./request-port.ts";
import type { SlotParameters } from "./slot/ports.ts";
import { rememberedBytes } from "./once-table.ts";
import { BodyBeat, bodyLengthBits, type OffloadReply } from "./types.ts";

/** The reply side's view of a slot. */
export interface ReplySide {
  readonly answer: StreamIn<ReturnType<typeof OffloadReply>>;
  readonly answerData: StreamIn<ReturnType<typeof BodyBeat>>;
  /** The answer is to a request that its offload was reset from. */
  readonly lost: Bit;
}

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
    const { store } = requests,
      hostNumber = slots.length,
      bodyBits = rememberedBytes * 8;
    const fields = {
      number: uint(Math.ceil(Math.log2(slots.length + 1))),
      status: uint(4),
      opcode: uint(8),
      length: uint(bodyLengthBits),
      more: bit,
      lost: bit,
      /** Of the host's own answers. */
      body: uint(bodyBits),
    };
    const Answer = struct({ ...fields, place: uint(store.placeBits) });
    const answers = slots.map((s, k) =>
      map(
        s.answer,
        Answer,
        ({ context, ...v }) => ({ ...v, place: store.place(k, context), number: k, lost: s.lost, body: 0 }),
        { name: `answer_${k}` },
      ),
    );
    const host = map(
      requests.host,
      Answer,
      v => ({ ...v, place: store.hostPlace, number: hostNumber, more: 0, lost: 0 }),
      { name: "host_answer" },
    );
    // The entry is read as the answer leaves its slot; afterwards its place may be another's.
    const granted = arbiter([...answers, host], { name: "granted" });
    const noted = requests.entryOf(granted.payload.place);
    const { lost: _lost, ...kept } = fields;
    const Headed = struct({ ...kept, header: uint(requestHeader * 8), remember: bit, entry: uint(noted.entry.width) });
    // The progress of an operation that is done at most once is unknown; all others can be done again.
    const askedHeader = node(store.read(granted.payload.place), { name: "asked_header" }),
      askedClio = cutFields(clioHeader, askedHeader, frameOffsets.clio);
    const lostStatus = mux(noted.valid, statusBits.EXPIRED, statusBits.BUSY);
    const headed = stage(
      map(
        granted,
        Headed,
        ({ place: _, lost, ...v }) => ({
          ...v,
          status: mux(lost, lostStatus, v.status),
          opcode: mux(lost, askedClio.opcode, v.opcode),
          header: askedHeader,
          remember: noted.valid.and(v.more.not()).and(v.number.ne(hostNumber)),
          entry: noted.entry,
        }),
        { name: "headed" },
      ),
      "full",
      { name: "to_sum" },
    );

    const askedIp = cutFields(ipv4Header, headed.payload.header, frameOffsets.network);
    const ipLength = node(headed.payload.length.zext(16).add(ipOverhead + clioHeader.bytes));
    const Summed = struct({ ...Headed.fields, ipLength: uint(16), sum: uint(17) });
    const summed = stage(
      map(headed, Summed, v => ({ ...v, ipLength: ipLength, sum: ipSum(config, askedIp.src, ipLength) }), {
        name: "summed",
      }),
      "full",
      { name: "to_head" },
    );

    const v = summed.payload;
    const ethernet = cutFields(ethernetHeader, v.header),
      ip = cutFields(ipv4Header, v.header, frameOffsets.network);
    const udp = cutFields(udpHeader, v.header, frameOffsets.transport),
      clio = cutFields(clioHeader, v.header, frameOffsets.clio);
    const native = node(udp.dstPort.eq(config.nativePort)),
      flag = (f: UInt<1>): Bit => f.and(native);
    const size = node(v.length.zext(16).add(clioHeader.bytes));
    const header = joinBytes(
      joinFields(ethernetHeader, {
        dst: p.partBit === undefined ? ethernet.src : ethernet.src.or(v.more.zext(48).shl(p.partBit)),
        src: config.mac,
        etherType: ethernetType,
      }),
      ipHeader({ src: config.ip, dst: ip.src, totalLength: v.ipLength }, v.sum),
      joinFields(udpHeader, {
        srcPort: udp.dstPort,
        dstPort: udp.srcPort,
        length: node(v.length.zext(16).add(udpHeader.bytes + clioHeader.bytes)),
        checksum: 0,
      }),
      joinFields(clioHeader, {
        ...clio,
        opcode: v.opcode,
        status: v.status,
        size,
        flagRoute: flag(clio.flagRoute),
        flagRepl: flag(clio.flagRepl),
        flagTracked: flag(clio.flagTracked),
        flagRetry: flag(clio.flagRetry),
      }),
    );
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
    // Answers of the host itself, and the remembered part of an answer: the first bytes of its body.
    const sent = reg(
      struct({
        status: uint(4),
        opcode: uint(8),
        length: uint(bodyLengthBits),
        entry: Headed.fields.entry,
        body: uint(bodyBits),
      }),
      { name: "sent" },
    );
    const remembering = reg(bit, { init: 0, name: "remembering" });
    const beat = reg(uint(bitsFor(rememberedBytes)), { name: "beat" });
    const beats = Math.ceil(rememberedBytes / p.beatBytes),
      part = (i: number): number => Math.min(p.beatBytes, rememberedBytes - i * p.beatBytes) * 8;
    const hostData = stream(BodyBeat(p), { name: "host_data" });
    hostData.valid.set(1);
    hostData.payload.set({
      data: Array.from({ length: beats }, (_, i): UInt =>
        sent.body.bits(i * p.beatBytes * 8, part(i)).zext(p.beatBytes * 8),
      ).reduceRight((behind, d, i) => mux(beat.eq(i), d, behind)),
      last: 0,
    });
    when(insert.data.fire, () => {
      for (let i = 0; i < beats; i++)
        when(remembering.and(beat.eq(i)), () =>
          sent.body.setBits(i * p.beatBytes * 8, insert.data.payload.data.bits(0, part(i))),
        );
      when(beat.ne(beats), () => beat.set(beat.add(1)));
    });
    // Told with the beat that has the last of the bytes, or after the head of an answer without any: before the
    // next head comes.
    const { data } = insert.data.payload,
      now = Array.from({ length: beats }, (_, i): UInt =>
        mux(beat.eq(i), data.bits(0, part(i)), sent.body.bits(i * p.beatBytes * 8, part(i))),
      );
    const enough = node(
      sent.length.le(beat.zext(bodyLengthBits).add(1).shl(Math.log2(p.beatBytes))).or(beat.eq(beats - 1)),
    );
    const told = node(remembering.and(sent.length.any().not().or(insert.data.fire.and(enough))));
    requests.done(told, { ...sent, body: joinBytes(...now) });
    when(told, () => remembering.set(0));
    when(insert.head.fire, () => {
      sent.set({ status: v.status, opcode: v.opcode, length: v.length, entry: v.entry, body: v.body });
      remembering.set(v.remember);
      beat.set(0);
    });
    supply(insert.head.fire, v.number, [...slots.map(s => s.answerData), hostData], insert.data);
    return insert.frame;
  });
}
