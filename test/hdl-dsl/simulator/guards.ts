/**
 * Registers under conditions that need one thing, where each condition is a value of another function. What they need
 * is a value that only the conditions read, or a register of an instance, which changes before they are asked.
 */
import { type Bit, bit, cat, input, instance, module, node, output, reg, uint, when } from "../../../hdl-dsl/index.ts";

/** Turns at every edge at which it may. */
const Turns = module(
  "Turns",
  () => ({ may: input(bit), on: output(bit) }),
  io => {
    const on = reg(bit, { init: 0 });
    when(io.may, () => on.set(on.not()));
    io.on.set(on);
  },
);

const places = [0, 1, 2, 3, 4, 5] as const;

/** Under each condition a tail goes on; a count beside it takes the condition as a number. */
function row(need: Bit, keep: (i: number) => Bit) {
  const conditions = places.map(i => node(need.and(keep(i)), { name: `asked_${i}` })),
    tails = places.map(i => reg(uint(4), { init: 0, name: `tail_${i}` })),
    counts = places.map(i => reg(uint(4), { init: 0, name: `count_${i}` }));
  conditions.forEach((condition, i) => {
    const [tail, count] = [tails[i], counts[i]];
    when(condition, () => tail?.set(tail.add(1)));
    count?.set(count.add(condition.zext(4)));
  });
  return cat(...conditions, ...counts, ...tails);
}
const Row = module(
  "Row",
  () => ({ a: input(uint(8)), b: input(uint(8)), seen: output(uint(54)) }),
  io => io.seen.set(row(node(io.a.lt(io.b)), i => (i % 2 === 0 ? io.a : io.b).bit(i))),
);
const TurnedRow = module(
  "TurnedRow",
  () => ({ on: input(bit), keep: input(uint(6)), seen: output(uint(54)) }),
  io => io.seen.set(row(io.on, i => io.keep.bit(i))),
);

export const Guards = module(
  "Guards",
  () => ({
    a: input(uint(8)),
    b: input(uint(8)),
    keep: input(uint(6)),
    compared: output(uint(54)),
    earlier: output(uint(54)),
    later: output(uint(54)),
  }),
  io => {
    const compares = instance("compares", Row()),
      first = instance("first", TurnedRow()),
      turns = instance("turns", Turns()),
      last = instance("last", TurnedRow());
    compares.a.set(io.a);
    compares.b.set(io.b);
    turns.may.set(io.keep.any());
    for (const part of [first, last]) {
      part.on.set(turns.on);
      part.keep.set(io.keep);
    }
    io.compared.set(compares.seen);
    io.earlier.set(first.seen);
    io.later.set(last.seen);
  },
);
