/** The modules of the library, and its functions within modules. */
import { input, output } from "../types/ports.ts";
import { bit, struct, uint, type Shape, type UIntShape } from "../types/shape.ts";
import type { UInt } from "../types/value.ts";
import { module, type Def } from "../build/module.ts";
import {
  AsyncFifo, Axi4Register, AxisRegister, Cam, Crc32, crc32Next, decode, encodeOnehot, encodePriority, Fifo, fromGray, InternetChecksum, LevelSynchroniser, Lfsr, Lru, PacketFifo,
  PulseSynchroniser, ResetSynchroniser, RoundRobinArbiter, SkidBuffer, toGray, WidthAdapter,
} from "../lib/index.ts";
import { register, registerMap, RegisterSlave } from "../registers/index.ts";
import type { CatalogueEntry } from "./entry.ts";

const word = uint(32);
const Beat = struct({ data: uint(32), last: bit, bad: bit });
/** A function of one value. */
const pure = (name: string, from: UIntShape, to: Shape & UIntShape, f: (v: UInt) => UInt): Def =>
  module(name, () => ({ from: input(from), to: output(to) }), io => { io.to.set(f(io.from).is(to.width)); })();

const timer = registerMap({
  name: "Timer", doc: "The catalogue's example: a timer.", addressBits: 5, registers: [
    register(0x00, "control", "how it counts", { enable: [0, 1, "rw", "it counts"], restart: [8, 1, "pulse", "begins again"] }),
    register(0x04, "limit", "where it ends", { limit: [0, 32, "rw", "cycles"] }),
    register(0x08, "count", "where it is", { count: [0, 32, "live", "cycles so far"] }),
    register(0x0c, "events", "what has happened", { expired: [0, 1, "event", "the limit was reached"] }),
  ],
});

const through = { from: "from", to: "to" } as const, queue = { from: "push", to: "pop" } as const;
const frame = { send: { keep: 255, last: 1 } } as const;

type Row = Omit<CatalogueEntry, "source" | "interval"> & { readonly file: string; readonly interval?: number | string };
const row = ({ file, interval, ...r }: Row): CatalogueEntry => ({ source: `hdl-dsl/${file}.ts`, interval: interval ?? 1, ...r });

