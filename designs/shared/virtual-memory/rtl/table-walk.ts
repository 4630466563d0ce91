import {
  axi4Address,
  axi4Read,
  bit,
  type Bit,
  cat,
  constant,
  encodeOnehot,
  fromBits,
  type Inside,
  module,
  mux,
  node,
  onehotMux,
  orTree,
  output,
  ram,
  type Readable,
  reg,
  sink,
  source,
  struct,
  uint,
  type UInt,
  unpack,
  type Val,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { passQueue } from "../../stream/index.ts";
import {
  type AddressSpace,
  bucketBytes,
  bucketSlots,
  entryShape,
  tableGeometry,
  type TableGeometry,
  type TableParameters,
} from "../table/index.ts";

export interface WalkParameters extends TableParameters {
  readonly misses: number;
  readonly beatBytes: number;
  readonly addressBits: number;
  readonly idBits: number;
}
export const geometryOf = (p: TableParameters): TableGeometry => tableGeometry(p);

/** A bucket to fetch for a miss. */
export const Fetch = (p: WalkParameters) => {
  const g = geometryOf(p);
  return struct({ miss: uint(Math.log2(p.misses)), index: uint(g.indexBits), tag: uint(g.tagBits) });
};
/** What a bucket says about a page. */
export const WalkResult = (p: WalkParameters) => {
  const g = geometryOf(p);
  return struct({
    miss: uint(Math.log2(p.misses)),
    /** The memory answered with an error. */ error: bit,
    /** The page has an entry; `mapped`: and a frame. */
    allocated: bit,
    mapped: bit,
    read: bit,
    write: bit,
    ppn: uint(g.ppnBits),
    /** Where the entry is: for a page that faults. */
    slot: uint(Math.log2(bucketSlots)),
    index: uint(g.indexBits),
    tag: uint(g.tagBits),
  });
};
const Found = (p: WalkParameters) =>
  struct({
    found: bit,
    mapped: bit,
    read: bit,
    write: bit,
    ppn: uint(geometryOf(p).ppnBits),
    slot: uint(3),
    error: bit,
  });
interface Entry {
  readonly tag: UInt;
  readonly ppn: UInt;
  readonly read: Bit;
  readonly write: Bit;
  readonly allocated: Bit;
  readonly valid: Bit;
}

/** The cycle before `walked`: of which miss it will be. */
export const Arriving = (p: WalkParameters) => struct({ valid: bit, miss: uint(Math.log2(p.misses)) });
/** A pulse for each fetch, not back-pressured. */
export const Walked = (p: WalkParameters) => struct({ valid: bit, result: WalkResult(p) });

const ports = (p: WalkParameters) => ({
  fetch: sink(Fetch(p)),
  ar: source(axi4Address(p)),
  r: sink(axi4Read(p)),
  arriving: output(Arriving(p)),
  walked: output(Walked(p)),
});
type Io = Inside<ReturnType<typeof ports>>;
const Wanted = (p: WalkParameters) => {
  const { indexBits, tagBits } = geometryOf(p);
  return struct({ index: uint(indexBits), tag: uint(tagBits) });
};
const slotsPerBeatOf = (p: WalkParameters): number => Math.min(bucketSlots, p.beatBytes / 8);

/** Asks for buckets. @returns what the answer will be compared with, kept by miss number */
function askBuckets(io: Io, p: WalkParameters) {
  const g = geometryOf(p),
    missBits = Math.log2(p.misses),
    beats = bucketSlots / slotsPerBeatOf(p);
  const wanted = ram(Wanted(p), { depth: p.misses, collision: "undefined", style: "distributed" });
  wanted.write(io.fetch.fire, io.fetch.payload.miss, { index: io.fetch.payload.index, tag: io.fetch.payload.tag });

  const Asked = struct({ miss: uint(missBits), index: uint(g.indexBits) });
  const askedValid = reg(bit, { init: 0 });
  const asked = reg(Asked);
  io.fetch.ready.set(1);
  askedValid.set(io.fetch.valid);
  asked.set({ miss: io.fetch.payload.miss, index: io.fetch.payload.index });
  const queue = passQueue("fetches", Asked, p.misses, askedValid, asked);
  io.ar.valid.set(queue.valid);
  queue.ready.set(io.ar.ready);
  const base = constant(BigInt(g.tableBase), p.addressBits);
  io.ar.payload.addr.set(base.or(cat(queue.payload.index, constant(0, Math.log2(bucketBytes))).resize(p.addressBits)));
  io.ar.payload.id.set(queue.payload.miss.resize(p.idBits).add(1));
  io.ar.payload.len.set(beats - 1);
  io.ar.payload.size.set(Math.log2(p.beatBytes));
  io.ar.payload.burst.set(1);

  return wanted;
}

/** The beat, registered: memory controllers are far away. */
function takeBeats(io: Io, p: WalkParameters, wanted: ReturnType<typeof askBuckets>) {
  const missBits = Math.log2(p.misses);
  const beat = reg(axi4Read(p));
  const beatValid = reg(bit, { init: 0 });
  const miss = reg(uint(missBits)),
    want = reg(Wanted(p));
  const coming = node(io.r.payload.id.sub(1).trunc(missBits));
  const wantedThere = wanted.readAsync(coming);
  io.r.ready.set(1);
  beatValid.set(io.r.valid);
  when(io.r.valid, () => {
    beat.set(io.r.payload);
    miss.set(coming);
    want.set(wantedThere);
  });
  const arrives = node(beatValid.and(beat.last));
  io.arriving.set({ valid: arrives, miss });

  return { beat, beatValid, miss, want, arrives };
}
type Beat = ReturnType<typeof takeBeats>;

type FoundSoFar = Val<ReturnType<typeof Found>>;
/** What a beat has, with what the beats before it had. */
function merged(own: FoundSoFar, b: FoundSoFar | undefined): FoundSoFar {
  if (b === undefined) return own;
  return {
    found: own.found.or(b.found),
    mapped: mux(b.found, b.mapped, own.mapped),
    read: mux(b.found, b.read, own.read),
    write: mux(b.found, b.write, own.write),
    ppn: mux(b.found, b.ppn, own.ppn),
    slot: mux(b.found, b.slot, own.slot),
    error: own.error.or(b.error),
  };
}

/** Every entry of the beat against the tag that its fetch waits for. */
function findEntry(p: WalkParameters, { beat, beatValid, miss, want }: Beat): FoundSoFar {
  const g = geometryOf(p),
    slotsPerBeat = slotsPerBeatOf(p),
    beats = bucketSlots / slotsPerBeat;
  const entries = Array.from({ length: slotsPerBeat }, (_, i) => unpack(entryShape(g), beat.data.bits(64 * i, 64)));
  const matches = entries.map(e => e.allocated.and(e.tag.eq(want.tag)));
  const here = orTree(matches);
  const pick = <V>(f: (e: Entry) => V): Readable<V> => onehotMux(matches, entries.map(f));
  const slotInBeat = slotsPerBeat === 1 ? constant(0, 3) : encodeOnehot(fromBits(matches)).resize(3);
  const own = (): FoundSoFar => ({
    found: here,
    mapped: pick(e => e.valid),
    read: pick(e => e.read),
    write: pick(e => e.write),
    ppn: pick(e => e.ppn),
    slot,
    error: isError,
  });
  let slot: UInt<3> = slotInBeat;
  let before: FoundSoFar | undefined;
  const isError = beat.resp.any();
  if (beats > 1) {
    // A narrow bus brings a bucket in several beats, and beats of several buckets may be mixed: what was found so far
    // is kept by miss.
    const count = reg(vec(uint(Math.log2(beats)), p.misses), { init: Array.from({ length: p.misses }, () => 0) });
    const kept = reg(vec(Found(p), p.misses));
    const number = count.at(miss);
    when(beatValid, () => count.setAt(miss, number.add(1)));
    const k = kept.at(miss);
    const later = number.any();
    before = {
      found: k.found.and(later),
      mapped: k.mapped,
      read: k.read,
      write: k.write,
      ppn: k.ppn,
      slot: k.slot,
      error: k.error.and(later),
    };
    slot = slotsPerBeat === 1 ? number.resize(3) : cat(number, slotInBeat.trunc(Math.log2(slotsPerBeat))).is(3);
    const now = merged(own(), before);
    when(beatValid, () => kept.setAt(miss, now));
  }
  return merged(own(), before);
}

/**
 * Fetches buckets and finds the page's entry in them: exactly one memory access (one bucket of 64 bytes) per miss
 * (paper §4.4.2). One fetch per cycle; as many in flight as there are misses, and they may come back in any order, back
 * to back, beats of different fetches mixed (AXI read ID 1 + miss). Latency: fetch to `ar` 1 cycle; last data beat to
 * `walked` 2 cycles. Initiation interval 1 at 512 bits; a bucket's beats below that. Full: no more than `misses` may be
 * under way, so `fetch` is always taken.
 */
export const TableWalk = module(
  "TableWalk",
  ports,
  (io, p) => {
    const arrived = takeBeats(io, p, askBuckets(io, p)),
      { miss, want, arrives } = arrived,
      result = findEntry(p, arrived);
    const walked = reg(WalkResult(p));
    const walkedValid = reg(bit, { init: 0, name: "done" });
    walkedValid.set(arrives);
    walked.set({
      miss,
      error: result.error,
      allocated: result.found,
      mapped: result.mapped,
      read: result.read,
      write: result.write,
      ppn: result.ppn,
      slot: result.slot,
      index: want.index,
      tag: want.tag,
    });
    io.walked.valid.set(walkedValid);
    io.walked.result.set(walked);
  },
  { nameOf: p => `TableWalk_m${p.misses}_b${p.beatBytes}_${tableName(p)}` },
);

/**
 * A short name of a table's geometry for module names: page and memory as powers of two, and slots factor. The address
 * space is left out: a design has one.
 */
export const tableName = (p: Omit<TableParameters, keyof AddressSpace>): string =>
  `p${Math.log2(p.pageSize)}_m${Math.log2(p.physicalMemory)}_s${p.slotsFactor}`;
