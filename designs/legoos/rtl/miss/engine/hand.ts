/** The miss at hand: the one that is prepared, or whose requests are sent. */
import {
  type Bit,
  bit,
  cat,
  constant,
  firstSet,
  mux,
  node,
  reg,
  type Stream,
  type UInt,
  uint,
  type Val,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { beatBytes, derived, regionShift } from "../../../config/index.ts";
import type { Event } from "../../records/miss-records.ts";
import type { Job } from "../../records/records.ts";
import { Line, lineIdBits, Owner } from "../../records/records.ts";
import type { Parts } from "./parts.ts";

/** What is looked up of it. */
function lookUp({ io, p, ranges, router }: Parts, line: Val<ReturnType<typeof Line>>): void {
  const { pageBits, lineBits } = derived(p);
  // What is looked up stands in a register: the jobs are in distributed memory.
  const looked = reg(Line(p), { name: "looked_up" });
  looked.set(line);
  ranges.line.set(looked);
  router.asid.set(looked.asid);
  router.region.set(looked.page.bits(regionShift - lineBits, pageBits - (regionShift - lineBits)));
  ranges.flushed.set(0);
  ranges.write.set(io.rangeWrite);
  router.regionWrite.set(io.regionWrite);
  router.nodeWrite.set(io.nodeWrite);
  io.ready.set(ranges.ready);
}

/** What the machine tells software, and asks of the line memory: copies of the victim, or zeros. */
function speak({ io, p }: Parts, told: Told, { at, job, beat, local, ofVictim, line }: Speaking) {
  io.line.valid.set(0);
  const zeros = node(local.and(ofVictim.not()), { name: "zeros" });
  io.line.payload.set({
    owner: mux(zeros, Owner.fill, Owner.copy),
    id: at.zext(lineIdBits(p)),
    write: zeros,
    address: cat(job.place, beat),
    strb: constant((1n << BigInt(beatBytes)) - 1n, beatBytes),
    data: 0,
  });
  told.valid.set(0);
  told.payload.set({ kind: "unknownRegion", line, status: 0 });

  return zeros;
}
type Told = Stream<ReturnType<typeof Event>>;
interface Speaking {
  readonly at: UInt;
  readonly job: Val<ReturnType<typeof Job>>;
  readonly beat: UInt;
  readonly local: Bit;
  readonly ofVictim: Bit;
  readonly line: Val<ReturnType<typeof Line>>;
}

/** @param told events on their way to software */
export function atHand(parts: Parts, told: Told) {
  const { io, p, table: t, jobs, each } = parts,
    { missBits, beatBits } = derived(p);
  const at = reg(uint(missBits), { name: "at" }),
    job = jobs.readAsync(at),
    ofVictim = reg(bit, { init: 0 }),
    local = reg(bit),
    beat = reg(uint(beatBits)),
    arrived = reg(uint(beatBits + 1), { init: 0 }),
    spoilt = reg(bit, { name: "spoilt" });
  const line = mux(ofVictim, job.victim, job.line);
  lookUp(parts, line);

  const todo = firstSet(each(m => t.entries.at(m).todo.andNot(t.entries.at(m).held))),
    due = firstSet(each(m => t.entries.at(m).due));
  const fetch = t.fetch.at(at),
    primary = t.primary.at(at),
    secondary = t.secondary.at(at);
  const sendFetch = reg(bit, { init: 0 }),
    sendPrimary = reg(bit, { init: 0 }),
    sendSecondary = reg(bit, { init: 0 });
  const nextId = reg(uint(32), { init: 0 });
  const requestId = node(io.own.firstId.add(nextId), { name: "request_id" });

  // The map has been written since the look-up began: what it said may be old.
  const changed = reg(bit, { init: 0 });
  when(io.regionWrite.valid, () => changed.set(1));
  const zeros = speak(parts, told, { at, job, beat, local, ofVictim, line });
  return {
    told,
    at,
    job,
    line,
    ofVictim,
    local,
    beat,
    arrived,
    spoilt,
    /** The next miss to be prepared, and the next that has something to send. */
    todo,
    due,
    fetch,
    primary,
    secondary,
    sendFetch,
    sendPrimary,
    sendSecondary,
    nextId,
    requestId,
    changed,
    zeros,
  };
}
export type Hand = ReturnType<typeof atHand>;

/** Victims go to the sender as they are copied. */
export function keepVictim({ io, p, sender }: Parts, { at, arrived, spoilt }: Hand): void {
  const { beatBits } = derived(p);
  sender.keep.set({
    valid: io.copied.valid,
    miss: at,
    beat: arrived.trunc(beatBits),
    data: io.copied.data,
  });
  when(io.copied.valid, () => arrived.set(arrived.add(1)));
  when(io.copied.valid.and(io.copied.bad), () => spoilt.set(1));
}
