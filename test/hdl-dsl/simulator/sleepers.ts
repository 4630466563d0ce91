/**
 * Random circuits of parts that sleep and wake: registers and memories under shared conditions, instances whose
 * registers are conditions of others, queues, counts beside them. What one function takes from another counts here.
 */
import {
  type Bit,
  bit,
  cat,
  input,
  instance,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  uint,
  type UInt,
  when,
} from "../../../hdl-dsl/index.ts";
import { Random } from "../../../hdl-dsl/random.ts";

/** Bits of what parts take and give. */
const DATA = 12,
  /** Bits of a part's state that are seen. */
  SEEN = 64;
/** At most so deep. */
const DEEPEST = 1;

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
const xorOf = (list: readonly UInt[]): UInt => list.reduce((a, b) => a.xor(b));
/** Every bit of the list in `width` bits. */
function folded(list: readonly UInt[], width: number): UInt {
  const all = cat(...list),
    parts = range(Math.ceil(all.width / width)).map(i =>
      all.bits(i * width, Math.min(width, all.width - i * width)).zext(width),
    );
  return xorOf(parts);
}

/** What a part is made from. */
interface Inside {
  readonly random: Random;
  readonly on: Bit;
  readonly x: UInt<typeof DATA>;
  readonly keep: UInt;
  /** Registers that turn now and then. */
  readonly turning: readonly Bit[];
  /** Outputs of instances. */
  readonly told: readonly Bit[];
}

/** One value that many conditions need: of an input, a register, an instance, or made of several. */
function needOf({ random, on, x, keep, turning, told }: Inside, n: number): Bit {
  const from = [on, keep.bit(n % DATA), x.lt(keep), x.eq(0), ...turning, ...turning, ...told, ...told];
  const [a, b] = [random.pick(from), random.pick(from)];
  return node([a.and(b), a.or(b), a.andNot(b), a.xor(b)][random.below(8)] ?? a, { name: `need_${n}` });
}

/** Conditions that need it, each with something of its own. */
function conditionsOf(of: Inside, need: Bit, n: number): Bit[] {
  const { random, x, keep, turning, told } = of;
  const own = (i: number): Bit =>
    random.pick([
      keep.bit(i % DATA),
      x.bit((i * 5) % DATA),
      x.bits(0, 3).eq(i % 8),
      random.pick([...turning, keep.bit(i % DATA)]),
      random.pick([...told, x.bit(i % DATA)]),
    ]);
  return range(4 + random.below(5)).map(i => {
    const rest = own(i),
      both = random.chance(0.8) ? need.and(rest) : random.chance(0.5) ? need.and(rest).andNot(own(i + 1)) : rest;
    return random.chance(0.7) ? node(both, { name: `asked_${n}_${i}` }) : both;
  });
}

/** Registers under one condition, of which some take one another's value; and a count that takes it as a number. */
function registersUnder({ random, x, keep }: Inside, condition: Bit, name: string): UInt[] {
  // Eight under one condition are a function of their own.
  const many = random.chance(0.2) ? 8 + random.below(10) : 1 + random.below(2);
  const list = range(many).map(i =>
    reg(uint(random.pick([1, 4, 5, 12, 33, 70])), { init: random.below(2), name: `held_${name}_${i}` }),
  );
  when(condition, () => {
    list.forEach((r, i) => {
      const other = list[random.below(many)] ?? r,
        value = random.pick([r.add(1), other.resize(r.width), x.resize(r.width), r.xor(keep.resize(r.width))]);
      if (i > 0 && random.chance(0.2)) when(keep.bit(i % DATA), () => r.set(value));
      else r.set(value);
    });
  });
  const count = reg(uint(6), { init: 0, name: `count_${name}` });
  count.set(count.add(condition.zext(6)));
  return [...list, count];
}

