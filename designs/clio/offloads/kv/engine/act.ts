/** The step in which an event has its effect. */
import { constant, decode, mux, priority, switchOn, when } from "../../../../../hdl-dsl/index.ts";
import { statusBits } from "../../../wire/index.ts";
import { purpose } from "../replies.ts";
import type { Control, Parts } from "./parts.ts";
import { content, place, what } from "./records.ts";

/** The search begins at the bucket's first slot. */
function begins({ state: { progress, firstSlot }, orders }: Parts): void {
  orders.saving.set(1);
  progress.looks.set(0);
  progress.slot.set(firstSlot);
  progress.index.set(0);
  progress.other.valid.set(0);
  orders.asking.set(1);
  orders.asksAbout(purpose.slot, place.slot);
}

/** A slot or a pair was looked at: where the search goes on, and what is asked of memory for that. */
function searches({ state: { progress, atSlot, atPair, sameKey, matched }, verdict, orders }: Parts): void {
  const { confirms, looksAgain, follows, deletes, unlinks } = verdict;
  orders.saving.set(1);
  progress.looks.set(progress.looks.add(1));
  when(atPair.and(sameKey), () =>
    when(unlinks, () =>
      orders.asksAbout(purpose.commit, place.other, { write: true, link: true, content: content.link }),
    ).otherwise(() => orders.asksAbout(purpose.commit, place.slot, { write: true })),
  )
    .elseWhen(atSlot.and(matched), () => orders.asksAbout(purpose.pair, place.found))
    .otherwise(() => orders.asksAbout(purpose.slot, place.slot));
  when(confirms.or(looksAgain).or(follows), () => orders.asking.set(1));
  when(looksAgain, () => progress.index.set(progress.index.add(1)));
  when(follows, () => {
    progress.slot.set(progress.link.block);
    progress.index.set(0);
    when(deletes, () => progress.other.set({ valid: 1, slot: progress.slot, index: 0 }));
  });
}

/** A create or an update waits for its block, whatever the search has found. */
function decides({ p, state, verdict }: Parts, m: Control): void {
  const { progress, failed, code, decided, context, wasWritten } = state,
    { creates, hits, over } = verdict;
  const refused = mux(creates, hits, over);
  progress.verdict.set(priority([failed, code], [refused, statusBits.FAIL], statusBits.OK));
  progress.grows.set(creates.and(over).and(progress.other.valid.not()));
  when(creates.and(over).and(progress.other.valid), () => {
    progress.slot.set(progress.other.slot);
    progress.index.set(progress.other.index);
  });
  when(failed.or(hits).or(over), () => {
    decided.set(decided.or(decode(context, p.contexts)));
    when(wasWritten, () => m.go("join"));
  });
}

/** A read or a delete goes on with the pair that it has found. */
function finds({ state: { failed, code }, verdict: { reads, hits, over }, orders }: Parts): void {
  when(failed.or(over), () => orders.ends(mux(failed, code, statusBits.FAIL)));
  when(hits, () => {
    when(reads, () => orders.ends(statusBits.OK, { silent: 1 })).otherwise(() => orders.asking.set(1));
  });
}

/** What is written behind a new slot, and behind the pair and the search. */
function grows({ io, state: { progress, failed, code }, orders }: Parts): void {
  orders.saving.set(1);
  progress.other.slot.set(io.spare.payload.block);
  orders.asksAbout(purpose.newSlot, place.other, { write: true, whole: true, content: content.entry });
  when(failed, () => orders.ends(code, { new: constant(1, 1) })).otherwise(() => orders.asking.set(1));
}
function links({ state: { failed, code }, orders }: Parts): void {
  orders.asksAbout(purpose.commit, place.slot, { write: true, link: true, content: content.newLink });
  when(failed, () => orders.ends(code, { new: constant(1, 1), other: constant(1, 1) })).otherwise(() =>
    orders.asking.set(1),
  );
}

export function actSteps(parts: Parts, m: Control) {
  const { p, state, verdict, orders } = parts,
    { kind, written, context, wasDecided, failed, code, progress, writeStatus } = state;
  return {
    act: () => {
      m.go("idle");
      switchOn(kind)
        .is(what.start, () => begins(parts))
        .is([what.slot, what.pair], () => {
          searches(parts);
          when(verdict.brings, () => decides(parts, m)).otherwise(() => finds(parts));
        })
        .is(what.block, () => {
          written.set(written.or(decode(context, p.contexts)));
          when(wasDecided, () => m.go("join"));
        })
        .is(what.commit, () => {
          const { creates, deletes, unlinks } = verdict,
            done = failed.not();
          orders.ends(code, { old: done.and(creates.not()), slot: done.and(deletes).and(unlinks) });
        })
        .is(what.spare, () => grows(parts))
        .is(what.newSlot, () => links(parts))
        .otherwise(() => {
          /* the allocator's */
        });
    },
    // The pair is written, or not, and the search is over.
    join: () => {
      m.go("idle");
      orders.asksAbout(purpose.commit, place.slot, { write: true, content: content.entry });
      when(progress.verdict.any().or(writeStatus.any()), () =>
        orders.ends(mux(progress.verdict.any(), progress.verdict, writeStatus), { new: constant(1, 1) }),
      )
        .elseWhen(progress.grows, () => orders.growing.set(1))
        .otherwise(() => orders.asking.set(1));
    },
  };
}
