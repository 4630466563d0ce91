import {
  arbiter,
  type Bit,
  bit,
  cat,
  connect,
  constant,
  fromBits,
  fsm,
  linearMap,
  mergePorts,
  module,
  mux,
  node,
  onehotMux,
  orTree,
  pack,
  ram,
  reg,
  stage,
  stream,
  uint,
  type UInt,
  when,
} from "../../../../../hdl-dsl/index.ts";
import {
  type Declared,
  headerBytesFrom,
  kvAskerHash,
  kvBuckets,
  kvKeyHash,
  kvLineBytes,
  kvPending,
  type KvPolicy,
  kvValues,
  kvWays,
} from "../../../wire/index.ts";
import { asItWas, type Task, TaskPacket, TaskVerdict } from "../interface.ts";
import { asMakingTask, makePorts } from "../make.ts";
import { memoryPorts } from "../memory.ts";
import { readingTaskPorts } from "../payload.ts";
import { classify, fieldsOf } from "./classify.ts";
import { fillOf } from "./fill.ts";
import { Asker, Bucket, FillBeat, keyBits, type KvCacheParameters, Pending, pendingBits, pendingKind, versionBits } from "./records.ts";
import { repliesOf, sumOfAddresses } from "./replies.ts";
import { setsOf } from "./sets.ts";
import { timeOf } from "./time.ts";

const hashBits = 12,
  bucketBits = Math.log2(kvBuckets);
const ports = () => mergePorts(readingTaskPorts(), memoryPorts(), makePorts());
const flag = (name: string) => reg(bit, { init: 0, name });

/**
 * A cache of values in front of a Clio-KV node (paper §5.6; docs/supernic/kv-cache.md). A read that hits is dropped,
 * and its reply is made here; all else passes as it came. Packets are worked on one after the other. Latency: 9 cycles
 * to an answer without a key, with one 6 behind its payload's first beat; initiation interval one more, or the
 * payload's beats. Full: without room for a hit a read passes; without room for a value it is not kept; a write that
 * cannot be waited for closes its group of keys for `life`. Errors of memory: the value is forgotten with all others,
 * and its reply is not sent. Reset: nothing is kept, and nothing is learnt for `life`.
 */
