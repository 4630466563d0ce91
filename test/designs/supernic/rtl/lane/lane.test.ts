import { describe } from "vitest";
import { type Bench, bernoulli, bursts, type Pause } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { dut, LaneRig, type Ports, type Size } from "./support/lane-rig.ts";

type B = Bench<Ports>;
const pauses = (b: B) => ({
  from: (): Pause => bernoulli(0.2, b.random.word()),
  to: (): Pause => bursts({ go: 20, pause: 8 }, b.random.word()),
});
async function traffic(b: B, size: Size, count: number, paused = true): Promise<LaneRig> {
  const rig = new LaneRig(b, size, paused ? pauses(b) : {});
  for (let i = 0; i < count; i++) rig.random();
  await rig.end();
  return rig;
}
describe("SwitchLane", () => {
  bench("small: frames of every kind, under random pauses", dut("small"), { seed: 2 }, async b => {
    await traffic(b, "small", 300);
  });
  bench("full: the same", dut("full"), { seed: 3 }, async b => {
    await traffic(b, "full", 200);
  });
  bench("full: back to back", dut("full"), { seed: 3 }, async b => {
    await traffic(b, "full", 200, false);
  });
  bench("rate", dut("full"), { seed: 4 }, async b => {
    const rig = new LaneRig(b, "full");
    rig.put(0, rig.facts({ outcome: "ports", ports: 2, tagged: 0 }), 64);
    await rig.end();
    console.log(rig.latencies);
    for (const bytes of [64, 256, 512, 1500])
      for (const inlets of [1, 4]) {
        const from = b.cycle,
          count = 100;
        for (let i = 0; i < count; i++)
          rig.put(i % inlets, rig.facts({ outcome: "ports", ports: 2, tagged: 0 }), bytes);
        await rig.end();
        const beats = (count * Math.ceil(bytes / 64)) / ((rig.starts.at(-1) ?? 0) - from);
        console.log(bytes, inlets, beats);
      }
  });
});
