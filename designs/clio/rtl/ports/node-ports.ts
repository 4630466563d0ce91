/** The memory node's ports, for ClioNode itself and for what stands around it with the same ports. */
import {
  axi4Address,
  type Axi4Parameters,
  axi4Read,
  axi4Response,
  axi4Write,
  bit,
  bitsFor,
  connectAny,
  liteSlavePorts,
  output,
  type Shape,
  sink,
  source,
  type StreamIn,
  type StreamOut,
  uint,
} from "../../../../hdl-dsl/index.ts";
import type { NodeConfig } from "../../config/index.ts";
import { registerAddressBits } from "../../registers/index.ts";
import { Shootdown, type TranslateParameters } from "../memory/translate.ts";
import { AxisBeat } from "../../../shared/frame/index.ts";
import { NetConfig } from "../records/records.ts";

/** The port towards DRAM. */
export const dramPorts = (w: Axi4Parameters) => ({
  memAw: source(axi4Address(w)),
  memW: source(axi4Write(w.beatBytes)),
  memB: sink(axi4Response(w)),
  memAr: source(axi4Address(w)),
  memR: sink(axi4Read(w)),
});
/** The ports for pages, registers and what is under way. @param addressBits of the register space */
export const slowPathPorts = (c: NodeConfig, t: TranslateParameters, addressBits = registerAddressBits) => ({
  freePage: sink(uint(c.ppnBits)),
  freePages: output(uint(bitsFor(c.freePageBuffer))),
  /** The free-page buffer holds its low-water mark or less. */
  lowWater: output(bit),
  shootdown: sink(Shootdown(t)),
  shootdownDone: source(bit),
  ...liteSlavePorts(addressBits),
  /** Slots in use: 0 when nothing is under way. */
  busy: output(uint(c.requestSlots)),
});
/**
 * The ports towards memory, pages and registers: a transport or an extend path in front of the node
 * passes them through.
 */
export const memoryPorts = (c: NodeConfig, w: Axi4Parameters, t: TranslateParameters) => ({
  ...dramPorts(w),
  ...slowPathPorts(c, t),
});
/** The ports towards the network. */
export const networkPorts = (w: Axi4Parameters) => ({
  rx: sink(AxisBeat(w.beatBytes)),
  tx: source(AxisBeat(w.beatBytes)),
});
/** The ports for the slow path's frames. */
export const softwarePorts = (w: Axi4Parameters) => ({
  socRx: source(AxisBeat(w.beatBytes)),
  socTx: sink(AxisBeat(w.beatBytes)),
});
/** The ports towards the network and the slow path's frames. */
export const framePorts = (w: Axi4Parameters) => ({ ...networkPorts(w), ...softwarePorts(w) });

/** The ports that every build of the node has, whatever is in it; the widths are known at elaboration. */
export type NodePorts = ReturnType<typeof framePorts> & ReturnType<typeof memoryPorts>;

const inwards = ["memB", "memR", "freePage", "shootdown"] as const;
const outwards = ["memAw", "memW", "memAr", "shootdownDone"] as const;
const levels = ["freePages", "lowWater", "busy"] as const;
const registersIn = ["sAw", "sW", "sAr"] as const,
  registersOut = ["sB", "sR"] as const;
type Named<K extends string> = { readonly [_ in K]: unknown };
/**
 * A module with these ports, seen from inside (its own) or from outside (an instance's): each stream has the
 * other direction there.
 */
type MemorySide = Named<(typeof inwards)[number] | (typeof outwards)[number] | (typeof levels)[number]>;
type RegisterSide = Named<(typeof registersIn)[number] | (typeof registersOut)[number]>;

function streamsThrough(
  outer: Named<string>,
  inner: Named<string>,
  into: readonly string[],
  out: readonly string[],
): void {
  for (const n of into) connectAny(outer[n] as StreamIn<Shape>, inner[n] as StreamOut<Shape>);
  for (const n of out) connectAny(inner[n] as StreamIn<Shape>, outer[n] as StreamOut<Shape>);
}

/** Hands the memory ports of a node inside through to the same ports outside, all but the registers. */
export function handMemoryThrough(outer: MemorySide, inner: MemorySide): void {
  streamsThrough(outer, inner, inwards, outwards);
  for (const n of levels) (outer[n] as { set(v: unknown): void }).set(inner[n]);
}
/** Hands the memory ports of a node inside through to the same ports outside. */
export function handThrough(outer: MemorySide & RegisterSide, inner: MemorySide & RegisterSide): void {
  handMemoryThrough(outer, inner);
  streamsThrough(outer, inner, registersIn, registersOut);
}

/** The configuration of the node's way in and out, for what stands in front of it. */
export const configPort = { netConfig: output(NetConfig) };
