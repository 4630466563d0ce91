/** What is waited for, and how often keys were written: the tables by which the cache knows what it may keep. */
import { type Bit, constant, fromBits, mux, node, orTree, pack, ram, type UInt } from "../../../../../hdl-dsl/index.ts";
import { kvBuckets, kvPending } from "../../../wire/index.ts";
import { flag, type PacketState } from "./packet.ts";
import { Bucket, bucketBits, Pending, pendingBits, pendingKind, versionBits } from "./records.ts";
import type { Time } from "./time.ts";

/** Both tables: `asks` and `issues` read them; a cycle later what they say is judged, for the next cycle. */
export function waitingOf(packet: PacketState, time: Time, asks: Bit, issues: Bit) {
  const { askerAt, hash, asker } = packet,
    pendings = ram(Pending, { depth: kvPending, collision: "undefined", style: "block", name: "pendings" }),
    buckets = ram(Bucket, { depth: kvBuckets, collision: "undefined", style: "block", name: "buckets" }),
    pending = pendings.readSync(askerAt.is(pendingBits), { en: asks, name: "pending" }),
    bucket = buckets.readSync(hash.trunc(bucketBits).is(bucketBits), { en: issues, name: "bucket" });
  const sameAsker = flag("same_asker"),
    open = flag("bucket_is_open"),
    stillShut = flag("bucket_is_shut"),
    old = flag("pending_is_old"),
    kinds = { none: flag("waits_none"), read: flag("waits_read"), write: flag("waits_write") },
    shutNow = node(bucket.shut.andNot(time.isOld(bucket.stamp)), { name: "shut_now" });
  sameAsker.set(pack(pending.asker).eq(pack(asker)));
  stillShut.set(shutNow);
  open.set(bucket.writers.any().or(shutNow).not());
  old.set(time.isOld(pending.stamp));
  kinds.none.set(pending.kind.eq(pendingKind.none));
  kinds.read.set(pending.kind.eq(pendingKind.read));
  kinds.write.set(pending.kind.eq(pendingKind.write));
  return {
    pendings,
    buckets,
    pending,
    bucket,
    sameAsker,
    stillShut,
    old,
    kinds,
    learns: node(open.andNot(time.isDeaf), { name: "learns" }),
    /** Nothing is there, or nothing that is old enough to go. */
    staysAsItIs: node(pending.kind.eq(pendingKind.none).or(time.isOld(pending.stamp).not()), {
      name: "stays_as_it_is",
    }),
  };
}
type Waiting = ReturnType<typeof waitingOf>;

/** What a packet that is decided does to the tables. `hit`: the read is answered here. */
export function changesOf(packet: PacketState, { pending, sameAsker, old, kinds }: Waiting, hit: Bit) {
  const { decides, read, write, readReply, writeReply, tracked, settled, ages } = packet,
    missed = node(decides.and(read).and(tracked).andNot(hit), { name: "misses" }),
    writes = node(decides.and(write), { name: "writes_now" }),
    known = node(decides.and(sameAsker).and(tracked), { name: "reply_is_known" });
  const again = node(writes.and(sameAsker).and(kinds.write).and(tracked), { name: "waits_again" }),
    waits = node(writes.and(kinds.none).and(tracked), { name: "waits_for_write" }),
    writeEnds = node(known.and(writeReply).and(kinds.write).and(settled), { name: "write_ends" }),
    ageEnds = node(decides.and(ages).and(old).andNot(kinds.none), { name: "age_ends" });
  return {
    newRead: node(missed.and(kinds.none), { name: "new_read" }),
    unsure: node(missed.andNot(kinds.none).andNot(kinds.write), { name: "unsure_read" }),
    crowds: node(missed.and(kinds.write), { name: "crowds_write" }),
    writes,
    again,
    waits,
    /** A write whose reply nobody waits for. */
    blind: node(writes.andNot(waits).andNot(again), { name: "blind_write" }),
    readEnds: node(known.and(readReply).and(kinds.read), { name: "read_ends" }),
    writeEnds,
    ageEnds,
    crowdedEnds: node(writeEnds.and(pending.crowded), { name: "crowded_write_ends" }),
    writerGoes: node(writeEnds.or(ageEnds.and(kinds.write)), { name: "writer_goes" }),
  };
}
type Changes = ReturnType<typeof changesOf>;

/** The place of who asks. */
export function writePending(packet: PacketState, w: Waiting, c: Changes, time: Time, clearsAll: Bit): void {
  const { newRead, unsure, crowds, waits, again, readEnds, writeEnds, ageEnds, crowdedEnds } = c;
  w.pendings.write(
    orTree([newRead, unsure, crowds, waits, again, readEnds, writeEnds, ageEnds, clearsAll]),
    mux(clearsAll, time.sweepAt.trunc(pendingBits), packet.askerAt).is(pendingBits),
    {
      kind: fromBits([orTree([newRead, unsure, crowdedEnds]), orTree([waits, again, unsure, crowds, crowdedEnds])]).is(
        2,
      ),
      fills: w.learns,
      crowded: crowds.or(again.and(w.pending.crowded)),
      // A write that is crowded stays what it is.
      asker: mux(crowds, w.pending.asker, packet.asker),
      key: mux(crowds, w.pending.key, packet.key.bits(16, 64)),
      version: w.bucket.version,
      stamp: time.now,
    },
  );
}
/** The group of its key. */
export function writeBucket(packet: PacketState, w: Waiting, c: Changes, time: Time, clearsAll: Bit): void {
  const { bucket } = w,
    count = (event: Bit): UInt => event.zext(pendingBits + 1);
  w.buckets.write(
    orTree([c.writes, c.writerGoes, clearsAll]),
    mux(clearsAll, time.sweepAt.trunc(bucketBits), packet.hash.trunc(bucketBits)).is(bucketBits),
    {
      version: mux(clearsAll, constant(0, versionBits), bucket.version.add(c.writes.zext(versionBits))),
      writers: mux(
        clearsAll,
        constant(0, pendingBits + 1),
        bucket.writers.add(count(c.waits)).sub(count(c.writerGoes)),
      ),
      shut: c.blind.or(w.stillShut).andNot(clearsAll),
      stamp: mux(c.blind, time.now, bucket.stamp),
    },
  );
}
