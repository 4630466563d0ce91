import { describe, expect, test } from "vitest";
import { earlyQueue } from "../../../../designs/shared/stream/early-queue.ts";
import { connect, module, sink, source, uint } from "../../../../hdl-dsl/index.ts";
import { type Bench, bernoulli, never, type Pause, runBench, StreamSink, StreamSource } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

/** By tables and by sums, with the first word in a memory and in a register. */
const parameterSets = [
  { depth: 2, front: undefined },
  { depth: 4, front: "front" },
  { depth: 64, front: undefined },
  { depth: 64, front: "front" },
] as const;
type Shape = (typeof parameterSets)[number];
const Harness = module(
  "EarlyQueueHarness",
  (_p: Shape) => ({ push: sink(uint(16)), pop: source(uint(16)) }),
  (io, { depth, front }) => {
    connect(earlyQueue(io.push, depth, "early", front), io.pop);
  },
);
type Ports = ReturnType<typeof Harness>["ports"];

/** It fills when nobody takes; then all comes out in its order. */
async function run(b: Bench<Ports>, { depth }: Shape, from: Pause, to: Pause): Promise<void> {
  const into = new StreamSource(b.sim, b.io.push, { pause: from });
  // Nobody takes: it fills.
  for (let i = 0; i < depth + 3; i++) into.send(i);
  b.io.pop.ready.value = 0;
  await b.cycles(8 * depth + 40);
  expect(b.io.push.ready.num, "ready when it is full").toBe(0);
  const out = new StreamSink(b.sim, b.io.pop, { pause: to });
  await b.until(() => out.received.length === depth + 3);
  const values = Array.from({ length: 600 }, () => b.random.between(0, 65535)),
    sent = values.map(v => into.send(v));
  await b.until(() => out.received.length === depth + 3 + values.length);
  expect(out.received.map(r => r.value)).toEqual([...Array.from({ length: depth + 3 }, (_, i) => i), ...values]);
  if (from === never && to === never) {
    const cycles = out.received.slice(-values.length).map(r => r.cycle);
    expect(cycles.at(-1), "one a cycle").toBe((cycles[0] as number) + values.length - 1);
    expect(cycles[0], "a cycle behind its push").toBe((sent[0]?.cycle as number) + 1);
  }
}

describe.each(parameterSets)("earlyQueue of $depth, $front", p => {
  const dut = Harness(p);
  test("in order, full and empty", () =>
    runBench("early", dut, { seed: 3 }, b => run(b, p, bernoulli(0.4, 1), bernoulli(0.5, 2))));
  test("nothing stalls", () => runBench("early", dut, {}, b => run(b, p, never, never)));
  test("it is full most of the time", () =>
    runBench("early", dut, { seed: 5 }, b => run(b, p, never, bernoulli(0.7, 4))));
});
describe("a planted fault is found", () => {
  const p = parameterSets[1];
  test.each([
    ["it has one place too few", "early_count < 3'd3", "early_count < 3'd2"],
    [
      "one that comes as the last one goes is lost",
      /early_some <=\s+early_push \|/,
      "early_some <= early_push & ~early_pop |",
    ],
    ["the first is the one behind it", /early_several \? /, "1'b1 ? "],
    ["it takes when it is full", /early_room <= early_pop \|/, "early_room <= 1'b1 |"],
  ] as const)("%s", (name, from, to) =>
    findsFault(
      runBench(name, plant(Harness(p), from, to), { wave: false, hangCycles: 300 }, b =>
        run(b, p, bernoulli(0.4, 1), bernoulli(0.5, 2)),
      ),
    ),
  );
});