const KvCache = module(
  "KvCacheTask",
  (_: KvCacheParameters) => ports(),
  (io, p) => {
    const time = timeOf(p, io.config),
      who = reg(TaskPacket, { name: "who" });

    // What the packet is.
    const is = classify(who, time.row),
      f = fieldsOf(who.header);
    const read = flag("is_read"),
      write = flag("is_write"),
      unknown = flag("is_unknown"),
      readReply = flag("is_read_reply"),
      writeReply = flag("is_write_reply"),
      tracked = flag("is_tracked"),
      settled = flag("is_settled"),
      fits = flag("value_is_fit"),
      ages = flag("is_ageing"),
      installs = flag("is_installing"),
      serves = node(ages.or(installs), { name: "serves" });
    const asker = reg(Asker, { name: "asker" }),
      askerAt = reg(uint(pendingBits), { name: "asker_at" }),
      key = reg(uint(keyBits), { name: "key_of_process" }),
      hash = reg(uint(hashBits), { name: "key_hash" }),
      addresses = sumOfAddresses(f.src, f.dst),
      sums = addresses.pairs.map((s, i) => {
        const sum = reg(uint(20), { name: `addresses_${i}` });
        sum.set(s.is(20));
        return sum;
      });

    // What is kept.
    const issues = flag("issues"),
      asks = flag("asks_pending"),
      pendings = ram(Pending, { depth: kvPending, collision: "undefined", style: "block", name: "pendings" }),
      buckets = ram(Bucket, { depth: kvBuckets, collision: "undefined", style: "block", name: "buckets" }),
      pending = pendings.readSync(askerAt, { en: asks, name: "pending" }),
      bucket = buckets.readSync(hash.trunc(bucketBits).is(bucketBits), { en: issues, name: "bucket" });
    const sets = setsOf(p, hash, issues, key);

    // The ways to memory and to the client.
    const beats = stream(FillBeat, { name: "fills" }),
      hits = node(read.and(sets.hit), { name: "finds_value" }),
      decides = flag("decides"),
      draining = flag("drains"),
      filling = flag("fills_beats"),
      line = onehotMux(sets.hits, sets.rows.map(r => r.bytes)),
      first = onehotMux(sets.hits, sets.rows.map(r => r.first));
    const answersHit = flag("answers_hit"),
      hitNow = node(decides.and(hits).and(answersHit), { name: "hits_now" });
    const replies = repliesOf(
      p,
      hitNow,
      {
        macs: f.macs.is(96),
        ips: cat(f.dst, f.src).is(64),
        ports: cat(f.dstPort, f.srcPort).is(32),
        pid: f.pid.is(16),
        tag: f.tag.is(8),
        flags: f.flags.is(4),
        seq: f.seq.is(8),
        ids: f.ids.is(64),
        user: f.user.is(8),
        bytes: line.is(16),
        first: first.is(16),
        port: who.ingress.resize(4),
        sum: addresses.add(sums[0] as UInt, sums[1] as UInt).is(20),
      },
      { line: cat(hash.trunc(Math.log2(p.values / kvWays)), sets.hitWay), bytes: line.sub(2).trunc(11) },
      io.got,
      io.make,
    );
    answersHit.set(replies.room);

    // Judged a cycle before it is decided.
    const sameAsker = flag("same_asker"),
      open = flag("bucket_is_open"),
      stillShut = flag("bucket_is_shut"),
      old = flag("pending_is_old"),
      sameVersion = flag("same_version"),
      kinds = { none: flag("waits_none"), read: flag("waits_read"), write: flag("waits_write") };
    sameAsker.set(pack(pending.asker).eq(pack(asker)));
    stillShut.set(bucket.shut.andNot(time.isOld(bucket.stamp)));
    open.set(bucket.writers.any().or(bucket.shut.andNot(time.isOld(bucket.stamp))).not());
    old.set(time.isOld(pending.stamp));
    kinds.none.set(pending.kind.eq(pendingKind.none));
    kinds.read.set(pending.kind.eq(pendingKind.read));
    kinds.write.set(pending.kind.eq(pendingKind.write));
    const fillVersion = reg(uint(versionBits), { name: "version_before" });
    sameVersion.set(bucket.version.eq(fillVersion));

    const learns = node(open.andNot(time.isDeaf), { name: "learns" }),
      fillNow = flag("fills_now");
    const begins = node(decides.and(readReply).and(fillNow).and(learns).and(sameVersion).andNot(old).andNot(sets.hit), {
        name: "fill_begins",
      }),
      forgets = node(decides.and(unknown).or(replies.spoiled), { name: "forgets" });
    const fill = fillOf(
      p,
      begins,
      { key, line: cat(hash.trunc(Math.log2(p.values / kvWays)), sets.victim), bytes: f.valueSize, first: f.keyLow, version: bucket.version },
      forgets.or(time.sweeping),
      replies,
      beats,
      io.put,
      io.wrote,
    );
    fillNow.set(fits.and(kinds.read).and(sameAsker).and(tracked).and(pending.fills).andNot(fill.busy));
    fillVersion.set(mux(installs, fill.version, pending.version));
    connect(
      stage(arbiter([fill.asks, replies.asks], { name: "asks" }), "forward", { name: "asking" }),
      io.ask,
    );

    // What is waited for, and how often keys were written.
    const missed = node(decides.and(read).and(tracked).andNot(hitNow), { name: "misses" }),
      newRead = node(missed.and(kinds.none), { name: "new_read" }),
      unsure = node(missed.andNot(kinds.none).andNot(kinds.write), { name: "unsure_read" }),
      crowds = node(missed.and(kinds.write), { name: "crowds_write" });
    const writes = node(decides.and(write), { name: "writes_now" }),
      waitsAgain = node(writes.and(sameAsker).and(kinds.write).and(tracked), { name: "waits_again" }),
      waits = node(writes.and(kinds.none).and(tracked), { name: "waits_for_write" }),
      blind = node(writes.andNot(waits).andNot(waitsAgain), { name: "blind_write" });
    const known = node(decides.and(sameAsker).and(tracked), { name: "reply_is_known" }),
      readEnds = node(known.and(readReply).and(kinds.read), { name: "read_ends" }),
      writeEnds = node(known.and(writeReply).and(kinds.write).and(settled), { name: "write_ends" }),
      ageEnds = node(decides.and(ages).and(old).andNot(kinds.none), { name: "age_ends" }),
      crowdedEnds = node(writeEnds.and(pending.crowded), { name: "crowded_write_ends" });
    const clears = node(time.sweeping.andNot(decides), { name: "clears" }),
      clearsAll = node(clears.and(time.fresh), { name: "clears_all" });
    pendings.write(
      orTree([newRead, unsure, crowds, waits, waitsAgain, readEnds, writeEnds, ageEnds, clearsAll]),
      mux(clearsAll, time.sweepAt.trunc(pendingBits), askerAt).is(pendingBits),
      {
        kind: fromBits([
          orTree([newRead, unsure, crowdedEnds]),
          orTree([waits, waitsAgain, unsure, crowds, crowdedEnds]),
        ]).is(2),
        fills: learns,
        crowded: crowds.or(waitsAgain.and(pending.crowded)),
        asker: mux(crowds, pending.asker, asker),
        key: mux(crowds, pending.key, key.bits(16, 64)),
        version: bucket.version,
        stamp: time.now,
      },
    );
    const writerGoes = node(writeEnds.or(ageEnds.and(kinds.write)), { name: "writer_goes" }),
      count = (event: Bit): UInt => event.zext(pendingBits + 1);
    buckets.write(
      orTree([writes, writerGoes, clearsAll]),
      mux(clearsAll, time.sweepAt.trunc(bucketBits), hash.trunc(bucketBits)).is(bucketBits),
      {
        version: mux(clearsAll, constant(0, versionBits), bucket.version.add(writes.zext(versionBits))),
        writers: mux(
          clearsAll,
          constant(0, pendingBits + 1),
          bucket.writers.add(count(waits)).sub(count(writerGoes)),
        ),
        shut: blind.or(stillShut).andNot(clearsAll),
        stamp: mux(blind, time.now, bucket.stamp),
      },
    );
    const installsNow = node(
      decides.and(installs).and(sameVersion).and(learns).andNot(fill.cancelled).andNot(sets.hit),
      { name: "installs_now" },
    );
    fill.end(decides.and(installs));
    const fillWay = fill.line.trunc(2);
    sets.write({
      clears,
      clearAt: time.sweepAt,
      ways: sets.hits.map((hit, i) =>
        node(writes.and(hit).or(begins.and(sets.victim.eq(i))).or(installsNow.and(fillWay.eq(i))), {
          name: `writes_way_${i}`,
        }),
      ),
      line: { valid: installsNow, key, bytes: fill.bytes, first: fill.first },
      uses: hitNow.or(installsNow),
      usedWay: mux(installs, fillWay, sets.hitWay),
      replaces: begins,
    });
    time.step(forgets, clears);

    // One after the other.
    const served = flag("served_last"),
      hasKey = node(read.or(write), { name: "has_key_to_come" }),
      isReply = node(readReply.or(writeReply), { name: "is_reply" }),
      some = flag("has_payload"),
      answered = flag("is_answered"),
      hitDrop = flag("drops");
    const wantsService = node(fill.ready.or(time.due.andNot(time.sweeping)), { name: "wants_service" });
    const phase = fsm(
      ["Idle", "Class", "Sort", "Key", "Find", "Fetch", "Track", "Hash", "Issue", "Match", "Judge", "Decide", "Answer"],
      "Idle",
      s => ({
        Idle: () => {
          for (const r of [read, write, unknown, readReply, writeReply, ages, installs, hitDrop, answered]) r.set(0);
          when(wantsService.and(served.not().or(io.packet.valid.not())), () => {
            served.set(1);
            when(fill.ready, () => {
              installs.set(1);
              key.set(fill.key);
              s.go("Hash");
            }).otherwise(() => {
              ages.set(1);
              time.due.set(0);
              askerAt.set(time.ageAt);
              s.go("Fetch");
            });
          }).elseWhen(io.packet.valid, () => {
            served.set(0);
            who.set(io.packet.payload);
            some.set(io.packet.payload.payloadBytes.any());
            s.go("Class");
          });
        },
        Class: () => {
          const usable = is.ours.andNot(time.sweeping);
          read.set(is.read.and(usable));
          write.set(is.write.and(usable));
          unknown.set(is.unknown.and(usable));
          readReply.set(is.readReply.and(usable));
          writeReply.set(is.writeReply.and(usable));
          tracked.set(is.tracked);
          settled.set(is.settled);
          fits.set(is.fits);
          s.go("Sort");
        },
        Sort: () => {
          asker.set({
            ip: mux(isReply, f.dst, f.src).is(32),
            port: mux(isReply, f.dstPort, f.srcPort).is(16),
            pid: f.pid.is(16),
            request: f.request.is(32),
            tag: f.tag.is(8),
            seq: f.seq.is(8),
          });
          draining.set(some.andNot(hasKey).andNot(readReply));
          when(hasKey, () => s.go("Key"))
            .elseWhen(isReply, () => s.go("Find"))
            .elseWhen(unknown, () => s.go("Decide"))
            .otherwise(() => s.go("Answer"));
        },
        Key: () => {
          askerAt.set(linearMap(pack(asker), pendingBits, kvAskerHash).is(pendingBits));
          key.set(cat(io.payload.payload.data.bits(0, 48), f.keyLow, f.pid).is(keyBits));
          when(io.payload.valid, () => {
            draining.set(io.payload.payload.last.not());
            s.go("Hash");
          });
        },
        Find: () => {
          askerAt.set(linearMap(pack(asker), pendingBits, kvAskerHash).is(pendingBits));
          s.go("Fetch");
        },
        Fetch: () => s.go("Track"),
        Track: () => {
          key.set(cat(pending.key, pending.asker.pid).is(keyBits));
          when(ages, () => asker.set(pending.asker));
          when(ages.and(pending.kind.eq(pendingKind.none).or(time.isOld(pending.stamp).not())), () =>
            s.go("Idle"),
          ).otherwise(() => s.go("Hash"));
        },
        Hash: () => {
          hash.set(linearMap(key, hashBits, kvKeyHash).is(hashBits));
          s.go("Issue");
        },
        Issue: () => s.go("Match"),
        Match: () => s.go("Judge"),
        Judge: () => s.go("Decide"),
        Decide: () => {
          hitDrop.set(hitNow);
          when(begins, () => filling.set(1));
          when(readReply, () => draining.set(some));
          when(serves, () => s.go("Idle")).otherwise(() => s.go("Answer"));
        },
        Answer: () => {
          when(io.answer.fire, () => answered.set(1));
          when(answered.or(io.answer.fire).andNot(draining), () => s.go("Idle"));
        },
      }),
    );
    asks.set(phase.is("Idle").or(phase.is("Find")).or(phase.is("Hash")));
    issues.set(phase.is("Hash"));
    decides.set(phase.is("Judge").or(phase.is("Sort").and(unknown)));

    // Its payload: a key, a value that is kept, or nothing that is looked at.
    const inKey = phase.is("Key"),
      beat = io.payload.payload;
    beats.valid.set(io.payload.valid.and(filling));
    beats.payload.set({ data: beat.data });
    io.payload.ready.set(inKey.or(draining.and(filling.not().or(beats.ready))));
    when(draining.and(io.payload.fire).and(beat.last), () => {
      draining.set(0);
      filling.set(0);
    });

    io.packet.ready.set(phase.is("Idle").andNot(wantsService.and(served.not().or(io.packet.valid.not()))));
    io.answer.valid.set(phase.is("Answer").andNot(answered));
    io.answer.payload.set({ ...asItWas, tag: who.tag, verdict: mux(hitDrop, TaskVerdict.drop, TaskVerdict.forward) });
    const working = flag("is_working");
    when(io.packet.fire, () => working.set(1)).elseWhen(io.answer.fire, () => working.set(0));
    io.quiet.set(orTree([working, draining, replies.jobs.any(), fill.busy]).not());
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
    ...{ writes: 0n, growth: 0, leavesOut: 0, latency: 9, interval: 10, holds: 2, state: "shared" },
  };
  return { declared, hardware: asMakingTask(KvCache({ policy, values })) };
}
