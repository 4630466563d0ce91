import { describe, expect, test } from "vitest";
import { cells } from "../../../../designs/shared/stream/index.ts";
import { bit, module, sink, source, uint } from "../../../../hdl-dsl/index.ts";
import { type Bench, bernoulli, never, type Pause, runBench, StreamSink, StreamSource } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

const parameterSets = [
  { compact: false, width: 16 },
  { compact: true, width: 40 },
];
type Shape = (typeof parameterSets)[number];
/** One stage: what it is given, and one more. */
const Stage = module(
  "CellsHarness",
  (p: Shape) => ({ from: sink(uint(p.width)), to: source(uint(p.width)) }),
  (io, p) => {
    const { cell, load } = cells(p.compact),
      valid = cell(bit, { name: "stage_valid", init: 0 }),
      value = cell(uint(p.width), { name: "stage_value" }),
      room = p.compact ? io.to.ready : valid.not().or(io.to.ready);
    io.from.ready.set(room);
    load(room, () => {
      valid.set(io.from.valid);
      value.set(io.from.payload.add(1));
    });
    io.to.valid.set(valid);
    io.to.payload.set(value);
  },
);
/** Everything comes, one more, in order; a cycle later, or in a compact build at once. */
async function run(b: Bench<ReturnType<typeof Stage>["ports"]>, p: Shape, count: number, pause: Pause): Promise<void> {
  const from = new StreamSource(b.sim, b.io.from, { pause }),
    to = new StreamSink(b.sim, b.io.to, { pause: pause === never ? never : bernoulli(0.4, 7) }),
    mask = (1n << BigInt(p.width)) - 1n;
  from.send(5);
  await b.cycles(3);
  b.sim.reset(1);
  const already = to.received.length,
    values = Array.from({ length: count }, () => b.random.bits(p.width)),
    sent = values.map(v => from.send(v));
  await b.until(() => to.received.length - already >= count);
  await b.cycles(5);
  const got = to.received.slice(-count);
  expect(to.received.length - already, "elements").toBe(count);
  expect(got.map(r => BigInt(r.value))).toEqual(values.map(v => (v + 1n) & mask));
  if (pause === never)
    expect(got.map((r, i) => r.cycle - (sent[i]?.cycle as number))).toEqual(values.map(() => (p.compact ? 0 : 1)));
}
describe.each(parameterSets)("cells, compact: $compact, $width bits", p => {
  test("everything in order under back-pressure", () =>
    runBench("cells", Stage(p), {}, b => run(b, p, 400, bernoulli(0.3, 1))));
  test("an element a cycle", () => runBench("cells", Stage(p), {}, b => run(b, p, 200, never)));
  test("a planted fault is found: the stage takes while it is full, or gives what it has not", () =>
    findsFault(
      runBench(
        "cells planted",
        plant(Stage(p), /assign from_ready = .*;/, "assign from_ready = 1'b1;"),
        { wave: false, hangCycles: 100 },
        b => run(b, p, 400, bernoulli(0.3, 1)),
      ),
    ));
});
