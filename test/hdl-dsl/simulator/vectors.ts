/** Circuits of what the simulator rewrites: rows of like operators, and rows in which one of them is another. */
import {
  type Bit,
  bit,
  carryEqual,
  cat,
  constant,
  input,
  module,
  mux,
  node,
  output,
  reg,
  repeat,
  uint,
  type UInt,
  when,
} from "../../../hdl-dsl/index.ts";
import { Random } from "../../../hdl-dsl/random.ts";

/** Low bits first. */
const row = (parts: readonly UInt[]): UInt => cat(...[...parts].reverse());
const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
const onlyIf = (on: Bit, value: UInt): UInt => repeat(on, value.width).and(value);
const or = (list: readonly UInt[]): UInt => list.reduce((a, b) => a.or(b));

/** Bits in their order; now and then with one swapped, taken twice or left out. */
function nearly(random: Random, count: number): number[] {
  const list = range(count);
  if (random.chance(0.6)) return list;
  const [a, b] = [random.below(count), random.below(count)];
  list[a] = b;
  return list;
}

/** Rows over vectors of random widths, each nearly what is looked for. */
export const Vectors = module(
  "Vectors",
  (_: { seed: number }) => ({
    a: input(uint(150)),
    b: input(uint(150)),
    keep: input(uint(150)),
    index: input(uint(6)),
    on: input(bit),
    same: output(uint(3)),
    parity: output(uint(10)),
    lanes: output(uint(128)),
    bytes: output(uint(144)),
    decoded: output(uint(96)),
    chosen: output(uint(20)),
    masked: output(uint(70)),
    held: output(uint(300)),
  }),
  (io, { seed }) => {
    const random = new Random(seed);
    const byte = (v: UInt, i: number): UInt => v.bits(8 * i, 8);
    const width = 3 + random.below(60);
    /** One bit, or none. */
    const one = node(onlyIf(io.on, constant(1, 64).shl(io.index)));
    /** As `a` but for that bit. */
    const near = node(io.a.bits(0, 64).xor(one));
    const [places, sizes] = [nearly(random, 20), nearly(random, 20)];
    io.same.set(
      cat(
        carryEqual(io.a.bits(0, width), near.bits(0, width), io.keep.bit(0)),
        row(places.map((place, i) => io.a.bits(3 * i, 3).eq(near.bits(3 * place, 3)))).all(),
        row(sizes.map((size, i) => io.a.bits(i, 1 + size).eq(near.bits(i, 1 + size)))).all(),
      ),
    );
    // As a hash of a key takes them, the highest bit first.
    const few = row([io.a.bit(0), constant(0, 1), ...nearly(random, 9).map(k => io.b.bit(k)), io.keep.bit(0)]).parity();
    const hash = range(9).map(i => {
      const order = nearly(random, 48);
      const taken = range(48).map(k => io.a.bit(k).and(io.b.bit((order[k] ?? 0) + i)));
      return cat(...taken).parity();
    });
    io.parity.set(cat(few, row(hash)));
    const [n, old, fresh] = [nearly(random, 16), nearly(random, 16), nearly(random, 16)];
    io.lanes.set(
      row(range(16).map(i => mux(io.keep.bit(n[i] ?? 0), byte(io.a, fresh[i] ?? 0), byte(io.b, old[i] ?? 0)))),
    );
    const order = nearly(random, 18);
    io.bytes.set(row(range(18).map(i => repeat(io.keep.bit(order[i] ?? 0), 8))));
    const choice = io.index.bits(0, 4);
    const codes = (index: UInt): UInt => row(nearly(random, 2 ** index.width).map(code => index.eq(code)));
    io.decoded.set(cat(codes(io.index), codes(choice), codes(choice)));
    const cases = (): UInt =>
      or(nearly(random, 8 + random.below(9)).map((k, i) => onlyIf(choice.eq(k), io.a.bits(i, 10))));
    io.chosen.set(cat(cases(), cases()));
    const bits = nearly(random, 16 + random.below(40));
    io.masked.set(or((seed % 2 === 0 ? bits : bits.reverse()).map((k, i) => onlyIf(one.bit(k), io.b.bits(i, 70)))));
    // Conditions that need the same: a whole vector, one bit of it, or what a decision is made of.
    const guards = range(20).map(
      i => [io.on.and(io.index.bits(0, 4).eq(i % 16)), io.keep.bit(i), io.on.and(io.keep.bit(i))][i % 3],
    );
    io.held.set(
      row(
        guards.map((g, i) => {
          const r = reg(uint(15), { init: i, name: `held_${i}` });
          when(g ?? io.on, () => r.set(io.a.bits(i, 15).xor(r)));
          if (i % 3 === 1) when(io.on.and(io.b.bit(i)), () => r.set(constant(i, 15)));
          return r;
        }),
      ),
    );
  },
  { nameOf: p => `Vectors_${p.seed}` },
);
