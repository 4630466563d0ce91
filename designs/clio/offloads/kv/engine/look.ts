/** The first steps of every event: its request is fetched, and what memory brought is looked at. */
import { cat, encodeOnehot, fromBits, mux, node, onehotMux, type UInt, when } from "../../../../../hdl-dsl/index.ts";
import { slicesOf } from "../../../../shared/wire/index.ts";
import { kvBody, statusBits } from "../../../wire/index.ts";
import { blockBits } from "../parameters.ts";
import { purpose } from "../replies.ts";
import type { Control, Parts } from "./parts.ts";
import { indexBits, what } from "./records.ts";

/** The key in the first bytes of a pair. */
function keyOf(line: UInt): UInt {
  return cat(...[...slicesOf(kvBody).key.runs].sort((x, y) => y.to - x.to).map(r => line.bits(r.lsb, r.width)));
}

/** Takes the next event. */
export function takeSteps({ io, state, next }: Parts, m: Control) {
  const { context, request, kind, atSlot, atPair, code } = state,
    { memoryEvent, nextContext } = next;
  return {
    idle: () => {
      context.set(nextContext);
      request.set(state.asks.readAsync(nextContext));
      atSlot.set(memoryEvent.and(io.event.purpose.eq(purpose.slot)));
      atPair.set(memoryEvent.and(io.event.purpose.eq(purpose.pair)));
      when(memoryEvent, () => {
        kind.set(io.event.purpose);
        code.set(io.event.status);
        m.go("look");
      })
        .elseWhen(io.spare.valid, () => {
          kind.set(what.spare);
          code.set(io.spare.payload.status);
          m.go("look");
        })
        .elseWhen(io.start.valid, () => {
          kind.set(what.start);
          code.set(0);
          m.go("look");
        });
    },
  };
}

/** Looks at a slot or a pair. */
export function lookSteps({ io, p, state, slot: { entries } }: Parts, m: Control) {
  const { kind, context, code, request, atSlot, atPair, written, decided, failed, matching } = state;
  return {
    look: () => {
      const progress = state.steps.readAsync(context);
      state.progress.set(progress);
      const spent = node(atSlot.or(atPair).and(progress.looks.eq(p.mostLooks)));
      failed.set(code.any().or(spent));
      when(spent, () => code.set(statusBits.INVALID));
      state.wasWritten.set(written.shr(context).bit(0));
      state.wasDecided.set(decided.shr(context).bit(0));
      state.writeStatus.set(mux(kind.eq(what.block), code, state.writeStatuses.readAsync(context)));
      state.firstSlot.set(io.table.add(request.bucket.zext(blockBits)));
      state.sameKey.set(
        keyOf(io.event.line).eq(request.key).or(request.any).and(io.event.line.bits(0, 16).eq(request.pid)),
      );
      matching.set(
        fromBits(
          entries.map((e, i) =>
            e.valid.and(e.fingerprint.eq(request.fingerprint).or(request.any)).and(progress.index.le(i)),
          ),
        ),
      );
      when(atSlot, () => m.go("pick")).otherwise(() => m.go("act"));
    },
  };
}

/** Picks the first entry of a slot that may be the key's. */
export function pickSteps({ state, slot, verdict }: Parts, m: Control) {
  const { progress, matching, matched } = state,
    { entries, chosen, hole, occupied } = slot,
    { creates } = verdict;
  return {
    pick: () => {
      matched.set(matching.any());
      progress.link.set({ block: slot.link.block, valid: slot.link.valid });
      when(matching.any(), () => {
        progress.index.set(encodeOnehot(chosen).is(indexBits));
        const pick = entries.map((_, i) => chosen.bit(i));
        progress.found.set({
          block: onehotMux(
            pick,
            entries.map(e => e.block),
          ),
          size: onehotMux(
            pick,
            entries.map(e => e.size),
          ),
        });
        progress.more.set(matching.and(chosen.not()).any());
        progress.alone.set(occupied.and(chosen.not()).any().not());
      });
      when(creates.and(progress.other.valid.not()).and(occupied.all().not()), () =>
        progress.other.set({ valid: 1, slot: progress.slot, index: encodeOnehot(hole).is(indexBits) }),
      );
      m.go("act");
    },
  };
}
