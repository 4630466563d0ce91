/** The whole node in both simulators: recorded traffic, all outputs of every cycle. */
import { expect, test } from "vitest";
import { clioNode } from "../../../../../designs/clio/build/index.ts";
import { makeSettings } from "../../../../../designs/clio/config/index.ts";
import { SimulatedNode } from "../../../../../designs/clio/rig/index.ts";
import { Mixture } from "../../../../../designs/clio/workload/index.ts";
import { builtinBackend, designOf, Recording, runBench } from "../../../../../sim/index.ts";
import { compareSimulators } from "../../../../hdl-dsl/simulator/against-verilator.ts";

const CYCLES = 10_000;

test("the node gives the same outputs in every cycle", async () => {
  const settings = makeSettings(),
    design = designOf(clioNode(settings.config));
  const options = { seed: 5, hangCycles: 20_000, wave: false, resetCycles: 0, backend: builtinBackend } as const;
  const recording = await runBench("recording", design, options, async b => {
    const r = new Recording(b.sim, CYCLES);
    b.onEdge(r);
    b.sim.reset(2);
    const node = await SimulatedNode.start(b, settings, {}),
      mixture = new Mixture(settings, { seed: 5, silentShare: 0 });
    let waiting = 0;
    b.onEdge({
      sample: () => {
        while (node.take() !== undefined) waiting--;
      },
    });
    for (const frame of mixture.setup()) {
      node.send(frame);
      waiting++;
      await b.until(() => waiting === 0);
    }
    while (r.cycles < CYCLES) {
      node.send(mixture.next());
      waiting++;
      // Bursts, then one after another: full and idle cycles.
      const most = r.cycles % 2000 < 1500 ? 128 : 1;
      if (waiting >= most) await b.until(() => waiting < most);
    }
    await b.until(() => waiting === 0);
    node.transport.close();
    return r;
  });
  const { rows, width, first } = recording;
  const r = await compareSimulators(
    design.emitted,
    { steps: CYCLES, seeds: 24, from: 4, brief: true },
    (words, step) => {
      words.set(rows.subarray(step * width, (step + 1) * width), first);
    },
  );
  expect(r.differences).toEqual([]);
  expect(r.compared).toBeGreaterThan(CYCLES * 50);
});
