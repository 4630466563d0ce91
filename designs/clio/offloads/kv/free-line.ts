/** A line of an arena's map, or its summary, as it turns past: a word of 32 bits at a time. */
import {
  bit,
  type Bit,
  bitsFor,
  cat,
  constant,
  firstSet,
  fromBits,
  mux,
  node,
  reg,
  struct,
  uint,
  type UInt,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import {
  type ArenaShape,
  beginsOf,
  digitBits,
  digitOf,
  digitsOf,
  digitsOfWord,
  digitsSeen,
  foldedDigit,
  freeOf,
  full,
  lineWords,
  reservedOf,
  unitsOf,
  wordBits,
} from "./free-map.ts";
import { classCount, slabUnits, unitBytes } from "./parameters.ts";

/** Blocks that one visit of a group takes, at most. */
export const mostPicks = 8;
const wordNumberBits = Math.log2(lineWords),
  unitNumberBits = Math.log2(slabUnits),
  groupBits = 7;

/** What is wanted of the line. */
export interface LineTask {
  /** The line is the arena's summary, not a group's. */
  readonly summary: Bit;
  /** Blocks are taken, or else `given` is given back. */
  readonly taking: Bit;
  readonly kind: UInt;
  /** Blocks that are wanted, 1 to 8. */
  readonly wanted: UInt;
  /** Where the block that is given back lies in the group. */
  readonly givenWord: UInt;
  readonly givenUnit: UInt;
}

/** Where a block lies in its group: slab and unit. */
const Place = uint(wordNumberBits + unitNumberBits);

/** The line, the word of it at hand, and the group that it is of. */
function lineOf() {
  const line = reg(uint(unitBytes * 8)),
    at = reg(uint(wordNumberBits)),
    group = reg(uint(groupBits)),
    groupDigit = reg(uint(3));
  const word = node(line.trunc(wordBits), { name: "line_word" });

  return { line, at, group, groupDigit, word };
}
type Line = ReturnType<typeof lineOf>;

/** A group's line: which blocks begin in the word at hand, and how it looks without one, or with one more. */
function groupOf(task: LineTask, { at, group, word }: Line) {
  // A group is chosen two cycles before its round, or earlier.
  const isFirst = reg(bit);
  isFirst.set(group.eq(0));
  // Of the word at hand, worked out with the step to it.
  const reserved = reg(uint(slabUnits), { name: "reserved_units" });
  const free = freeOf(word, reserved);
  const begins = reg(uint(slabUnits)),
    looking = reg(bit, { init: 0 }),
    looked = reg(bit, { init: 0 });
  begins.set(beginsOf(free, task.kind));
  const pick = reg(struct({ any: bit, index: uint(unitNumberBits) }));
  pick.set(firstSet(begins));
  const picks = reg(vec(Place, mostPicks)),
    picked = reg(uint(bitsFor(mostPicks)));
  const takes = node(looked.and(pick.any).and(picked.ne(task.wanted)));
  const freed = reg(bit);
  const gives = node(task.taking.not().and(freed.not()).and(at.eq(task.givenWord)));
  const changes = node(mux(task.taking, takes, gives));
  const units = node(unitsOf(task.kind, mux(task.taking, pick.index, task.givenUnit)), { name: "block_units" });
  // A line of zeros has everything free: where it is kept itself no bit is set.
  const has = fromBits(free.map(f => f.any()));
  const before = reg(uint(classCount + 1)),
    after = reg(uint(classCount + 1)),
    touched = reg(bit);
  const now = node(cat(word.any(), has), { name: "word_has" });
  return {
    isFirst,
    reserved,
    looking,
    looked,
    pick,
    picks,
    picked,
    freed,
    changes,
    units,
    before,
    after,
    touched,
    now,
  };
}
type Group = ReturnType<typeof groupOf>;

/** The digit of a group in which blocks of these classes were seen. */
const digitIn = (seen: UInt): UInt =>
  digitOf(
    seen.bit(classCount).not(),
    Array.from({ length: classCount }, (_, c) => seen.bit(c)),
  );

/** The summary: the group's digit is renewed in it, and one that fits is looked for. */
function summaryOf(shape: ArenaShape, task: LineTask, { line, at, group, groupDigit, word }: Line) {
  const digits = digitsOf(shape, word);
  const mine = node(at.eq(group.shr(Math.log2(digitsOfWord)).trunc(wordNumberBits)));
  const real = node(at.zext(wordNumberBits + 1).lt(Math.max(1, shape.groups / digitsOfWord)), {
    name: "digits_are_real",
  });
  const renewed = digits.map((d, i) => {
    const here = node(mine.and(group.trunc(Math.log2(digitsOfWord)).eq(i)));
    return node(mux(here, groupDigit.zext(digitBits), d), { name: `renewed_digit_${i}` });
  });
  // What was renewed is counted a cycle later, at the end of the line.
  const seen = reg(uint(full + 1)),
    counts = reg(bit, { init: 0 });
  const last = line.bits(unitBytes * 8 - wordBits, wordBits);
  const found = reg(bit),
    foundAt = reg(uint(groupBits));
  const limit = node(constant(classCount, digitBits).sub(task.kind.zext(digitBits)));
  const fitting = firstSet(fromBits(digits.map(d => d.le(limit))));
  const used = digits.length * digitBits,
    low = cat(...[...renewed].reverse());
  const renewedWord = used === wordBits ? low : cat(word.bits(used, wordBits - used), low);

  return { real, seen, counts, last, found, foundAt, fitting, renewedWord };
}
type Summary = ReturnType<typeof summaryOf>;

/** A cycle of a round over the summary. */
function turnSummary({ at }: Line, { real, counts, found, foundAt, fitting }: Summary): void {
  counts.set(real);
  when(real, () => {
    when(fitting.any.and(found.not()), () => {
      found.set(1);
      foundAt.set(cat(at, fitting.index.zext(Math.log2(digitsOfWord))).trunc(groupBits));
    });
  });
}

/** A block is taken from the word at hand, or given back to it. */
function changeWord(task: LineTask, { line, at, word }: Line, group: Group): void {
  const { looking, looked, touched, freed, picks, picked, pick, before, now, units } = group;
  looking.set(0);
  looked.set(0);
  touched.set(1);
  freed.set(1);
  picked.set(picked.add(1));
  for (let i = 0; i < mostPicks - 1; i++) picks.at(i).set(picks.at(i + 1));
  picks.at(mostPicks - 1).set(cat(at, pick.index));
  when(touched.not(), () => before.set(before.or(now)));
  line.setBits(0, mux(task.taking, word.or(units), word.and(units.not())));
}

/**
 * The line and what is learned of it in a round: 16 steps of one cycle, or of three in a group that is taken from, and
 * three more for each block. Blocks are taken lowest first.
 */
export function freeLine(shape: ArenaShape, task: LineTask) {
  const own = lineOf(),
    { line, at, group, word } = own,
    ofGroup = groupOf(task, own),
    { isFirst, reserved, looking, looked, picks, picked, freed, changes, before, after, touched, now } = ofGroup,
    summary = summaryOf(shape, task, own),
    { seen, counts, last, found, foundAt, renewedWord } = summary;
  const on = (next: UInt, ends: () => void): void => {
    line.set(cat(next, line.bits(wordBits, unitBytes * 8 - wordBits)));
    at.set(at.add(1));
    reserved.set(reservedOf(shape, isFirst, at.add(1)));
    when(at.eq(lineWords - 1), ends);
  };
  return {
    line,
    group,
    picks,
    picked,
    found,
    foundAt,
    /** A group's digit before the round and behind it; an arena's. */
    digitBefore: node(digitIn(before), { name: "digit_before" }),
    digitAfter: node(digitIn(after), { name: "digit_after" }),
    digitFolded: node(foldedDigit(seen), { name: "digit_folded" }),
    /** Before a round. */
    begin(): void {
      at.set(0);
      reserved.set(reservedOf(shape, isFirst, constant(0, wordNumberBits)));
      looking.set(0);
      looked.set(0);
      freed.set(0);
      before.set(0);
      after.set(0);
      touched.set(0);
      seen.set(0);
      found.set(0);
    },
    setDigit(to: UInt): void {
      own.groupDigit.set(to);
    },
    /** To be called in every cycle: of rounds, and of the one behind a round. */
    count(): void {
      when(counts, () => seen.set(seen.or(digitsSeen(digitsOf(shape, last)))));
    },
    /** A cycle of a round. @param survey nothing of the summary is renewed @param ends in its last cycle */
    turn(survey: Bit, ends: () => void): void {
      counts.set(0);
      when(task.summary, () => {
        on(mux(survey, word, renewedWord), ends);
        turnSummary(own, summary);
      })
        .elseWhen(changes, () => changeWord(task, own, ofGroup))
        .elseWhen(task.taking.and(looked.not()), () => {
          looking.set(1);
          looked.set(looking);
        })
        .otherwise(() => {
          looking.set(0);
          looked.set(0);
          touched.set(0);
          when(touched.not(), () => before.set(before.or(now)));
          after.set(after.or(now));
          on(word, ends);
        });
    },
  };
}
export type FreeLine = ReturnType<typeof freeLine>;
