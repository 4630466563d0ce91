import {
  type Bit,
  bit,
  constant,
  type Def,
  fromBits,
  input,
  type Inside,
  instance,
  type InstanceOf,
  mergePorts,
  module,
  mux,
  node,
  onehotMux,
  orTree,
  output,
  reg,
  type UInt,
  uint,
  unpack,
  widthOf,
  wire,
} from "../../../../hdl-dsl/index.ts";
import {
  type ChainParameters,
  keepsState,
  makePortsOf,
  memoryPortsOf,
  payloadPortsOf,
  region,
  RegionLeave,
  type RegionPorts,
  SlotState,
  stateNumberBits,
  statePortsOf,
  trailerPortsOf,
} from "../region/index.ts";
import type { Task } from "../tasks/index.ts";
import { chosenMakes, mostMakers } from "./make-ways.ts";
import { chosenWays, mostWays } from "./memory-ways.ts";
import { chosenPayloads, chosenTrailers, mostPayloads, mostTrailers } from "./payload-ways.ts";
import { mostVariants, regionSide, regionWay, variantBits } from "./records.ts";

/** A chain of a bitstream. */
export type Chain = readonly Task[];
export const nameOfChain = (chain: Chain): string => chain.map(t => t.declared.name).join("_");

/** FNV-1a, 32 bits. */
function hashOf(text: string): string {
  let h = 0x811c9dc5;
  for (const c of text) h = Math.imul(h ^ c.charCodeAt(0), 0x01000193) >>> 0;
  return h.toString(16).padStart(8, "0");
}
/** Names of modules are names of files, which must not be long: many chains are told by a number. */
export function nameOfVariants(variants: readonly Chain[]): string {
  const all = variants.map(nameOfChain).join("__");
  return all.length <= 24 ? all : `${variants.length}_${hashOf(all)}`;
}

const ports = (p: ChainParameters) => ({
  ...regionWay(p),
  ...regionSide(p),
  /** The chain that is loaded, from 1; 0: none. */
  loaded: input(uint(variantBits)),
  /** It is being reprogrammed: its outputs mean nothing. */
  noise: input(bit),
  held: input(bit),
  /** The chain as it names itself. */
  names: output(uint(variantBits)),
});
/** Ways of its chains to all that is not a packet. */
export type VariantWays = ReturnType<typeof memoryPortsOf> &
  ReturnType<typeof payloadPortsOf> &
  ReturnType<typeof trailerPortsOf> &
  ReturnType<typeof makePortsOf> &
  ReturnType<typeof statePortsOf>;
export type PartitionPorts = ReturnType<typeof ports> & VariantWays;
/** Those that a region with these chains has. */
export const waysOfVariants = (variants: readonly Chain[], p: ChainParameters): VariantWays =>
  mergePorts(
    memoryPortsOf(mostWays(variants)),
    payloadPortsOf(p, mostPayloads(variants)),
    trailerPortsOf(p, mostTrailers(variants).length),
    makePortsOf(mostMakers(variants)),
    statePortsOf(variants.some(keepsState)),
  );

/** Numbers that nobody expects: a Galois register, x^32 + x^22 + x^2 + x + 1. */
function noiseWord(): UInt<32> {
  const word = reg(uint(32), { init: 1, name: "noise_word" }),
    next = word.shr(1);
  word.set(mux(word.bit(0), next.xor(0x8020_0003), next));
  return word;
}

type Variant = InstanceOf<() => Def<RegionPorts & VariantWays>>;
/** What all parts of a partition see: its ports, its chains, which one is loaded, and numbers that mean nothing. */
interface Parts {
  readonly io: Inside<PartitionPorts>;
  readonly p: ChainParameters;
  readonly all: readonly Variant[];
  readonly chosen: readonly Bit[];
  readonly word: UInt<32>;
}
const isLoaded = ({ io, chosen }: Parts, i: number): Bit => chosen[i] ?? io.noise;
/** A bit of the loaded chain. */
const bitOf = (parts: Parts, of: (v: Variant) => Bit): Bit =>
  orTree(parts.all.map((v, i) => of(v).and(isLoaded(parts, i))));

/** A chain of several regions' bitstreams is one module. */
const made = new WeakMap<Chain, ReturnType<typeof region>>();
function regionOf(chain: Chain): ReturnType<typeof region> {
  const known = made.get(chain) ?? region(chain);
  made.set(chain, known);
  return known;
}
/** The chains, in reset but the loaded one. */
function chainsOf(variants: readonly Chain[], io: Inside<PartitionPorts>, p: ChainParameters): Parts {
  const word = noiseWord(),
    chosen = variants.map((_, i) => node(io.loaded.eq(i + 1), { name: `has_${i + 1}` })),
    all = variants.map((chain, i) => {
      const of = { contexts: p.contexts, places: p.places };
      const reset = node(io.held.or((chosen[i] ?? io.held).not()), { name: `resets_${i + 1}` });
      return instance(`variant_${i + 1}`, regionOf(chain)(of), { reset });
    });
  return { io, p, all, chosen, word };
}

