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

bench(
  "one end begins anew beside traffic: both fall silent, software begins anew at both",
  pair("small"),
  { seed: 3 },
  async b => {
    const rig = new PairRig(b, "small", { faults: noisy, paused: true }),
      [x, y] = rig.ends;
    for (let round = 0; round < 12; round++) {
      for (const side of [0, 1] as const) rig.give(side, 40);
      await b.cycles(b.random.between(20, 200));
      await rig.restart([b.random.chance(0.5) ? x : y]);
      // Whoever is not understood goes down, and drops what he has.
      await b.until(() => rig.ends.every(e => e.io.down.num === 1 || e.idle));
      for (const line of rig.lines) line.cut = true;
      await b.until(() => rig.ends.every(e => e.coming === 0 && e.lanes.every(l => l.pending === 0)));
      await b.until(() => rig.ends.every(e => e.idle));
      await b.cycles(200);
      await rig.restart();
      for (const line of rig.lines) line.cut = false;
      for (const side of [0, 1] as const) rig.give(side, 30);
      await rig.end();
    }
  },
);
bench("a reset beside traffic: numbers begin anew", pair("small"), { seed: 4 }, async b => {
  const rig = new PairRig(b, "small", { faults: noisy, paused: true });
  for (let round = 0; round < 20; round++) {
    for (const side of [0, 1] as const) rig.give(side, 30);
    await b.cycles(b.random.between(20, 200));
    rig.reset();
  }
  for (const side of [0, 1] as const) rig.give(side, 60);
  await rig.end();
});
bench(
  "PFC both ways beside all that: it is told in time, and frames stay whole",
  pair("small"),
  { seed: 5 },
  async b => {
    const rig = new PairRig(b, "small", { faults: noisy, paused: true });
    for (const side of [0, 1] as const) rig.give(side, 300);
    const stop = b.onEdge({
      drive: cycle => {
        for (const e of rig.ends) if (cycle % 97 === 0) e.io.full.value = b.random.between(0, 63);
      },
    });
    await rig.end();
    stop();
    for (const e of rig.ends) expect(e.own.pfcSent).toBeGreaterThan(10);
  },
);
