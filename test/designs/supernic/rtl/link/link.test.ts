import { expect } from "vitest";
import { bench } from "../../../../bench.ts";
import { noisy, quiet } from "./support/line.ts";
import { pair, PairRig } from "./support/pair-rig.ts";

const sets = ["small", "full", "jumbo"] as const;
for (const set of sets) {
  bench(`${set}: both ways over a line that loses, doubles and delays`, pair(set), { seed: 1 }, async b => {
    const rig = new PairRig(b, set, { faults: noisy, paused: true, lacks: 0.02 });
    for (const side of [0, 1] as const) rig.give(side, set === "small" ? 600 : 300);
    await rig.end();
    for (const e of rig.ends) {
      for (const name of ["nacked", "marked", "long"] as const) expect(e.counts[name], name).toBeGreaterThan(0);
      for (const name of ["room", "ahead", "behind", "bad"] as const) expect(e.refused[name], name).toBeGreaterThan(0);
    }
  });
  bench(`${set}: both ways over a good line, back to back`, pair(set), { seed: 2 }, async b => {
    const rig = new PairRig(b, set, { faults: quiet });
    for (const side of [0, 1] as const) rig.give(side, 400);
    await rig.end();
    for (const e of rig.ends) expect(e.counts.nacked + e.counts.timedOut).toBe(0);
  });
}
