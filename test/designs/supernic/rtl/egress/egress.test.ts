import { describe, expect } from "vitest";
import { type Bench, bernoulli, bursts, type Pause } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { dut, EgressRig, type Ports, type Size } from "./support/egress-rig.ts";

type B = Bench<Ports>;
const pauses = (b: B) => ({
  from: (): Pause => bernoulli(0.2, b.random.word()),
  to: (): Pause => bursts({ go: 20, pause: 8 }, b.random.word()),
  late: (): Pause => bernoulli(0.2, b.random.word()),
});
async function traffic(b: B, size: Size, count: number, paused = true): Promise<EgressRig> {
  const rig = new EgressRig(b, size, paused ? pauses(b) : {});
  await rig.tables();
  await rig.send(count);
  await rig.end();
  return rig;
}
describe("Egress", () => {
  bench("small: packets of every kind, under random pauses", dut("small"), { seed: 2 }, async b => {
    await traffic(b, "small", 300);
  });
  bench("full: the same", dut("full"), { seed: 3 }, async b => {
    await traffic(b, "full", 200);
  });
  bench("latency", dut("full"), { seed: 4 }, async b => {
    const rig = new EgressRig(b, "full");
    rig.dags.forEach((_, i) => (rig.dags[i] = { way: "port", port: i % 4, keepShim: false }));
    await rig.tables();
    rig.finish(rig.plain(64, 1));
    await rig.end();
    console.log(rig.latencies);
    const from = b.cycle;
    let k = 0;
    await rig.send(600, () => rig.plain(64, k++ % 4));
    await rig.end();
    console.log("64 over 4:", (rig.starts.slice(-1)[0] as number) - from);
    const f2 = b.cycle;
    await rig.send(300, () => rig.plain(64, 1));
    await rig.end();
    console.log("64 over 1:", (rig.starts.slice(-1)[0] as number) - f2);
    const f3 = b.cycle;
    await rig.send(100, () => rig.plain(1500, 1));
    await rig.end();
    console.log("1500 over 1:", ((rig.starts.slice(-1)[0] as number) - f3) / 100);
    expect(1).toBe(1);
  });
});
