import {
  bit,
  type Bit,
  bitsFor,
  cat,
  constant,
  fsm,
  input,
  module,
  mux,
  node,
  output,
  reg,
  sink,
  source,
  struct,
  uint,
  when,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { cutFields, joinFields } from "../../../shared/frame/index.ts";
import { beatsOf, BodyBeat, bodyLengthBits, forgetOpcode, OffloadRequest } from "../../offload/index.ts";
import { kvBody, kvReplyBody, opcode, opcodeBits, statusBits } from "../../wire/index.ts";
import { Take, Taken } from "./allocator/ports.ts";
import {
  addressOf,
  bucketBits,
  bucketOf,
  classOf,
  fingerprintOf,
  hasBody,
  operation,
  sipBegin,
  sipEnd,
  sipFirst,
  sipNext,
  sipRounds,
  sipStep,
} from "./layout.ts";
import { bucketMarks } from "./marks.ts";
import { MemoryBeat, ReplyBeat } from "./merged.ts";
import { addressBits, blockBits, type KvParameters, largestValue, sizeBits } from "./parameters.ts";
import { purpose, tagOf } from "./replies.ts";

/**
 * The request, kept by context until it is answered. `block`: of create and update, where the new pair
 * is being written.
 */
export const Asked = (p: KvParameters) =>
  struct({
    kind: uint(2),
    /** With a delete: any key of the process goes, in this bucket; the host asked for all of them. */
    any: bit,
    user: uint(8),
    pid: uint(16),
    key: uint(64),
    size: uint(sizeBits),
    block: uint(blockBits),
    bucket: uint(bucketBits(p)),
    fingerprint: uint(8),
  });

/** A walk looks at each such bucket in memory, marked or not: it has traffic every 1,536 cycles at least. */
const LOOKS_APART = 512;

/**
 * Takes requests one after another, refuses invalid ones, and finds the key's bucket and fingerprint. A
 * create or an update has its pair written to a new block at once, as it came (`kvBody` and the value, the owner's PID
 * in place of `user` and `key_size`). The bucket is searched meanwhile.
 *
 * MALFORMED: less than 12 bytes, key_size other than 8, an opcode that is not of Clio-KV. So is a value larger than the
 * block or the node takes, or larger than the bytes that came. Bytes behind the value are ignored. The first request
 * with a right form has the hash table allocated. While that or a block for a new pair is refused, requests end with
 * the status of the refusal and nothing is done.
 *
 * The host's request for a removal (`forgetOpcode`) is a walk over all buckets: deletes of any key of that process, one
 * at a time, between the other requests. A bucket is left when none is found there. A bucket in which no pair was ever
 * made is passed over in 3 cycles. Requests have every other turn, so a walk costs each at most 3 cycles. The reply has
 * a status alone: OK, or that of memory, which ends the walk.
 *
 * Latency: from `request` to `enter` 11 cycles (12 at 8 bytes a beat), 3 more for create and update when a block is at
 * hand. Initiation interval: 12 cycles for what has one beat (15 for create and update), one more for each further
 * beat. Full: waits for a place for what the request may give back (`credit`), for `block` and for `memory`. Reset: no
 * table.
 */
export const KvIntake = module(
  "KvIntake",
  (p: KvParameters) => {
    const context = uint(Math.log2(p.contexts));
    return {
      request: sink(OffloadRequest(p)),
      requestData: sink(BodyBeat(p)),
      take: source(Take(p)),
      taken: sink(Taken(p)),
      memory: source(MemoryBeat(p)),
      reply: source(ReplyBeat(p)),
      enter: output(struct({ valid: bit, context, bucket: uint(bucketBits(p)), writes: bit })),
      asked: output(Asked(p)),
      table: output(uint(blockBits)),
      /** The end of a delete of any key: OK when there was one, FAIL when there was none. */
      swept: input(struct({ valid: bit, code: uint(4) })),
      /** A request that writes may come in, and does so with `enter`. */
      credit: input(bit),
      /** Key of the hash. */
      secret: input(uint(64)),
    };
  },
  (io, p) => {
    const beat = p.beatBytes * 8,
      split = p.beatBytes < kvBody.bytes;
    const request = reg(OffloadRequest(p)),
      ended = reg(bit);
    const head = reg(uint(kvBody.bytes * 8)),
      asked = reg(Asked(p)),
      writeBeats = reg(uint(beatsOf(request.length, p).width));
    const table = reg(uint(blockBits)),
      tableKnown = reg(bit, { init: 0 }),
      failure = reg(uint(4));
    const body = cutFields(kvBody, head);
    const bytes = io.requestData,
      data = bytes.payload.data;
    // At 8 bytes a beat the first one waits here while the head's second is looked at.
    const waiting = split
      ? { held: reg(bit, { init: 0, name: "held" }), first: reg(uint(beat), { name: "first" }) }
      : undefined;
    const held: Bit = waiting?.held ?? constant(0, 1);

    // ---- Is it right?
    const code = request.opcode,
      kind = node(code.bits(1, 2));
    const known = node(cat(code.bits(3, 5), code.bit(0)).eq((opcode.KV_READ >> 3) << 1));
    const brings = node(kind.eq(operation.create).or(kind.eq(operation.update)));
    const size = node(body.valueSize.trunc(sizeBits));
    // Of what brings a value the bytes must be there, and not too many.
    const room = node(request.length.sub(kvBody.bytes));
    const fits = node(body.valueSize.le(largestValue(p)).and(room.ge(size.zext(bodyLengthBits))));
    const short = node(request.length.lt(kvBody.bytes));
    const right = reg(bit),
      hash = reg(uint(32)),
      writes = reg(bit),
      withValue = reg(bit),
      pairBytes = reg(uint(bodyLengthBits));
    const wanted = reg(uint(3));
    right.set(known.and(body.keySize.eq(8)).and(brings.not().or(fits)).and(short.not()));
    // One round of the hash a cycle, with its word from a register: two sums behind each other are long enough.
    const round = reg(uint(3)),
      hashed = reg(uint(32)),
      sip = [
        reg(uint(32), { name: "sip_0" }),
        reg(uint(32), { name: "sip_1" }),
        reg(uint(32), { name: "sip_2" }),
        reg(uint(32), { name: "sip_3" }),
      ] as const;
    hash.set(sipEnd(sip));
    writes.set(kind.ne(operation.read));
    withValue.set(brings);
    pairBytes.set(size.zext(bodyLengthBits).add(kvBody.bytes));
    wanted.set(classOf(size));

    // ---- All keys of a process go, by deletes one after another, bucket by bucket.
    const due = reg(bit, { init: 0 }),
      swept = reg(bit, { init: 0 }),
      sweptCode = reg(uint(4)),
      sweepContext = reg(uint(Math.log2(p.contexts))),
      sweepPid = reg(uint(16)),
      sweepBucket = reg(uint(bitsFor(p.buckets)));
    const alone = reg(bit);
    /** The walk has the next turn; a request had the last. */
    const turn = reg(bit, { init: 0 });
    const idle = wire(bit, { mayBeUnread: true }),
      sends = wire(bit);
    const marks = bucketMarks(p, {
      walk: sweepBucket.trunc(bucketBits(p)),
      walks: idle,
      asked: asked.bucket,
      set: sends,
    });
    // An offload without any traffic counts as stuck after a while, so a long walk shows that it goes on.
    const shows = reg(bit),
      lastBucket = reg(bit),
      lastWord = reg(bit);
    // The bucket stands for two cycles before it is looked at, so what it is comes from registers.
    shows.set(p.buckets <= LOOKS_APART ? 0 : sweepBucket.trunc(Math.log2(LOOKS_APART)).any().not());
    lastBucket.set(sweepBucket.eq(p.buckets - 1));
    lastWord.set(sweepBucket.shr(marks.wordBits).eq((p.buckets - 1) >> marks.wordBits));
    const last = node(mux(marks.near, lastBucket, lastWord)),
      nextWord = node(sweepBucket.or((1 << marks.wordBits) - 1).add(1));
    when(io.swept.valid, () => {
      swept.set(1);
      sweptCode.set(io.swept.code);
    });
    const walks = node(due.and(turn.or(io.request.valid.not())));
    const left = node(ended.not());
    /** The next beat of a pair is its first. */
    const begins = reg(bit);
    const states = [
      "idle",
      "head",
      "hash",
      "parse",
      "decide",
      "table",
      "tableWait",
      "block",
      "blockWait",
      "enter",
      "send",
      "drain",
      "answer",
      "look",
      "sweep",
      "weigh",
    ] as const;
    const state = fsm(states, "idle", m => ({
      idle: () => {
        request.set(io.request.payload);
        waiting?.held.set(0);
        ended.set(io.request.payload.length.any().not());
        failure.set(statusBits.MALFORMED);
        round.set(0);
        sipBegin(io.secret).forEach((v, i) => sip[i as 0].set(v.is(32)));
        alone.set(0);
        when(io.request.fire, () => turn.set(1));
        when(swept, () => m.go("weigh"))
          .elseWhen(walks, () => m.go("look"))
          .elseWhen(io.request.valid, () =>
            when(io.request.payload.length.any(), () => m.go("head"))
              .elseWhen(io.request.payload.opcode.eq(forgetOpcode), () => {
                sweepContext.set(io.request.payload.context);
                sweepPid.set(io.request.payload.pid);
                sweepBucket.set(0);
                due.set(tableKnown);
                alone.set(1);
                failure.set(statusBits.OK);
                when(tableKnown.not(), () => m.go("answer"));
              })
              .otherwise(() => m.go("answer")),
          );
      },
      // The walk goes on, past a bucket that never had a pair, or past a word of them.
      look: () => {
        turn.set(0);
        request.context.set(sweepContext);
        request.opcode.set(forgetOpcode);
        failure.set(statusBits.OK);
        alone.set(1);
        when(marks.here.or(shows), () => {
          request.opcode.set(opcodeBits.KV_DELETE);
          request.pid.set(sweepPid);
          ended.set(1);
          m.go("sweep");
        })
          .elseWhen(last, () => {
            due.set(0);
            m.go("answer");
          })
          .otherwise(() => {
            sweepBucket.set(mux(marks.near, sweepBucket.add(1), nextWord));
            m.go("idle");
          });
      },
      // A delete of any key of the process in the next bucket, or in this one again.
      sweep: () => {
        due.set(0);
        asked.set({
          kind: operation.delete,
          any: 1,
          user: 0,
          pid: sweepPid,
          key: 0,
          size: 0,
          block: 0,
          bucket: sweepBucket.trunc(bucketBits(p)),
          fingerprint: 0,
        });
        m.go("enter");
      },
      weigh: () => {
        swept.set(0);
        due.set(1);
        request.context.set(sweepContext);
        request.opcode.set(forgetOpcode);
        failure.set(mux(sweptCode.eq(statusBits.FAIL), statusBits.OK, sweptCode));
        alone.set(1);
        when(sweptCode.eq(statusBits.FAIL), () => sweepBucket.set(sweepBucket.add(1)));
        m.go("idle");
        when(sweptCode.any().and(sweptCode.ne(statusBits.FAIL).or(lastBucket)), () => {
          due.set(0);
          m.go("answer");
        });
      },
      // Looked at, and where it is not all of the head, taken.
      head: () => {
        const given =
          waiting === undefined
            ? data.trunc(kvBody.bytes * 8)
            : cat(data.trunc(kvBody.bytes * 8 - beat), waiting.first);
        head.set(given);
        hashed.set(sipFirst(cutFields(kvBody, given).key));
        if (waiting !== undefined) {
          when(held.not(), () => waiting.first.set(data));
          when(bytes.valid, () => {
            waiting.held.set(1);
            ended.set(bytes.payload.last.and(held.not()));
            when(held.or(bytes.payload.last), () => m.go("hash"));
          });
        } else {
          when(bytes.valid, () => m.go("hash"));
        }
      },
      hash: () => {
        round.set(round.add(1));
        hashed.set(sipNext(round, body.key, request.pid));
        sipStep(round, sip, hashed).forEach((v, i) => sip[i as 0].set(v.is(32)));
        when(round.eq(sipRounds - 1), () => m.go("parse"));
      },
      parse: () => m.go("decide"),
      decide: () => {
        asked.set({
          kind,
          any: 0,
          user: body.user,
          pid: request.pid,
          key: body.key,
          size: mux(withValue, size, constant(0, sizeBits)),
          block: 0,
          bucket: bucketOf(hash, p),
          fingerprint: fingerprintOf(hash),
        });
        writeBeats.set(beatsOf(pairBytes, p));
        begins.set(1);
        when(right.not(), () => m.go("drain"))
          .elseWhen(tableKnown.not(), () => m.go("table"))
          .elseWhen(withValue, () => m.go("block"))
          .otherwise(() => m.go("enter"));
      },
      table: () => when(io.take.ready, () => m.go("tableWait")),
      tableWait: () => {
        table.set(io.taken.payload.block);
        failure.set(io.taken.payload.status);
        when(io.taken.valid, () =>
          when(io.taken.payload.status.any(), () => m.go("drain")).otherwise(() => {
            tableKnown.set(1);
            m.go("decide");
          }),
        );
      },
      block: () => when(io.take.ready, () => m.go("blockWait")),
      blockWait: () => {
        asked.block.set(io.taken.payload.block);
        failure.set(io.taken.payload.status);
        when(io.taken.valid, () =>
          when(io.taken.payload.status.any(), () => m.go("drain")).otherwise(() => m.go("enter")),
        );
      },
      enter: () => {
        failure.set(statusBits.OK);
        when(io.credit.or(writes.not()), () => when(withValue, () => m.go("send")).otherwise(() => m.go("drain")));
      },
      send: () => {
        when(io.memory.fire, () => {
          waiting?.held.set(0);
          begins.set(0);
          writeBeats.set(writeBeats.sub(1));
          when(held.not(), () => ended.set(bytes.payload.last));
          when(io.memory.payload.last, () => m.go("drain"));
        });
      },
      drain: () => {
        when(bytes.valid.and(left), () => ended.set(bytes.payload.last));
        when(ended.or(bytes.valid.and(bytes.payload.last)), () =>
          when(failure.any(), () => m.go("answer")).otherwise(() => m.go("idle")),
        );
      },
      answer: () => when(io.reply.ready, () => m.go("idle")),
    }));
    io.request.ready.set(state.is("idle").and(swept.or(due.and(turn)).not()));
    idle.set(state.is("idle"));
    sends.set(state.is("send"));
    const takingHead: Bit = split ? state.is("head").and(held.not()) : constant(0, 1);
    bytes.ready.set(
      takingHead.or(state.is("drain").and(left)).or(state.is("send").and(io.memory.ready).and(held.not())),
    );

    io.take.valid.set(state.is("table").or(state.is("block")));
    io.take.payload.set({ table: state.is("table"), slot: 0, kind: wanted, context: request.context });
    io.taken.ready.set(state.is("tableWait").or(state.is("blockWait")));
    io.enter.set({
      valid: state.is("enter").and(io.credit.or(writes.not())),
      context: request.context,
      bucket: asked.bucket,
      writes,
    });
    io.asked.set(asked);
    io.table.set(table);

    // The pair as it came, but for the first two bytes, which are its owner's.
    const pairBeat = node(waiting === undefined ? data : mux(held, waiting.first, data), { name: "pair_beat" });
    io.memory.valid.set(state.is("send").and(held.or(bytes.valid)));
    io.memory.payload.set({
      head: {
        tag: tagOf(purpose.block, request.context),
        opcode: opcodeBits.WRITE,
        va: addressOf(asked.block).trunc(addressBits),
        length: pairBytes.zext(32),
        data: pairBytes,
      },
      bare: 0,
      data: cat(pairBeat.bits(16, beat - 16), mux(begins, request.pid, pairBeat.bits(0, 16))),
      last: writeBeats.eq(1),
    });

    const bare = node(hasBody(failure).not().or(alone));
    const answerOpcode = mux(failure.eq(statusBits.MALFORMED), code, code.or(1));
    const front = joinFields(kvReplyBody, { user: asked.user, keySize: 8, valueSize: 0 });
    io.reply.valid.set(state.is("answer"));
    io.reply.payload.set({
      head: {
        context: request.context,
        status: failure,
        opcode: answerOpcode,
        length: mux(bare, constant(0, bodyLengthBits), kvReplyBody.bytes),
      },
      bare,
      data: front.zext(beat),
      last: 1,
    });
  },
  { nameOf: p => `KvIntake_b${p.beatBytes}_c${p.contexts}_t${p.buckets}_d${p.maxData}` },
);
