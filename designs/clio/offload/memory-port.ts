import {
  arbiter,
  cat,
  connect,
  constant,
  demux,
  type Fields,
  instance,
  map,
  mux,
  node,
  onehotMux,
  reg,
  scope,
  stage,
  type StreamIn,
  type StreamOut,
  struct,
  type StructShape,
  uint,
  type UInt,
  type UIntShape,
  type Val,
  when,
} from "../../../hdl-dsl/index.ts";
import { accessBody, clioHeader, clioSize, frameOffsets, statusBits } from "../wire/index.ts";
import { ethernetHeader, udpHeader } from "../../shared/wire/index.ts";
import {
  type AxisBeat,
  cutFields,
  FrameHead,
  HeaderInsert,
  HeaderStrip,
  joinBytes,
  joinFields,
} from "../../shared/frame/index.ts";
import type { NetConfig } from "../rtl/index.ts";
import {
  ethernetType,
  internalIp,
  internalPort,
  internalPrefix,
  internalPrefixBits,
  ipHeader,
  ipOverhead,
  ipSum,
  slotByte,
} from "./addresses.ts";
import { costBits, epochBits, SlotAccess, type SlotParameters, SlotReply, SlotReplyBeat } from "./slot/ports.ts";
import { type BodyBeat, bodyLengthBits, memoryTagBits } from "./types.ts";

/** The memory side's view of a slot. */
export interface MemorySide {
  readonly access: StreamIn<ReturnType<typeof SlotAccess>>;
  readonly accessData: StreamIn<ReturnType<typeof BodyBeat>>;
  readonly came: StreamOut<ReturnType<typeof SlotReply>>;
  readonly cameData: StreamOut<ReturnType<typeof SlotReplyBeat>>;
}
type Frames = ReturnType<typeof AxisBeat>;

/** Bytes in front of the data: up to va and length. */
const headerBytes = frameOffsets.body + accessBody.bytes;
const numberBits = (slots: readonly unknown[]): number => Math.max(1, Math.ceil(Math.log2(slots.length)));

/** Streams of slots onto one, with the slot's number. */
export function numbered<F extends Fields>(
  from: readonly StreamIn<StructShape<F>>[],
  shape: StructShape<F>,
  name: string,
): StreamIn<StructShape<F & { readonly number: UIntShape }>> {
  const bits = numberBits(from),
    tagged = struct({ ...shape.fields, number: uint(bits) });
  const named = from.map((s, k) => map(s, tagged, v => ({ ...v, number: k }), { name: `${name}_${k}` }));
  return arbiter(named, { name });
}

/**
 * Memory requests of all slots, in turn, as frames of internal clients. Latency: 5 cycles from `access` to the first
 * beat. Initiation interval 1 beat, no bubble between frames whose data are there; a slot offers no others.
 */
export function memoryFrames(
  slots: readonly MemorySide[],
  p: SlotParameters,
  config: Val<typeof NetConfig>,
): StreamIn<Frames> {
  return scope("to_memory", () => {
    const Numbered = struct({ ...SlotAccess(p).fields, number: uint(numberBits(slots)) });
    const granted = stage(
      numbered(
        slots.map(s => s.access),
        SlotAccess(p),
        "access",
      ) as StreamIn<typeof Numbered>,
      "full",
      { name: "granted" },
    );
    const g = granted.payload;

    // The IPv4 header takes two steps.
    const Summed = struct({ ...Numbered.fields, ipLength: uint(16), sum: uint(17) });
    const ip = (number: UInt): UInt => cat(constant(internalIp >>> numberBits(slots), 32 - numberBits(slots)), number);
    const length = node(g.data.zext(16).add(ipOverhead + clioHeader.bytes + accessBody.bytes), { name: "ip_length" });
    const summed = stage(
      map(granted, Summed, v => ({ ...v, ipLength: length, sum: ipSum(config, ip(v.number), length) }), {
        name: "summed",
      }),
      "full",
      { name: "to_head" },
    );
    const v = summed.payload;
    const clioSize = node(v.data.zext(16).add(clioHeader.bytes + accessBody.bytes), { name: "clio_size" });
    const header = joinBytes(
      joinFields(ethernetHeader, {
        dst: config.mac,
        src: cat(constant(internalPrefix, internalPrefixBits), v.epoch, v.number.zext(8 - epochBits)),
        etherType: ethernetType,
      }),
      ipHeader({ src: ip(v.number), dst: config.ip, totalLength: v.ipLength }, v.sum),
      joinFields(udpHeader, {
        srcPort: internalPort,
        dstPort: config.nativePort,
        length: node(v.data.zext(16).add(udpHeader.bytes + clioHeader.bytes + accessBody.bytes)),
        checksum: 0,
      }),
      joinFields(clioHeader, {
        pid: v.pid,
        tag: 0,
        opcode: v.opcode,
        status: 0,
        flagRoute: 0,
        flagRepl: 0,
        flagTracked: 0,
        flagRetry: 0,
        seqId: 0,
        size: clioSize,
        requestId: cat(v.cost, v.tag).zext(32),
        retryOf: 0,
      }),
      joinFields(accessBody, { va: v.va, length: v.length }),
    );
    const insert = instance("memory_header", HeaderInsert({ beatBytes: p.beatBytes, headerBytes }));
    connect(
      map(summed, FrameHead({ beatBytes: p.beatBytes, headerBytes }), () => ({ header, length: v.data }), {
        name: "head",
      }),
      insert.head,
    );
    supply(
      insert.head.fire,
      v.number,
      slots.map(s => s.accessData),
      insert.data,
    );
    return insert.frame;
  });
}

