/** What the comparison of simulators plays: an instance's inputs are those that it had in the whole. */
import { expect, test } from "vitest";
import { bit, emit, input, instance, module, output, reg, uint, when } from "../../../hdl-dsl/index.ts";
import {
  builtinBackend,
  builtinLoadMs,
  compareSimulatorSpeed,
  InstancesRecording,
  Random,
  simulate,
} from "../../../sim/index.ts";

const Adder = module(
  "RecordedAdder",
  () => ({ by: input(uint(40)), go: input(bit), sum: output(uint(40)) }),
  io => {
    const sum = reg(uint(40), { init: 3 });
    when(io.go, () => sum.set(sum.add(io.by)));
    io.sum.set(sum);
  },
);
const Two = module(
  "RecordedTwo",
  () => ({ a: input(uint(40)), b: input(bit), x: output(uint(40)) }),
  io => {
    const first = instance("first", Adder()),
      second = instance("second", Adder());
    first.by.set(io.a);
    first.go.set(io.b);
    second.by.set(first.sum.xor(io.a));
    second.go.set(io.b.not());
    io.x.set(second.sum);
  },
);

async function recorded(cycles: number) {
  using sim = await simulate(Two(), { resetCycles: 0, signals: true, backend: builtinBackend });
  const r = await InstancesRecording.of(sim, cycles),
    random = new Random(4),
    sums: bigint[][] = [];
  sim.onEdge(r);
  sim.onEdge({ sample: () => sums.push(["first.sum", "second.sum"].map(n => sim.signal(n).big)) });
  sim.reset(2);
  while (sums.length < cycles) {
    sim.io.a.value = random.bits(40);
    sim.io.b.value = random.below(2);
    sim.step();
  }
  return { instances: r.recorded(10), sums };
}

test("each instance alone, with what was recorded, does what it did in the whole", async () => {
  const { instances, sums } = await recorded(200);
  expect(instances.map(i => [i.name, i.module, i.inputs.cycles, i.inputs.from])).toEqual([
    ["first", "RecordedAdder", 200, 10],
    ["second", "RecordedAdder", 200, 10],
  ]);
  for (const [n, { design, inputs }] of instances.entries()) {
    const model = (await builtinBackend.load(design, { trace: false })).create({ seed: 1, clocks: {} }),
      sum = model.slots.get("sum");
    for (let cycle = 0; cycle < inputs.cycles; cycle++) {
      const row = inputs.rows.subarray(cycle * inputs.width, (cycle + 1) * inputs.width);
      model.words.set(row, inputs.first);
      model.step(1);
      const [low = 0, high = 0] = model.words.subarray(sum?.word, (sum?.word ?? 0) + 2);
      // Before the reset's first edge both are open.
      if (cycle > 0) expect((BigInt(high) << 32n) + BigInt(low)).toBe(sums[cycle]?.[n]);
    }
    model.free();
  }
});

test("both simulators are timed on it, and a load from nothing", async () => {
  const { instances } = await recorded(100);
  for (const { name, design, inputs } of instances) {
    const speeds = await compareSimulatorSpeed(name, design, inputs, { repeats: 2 });
    expect(speeds).toMatchObject({ name, cycles: 90 });
    expect(Math.min(speeds.builtin, speeds.verilator)).toBeGreaterThan(0);
  }
  expect(builtinLoadMs(() => emit(Two()), 1)).toBeGreaterThan(0);
});
