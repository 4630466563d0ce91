/** A block for a request: one of those that are kept, or one of an arena that has some free. */
import { constant, priority, when } from "../../../../../hdl-dsl/index.ts";
import { statusBits } from "../../../wire/index.ts";
import { mostPicks } from "../free-line.ts";
import type { Control, Parts } from "./parts.ts";

/** The way to a block of the class that is wanted. */
export function searchSteps(parts: Parts, m: Control) {
  const { arenas, kept, stack } = parts,
    { asked, taking, answer, flushed } = parts.stock,
    { line, summary, survey, wanted, slab } = parts.visit,
    { over, spareRoom } = parts.balance;
  return {
    choose: () => {
      taking.set(1);
      answer.block.set(kept.popped);
      summary.set(1);
      survey.set(1);
      line.picked.set(0);
      wanted.set(
        priority(
          [over, constant(1, 4)],
          [spareRoom.ge(mostPicks - 1), constant(mostPicks, 4)],
          spareRoom.trunc(4).add(1),
        ),
      );
      arenas.first();
      when(asked.table, () => m.go("allocate"))
        .elseWhen(kept.some, () => {
          stack.pops();
          answer.status.set(statusBits.OK);
          m.go("answer");
        })
        .otherwise(() => m.go("find"));
    },
    find: () => m.go("found"),
    found: () => {
      arenas.goOn();
      when(arenas.fits, () => m.go("place"))
        .elseWhen(arenas.last, () => when(flushed, () => m.go("answer")).otherwise(() => m.go("allocate")))
        .otherwise(() => m.go("find"));
    },
    place: () => {
      arenas.lookUntouched();
      m.go("placed");
    },
    placed: () => {
      when(taking, () => arenas.keepOffset());
      line.group.set(slab.zext(11).bits(4, 7));
      m.go("read");
    },
  };
}

/** What was picked comes to the kept ones. */
export function fillSteps(parts: Parts, m: Control) {
  const { stack, pick } = parts,
    { line } = parts.visit;
  return {
    fill: () => {
      stack.pushes(pick);
      for (let i = mostPicks - 1; i > 0; i--) line.picks.at(i).set(line.picks.at(i - 1));
      line.picked.set(line.picked.sub(1));
      when(line.picked.eq(1), () => m.go("settle"));
    },
    settle: () => m.go("choose"),
  };
}