/** A queue: a memory that is written at a tail and read at a head, each under a condition. */
function queueUnder({ random, x }: Inside, comes: Bit, asks: Bit, name: string): UInt[] {
  // The first word is read at once: what a read port gives before its first read is open.
  const starts = reg(bit, { init: 1, name: `starts_${name}` }),
    goes = node(asks.andNot(starts), { name: `goes_${name}` });
  starts.set(0);
  const words = ram(uint(DATA), {
    depth: 8,
    collision: random.pick(["old", "new"]),
    init: range(8),
    name: `words_${name}`,
  });
  const head = reg(uint(3), { init: 0, name: `head_${name}` }),
    tail = reg(uint(3), { init: 0, name: `tail_${name}` }),
    level = reg(uint(6), { init: 0, name: `level_${name}` });
  when(comes, () => tail.set(tail.add(1)));
  when(goes, () => head.set(head.add(1)));
  level.set(level.add(comes.zext(6)).sub(goes.zext(6)));
  // Inputs are 0 while registers are open: no word is written then.
  when(x.any(), () => words.write(comes, tail, x));
  const first = random.chance(0.5) ? words.readAsync(head) : words.readSync(head, { en: goes.or(starts) });
  const taken = reg(uint(DATA), { init: 0, name: `taken_${name}` });
  when(goes, () => taken.set(first));
  return [head, tail, level, taken, first];
}

interface PartParameters {
  readonly seed: number;
  readonly depth: number;
}
const Part = module(
  "Part",
  (_: PartParameters) => ({
    on: input(bit),
    x: input(uint(DATA)),
    keep: input(uint(DATA)),
    /** Made of registers. */
    tells: output(uint(2)),
    value: output(uint(DATA)),
    seen: output(uint(SEEN)),
  }),
  (io, { seed, depth }) => {
    const random = new Random(seed);
    const turning = range(2).map(i => reg(bit, { init: i, name: `turning_${i}` }));
    const below = range(depth < DEEPEST ? random.below(3) : 0).map(i =>
      instance(`part_${i}`, Part({ seed: seed * 4 + i + 1, depth: depth + 1 })),
    );
    const of: Inside = {
      random,
      on: io.on,
      x: io.x,
      keep: io.keep,
      turning,
      told: below.flatMap(b => [b.tells.bit(0), b.tells.bit(1)]),
    };
    const needs = range(1 + random.below(2)).map(n => needOf(of, n)),
      rows = needs.map((need, n) => conditionsOf(of, need, n)),
      conditions = rows.flat();
    const any = (): Bit => random.pick([...conditions, ...needs]);
    turning.forEach((t, i) => {
      if (random.chance(0.5)) when(any(), () => t.set(t.not()));
      else t.set(i === 0 ? any() : t.xor(any()));
    });
    const held = rows.flatMap((row, n) => row.flatMap((c, i) => registersUnder(of, c, `${n}_${i}`))),
      queues = range(random.below(3)).flatMap(n => queueUnder(of, any(), any(), `${n}`));
    below.forEach((b, i) => {
      b.on.set(random.pick([io.on, any(), turning[i % 2] ?? io.on]));
      b.x.set(random.pick([io.x, folded(held, DATA), below[i - 1]?.value ?? io.x]));
      b.keep.set(random.chance(0.6) ? io.keep : io.keep.xor(mux(any(), io.x, io.keep)));
    });
    // Of registers alone: what is told may decide about what comes in.
    const [one, two] = [turning[0] ?? io.on, turning[1] ?? io.on];
    io.tells.set(cat(one, random.pick([two, one.and(two), held[0]?.any() ?? two])));
    io.value.set(folded([...queues, ...held.slice(0, 3)], DATA));
    // Conditions that are seen are values of another function than the one that writes registers.
    const shown = random.chance(0.7) ? conditions : needs;
    const taken = [io.on, io.x, io.keep, ...below.flatMap(b => [b.seen, b.value, b.tells])];
    io.seen.set(folded([...shown, ...turning, ...held, ...queues, ...taken], SEEN));
  },
  { nameOf: p => `Part_${p.seed}_${p.depth}` },
);

export const Sleepers = (seed: number) => Part({ seed, depth: 0 });

/** Input vectors with long gaps in which nothing changes, and gaps in which one bit does. */
export function sleepy(random: Random, steps: number, bits: number): bigint[] {
  const out: bigint[] = [0n];
  let v = 0n;
  while (out.length <= steps) {
    const kind = random.below(4),
      length = kind === 0 ? 1 + random.below(6) : 1 + random.below(24);
    for (let i = 0; i < length && out.length <= steps; i++) {
      if (kind === 0 || i === 0) v = random.chance(0.2) ? 0n : random.bits(bits);
      else if (kind === 1) v ^= 1n << BigInt(random.below(bits));
      out.push(v);
    }
  }
  return out;
}
