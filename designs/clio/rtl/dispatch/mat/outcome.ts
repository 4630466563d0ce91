/** The second stage: where a request goes, and what it is answered. */
import {
  type Bit,
  constant,
  literalOf,
  mux,
  node,
  orTree,
  priority,
  type UInt,
  type Val,
} from "../../../../../hdl-dsl/index.ts";
import { statusBits } from "../../../wire/index.ts";
import { Asked, plainOp, Reply, replyForm, replyWord, syncOpBits } from "../../records/records.ts";
import type { Known, MatParameters } from "./records.ts";

/** Exactly one of `toAccess`, `toReply`, `toSlow` and `toRelease` is 1. */
export interface Outcome {
  readonly toAccess: Bit;
  readonly toReply: Bit;
  readonly toSlow: Bit;
  readonly toRelease: Bit;
  /** Why, for the reply and the counters. A malformed request and a code that means nothing are refused. */
  readonly refused: Bit;
  readonly busy: Bit;
  readonly echo: Bit;
  readonly drops: Bit;
  readonly unanswered: Bit;
  readonly ignored: Bit;
}

export function outcomeOf(d: Known): Outcome {
  const goesSlow = node(d.maySlow.and(d.slow).or(d.sound.and(d.extend)));
  const plainForm = node(d.badAccess.or(d.write.and(d.badWrite)).not());
  const goodAtomic = d.atomic.and(d.badAtomic.not()),
    goodPointer = d.pointer.and(plainForm).and(d.unaligned.not());
  const syncForm = node(orTree([d.fence, goodAtomic, goodPointer]));
  const accesses = d.fast.and(plainForm).or(d.sync.and(syncForm));

  const toAccess = node(d.sound.and(accesses)),
    toSlow = node(goesSlow.and(d.slowFull.not()));
  const echo = node(d.other.or(d.sound.and(d.echo))),
    drops = node(d.sound.and(d.drop));
  const refused = node(orTree([toAccess, toSlow, echo, drops, d.reply]).not());
  const unanswered = node(refused.and(d.silent)),
    ignored = node(d.reply.and(toSlow.not()));
  return {
    toAccess,
    toSlow,
    toReply: node(echo.or(refused.and(d.silent.not())), { name: "to_reply" }),
    toRelease: node(orTree([drops, unanswered, ignored]), { name: "to_release" }),
    refused,
    busy: node(goesSlow.and(d.slowFull).and(d.reply.not()), { name: "busy" }),
    echo,
    drops,
    unanswered,
    ignored,
  };
}

export function accessOf(p: MatParameters, d: Known): Val<ReturnType<typeof Asked>> {
  const fence = node(d.sync.and(d.fence), { name: "asks_fence" });
  return literalOf(Asked(p), {
    access: {
      slot: d.slot,
      pid: d.pid,
      va: d.va,
      length: d.length,
      write: d.write,
      silent: d.silent,
      replyOpcode: d.replyOpcode,
      op: mux(d.sync, d.op, constant(plainOp, syncOpBits)),
      indirect: 0,
    },
    tracked: d.tracked,
    // Whatever the table says: nobody tells the retry buffer that a fence is done.
    keeps: d.write.andNot(fence),
    introduces: d.introduces,
    fence,
    client: d.client,
    operation: d.operation,
  });
}

/** The status of a reply; the first that is so. */
const statusOf = (d: Known, { refused, busy }: Outcome): UInt<4> =>
  priority(
    [refused.not(), statusBits.OK],
    [d.corrupt, statusBits.NACK],
    [busy, statusBits.BUSY],
    [d.foreign, statusBits.INVALID],
    statusBits.MALFORMED,
  );

export function replyOf(p: MatParameters, d: Known, to: Outcome): Val<ReturnType<typeof Reply>> {
  return literalOf(Reply(p), {
    slot: d.slot,
    form: mux(to.echo, constant(replyForm.echo, 2), replyForm.bare),
    word: replyWord.none,
    opcode: mux(to.refused, d.opcode, d.replyOpcode),
    status: statusOf(d, to),
  });
}
