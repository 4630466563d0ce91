import {
  arbiter,
  type Bit,
  cat,
  connect,
  mergePorts,
  module,
  mux,
  node,
  onehotMux,
  orTree,
  reg,
  stage,
  stream,
  uint,
  type UInt,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { type Declared, headerBytesFrom, kvLineBytes, type KvPolicy, kvValues } from "../../../wire/index.ts";
import { asItWas, type Task, TaskVerdict } from "../interface.ts";
import { asMakingTask, makePorts } from "../make.ts";
import { memoryPorts } from "../memory.ts";
import { readingTaskPorts } from "../payload.ts";
import { fillOf } from "./fill.ts";
import { flag, packetOf, type PacketState } from "./packet.ts";
import { FillBeat, type KvCacheParameters, setBits, versionBits } from "./records.ts";
import { repliesOf } from "./replies.ts";
import { setsOf } from "./sets.ts";
import { stepsOf } from "./steps.ts";
import { timeOf } from "./time.ts";
import { changesOf, waitingOf, writeBucket, writePending } from "./waiting.ts";

const ports = () => mergePorts(readingTaskPorts(), memoryPorts(), makePorts());

/** What a reply to this packet needs, when its value is found. */
const hitOf = ({ fields: f, who, addressSum }: PacketState, bytes: UInt, first: UInt) => ({
  macs: f.macs.is(96),
  ips: cat(f.dst, f.src).is(64),
  ports: cat(f.dstPort, f.srcPort).is(32),
  pid: f.pid.is(16),
  tag: f.tag.is(8),
  flags: f.flags.is(4),
  seq: f.seq.is(8),
  ids: f.ids.is(64),
  user: f.user.is(8),
  bytes: bytes.is(16),
  first: first.is(16),
  port: who.ingress.resize(4),
  sum: addressSum.is(20),
});
/** A set's directory: a write forgets its value, a new one goes into its place when memory has it. */
function writeSets(
  sets: ReturnType<typeof setsOf>,
  packet: PacketState,
  fill: ReturnType<typeof fillOf>,
  now: { readonly writes: Bit; readonly begins: Bit; readonly installs: Bit; readonly hits: Bit },
  clears: { readonly now: Bit; readonly at: UInt },
): void {
  const way = fill.line.trunc(2);
  sets.write({
    clears: clears.now,
    clearAt: clears.at,
    ways: sets.hits.map((hit, i) =>
      node(
        now.writes
          .and(hit)
          .or(now.begins.and(sets.victim.eq(i)))
          .or(now.installs.and(way.eq(i))),
        {
          name: `writes_way_${i}`,
        },
      ),
    ),
    line: { valid: now.installs, key: packet.key, bytes: fill.bytes, first: fill.first },
    uses: now.hits.or(now.installs),
    usedWay: mux(packet.installs, way, sets.hitWay),
    replaces: now.begins,
  });
}

/**
 * A cache of values in front of a Clio-KV node (paper §5.6; docs/supernic/kv-cache.md). A read that hits is dropped,
 * and its reply is made here; all else passes as it came. Packets are worked on one after the other. Latency: 3 cycles
 * to an answer of a packet without a key, with one 6 behind its payload's first beat; initiation interval one more, or
 * the payload's beats. Full: without room for a hit a read passes; without room for a value it is not kept; a write
 * that cannot be waited for closes its group of keys for `life`. Errors of memory: the value is forgotten with all
 * others, and its reply is not sent. Reset: nothing is kept, and nothing is learnt for `life`.
 */
const KvCache = module(
  "KvCacheTask",
  (_: KvCacheParameters) => ports(),
  (io, p) => {
    const time = timeOf(p, io.config),
      packet = packetOf(time.row),
      asks = flag("asks_pending"),
      issues = flag("issues"),
      { decides, key, hash } = packet;
    const waiting = waitingOf(packet, time, asks, issues),
      { bucket, pending, kinds, learns, old } = waiting,
      sets = setsOf(p, hash, issues, key),
      lineOf = (way: UInt): UInt => cat(hash.trunc(setBits(p)), way);

    // Hits: what memory has of them, and their replies.
    const bytes = onehotMux(
        sets.hits,
        sets.rows.map(r => r.bytes),
      ),
      first = onehotMux(
        sets.hits,
        sets.rows.map(r => r.first),
      ),
      room = flag("room_was_there"),
      hits = node(decides.and(packet.read).and(sets.hit).and(room), { name: "hits_now" });
    const value = { line: lineOf(sets.hitWay), bytes: bytes.sub(2).trunc(11) },
      replies = repliesOf(p, hits, hitOf(packet, bytes, first), value, io.got, io.make);
    room.set(replies.room);

    // Values that are kept: from the reply that brings one until memory has it.
    const version = reg(uint(versionBits), { name: "version_before" }),
      sameVersion = flag("same_version"),
      mayFill = flag("fills_now"),
      beats = stream(FillBeat, { name: "fills" });
    sameVersion.set(bucket.version.eq(version));
    const fillable = node(packet.readReply.and(mayFill).and(sameVersion).andNot(old), { name: "is_fillable" }),
      begins = node(decides.and(fillable).and(learns).andNot(sets.hit), { name: "fill_begins" }),
      forgets = node(decides.and(packet.unknown).or(replies.spoiled), { name: "forgets" });
    const { valueSize, keyLow } = packet.fields,
      start = { key, line: lineOf(sets.victim), bytes: valueSize, first: keyLow, version: bucket.version },
      fill = fillOf(p, begins, start, forgets.or(time.sweeping), replies, { beats, put: io.put, wrote: io.wrote });
    const ownRead = node(kinds.read.and(waiting.sameAsker).and(packet.tracked).and(pending.fills), {
      name: "own_read",
    });
    mayFill.set(packet.fits.and(ownRead).andNot(fill.busy));
    version.set(mux(packet.installs, fill.version, pending.version));
    connect(stage(arbiter([fill.asks, replies.asks], { name: "asks" }), "forward", { name: "asking" }), io.ask);

    // What changes.
    const clears = node(time.sweeping.andNot(decides), { name: "clears" }),
      clearsAll = node(clears.and(time.fresh), { name: "clears_all" }),
      changes = changesOf(packet, waiting, hits),
      stillTrue = node(sameVersion.and(learns).andNot(fill.cancelled), { name: "still_true" }),
      installs = node(decides.and(packet.installs).and(stillTrue).andNot(sets.hit), { name: "installs_now" });
    writePending(packet, waiting, changes, time, clearsAll);
    writeBucket(packet, waiting, changes, time, clearsAll);
    writeSets(
      sets,
      packet,
      fill,
      { writes: changes.writes, begins, installs, hits },
      { now: clears, at: time.sweepAt },
    );
    fill.end(decides.and(packet.installs));
    time.step(forgets, clears);

    // One after the other.
    const ends = { packet: io.packet, payload: io.payload, beats, answered: io.answer.fire },
      steps = stepsOf(ends, packet, time, { pending, staysAsItIs: waiting.staysAsItIs, fill, hits, begins });
    asks.set(steps.asks);
    issues.set(steps.issues);
    io.answer.valid.set(steps.answers);
    const verdict = mux(steps.drops, TaskVerdict.drop, TaskVerdict.forward);
    io.answer.payload.set({ ...asItWas, tag: packet.who.tag, verdict });
    const working = flag("is_working");
    when(io.packet.fire, () => working.set(1)).elseWhen(io.answer.fire, () => working.set(0));
    io.quiet.set(orTree([working, steps.draining, replies.jobs.any(), fill.busy]).not());
  },
  { nameOf: p => `KvCacheTask_${p.policy}_v${p.values}` },
);

/** A cache of so many values. @throws RangeError for a number that is no power of two from 64 to 16,384 */
export function kvCache(policy: KvPolicy, values: number): Task {
  if (!Number.isInteger(Math.log2(values)) || values < kvValues.least || values > kvValues.most)
    throw new RangeError(`${values} values: give a power of two from ${kvValues.least} to ${kvValues.most}`);
  const declared: Declared = {
    name: `kv_${policy}_${values}`,
    ...{ payload: "read", memory: true, makes: true, spaceBytes: values * kvLineBytes },
    reads: headerBytesFrom(0, 64),
    ...{ writes: 0n, growth: 0, leavesOut: 0, latency: 9, interval: 10, holds: 2 },
    // What it keeps its node has, too; what it kept before it was away may be old.
    ...{ state: "shared", keeps: "cold" },
  };
  return { declared, hardware: asMakingTask(KvCache({ policy, values })) };
}
