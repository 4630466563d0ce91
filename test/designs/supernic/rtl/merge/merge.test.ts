import { describe, expect } from "vitest";
import { type Bench, bernoulli, bursts, type Pause } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { dut, MergeRig, type Ports, type Size } from "./support/merge-rig.ts";

type B = Bench<Ports>;
const pauses = (b: B) => ({
  from: (): Pause => bernoulli(0.2, b.random.word()),
  to: (): Pause => bursts({ go: 20, pause: 6 }, b.random.word()),
});
const lengthOf = (b: B, most: number): number =>
  b.random.chance(0.4) ? b.random.between(60, 64) : b.random.chance(0.2) ? most : b.random.between(60, most);

async function traffic(b: B, size: Size, count: number, paused = true): Promise<MergeRig> {
  const rig = new MergeRig(b, size, paused ? pauses(b) : {}),
    { random } = b;
  await rig.setUsers();
  for (let i = 0; i < count; i++)
    rig.put(random.between(0, rig.p.ports), random.between(0, rig.p.users - 1), lengthOf(b, rig.p.frameBytes));
  await rig.end();
  return rig;
}

describe("Merge", () => {
  bench("small: frames of all inlets and users, under random pauses", dut("small"), { seed: 2 }, async b => {
    await traffic(b, "small", 300);
  });
  bench("full: the same", dut("full"), { seed: 2 }, async b => {
    await traffic(b, "full", 300);
  });
  bench("latency; a frame of 64 bytes a cycle", dut("full"), { seed: 3 }, async b => {
    const rig = new MergeRig(b, "full");
    await rig.setUsers();
    rig.put(0, 0, 64);
    await b.until(() => rig.takes.length === 1);
    expect((rig.takes[0]?.taken ?? NaN) - (rig.takes[0]?.first ?? NaN)).toBe(0);
    await b.cycles(10);
    console.log(rig.latencies);
    const from = b.cycle;
    for (let i = 0; i < 200; i++) for (let k = 0; k < 4; k++) rig.put(k, k, 64);
    await b.until(() => rig.takes.length >= 800);
    console.log("several", b.cycle - from);
    await b.cycles(60);
    const then = b.cycle;
    for (let i = 0; i < 200; i++) rig.put(1, 5, 64);
    await b.until(() => rig.takes.length >= 1000);
    console.log("one", b.cycle - then);
    await rig.end();
  });
});