/** The state of tasks that keep some. */
function joinState(variants: readonly Chain[], parts: Parts): void {
  const { io, all, word } = parts,
    keeping = all.flatMap((it, i) => (keepsState(variants[i] ?? []) ? [{ it, has: isLoaded(parts, i) }] : []));
  if (keeping.length === 0) return;
  keeping.forEach(({ it, has }) => it.stateAsk.set({ ...io.stateAsk, valid: io.stateAsk.valid.and(has) }));
  // Of the others nobody asks, so that they say nothing.
  const said = onehotMux(
    keeping.map(k => k.has),
    keeping.map(k => k.it.stateSaid),
  );
  io.stateSaid.set({
    ...said,
    valid: mux(io.noise, word.bit(5), said.valid),
    done: mux(io.noise, word.bit(6), said.done),
    number: mux(io.noise, word.bits(7, stateNumberBits), said.number),
  });
}

/** Packets, rows and control into the loaded chain. */
function goIn(parts: Parts): void {
  const { io, all, word } = parts;
  const takes = node(bitOf(parts, v => v.enter.ready));
  io.enter.ready.set(mux(io.noise, word.bit(0), takes));
  const accepts = bitOf(parts, v => v.accepts);
  io.accepts.set(mux(io.noise, word.bit(1), accepts));
  all.forEach((v, i) => {
    const { run, ...packet } = io.enter.payload;
    v.enter.valid.set(io.enter.valid.and(isLoaded(parts, i)));
    v.enter.payload.set({ ...packet, run: run.trunc(v.give.width) });
    v.leave.ready.set(io.leave.ready);
    const { valid, slot, at, data } = io.config;
    v.config.set({
      valid: valid.and(isLoaded(parts, i)).and(slot.zext(4).lt(v.give.width)),
      slot: slot.trunc(v.config.slot.width),
      at,
      data,
    });
    for (let s = 0; s < v.give.width; s++) v.control.at(s).set(io.control.at(s));
  });
}

/** Packets, credits and the slots' states out of it. */
function goOut(parts: Parts): void {
  const { io, p, all, chosen, word } = parts;
  const out = onehotMux(
    chosen,
    all.map((v, i) => {
      const left = wire(RegionLeave(p), { name: `left_${i + 1}` });
      left.set({ ...v.leave.payload, refund: v.leave.payload.refund.zext(p.slots) });
      return left;
    }),
  );
  const leaves = bitOf(parts, v => v.leave.valid);
  io.leave.valid.set(mux(io.noise, word.bit(2), leaves));
  io.leave.payload.set({
    ...out,
    ctx: mux(io.noise, word.bits(3, Math.log2(p.contexts)), out.ctx),
    refund: mux(io.noise, word.bits(4, p.slots), out.refund),
  });
  const given = onehotMux(
    chosen,
    all.map(v => v.give.zext(p.slots)),
  );
  io.give.set(mux(io.noise, word.bits(7, p.slots), given));
  const none = unpack(SlotState(p), constant(0, widthOf(SlotState(p))));
  for (let s = 0; s < p.slots; s++) {
    const states = all.map((v, i) => {
      const state = wire(SlotState(p), { name: `state_${i + 1}_${s}` });
      // A slot that the chain does not have is quiet as soon as it is asked to be.
      state.set(s < v.give.width ? v.state.at(s) : { ...none, quiet: io.control.at(s).quiesce });
      return state;
    });
    io.state.at(s).set(onehotMux(chosen, states));
  }
}

/** The number of the loaded chain, from 1. */
function sayName({ io, chosen, word }: Parts): void {
  const named = fromBits(
    Array.from({ length: variantBits }, (_, b) => orTree(chosen.filter((_c, i) => ((i + 1) >> b) & 1))),
  ).is(variantBits);
  io.names.set(mux(io.noise, word.bits(11, variantBits), named));
}

/**
 * Stands for the part of the chip that a partial bitstream fills: every chain that it may get is there, all in reset
 * but the loaded one. While it is reprogrammed its outputs are noise: answers, credits, a name. Without a chain it
 * takes nothing and says nothing. Latency and bounds are those of the chain. Reset, or `held`: the loaded chain is
 * fresh.
 * @throws RangeError for no variant or more than 63, and for a chain of more tasks than slots
 */
export function partition(variants: readonly Chain[]): (p: ChainParameters) => Def<PartitionPorts> {
  if (variants.length < 1 || variants.length > mostVariants)
    throw new RangeError(`partition: there are ${variants.length} variants; give 1 to ${mostVariants}`);
  return module(
    "Partition",
    (p: ChainParameters) => mergePorts(ports(p), waysOfVariants(variants, p)),
    (io, p) => {
      const long = variants.find(v => v.length > p.slots);
      if (long)
        throw new RangeError(`partition: ${nameOfChain(long)} has ${long.length} tasks; a region has ${p.slots} slots`);
      const parts = chainsOf(variants, io, p);
      const ways = parts.all.map((it, i) => ({ chain: variants[i] ?? [], it, chosen: isLoaded(parts, i) }));
      chosenWays(io, ways, io.noise, parts.word);
      chosenPayloads(io, ways, io.noise, parts.word);
      chosenTrailers(io, ways, io.noise, parts.word);
      chosenMakes(io, ways, io.noise, parts.word);
      joinState(variants, parts);
      goIn(parts);
      goOut(parts);
      sayName(parts);
    },
    {
      nameOf: p => `Partition_${nameOfVariants(variants)}_c${p.contexts}_s${p.slots}_f${p.places}`,
    },
  );
}
