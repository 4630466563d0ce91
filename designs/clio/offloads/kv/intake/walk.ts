/** All keys of a process go, by deletes one after another, bucket by bucket. */
import { bit, bitsFor, mux, node, reg, type UInt, uint, when, wire } from "../../../../../hdl-dsl/index.ts";
import { forgetOpcode } from "../../../offload/index.ts";
import { opcodeBits, statusBits } from "../../../wire/index.ts";
import { bucketBits, operation } from "../layout.ts";
import { bucketMarks } from "../marks.ts";
import type { KvParameters } from "../parameters.ts";
import type { Control, Parts } from "./parts.ts";
import type { IntakeIo } from "./ports.ts";

/** A walk looks at each such bucket in memory, marked or not: it has traffic every 1,536 cycles at least. */
const LOOKS_APART = 512;

/** @param bucket that of the request at hand */
export function walkOf(io: IntakeIo, p: KvParameters, bucket: UInt) {
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
    asked: bucket,
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
  return {
    due,
    /** A delete has ended, with its code. */
    swept,
    sweptCode,
    sweepContext,
    sweepPid,
    sweepBucket,
    /** The reply has a status alone. */
    alone,
    turn,
    idle,
    sends,
    marks,
    shows,
    lastBucket,
    last,
    nextWord,
    /** The walk has the turn. */
    walks,
  };
}

/** The steps of a walk, one bucket a time. */
export function walkSteps({ p, state, walk }: Parts, m: Control) {
  const { request, asked, ended, failure } = state,
    { due, turn, alone, marks, shows, last, nextWord } = walk,
    { swept, sweptCode, sweepContext, sweepPid, sweepBucket, lastBucket } = walk;
  return {
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
  };
}
