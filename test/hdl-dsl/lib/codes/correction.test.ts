import { describe, expect, test } from "vitest";
import { bench } from "../../../bench.ts";
import {
  bit,
  fieldProduct,
  input,
  module,
  output,
  type ReedSolomonParameters,
  reedSolomonRoots,
  ReedSolomonSyndromes,
  secdedCheckBits,
  secdedColumns,
  secdedDecode,
  secdedEncode,
  uint,
} from "../../../../hdl-dsl/index.ts";
import { type Bench, bernoulli, type Pause, runBench, StreamSink, StreamSource } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { everyPressure } from "../../support/pressures.ts";

const Secded = module(
  "Secded",
  (p: { readonly bits: number }) => ({
    data: input(uint(p.bits)),
    flips: input(uint(p.bits + secdedCheckBits(p.bits))),
    read: output(uint(p.bits)),
    corrected: output(bit),
    uncorrectable: output(bit),
  }),
  (io, p) => {
    const word = secdedDecode(secdedEncode(io.data).xor(io.flips), p.bits);
    io.read.set(word.data);
    io.corrected.set(word.corrected);
    io.uncorrectable.set(word.uncorrectable);
  },
);
type SecdedPorts = ReturnType<typeof Secded>["ports"];
const ones = (v: number): number => v.toString(2).replaceAll("0", "").length;

