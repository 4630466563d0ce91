/** Blocks that come back: to those that are kept, or to the arenas that they lie in. */
import { type Bit, constant, mux, priority, type UInt, when } from "../../../../../hdl-dsl/index.ts";
import { classBits, classOf } from "../layout.ts";
import { classCount } from "../parameters.ts";
import type { Control, Parts } from "./parts.ts";

/** Waits for what is to be done; a block comes back. */
export function restSteps(parts: Parts, m: Control) {
  const { io, arenas, stack } = parts,
    { kind, home, asked, live, taking, flushed, givingSlot } = parts.stock,
    { give, slotNow, lastPart } = parts.giving,
    { quiet, isQuiet, overAtRest } = parts.balance;
  return {
    clear: () => {
      arenas.next();
      when(arenas.last, () => m.go("idle"));
    },
    idle: () => {
      taking.set(0);
      flushed.set(0);
      when(io.give.valid, () => {
        kind.set(mux(slotNow, constant(0, classBits), classOf(give.size)));
        home.set(mux(slotNow, give.slotBlock, give.block));
        m.go("give");
      })
        .elseWhen(io.take.valid, () => {
          asked.set(io.take.payload);
          kind.set(io.take.payload.kind);
          m.go("choose");
        })
        .elseWhen(isQuiet.not(), () => quiet.set(quiet.add(1)))
        .elseWhen(overAtRest, () => m.go("trim"));
      when(io.give.valid.or(io.take.valid), () => quiet.set(0));
    },
    give: () => {
      when(parts.kept.room, () => stack.pushes(home));
      m.go("given");
    },
    // A block for which there is no room goes back to its arena at once.
    given: () => {
      givingSlot.set(lastPart.not());
      when(live.any(), () => live.set(live.sub(1)));
      arenas.at(home);
      when(stack.push, () => m.go("trim")).otherwise(() => m.go("locate"));
    },
  };
}

/** What is kept beyond its bounds goes back, of the largest class first. */
export function trimSteps(parts: Parts, m: Control) {
  const { kind, home, asked, filled, flushing, flushed } = parts.stock,
    { balance, stack, kept } = parts;
  return {
    trim: () => {
      kind.set(
        priority(
          ...Array.from({ length: classCount - 1 }, (_, i): [Bit, UInt] => [
            filled.at(classCount - 1 - i),
            constant(classCount - 1 - i, classBits),
          ]),
          constant(0, classBits),
        ),
      );
      when(balance.tooMany, () => m.go("pull")).otherwise(() => {
        flushing.set(0);
        when(flushing, () => {
          kind.set(asked.kind);
          flushed.set(1);
          m.go("choose");
        }).otherwise(() => m.go("idle"));
      });
    },
    pull: () => {
      stack.pops();
      home.set(kept.popped);
      m.go("seek");
    },
  };
}

/** The arena that a block lies in. */
export function locateSteps(parts: Parts, m: Control) {
  const { arenas } = parts,
    { home } = parts.stock,
    { summary, survey } = parts.visit;
  return {
    seek: () => {
      arenas.at(home);
      m.go("locate");
    },
    // The directory is asked for the arena that begins here, or else for the one before.
    locate: () => m.go("located"),
    located: () => {
      summary.set(0);
      survey.set(0);
      arenas.keepOffset();
      arenas.judge(home);
      m.go("judged");
    },
    judged: () => {
      when(arenas.covers, () => m.go("placed"))
        .elseWhen(arenas.second, () => m.go("trim"))
        .otherwise(() => {
          arenas.before();
          m.go("locate");
        });
    },
  };
}
