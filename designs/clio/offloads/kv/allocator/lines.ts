/** A line comes from memory, turns past, and goes back; then the directory is told. */
import { cat, constant, node, when } from "../../../../../hdl-dsl/index.ts";
import { emptyDigit } from "../arenas.ts";
import { full } from "../free-map.ts";
import { blockBits } from "../parameters.ts";
import { type Control, notes, type Parts } from "./parts.ts";
import { unitBitsOfSlab } from "./visit.ts";

/** What is at hand cannot be read or written. */
function fails(parts: Parts, m: Control): void {
  const { arenas } = parts,
    { taking, answer } = parts.stock,
    { line, summary, survey } = parts.visit;
  when(taking.not(), () => m.go("trim"))
    .elseWhen(summary.and(survey.not()).and(line.picked.any()), () => m.go("fill"))
    .elseWhen(arenas.untouched, () => {
      answer.status.set(parts.io.event.status);
      m.go("answer");
    })
    .otherwise(() => {
      line.picked.set(0);
      notes(parts, m, constant(full, 3));
    });
}

/** A group's line, and behind it the summary's when the group's digit has changed. */
export function lineSteps(parts: Parts, m: Control) {
  const { io, sent } = parts,
    { taking } = parts.stock,
    { mine, failed } = parts.outcome,
    { line, summary, survey } = parts.visit;
  return {
    read: () => when(sent, () => m.go("reading")),
    reading: () => {
      line.line.set(io.event.line);
      when(mine, () =>
        when(failed, () => fails(parts, m)).otherwise(() => {
          line.begin();
          m.go("turn");
        }),
      );
    },
    turn: () => {
      line.count();
      line.turn(survey, () => m.go("turned"));
    },
    turned: () => {
      line.count();
      line.setDigit(line.digitAfter);
      when(survey, () => {
        survey.set(0);
        line.group.set(line.foundAt);
        when(line.found, () => {
          summary.set(0);
          m.go("read");
        }).otherwise(() => notes(parts, m, constant(full, 3)));
      })
        // The summary promised a block, and there is none.
        .elseWhen(summary.not().and(taking).and(line.picked.any().not()), () => {
          summary.set(1);
          m.go("read");
        })
        .otherwise(() => m.go("write"));
    },
    write: () => when(sent, () => m.go("writing")),
    writing: () => {
      when(mine, () =>
        when(failed, () => fails(parts, m))
          .elseWhen(summary, () => notes(parts, m, line.digitFolded))
          .elseWhen(line.digitAfter.ne(line.digitBefore), () => {
            summary.set(1);
            m.go("read");
          })
          .elseWhen(taking, () => m.go("fill"))
          .otherwise(() => m.go("trim")),
      );
    },
  };
}

/** The arena's digit is written. An arena of which nothing is taken is kept, or freed when there is one already. */
export function noteSteps(parts: Parts, m: Control) {
  const { arenas, spare } = parts,
    { home, taking } = parts.stock,
    { line } = parts.visit;
  return {
    note: () => m.go("noted"),
    noted: () => {
      const { digit } = arenas,
        gone = node(digit.any().not()),
        isEmpty = node(digit.eq(emptyDigit)),
        isSpare = node(spare.valid.and(spare.arena.eq(arenas.number)));
      home.set(cat(arenas.firstSlab, constant(0, unitBitsOfSlab)).zext(blockBits));
      when(gone.or(isEmpty.not()).and(isSpare), () => spare.valid.set(0));
      when(isEmpty.and(spare.valid.not()), () => spare.set({ valid: 1, arena: arenas.number }));
      when(taking.not(), () => {
        when(isEmpty.and(spare.valid).and(isSpare.not()), () => m.go("free")).otherwise(() => m.go("trim"));
      })
        .elseWhen(line.picked.any(), () => m.go("fill"))
        .otherwise(() => m.go("choose"));
    },
  };
}
