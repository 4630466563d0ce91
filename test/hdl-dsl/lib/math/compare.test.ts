import { describe, expect, test } from "vitest";
import { bench } from "../../../bench.ts";
import { bit, input, isAfter, isBefore, isNext, module, output, uint } from "../../../../hdl-dsl/index.ts";
import { type Bench, runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

const Compared = module(
  "Compared",
  ({ width }: { readonly width: number }) => ({
    a: input(uint(width)),
    b: input(uint(width)),
    behind: output(bit),
    beyond: output(bit),
    next: output(bit),
  }),
  io => {
    io.behind.set(isBefore(io.a, io.b));
    io.beyond.set(isAfter(io.a, io.b));
    io.next.set(isNext(io.b, io.a));
  },
);
type Ports = ReturnType<typeof Compared>["ports"];

async function compares(b: Bench<Ports>, width: number, pairs: Iterable<readonly [bigint, bigint]>): Promise<void> {
  const half = 2n ** BigInt(width - 1);
  for (const [a, other] of pairs) {
    b.io.a.value = a;
    b.io.b.value = other;
    await b.cycles(1);
    const ahead = BigInt.asUintN(width, a - other);
    expect(
      [b.io.behind, b.io.beyond, b.io.next].map(v => v.value),
      `${a} and ${other} of ${width} bits`,
    ).toEqual([ahead >= half, ahead > 0n && ahead < half, ahead === half * 2n - 1n].map(Number));
  }
}

function* everyPair(width: number): Generator<readonly [bigint, bigint]> {
  for (let a = 0; a < 2 ** width; a++)
    for (let other = 0; other < 2 ** width; other++) yield [BigInt(a), BigInt(other)];
}
/** Pairs a little apart, half a round apart, and those whose halves are nearly the same. */
function* nearPairs(b: Bench<Ports>, width: number): Generator<readonly [bigint, bigint]> {
  const low = 2n ** BigInt(width >> 1),
    half = 2n ** BigInt(width - 1);
  for (let i = 0; i < 40; i++) {
    const a = b.random.bits(width);
    for (const apart of [0n, half, low, half - low, half + low])
      for (const more of [-2n, -1n, 0n, 1n, 2n]) yield [a, BigInt.asUintN(width, a + apart + more)];
    yield [a, b.random.bits(width)];
  }
}

describe("serial numbers", () => {
  for (const width of [1, 2, 5])
    bench(`every pair of ${width} bits`, Compared({ width }), {}, b => compares(b, width, everyPair(width)));
  for (const width of [15, 16, 17, 32, 64])
    bench(`${width} bits`, Compared({ width }), {}, b => compares(b, width, nearPairs(b, width)));
  describe("a planted fault is found", () => {
    test.each([
      ["the lower half lends nothing", /\(a\[15:0\] < b\[15:0\]\)/, "1'b0"],
      ["equal numbers come after", /beyond = [^;]*;/, "beyond = ~behind;"],
      ["the lowest places have a carry", /, 1'b0\}/, ", 1'b1}"],
    ] as const)("%s", (_name, from, to) =>
      findsFault(
        runBench("compared", plant(Compared({ width: 32 }), from, to), { wave: false, limitCycles: 5000 }, b =>
          compares(b, 32, nearPairs(b, 32)),
        ),
        /of 32 bits/,
      ),
    );
  });
});