/** Every single error and every pair of errors, over random data. */
async function everyError(b: Bench<SecdedPorts>, bits: number): Promise<void> {
  const n = bits + secdedCheckBits(bits);
  const see = (flips: bigint) => {
    const data = b.random.bits(bits);
    b.io.data.value = bits > 53 ? data : Number(data);
    b.io.flips.value = n > 53 ? flips : Number(flips);
    b.sim.settle();
    return { right: BigInt(b.io.read.value) === data, told: [b.io.corrected.value, b.io.uncorrectable.value] };
  };
  expect(see(0n)).toEqual({ right: true, told: [0, 0] });
  for (let i = 0; i < n; i++) {
    expect({ i, ...see(1n << BigInt(i)) }).toEqual({ i, right: true, told: [1, 0] });
    for (let j = 0; j < i; j++) {
      const two = (1n << BigInt(i)) | (1n << BigInt(j)),
        seen = see(two);
      expect({ i, j, told: seen.told }).toEqual({ i, j, told: [0, 1] });
      // Nothing is put right: it is as it came.
      expect(seen.right).toBe((two & (2n ** BigInt(bits) - 1n)) === 0n);
    }
  }
}
describe("SECDED", () => {
  for (const bits of [1, 4, 8, 32, 64])
    bench(`${bits} bits: every one and every two wrong bits`, Secded({ bits }), {}, b => everyError(b, bits));
  test("checks are as few as can be, and each bit's are of their own, of odd weight", () => {
    expect([1, 4, 8, 16, 32, 64, 128].map(secdedCheckBits)).toEqual([3, 4, 5, 6, 7, 8, 9]);
    for (const bits of [8, 26, 64, 100]) {
      const columns = secdedColumns(bits);
      expect(new Set(columns).size).toBe(bits);
      expect(columns.every(c => ones(c) % 2 === 1 && ones(c) >= 3)).toBe(true);
      const loads = Array.from({ length: secdedCheckBits(bits) }, (_, i) => columns.filter(c => (c >> i) & 1).length);
      expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(2);
    }
  });
  test.each([
    ["two errors are put right", /assign uncorrectable = [^;]*;/, "assign uncorrectable = 1'b0;"],
    ["an error in a check is not told", /assign corrected = [^;]*;/, "assign corrected = |(data ^ read);"],
    ["a bit is put right at its neighbour's error", /syndrome == 5'd7\b/, "syndrome == 5'd11"],
  ] as const)("planted fault: %s", (_what, from, to) =>
    findsFault(
      runBench("errors", plant(Secded({ bits: 8 }), from, to), { wave: false }, b => everyError(b, 8)),
      /./,
    ),
  );
});

const small: ReedSolomonParameters = { symbolBits: 4, checkSymbols: 4, polynomial: 0x13, firstRoot: 1 };
const bytes: ReedSolomonParameters = { symbolBits: 8, checkSymbols: 16, polynomial: 0x11d };
const rs = (p: ReedSolomonParameters) => ReedSolomonSyndromes(p);
type RsPorts = ReturnType<typeof rs>["ports"];

/** The field by its tables of powers and logarithms. */
class Field {
  readonly exp: number[] = [];
  readonly log = new Map<number, number>();
  constructor(p: ReedSolomonParameters) {
    let x = 1;
    for (let i = 0; i < 2 ** p.symbolBits - 1; i++) {
      this.exp.push(x);
      this.log.set(x, i);
      x *= 2;
      if (x >= 2 ** p.symbolBits) x ^= p.polynomial;
    }
  }
  times(a: number, b: number): number {
    return a === 0 || b === 0 ? 0 : this.exp[(this.log.get(a)! + this.log.get(b)!) % this.exp.length]!;
  }
  power(n: number): number {
    return this.exp[n % this.exp.length]!;
  }
}
/** Message and checks: the remainder by the generator polynomial, symbol by symbol. */
function encoded(f: Field, p: ReedSolomonParameters, message: readonly number[]): number[] {
  let generator = [1];
  for (let i = 0; i < p.checkSymbols; i++) {
    const root = f.power((p.firstRoot ?? 0) + i);
    generator = [...generator, 0].map((c, k) => c ^ f.times(root, generator[k - 1] ?? 0));
  }
  const rest = [...message, ...Array.from({ length: p.checkSymbols }, () => 0)];
  for (let i = 0; i < message.length; i++) {
    const lead = rest[i]!;
    generator.forEach((g, k) => (rest[i + k] = rest[i + k]! ^ f.times(g, lead)));
  }
  return [...message, ...rest.slice(message.length)];
}

type Side = () => { readonly pause: () => boolean };
const never: Side = () => ({ pause: () => false });
async function checks(b: Bench<RsPorts>, p: ReedSolomonParameters, from: Side, to: Side, words = 30): Promise<void> {
  const f = new Field(p),
    r = b.random,
    longest = 2 ** p.symbolBits - 1 - p.checkSymbols;
  const into = new StreamSource(b.sim, b.io.from, from()),
    out = new StreamSink(b.sim, b.io.to, to());
  const expected: { readonly clean: number; readonly syndromes: number[] }[] = [],
    lasts: { readonly cycle: number | undefined }[] = [];
  for (let w = 0; w < words; w++) {
    const word = encoded(
      f,
      p,
      Array.from({ length: r.between(1, Math.min(longest, 20)) }, () => Number(r.bits(p.symbolBits))),
    );
    // As many errors as the code is sure to tell, or none.
    const errors = r.chance(0.4) ? 0 : Math.min(word.length, r.between(1, p.checkSymbols));
    const places = new Set<number>();
    while (places.size < errors) places.add(r.below(word.length));
    for (const at of places) word[at] = word[at]! ^ r.between(1, 2 ** p.symbolBits - 1);
    const syndromes = Array.from({ length: p.checkSymbols }, (_, i) =>
      word.reduce((sum, s, at) => sum ^ f.times(s, f.power(((p.firstRoot ?? 0) + i) * (word.length - 1 - at))), 0),
    );
    expect(syndromes.every(s => s === 0)).toBe(errors === 0);
    expected.push({ clean: errors === 0 ? 1 : 0, syndromes });
    word.forEach((symbol, i) => {
      const last = i === word.length - 1;
      const sent = into.send({ symbol, last: last ? 1 : 0 });
      if (last) lasts.push(sent);
    });
  }
  await b.until(() => out.received.length === words);
  expect(out.received.map(x => x.value)).toEqual(expected);
  if (from === never) {
    out.received.forEach((x, i) => expect(x.cycle - lasts[i]!.cycle!).toBe(1));
    expect(into.pending).toBe(0);
  }
}
describe("ReedSolomonSyndromes", () => {
  bench("latency 1, a symbol every cycle", rs(bytes), {}, b => checks(b, bytes, never, never));
  everyPressure("4 bits, 4 checks, roots from the first power on", rs(small), {}, (b, from, to) =>
    checks(b, small, from, to),
  );
  everyPressure("8 bits, 16 checks", rs(bytes), {}, (b, from, to) => checks(b, bytes, from, to, 12));
  bench("words of one symbol back to back", rs({ ...small, checkSymbols: 1 }), {}, async b => {
    const into = new StreamSource(b.sim, b.io.from),
      out = new StreamSink(b.sim, b.io.to);
    for (let i = 0; i < 16; i++) into.send({ symbol: i, last: 1 });
    await b.until(() => out.received.length === 16);
    expect(out.received.map(x => x.value.syndromes[0])).toEqual(Array.from({ length: 16 }, (_, i) => i));
    expect(out.received[15]!.cycle - out.received[0]!.cycle).toBe(15);
  });
  /** Words of which one syndrome alone is not 0: the product of all roots' factors but its own. */
  const alone = async (b: Bench<RsPorts>, p: ReedSolomonParameters): Promise<void> => {
    const f = new Field(p),
      into = new StreamSource(b.sim, b.io.from),
      out = new StreamSink(b.sim, b.io.to);
    for (let odd = 0; odd < p.checkSymbols; odd++) {
      let word = [1];
      for (let i = 0; i < p.checkSymbols; i++) {
        const root = f.power((p.firstRoot ?? 0) + i),
          before = word;
        if (i !== odd) word = [...before, 0].map((c, k) => c ^ f.times(root, before[k - 1] ?? 0));
      }
      word.forEach((symbol, i) => into.send({ symbol, last: i === word.length - 1 ? 1 : 0 }));
    }
    await b.until(() => out.received.length === p.checkSymbols);
    const seen = out.received.map(({ value }) => ({ clean: value.clean, set: value.syndromes.map(s => s !== 0) }));
    expect(seen).toEqual(seen.map((_, odd) => ({ clean: 0, set: seen.map((_set, i) => i === odd) })));
  };
  for (const p of [small, bytes])
    bench(`one syndrome alone of ${p.checkSymbols} makes a word wrong`, rs(p), {}, b => alone(b, p));
  test.each([0, 1, 2, 3])("planted fault: syndrome %s alone is not looked at", i =>
    findsFault(
      runBench("alone", plant(rs(small), `(|syndrome_${i})`, "1'b0"), { wave: false, hangCycles: 400 }, b =>
        alone(b, small),
      ),
    ),
  );
  test("planted fault: what stands before a symbol that is not there yet is summed", () => {
    const slow = (): { readonly pause: Pause } => ({ pause: bernoulli(0.7, 1) });
    return findsFault(
      runBench(
        "idle",
        plant(rs(bytes), /if \(from_valid & from_ready\)/, "if (from_valid | from_ready)"),
        { wave: false, hangCycles: 400 },
        b => checks(b, bytes, slow, never, 3),
      ),
      /to deeply equal/,
    );
  });
  const cutOff = async (b: Bench<RsPorts>): Promise<void> => {
    b.io.from.valid.value = 1;
    for (const [symbol, last] of [
      [5, 1],
      [7, 0],
      [9, 0],
    ] as const) {
      b.io.from.payload.symbol.value = symbol;
      b.io.from.payload.last.value = last;
      await b.risingEdge();
    }
    b.io.from.valid.value = 0;
    b.sim.reset(1);
    b.sim.settle();
    expect(b.io.to.valid.value).toBe(0);
    await checks(b, small, never, never, 5);
  };
  bench("reset forgets the word and the check", rs(small), {}, cutOff);
  test("a product of the field, and its roots", () => {
    const f = new Field(bytes);
    for (const [a, c] of [
      [3, 7],
      [0x80, 2],
      [255, 255],
      [0, 9],
    ] as const)
      expect(fieldProduct(a, c, 0x11d, 8)).toBe(f.times(a, c));
    expect(reedSolomonRoots({ ...bytes, firstRoot: 3 }).slice(0, 6)).toEqual([3, 4, 5, 6, 7, 8].map(n => f.power(n)));
    expect(() => rs({ ...bytes, polynomial: 0x1d })).toThrow("polynomial 0x1d is not of degree 8");
  });
  test.each([
    ["a word begins with the sum of the one before", /sum_2 <= 4'd0;(?! )/, "sum_2 <= next_2;"],
    ["the last symbol does not count", "syndrome_1 <= next_1", "syndrome_1 <= sum_1"],
    ["clean looks at all but one", "(|syndrome_3)", "1'b0"],
    ["a check that waits is written over", /assign from_ready = [^;]*;/, "assign from_ready = 1'b1;"],
    ["reset leaves the check", /if \(rst\) full <= 1'b0;\s*else if/, "if"],
  ] as const)("planted fault: %s", (_what, from, to) => {
    const faulty = plant(rs(small), from, to),
      o = { wave: false, hangCycles: 400 } as const;
    return findsFault(
      runBench("checks", faulty, o, b => checks(b, small, never, () => ({ pause: () => b.random.chance(0.9) }))).then(
        () => runBench("cut off", faulty, o, cutOff),
      ),
      /./,
    );
  });
});
