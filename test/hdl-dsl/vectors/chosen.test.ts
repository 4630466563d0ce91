/** A choice by a number, and the arbiter whose payload is chosen by one: every number, every source. */
import { describe, expect, test } from "vitest";
import { input, module, output, RoundRobinArbiter, uint, vec } from "../../../hdl-dsl/index.ts";
import { valueAt } from "../../../hdl-dsl/vectors/index.ts";
import { type Bench, bernoulli, type Dut, runBench, StreamSink, StreamSource } from "../../../sim/index.ts";
import { bench } from "../../bench.ts";
import { findsFault, plant } from "../../support/plant.ts";

/** Values stand at some numbers only. */
const Places = module(
  "Places",
  (p: { readonly bits: number; readonly places: readonly number[] }) => ({
    at: input(uint(p.bits)),
    values: input(vec(uint(8), p.places.length)),
    value: output(uint(8)),
  }),
  (io, p) => {
    io.value.set(
      valueAt(
        io.at,
        p.places.map((n, i) => [n, io.values.at(i)] as const),
      ),
    );
  },
);
const sixes = [0, 1, 2, 3, 4, 5] as const;
const dut = () => RoundRobinArbiter({ shape: uint(128), sources: 6 });
type Ports = ReturnType<typeof dut>["ports"];
const placeSets = [
  { bits: 1, places: [0, 1] },
  { bits: 2, places: [0, 1, 2] },
  { bits: 3, places: [0, 3, 4, 5, 7] },
  { bits: 8, places: [0, 1, 2, 3, 17, 64, 65, 200, 255] },
] as const;
const everyNumber =
  (p: (typeof placeSets)[number]) =>
  async (b: Bench<ReturnType<typeof Places>["ports"]>): Promise<void> => {
    for (let n = 0; n < 2 ** p.bits; n++) {
      const values = p.places.map(() => b.random.between(1, 255));
      values.forEach((v, i) => {
        const port = b.io.values[i];
        if (port !== undefined) port.value = v;
      });
      b.io.at.value = n;
      await b.risingEdge();
      const place = p.places.findIndex(x => x === n);
      expect(b.io.value.value, `number ${n}`).toBe(place < 0 ? 0 : values[place]);
    }
  };

const faulty = (design: Dut<ReturnType<typeof Places>["ports"]>): Promise<void> =>
  runBench("numbers", design, { wave: false, limitCycles: 2000, seed: 3 }, everyNumber(placeSets[3]));

describe("the value at a number", () => {
  for (const p of placeSets)
    bench(`${p.places.length} places of ${2 ** p.bits} numbers`, Places(p), { seed: 2 }, everyNumber(p));
  test.each([
    ["a place stands at its neighbour's number", "at[1:0] == 2'd3", "at[1:0] == 2'd2"],
    ["a number's high bits are passed by", /at\[7:6\] == 2'd1/, "at[7:6] != 2'd0"],
  ])("a planted fault is found: %s", async (_name, from, to) => {
    await findsFault(faulty(plant(Places(placeSets[3]), from, to)));
  });
});

/** Each source's values in its order, and nobody's more; sources and sink pause at random. */
async function merges(b: Bench<Ports>): Promise<void> {
  const froms = sixes.map(i => new StreamSource(b.sim, b.io[`from${i}`], { pause: bernoulli(0.4, b.random.word()) })),
    to = new StreamSink(b.sim, b.io.to, { pause: bernoulli(0.3, b.random.word()) }),
    sent = froms.map(() => Array.from({ length: 40 }, () => b.random.bits(128)));
  sent.forEach((list, i) => {
    for (const v of list) froms[i]?.send(v);
  });
  await b.until(() => to.received.length === sent.flat().length);
  await b.cycles(20);
  expect(to.received.length).toBe(sent.flat().length);
  sent.forEach((list, i) => {
    expect(to.received.filter(r => r.value.from === i).map(r => r.value.value)).toEqual(list);
  });
}

describe("an arbiter of many sources", () => {
  bench("gives each source's values, in its order", dut(), { seed: 5 }, merges);
  test.each([
    ["the payload of another source", "merge_grant_match}} & from5_payload", "merge_grant_match}} & from4_payload"],
  ])("a planted fault is found: %s", async (_name, from, to) => {
    const run = runBench("many", plant(dut(), from, to), { wave: false, hangCycles: 500, seed: 6 }, merges);
    await findsFault(run);
  });
});
