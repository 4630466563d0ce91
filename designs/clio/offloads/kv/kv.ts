import {
  arbiter,
  assertAlways,
  assignView,
  bit,
  bitsFor,
  connect,
  demux,
  instance,
  module,
  node,
  reg,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { keyedOffloadPorts, RequestOrder } from "../../offload/index.ts";
import { KvAllocator } from "./allocator.ts";
import { KvEngine } from "./engine.ts";
import { KvIntake } from "./intake.ts";
import { bucketBits } from "./layout.ts";
import { mergeMemory, mergeReplies } from "./merged.ts";
import { checkParameters, type KvParameters } from "./parameters.ts";
import { KvReplies } from "./replies.ts";

/**
 * Clio-KV (paper §4.6): READ, CREATE, UPDATE and DELETE of values by keys of 8 bytes, in the offload's
 * own address space. A key belongs to the process that made it, and no other sees it; keys of PID 0 are everybody's.
 *
 * A chained hash table: per bucket a chain of slots of 64 bytes, each with seven entries (fingerprint, size, address)
 * and a link (layout.ts). A pair lies elsewhere, in a block of 64 B to 2 KB, as in the request that wrote it. The block
 * holds a `kvBody`, with key and size, and the value. Table and blocks are allocated when they are first needed
 * (allocator.ts). A key is unique. A write is atomic, and a read gives committed data. The entry is replaced by one
 * write of 8 bytes when the new block is in memory. Requests on one bucket are in order as soon as one of them writes
 * (request-order.ts), and overlap otherwise, as many as there are contexts.
 *
 * FAIL, with `user` and key_size: a key that exists already on create, that is missing on all else. Everything else is
 * status alone. The status is MALFORMED under the request's own opcode (intake.ts), or OUT_OF_MEMORY. Every other
 * status of memory ends a request too, and the old value stays.
 *
 * Latency is from `request` to `reply`, in memory round trips M, at 64-byte beats. The bucket has one slot and no
 * second entry with the key's fingerprint. READ takes 2 M + 31 cycles (bucket and pair), or M + 26 when the bucket
 * shows that the key is missing. CREATE takes 2 M + 36, DELETE 3 M + 39, UPDATE 3 M + 43; an UPDATE writes the new
 * block beside the search, and a free block is at hand (allocator.ts). Each further slot M + 8 more, each like
 * fingerprint 2 M + 16, a chain that grows M + 12. Initiation interval: 13 cycles per READ, 21 per UPDATE, or the
 * latency over `contexts` where that is more. On one bucket a write has the latency but for the 18 cycles of its
 * arrival. Bounds: a place per context in every queue, so nothing ever waits in a circle. Reset: the store is empty;
 * its allocated memory is not given back.
 */
export const ClioKv = module(
  "ClioKv",
  (p: KvParameters) => {
    checkParameters(p);
    return keyedOffloadPorts(p);
  },
  (io, p) => {
    const intake = instance(KvIntake(p)),
      order = instance(RequestOrder({ contexts: p.contexts, keyBits: bucketBits(p) }));
    const engine = instance(KvEngine(p)),
      allocator = instance(KvAllocator(p)),
      replies = instance(KvReplies(p));
    intake.secret.set(io.secret);
    connect(io.request, intake.request);
    connect(io.requestData, intake.requestData);
    connect(io.memoryReply, replies.memoryReply);
    connect(io.memoryReplyData, replies.memoryReplyData);

    // ---- Requests in their order.
    const { valid, context, bucket, writes } = intake.enter;
    order.enter.set({ valid, context, key: bucket.is(bucketBits(p)), keyed: 1, writes, lists: 0 });
    assignView(order.leave, engine.leave, "leave");
    connect(order.start, engine.start);
    engine.enter.valid.set(intake.enter.valid);
    engine.enter.context.set(intake.enter.context);
    assignView(engine.asked, intake.asked, "asked");
    engine.table.set(intake.table);
    intake.swept.set(engine.swept);

    // ---- Memory's replies: each belongs to the engine or to the allocator.
    assignView(engine.event, replies.event, "event");
    assignView(allocator.event, replies.event, "event");
    const done = engine.done;
    replies.done.set({
      valid: done.valid.or(allocator.done),
      forward: done.valid.and(done.forward),
      head: done.head,
      front: done.front,
    });

    // ---- Blocks, for intake and engine.
    connect(arbiter([intake.take, engine.take], { name: "takes" }), allocator.take);
    const [forPair, forSlot] = demux(allocator.taken, allocator.taken.payload.slot, 2, { name: "taken_for" });
    connect(forPair, intake.taken);
    connect(forSlot, engine.spare);

    // ---- Room for what may be given back, a place for each request that writes from its entry on.
    const credits = reg(uint(bitsFor(p.contexts)), { init: p.contexts });
    const entering = node(intake.enter.valid.and(intake.enter.writes)),
      given = node(allocator.give.fire);
    credits.set(
      credits.sub(entering.zext(credits.width)).add(engine.refund.zext(credits.width)).add(given.zext(credits.width)),
    );
    // A cycle late: there are more cycles than that between one entry and the next.
    const credit = reg(bit, { init: 0 });
    credit.set(credits.any());
    intake.credit.set(credit);
    connect(engine.give, allocator.give);
    when(entering, () => assertAlways(credits.any(), "a request that writes has a place for what it gives back"));

    mergeMemory([engine.memory, allocator.memory, intake.memory], io.memory, io.memoryData, p);
    mergeReplies([replies.value, engine.reply, intake.reply], io.reply, io.replyData);
  },
  {
    nameOf: p =>
      `ClioKv_b${p.beatBytes}_c${p.contexts}_t${p.buckets}_a${p.arenaBytes}_r${p.regions}_d${p.maxData}_l${p.mostLooks}`,
  },
);