/** Every unit of the library. */
export const unitEntries: readonly CatalogueEntry[] = [
  row({ name: "Fifo", group: "FIFOs", file: "lib/fifo", what: "one clock, with level; distributed memory", def: Fifo({ shape: word, depth: 32, style: "distributed" }), example: "32 of 32 bits, distributed", latency: 1, timing: queue }),
  row({ name: "Fifo", group: "FIFOs", file: "lib/fifo", what: "one clock, with level; block memory", def: Fifo({ shape: word, depth: 512, style: "block" }), example: "512 of 32 bits, block", latency: 1, timing: queue }),
  row({ name: "AsyncFifo", group: "FIFOs", file: "lib/async-fifo", what: "between two clocks", def: AsyncFifo({ shape: word, depth: 16, style: "distributed" }), example: "16 of 32 bits, distributed", latency: "1 of `push`, 2 to 3 of `pop`" }),
  row({ name: "PacketFifo", group: "FIFOs", file: "lib/packet-fifo", what: "whole packets, kept or dropped at their end", def: PacketFifo({ shape: Beat, depth: 512, last: "last", drop: "bad", style: "block" }), example: "512 of 34 bits, block, with drop", latency: 1, timing: { ...queue, send: { last: 1 } } }),
  row({ name: "SkidBuffer", group: "AXI", file: "lib/skid-buffer", what: "registers ready", def: SkidBuffer({ shape: word }), example: "32 bits", latency: 0, timing: through }),
  row({ name: "RoundRobinArbiter", group: "AXI", file: "lib/round-robin-arbiter", what: "several streams onto one, tagged", def: RoundRobinArbiter({ shape: word, sources: 4 }), example: "four of 32 bits", latency: 0, timing: { from: "from_1", to: "to" } }),
  row({ name: "AxisRegister", group: "AXI", file: "lib/axis-register", what: "AXI-Stream register slice", def: AxisRegister({ bytes: 8 }), example: "8 bytes", latency: 1, timing: through }),
  row({ name: "WidthAdapter", group: "AXI", file: "lib/width-adapter", what: "AXI-Stream to wider beats", def: WidthAdapter({ fromBytes: 8, toBytes: 32 }), example: "8 to 32 bytes", latency: 1, timing: { ...through, ...frame } }),
  row({ name: "WidthAdapter", group: "AXI", file: "lib/width-adapter", what: "AXI-Stream to narrower beats", def: WidthAdapter({ fromBytes: 32, toBytes: 8 }), example: "32 to 8 bytes", latency: 0, timing: { ...through, ...frame } }),
  row({ name: "Axi4Register", group: "AXI", file: "lib/axi4", what: "AXI4 register slice, all channels", def: Axi4Register({ addressBits: 32, idBits: 4, beatBytes: 8 }), example: "32 address bits, 4 ID bits, 8 bytes", latency: 1, timing: { from: "s_w", to: "m_w" }, proofs: ["stage"] }),
  row({ name: "RegisterSlave", group: "AXI", file: "registers/slave", what: "a register map on AXI4-Lite", def: RegisterSlave({ map: timer }), example: "four registers of every kind", latency: 2, timing: { from: "s_ar", to: "s_r" } }),
  row({ name: "Crc32", group: "Checks and codes", file: "lib/crc", what: "CRC-32 of each frame", def: Crc32({ bytes: 8 }), example: "8 bytes", latency: 2, timing: { ...through, ...frame } }),
  row({ name: "crc32Next", group: "Checks and codes", file: "lib/crc", what: "CRC-32 step as a function", def: pure("Crc32Unit", uint(64), word, v => crc32Next(v.bits(0, 32), v.bits(32, 32))), example: "32 bits of data", latency: 0 }),
  row({ name: "InternetChecksum", group: "Checks and codes", file: "lib/checksum", what: "RFC 1071 sum of each frame", def: InternetChecksum({ bytes: 8 }), example: "8 bytes", latency: 2, timing: { ...through, ...frame } }),
  row({ name: "Lfsr", group: "Checks and codes", file: "lib/lfsr", what: "pseudo-random numbers", def: Lfsr({ width: 32, steps: 8 }), example: "32 bits, 8 steps a cycle", latency: 1 }),
  row({ name: "toGray", group: "Checks and codes", file: "lib/gray", what: "number to Gray code", def: pure("ToGrayUnit", uint(16), uint(16), toGray), example: "16 bits", latency: 0, proofs: ["Gray code"] }),
  row({ name: "fromGray", group: "Checks and codes", file: "lib/gray", what: "Gray code to number", def: pure("FromGrayUnit", uint(16), uint(16), fromGray), example: "16 bits", latency: 0, proofs: ["Gray code"] }),
  row({ name: "encodeOnehot", group: "Checks and codes", file: "lib/onehot", what: "one-hot to number", def: pure("OnehotUnit", uint(64), uint(6), encodeOnehot), example: "64 bits", latency: 0 }),
  row({ name: "encodePriority", group: "Checks and codes", file: "lib/onehot", what: "lowest bit set", def: pure("PriorityEncoderUnit", uint(64), uint(6), v => encodePriority(v).index), example: "64 bits", latency: 0 }),
  row({ name: "decode", group: "Checks and codes", file: "lib/onehot", what: "number to one-hot", def: pure("DecodeUnit", uint(5), word, v => decode(v, 32)), example: "32 outputs", latency: 0 }),
  row({ name: "Cam", group: "Tables", file: "lib/cam", what: "keys to entries", def: Cam({ entries: 16, keyBits: 32 }), example: "16 keys of 32 bits", latency: 1 }),
  row({ name: "Lru", group: "Tables", file: "lib/lru", what: "least recently used", def: Lru({ entries: 16 }), example: "16 entries", latency: 1 }),
  row({ name: "LevelSynchroniser", group: "Clock crossings", file: "lib/synchroniser", what: "a level", def: LevelSynchroniser({ stages: 2 }), example: "2 stages", latency: "2 to 3" }),
  row({ name: "PulseSynchroniser", group: "Clock crossings", file: "lib/synchroniser", what: "a pulse", def: PulseSynchroniser(), example: "2 stages", latency: "2 to 3 of `to`", interval: "until not `busy`" }),
  row({ name: "ResetSynchroniser", group: "Clock crossings", file: "lib/synchroniser", what: "a reset", def: ResetSynchroniser({ stages: 2 }), example: "2 stages", latency: "2 edges" }),
];
