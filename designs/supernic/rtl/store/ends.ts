/** Those who write and read beats: the one who brings payloads in, those who put beats back, those who read. */
import {
  assertAlways,
  bit,
  type Bit,
  constant,
  mux,
  node,
  reg,
  type StreamIn,
  type StreamOut,
  uint,
  type UInt,
  type UIntShape,
  when,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { claimedQueue, ReadBeat } from "../../../shared/frame/index.ts";
import type { ReadWish, WriteWish } from "./banks.ts";
import type { Link } from "./chains.ts";
import {
  type BackBeat,
  beatBits,
  cellBits,
  type CellPart,
  type FirstCell,
  type ownersBits,
  queueBeats,
  type StoreBeat,
  type StoreParameters,
} from "./records.ts";

/** A payload that is whole: where it begins, and how many own it. */
export interface Arrived {
  readonly en: Bit;
  readonly first: UInt;
  readonly owners: UInt<typeof ownersBits>;
}
export interface Bringing extends WriteWish {
  readonly link: Link;
  readonly arrived: Arrived;
}

/**
 * Brings payloads in: a cell is taken with its first beat, and linked with its last. The link of a full cell names the
 * cell on offer, which nobody else can take: so it must be there before the beat is written.
 */
export function bring(
  p: StoreParameters,
  write: StreamIn<ReturnType<typeof StoreBeat>>,
  offer: StreamIn<UIntShape>,
  stored: StreamOut<ReturnType<typeof FirstCell>>,
): Bringing {
  const beat = reg(uint(beatBits(p)), { init: 0, name: "bring_beat" }),
    inPacket = reg(bit, { init: 0, name: "bring_in_packet" }),
    current = reg(uint(cellBits(p)), { name: "bring_current" }),
    began = reg(uint(cellBits(p)), { name: "bring_began" });
  const starts = node(beat.eq(0), { name: "bring_starts" }),
    fills = node(beat.all(), { name: "bring_fills" });
  const { last, data, owners } = write.payload;
  const cell = node(mux(starts, offer.payload, current).is(cellBits(p)), { name: "bring_cell" }),
    first = node(mux(inPacket, began, cell), { name: "bring_first" });
  const needsCell = node(starts.or(fills.andNot(last)), { name: "bring_needs_cell" }),
    told = reg(bit, { init: 0, name: "stored_told" }),
    toldFirst = reg(uint(cellBits(p)), { name: "stored_first_q" });
  const cellThere = needsCell.not().or(offer.valid),
    toldRoom = last.not().or(told.not());
  const served = wire(bit, { name: "bring_served" }),
    ends = node(served.and(last), { name: "bring_ends" }),
    linked = node(served.and(last.or(fills)), { name: "bring_linked" });
  write.ready.set(served);
  offer.ready.set(served.and(starts));
  when(served, () => {
    beat.set(mux(last, constant(0, beatBits(p)), beat.add(1)));
    inPacket.set(last.not());
    current.set(cell);
    began.set(first);
  });
  // Nobody would ever release it: its cells were lost.
  assertAlways(ends.not().or(owners.any()), "a payload has an owner when it has come in");
  when(stored.ready, () => told.set(0));
  when(ends, () => {
    told.set(1);
    toldFirst.set(first);
  });
  stored.valid.set(told);
  stored.payload.set({ first: toldFirst });
  const next = node(mux(last, beat.zext(cellBits(p)), offer.payload), { name: "bring_next" });
  return {
    wants: node(write.valid.and(cellThere).and(toldRoom), { name: "bring_wants" }),
    cell,
    beat,
    data,
    served,
    link: { en: linked, cell, value: { last, next } },
    arrived: { en: ends, first, owners },
  };
}

/** Goes through the beats of parts, one when it is served. */
function beatsOf(name: string, p: StoreParameters, parts: StreamIn<ReturnType<typeof CellPart>>) {
  const beat = reg(uint(beatBits(p)), { init: 0, name: `${name}_beat` });
  const lastOfCell = node(beat.eq(parts.payload.lastBeat), { name: `${name}_last_of_cell` });
  const lastOfJob = node(lastOfCell.and(parts.payload.ends), { name: `${name}_last_of_job` });
  return {
    beat,
    lastOfJob,
    short: node(lastOfJob.and(parts.payload.short), { name: `${name}_is_short` }),
    /** Also given that the rest of the job is not wanted, and that a part of it is skipped. */
    step: (served: Bit, ends?: Bit, skips?: Bit): void => {
      const passes = served.and(lastOfCell),
        first = ends === undefined ? lastOfCell : lastOfCell.or(ends);
      parts.ready.set(skips === undefined ? passes : passes.or(skips));
      when(served, () => beat.set(mux(first, constant(0, beatBits(p)), beat.add(1))));
    },
  };
}

/** What went wrong with a job, for a cycle. */
interface Wrong {
  readonly short: Bit;
}
/** Reads parts, a beat when there is room for it. */
export function read(
  name: string,
  p: StoreParameters,
  parts: StreamIn<ReturnType<typeof CellPart>>,
  out: StreamOut<ReturnType<typeof ReadBeat>>,
): ReadWish & Wrong {
  const queue = claimedQueue(name, ReadBeat(p.beatBytes), queueBeats),
    at = beatsOf(name, p, parts);
  const served = wire(bit, { name: `${name}_served` }),
    data = wire(uint(p.beatBytes * 8), { name: `${name}_word` });
  at.step(served);
  const comes = reg(bit, { init: 0, name: `${name}_comes` }),
    last = reg(bit, { name: `${name}_comes_last` }),
    bad = reg(bit, { name: `${name}_comes_bad` });
  comes.set(served);
  last.set(at.lastOfJob);
  bad.set(at.short);
  queue.serve(served, comes, { data, last, bad }, out);
  return {
    wants: node(parts.valid.and(queue.room), { name: `${name}_wants` }),
    cell: parts.payload.cell,
    beat: at.beat,
    served,
    data,
    short: served.and(at.short),
  };
}

/**
 * Puts beats back where they were read, while both the job and its beats last. What is left of the longer one is taken
 * and dropped, so that the next job begins with its own first beat.
 */
export function putBack(
  name: string,
  p: StoreParameters,
  parts: StreamIn<ReturnType<typeof CellPart>>,
  beats: StreamIn<ReturnType<typeof BackBeat>>,
): WriteWish & Wrong & { readonly uneven: Bit } {
  const at = beatsOf(name, p, parts);
  const drains = reg(bit, { init: 0, name: `${name}_drains` }),
    skips = reg(bit, { init: 0, name: `${name}_skips` });
  const { last, data } = beats.payload,
    writing = node(drains.or(skips).not(), { name: `${name}_writing` });
  const served = wire(bit, { name: `${name}_served` }),
    jobOnly = node(served.and(last).andNot(at.lastOfJob), { name: `${name}_job_only` }),
    beatsOnly = node(served.and(at.lastOfJob).andNot(last), { name: `${name}_beats_only` });
  beats.ready.set(served.or(drains));
  at.step(served, jobOnly, skips);
  when(beatsOnly, () => drains.set(1)).elseWhen(beats.valid.and(last), () => drains.set(0));
  when(jobOnly, () => skips.set(1)).elseWhen(parts.valid.and(parts.payload.ends), () => skips.set(0));
  return {
    wants: node(parts.valid.and(beats.valid).and(writing), { name: `${name}_wants` }),
    cell: parts.payload.cell,
    beat: at.beat,
    data,
    served,
    short: served.and(at.short),
    uneven: jobOnly.or(beatsOnly),
  };
}
