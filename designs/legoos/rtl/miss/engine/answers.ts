/** Answers: whose they are, and what they end. */
import { type Bit, bit, connect, constant, node, reg, type Stream, uint, when } from "../../../../../hdl-dsl/index.ts";
import { statusBits } from "../../../../clio/wire/index.ts";
import { derived } from "../../../config/index.ts";
import { part } from "../../../wire/index.ts";
import type { Event } from "../../records/miss-records.ts";
import { type Matched, matchReply } from "../match.ts";
import type { Parts } from "./parts.ts";

interface Answering {
  readonly told: Stream<ReturnType<typeof Event>>;
  /** The machine tells in these cycles. */
  readonly tells: () => Bit;
}

/** @returns whether the answer is waited for, and the miss whose line is coming in, if one is */
export function takeAnswers(parts: Parts, { told, tells }: Answering) {
  const { io, p, table: t, jobs, receiver } = parts,
    { reply } = receiver.answer,
    matched = matchReply(p, t, reply),
    { waited, refusal } = matched,
    engineTells = tells();
  // A refusal has to be told: without room for it, the answer is as if it were lost.
  const roomToTell = node(refusal.not().or(told.ready.andNot(engineTells)));
  const expected = node(waited.and(roomToTell), { name: "expected" });
  receiver.own.set(io.own);
  receiver.expected.set(expected);
  receiver.place.set(jobs.readAsync(reply.miss).place);
  connect(io.rx, receiver.rx);
  connect(receiver.fill, io.fill);
  const filling = reg(uint(derived(p).missBits), { name: "filling" }),
    fills = reg(bit, { init: 0, name: "fills" });
  const takes = node(receiver.answer.valid.and(expected), { name: "takes" });
  when(takes, () => {
    filling.set(reply.miss);
    fills.set(reply.whole);
  });
  when(takes.and(refusal), () => {
    told.valid.set(1);
    told.payload.set({ kind: "flushRefused", line: jobs.readAsync(reply.miss).victim, status: reply.status });
  });
  endRequests(parts, takes, matched);
  when(receiver.done.and(fills).andNot(takes), () => {
    fills.set(0);
    t.at(filling, m => t.fetch.at(m).need.set(0));
  });
  when(receiver.cut, () => fills.set(0));
  when(io.filled.valid.and(io.filled.bad), () =>
    t.at(io.filled.miss, m => t.details.at(m).status.set(statusBits.FAIL)),
  );
  return { expected, filling, fills };
}
export type Answers = ReturnType<typeof takeAnswers>;

/** What an answer that is taken ends, and what may be sent now that it has come. */
function endRequests(
  { p, table: t, receiver }: Parts,
  takes: Bit,
  { ok, later, anew, ofFetch, of, ofMiss }: Matched,
): void {
  const { reply } = receiver.answer,
    serialFlush = p.flush === "serial",
    serialCopies = p.replicas === "serial";
  const ends = node(takes.andNot(later), { name: "ends" }),
    failsFetch = node(ends.and(ofFetch).andNot(ok), { name: "fails_fetch" }),
    begun = node(takes.and(anew), { name: "begins_anew" });
  for (let m = 0; m < p.misses; m++) {
    when(failsFetch.and(ofMiss(m)), () => {
      t.fetch.at(m).need.set(0);
      t.details.at(m).status.set(reply.status);
    });
    for (const [w, number, others] of [
      [t.primary, part.primary, t.secondary],
      [t.secondary, part.secondary, t.primary],
    ] as const) {
      when(ends.and(of(m, number)), () => {
        w.at(m).need.set(0);
        const next = serialFlush
          ? others.at(m).need.not().and(t.fetch.at(m).need)
          : constant(serialCopies && number === part.secondary ? 1 : 0, 1);
        when(serialCopies && number === part.secondary ? constant(1, 1) : next, () => t.entries.at(m).due.set(1));
      });
      when(begun.and(of(m, number)), () => w.at(m).repeats.set(0));
    }
  }
}