/** Gives the data of the slot whose head has been taken last. */
export function supply(
  taken: UInt<1>,
  number: UInt,
  from: readonly StreamIn<ReturnType<typeof BodyBeat>>[],
  to: StreamOut<ReturnType<typeof BodyBeat>>,
): void {
  const serving = reg(uint(number.width), { name: "serving" });
  when(taken, () => serving.set(number));
  const here = from.map((_, k) => node(serving.eq(k), { name: `serves_${k}` }));
  to.valid.set(
    here.map((h, k) => h.and((from[k] as StreamIn<ReturnType<typeof BodyBeat>>).valid)).reduce((a, b) => a.or(b)),
  );
  to.payload.set(
    onehotMux(
      here,
      from.map(f => f.payload),
    ),
  );
  from.forEach((f, k) => f.ready.set(to.ready.and(here[k] as UInt<1>)));
}

/**
 * The node's replies to internal clients, each to its slot. Every beat is taken at once. Latency 2 cycles from a
 * frame's last beat to `came`.
 */
export function memoryReplies(frames: StreamIn<Frames>, slots: readonly MemorySide[], p: SlotParameters): void {
  scope("from_memory", () => {
    const strip = instance(
      "memory_strip",
      HeaderStrip({ beatBytes: p.beatBytes, headerBytes, routeByte: slotByte, ...clioSize }),
    );
    connect(frames, strip.frame);
    const h = strip.head.payload;
    const clio = cutFields(clioHeader, h.header, frameOffsets.clio),
      body = cutFields(accessBody, h.header, frameOffsets.body);
    const bits = numberBits(slots);
    const replies = map(
      strip.head,
      SlotReply(p),
      () => ({
        tag: clio.requestId.bits(0, memoryTagBits),
        cost: clio.requestId.bits(memoryTagBits, costBits(p)),
        status: mux(h.bad, statusBits.FAIL, clio.status),
        va: body.va,
        length: body.length,
        data: h.length.is(bodyLengthBits),
        epoch: h.header.bits(slotByte * 8 + 8 - epochBits, epochBits),
      }),
      { name: "reply" },
    );
    // A register in front of the slots; with every taker always ready nothing ever waits here.
    const Routed = struct({ ...SlotReply(p).fields, number: uint(bits) });
    const routed = stage(
      map(replies, Routed, v => ({ ...v, number: h.header.bits(slotByte * 8, bits) }), { name: "routed" }),
      "forward",
      { name: "reply_out" },
    );
    const ways = demux(routed, routed.payload.number, slots.length, { name: "came" });
    slots.forEach((s, k) =>
      connect(
        map(ways[k] as typeof routed, SlotReply(p), ({ number: _, ...v }) => v, { name: `came_${k}` }),
        s.came,
      ),
    );
    const dated = map(
      strip.data,
      SlotReplyBeat(p),
      v => ({ ...v, epoch: strip.route.bits(8 - epochBits, epochBits) }),
      { name: "dated" },
    );
    const data = demux(dated, strip.route.bits(0, bits), slots.length, { name: "came_data" });
    slots.forEach((s, k) => connect(data[k] as typeof dated, s.cameData));
  });
}
