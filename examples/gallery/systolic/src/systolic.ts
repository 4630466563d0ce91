import {
  type Bit,
  bit,
  bitsFor,
  constant,
  module,
  mux,
  node,
  reg,
  scope,
  sink,
  type SInt,
  sint,
  source,
  struct,
  uint,
  vec,
  when,
  wire,
} from "mnemosyne";

export interface SystolicParameters {
  /** Rows and columns of the array, 2 or more. */
  readonly size: number;
  /** Bits of a factor. */
  readonly width: number;
  /** Bits of a sum; what does not fit wraps. */
  readonly sumWidth: number;
}
/** What goes along with the factors of a step: whether there are any, and whether they begin or end their sums. */
interface Token {
  readonly valid: Bit;
  readonly first: Bit;
  readonly last: Bit;
}

/** `v` in the cycle before the last one in which the array moved. */
function late(v: SInt, moves: Bit): SInt {
  const r = reg(sint(v.width));
  when(moves, () => r.set(v));
  return r;
}
function lateBit(v: Bit, moves: Bit): Bit {
  const r = reg(bit, { init: 0 });
  when(moves, () => r.set(v));
  return r;
}
/** `v`, and `v` one, two ... `n` moves late. */
const trail = <T>(v: T, n: number, next: (v: T) => T): T[] =>
  Array.from({ length: n }).reduce<T[]>(all => [...all, next(all.at(-1) as T)], [v]);

/** One cell: a product, its register, and the sum of products since the last `first`. */
function cell(
  a: SInt,
  b: SInt,
  token: Token,
  moves: Bit,
  sumWidth: number,
): { readonly sum: SInt; readonly done: Bit } {
  const product = late(a.mul(b), moves),
    sum = reg(sint(sumWidth)),
    counts = lateBit(token.valid, moves),
    begins = lateBit(token.first, moves),
    ends = lateBit(token.valid.and(token.last), moves);
  when(moves.and(counts), () => sum.set(mux(begins, constant(0, sumWidth).asSint(), sum).add(product.sext(sumWidth))));
  return { sum, done: lateBit(ends, moves) };
}

/**
 * Products of two matrices of `size` rows of A and `size` columns of B, and any number K of steps between. Factors
 * move through the array, a cell to the right and a cell down each cycle; sums stay until their last step, then move
 * up and leave a row at a time. A step a cycle; a row every second cycle. The first row leaves `size` + 2 cycles after
 * the last step was taken. A last step waits until 2 `size` - 1 cycles have passed since the one before, so that sums
 * of two products do not meet. When `rows` waits, the whole array stands still. Reset empties it.
 */
export const Systolic = module(
  "Systolic",
  (p: SystolicParameters) => ({
    /** Step k: column k of A and row k of B; `last` ends the product. */
    steps: sink(struct({ a: vec(sint(p.width), p.size), b: vec(sint(p.width), p.size), last: bit })),
    /** Rows of the product, row 0 first. */
    rows: source(vec(sint(p.sumWidth), p.size)),
  }),
  (io, { size, sumWidth }) => {
    if (size < 2) throw new RangeError(`size = ${size}: use 2 or more`);
    const rowComes = wire(bit),
      moves = node(rowComes.not().or(io.rows.ready));
    const apart = reg(uint(bitsFor(2 * size)), { init: 0 }),
      fresh = reg(bit, { init: 1 });
    const { a, b, last } = io.steps.payload;
    const taken = io.steps.fire;
    io.steps.ready.set(moves.and(last.not().or(apart.eq(0))));
    when(moves.and(apart.ne(0)), () => apart.set(apart.sub(1)));
    when(taken, () => fresh.set(last));
    when(taken.and(last), () => apart.set(2 * size - 2));

    // Cell (i, j) works i + j cycles after its step was taken: its factors, and the token of its diagonal.
    const next = (v: SInt): SInt => late(v, moves),
      skewed = (v: SInt, n: number): SInt[] => trail(trail(v, n, next)[n] as SInt, size - 1, next);
    const right = a.toArray().map(skewed),
      down = b.toArray().map(skewed);
    const tokens = trail<Token>({ valid: taken, first: fresh, last }, 2 * size - 2, t => ({
      valid: lateBit(t.valid, moves),
      first: lateBit(t.first, moves),
      last: lateBit(t.last, moves),
    }));
    const numbers = Array.from({ length: size }, (_, i) => i);
    const cells = numbers.map(i =>
      numbers.map(j =>
        scope(`cell${i}${j}`, () =>
          cell(right[i]?.[j] as SInt, down[j]?.[i] as SInt, tokens[i + j] as Token, moves, sumWidth),
        ),
      ),
    );

    // Sums move up their column, a cell a cycle, from when they are done; column j leaves j cycles later.
    const columns = numbers.map(j => {
      let below: SInt | undefined;
      let came: Bit = constant(0, 1);
      for (const i of [...numbers].reverse()) {
        const { sum, done } = cells[i]?.[j] as ReturnType<typeof cell>,
          from = below === undefined ? sum : mux(done, sum, below);
        below = late(from, moves);
        came = lateBit(done.or(came), moves);
      }
      return { value: trail(below as SInt, size - 1 - j, x => late(x, moves)).at(-1) as SInt, came };
    });
    rowComes.set(trail(columns[0]?.came as Bit, size - 1, x => lateBit(x, moves)).at(-1) as Bit);
    io.rows.valid.set(rowComes);
    io.rows.payload.set(columns.map(c => c.value));
  },
);
