/** A request comes in: its head, the hash of its key, and whether it is right. */
import { cat, constant, mux, node, when } from "../../../../../hdl-dsl/index.ts";
import { cutFields } from "../../../../shared/frame/index.ts";
import { beatsOf, forgetOpcode } from "../../../offload/index.ts";
import { kvBody, statusBits } from "../../../wire/index.ts";
import { bucketOf, fingerprintOf, sipBegin, sipFirst, sipNext, sipRounds, sipStep, sipTake } from "../layout.ts";
import { sizeBits } from "../parameters.ts";
import type { Control, Parts } from "./parts.ts";

/** A walk begins: the request asks that all keys of its process go. */
function forgets({ io, state: { tableKnown, failure }, walk }: Parts, m: Control): void {
  const { sweepContext, sweepPid, sweepBucket, due, alone } = walk;
  sweepContext.set(io.request.payload.context);
  sweepPid.set(io.request.payload.pid);
  sweepBucket.set(0);
  due.set(tableKnown);
  alone.set(1);
  failure.set(statusBits.OK);
  when(tableKnown.not(), () => m.go("answer"));
}

/** The next request, or the walk's turn. */
export function turnSteps(parts: Parts, m: Control) {
  const { io, state, hash, walk } = parts,
    { request, waiting, ended, failure } = state,
    { turn, swept, walks, alone } = walk;
  return {
    idle: () => {
      request.set(io.request.payload);
      waiting?.held.set(0);
      ended.set(io.request.payload.length.any().not());
      failure.set(statusBits.MALFORMED);
      hash.round.set(0);
      hash.goOn(sipBegin(io.secret));
      alone.set(0);
      when(io.request.fire, () => turn.set(1));
      when(swept, () => m.go("weigh"))
        .elseWhen(walks, () => m.go("look"))
        .elseWhen(io.request.valid, () =>
          when(io.request.payload.length.any(), () => m.go("head"))
            .elseWhen(io.request.payload.opcode.eq(forgetOpcode), () => {
              forgets(parts, m);
            })
            .otherwise(() => m.go("answer")),
        );
    },
  };
}

/** Its first bytes, looked at and, where they are not all of the head, taken; then the hash. */
export function headSteps({ p, state, hash }: Parts, m: Control) {
  const { request, head, body, bytes, waiting, held, ended } = state,
    { round, hashed, sip } = hash,
    beat = p.beatBytes * 8,
    data = bytes.payload.data;
  return {
    head: () => {
      const given =
        waiting === undefined ? data.trunc(kvBody.bytes * 8) : cat(data.trunc(kvBody.bytes * 8 - beat), waiting.first);
      head.set(given);
      const first = sipFirst(cutFields(kvBody, given).key);
      hashed.set(first);
      // As often as it stands here: of what the request began with, which stays.
      sip[3].set(sipTake(sip, first));
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
      const next = node(sipNext(round, body.key, request.pid));
      hashed.set(next);
      hash.goOn(sipStep(round, sip, hashed, next));
      when(round.eq(sipRounds - 1), () => m.go("parse"));
    },
  };
}

/** Where it goes on. */
export function decideSteps({ p, state, form, begins }: Parts, m: Control) {
  const { request, body, asked, writeBeats, tableKnown } = state,
    { kind, right, size, hash, withValue, pairBytes } = form;
  return {
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
  };
}
