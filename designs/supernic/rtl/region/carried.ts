/** What of a packet is carried along a chain: what a task behind looks at, or one in front has said. Wires only. */
import { cat, constant, type Shape, struct, uint, type UInt, widthOf } from "../../../../hdl-dsl/index.ts";
import type { Declared } from "../../wire/index.ts";
import { front, told } from "../tasks/index.ts";
import { ChainPacket, type ChainParameters } from "./records.ts";

type Field = keyof ReturnType<typeof ChainPacket>["fields"];
/** Bits of a packet's fields that count; a field that is not named is not carried. */
type Counts = Partial<Record<Field, bigint>>;

const ones = (bits: number): bigint => (1n << BigInt(bits)) - 1n;
const all = (shape: Shape): bigint => ones(widthOf(shape));
const whole = (fields: Readonly<Record<string, Shape>>): Counts =>
  Object.fromEntries(Object.entries(fields).map(([name, shape]) => [name, all(shape)]));
/** The bits of these bytes. */
export const bitsOfBytes = (bytes: bigint): bigint => {
  let bits = 0n;
  for (let i = 0n; bytes >> i > 0n; i++) if ((bytes >> i) & 1n) bits |= 0xffn << (8n * i);
  return bits;
};
const union = (bytes: readonly bigint[]): bigint => bytes.reduce((a, b) => a | b, 0n);

/** Bytes of the header that count in front of a slot: written by a task in front, or read by one from there on. */
export const bytesAt = (chain: readonly Declared[], slot: number): bigint =>
  union(chain.slice(0, slot).map(d => d.writes)) | union(chain.slice(slot).map(d => d.reads));

/** What counts in front of a slot; in front of the one behind the last: as it leaves the chain. */
function countsAt(chain: readonly Declared[], slot: number, p: ChainParameters): Counts {
  const fields = ChainPacket(p).fields,
    passed = chain.slice(0, slot),
    { prepend, frontBytes, dropFront } = whole(front);
  return {
    ctx: all(fields.ctx),
    header: bitsOfBytes(bytesAt(chain, slot)),
    mask: union(passed.map(d => d.writes)),
    run: ones(chain.length) & ~ones(slot),
    ...(slot < chain.length && whole(told)),
    ...(passed.some(d => d.growth > 0) && { prepend, frontBytes }),
    ...(passed.some(d => d.leavesOut > 0) && { dropFront }),
    ...(slot > 0 && { reply: 1n, dropped: 1n, killed: 1n, refund: ones(chain.length) & ~1n }),
  };
}
/** What a task's declaration needs of a packet to judge its answer, beside what is carried on. */
const judged = (d: Declared, p: ChainParameters): Counts => {
  const { headBytes, payloadBytes } = ChainPacket(p).fields;
  return d.leavesOut > 0 ? { headBytes: all(headBytes), payloadBytes: all(payloadBytes) } : {};
};

/** The same as bits of a packed packet. */
function packedBits(counts: Counts, p: ChainParameters): bigint {
  let bits = 0n,
    at = 0n;
  for (const [name, shape] of Object.entries<Shape>(ChainPacket(p).fields)) {
    bits |= (counts[name as Field] ?? 0n) << at;
    at += BigInt(widthOf(shape));
  }
  return bits;
}

/** Bits of a packed packet that a slot has: where it comes in, of one that goes past, and of one that its task has. */
export function carriedBy(chain: readonly Declared[], slot: number, p: ChainParameters) {
  const comes = packedBits(countsAt(chain, slot, p), p),
    goes = packedBits(countsAt(chain, slot + 1, p), p),
    own = packedBits(judged(chain[slot] as Declared, p), p);
  return { comes, past: comes & goes, kept: comes & (goes | own) };
}

/** The runs of set bits, lowest first. */
function runsOf(bits: bigint): readonly { readonly at: number; readonly width: number }[] {
  const runs: { at: number; width: number }[] = [];
  for (let i = 0; bits >> BigInt(i) > 0n; i++) {
    if (((bits >> BigInt(i)) & 1n) === 0n) continue;
    const last = runs.at(-1);
    if (last !== undefined && last.at + last.width === i) last.width++;
    else runs.push({ at: i, width: 1 });
  }
  return runs;
}
/** How many bits are set; one bit stands for none. */
export const countOf = (bits: bigint): number =>
  Math.max(
    1,
    runsOf(bits).reduce((n, r) => n + r.width, 0),
  );

/** What a task sees of a packet: what it is told, and the bytes that it declared. */
export const TaskView = ({ reads }: Pick<Declared, "reads">) =>
  struct({ ...told, seen: uint(countOf(bitsOfBytes(reads))) });

/** These bits of a word, one behind the other. */
export function gathered(word: UInt, bits: bigint): UInt {
  const parts = runsOf(bits).map(r => word.bits(r.at, r.width));
  return parts.length === 0 ? constant(0, 1) : cat(...parts.reverse());
}
/** The same where they stand in a word of which all other bits are 0. */
export function scattered(few: UInt, bits: bigint, width: number): UInt {
  const parts: UInt[] = [];
  let from = 0,
    at = 0;
  for (const r of runsOf(bits)) {
    if (r.at > at) parts.push(constant(0, r.at - at));
    parts.push(few.bits(from, r.width));
    from += r.width;
    at = r.at + r.width;
  }
  if (at < width) parts.push(constant(0, width - at));
  return cat(...parts.reverse());
}
