import { describe, expect, test } from "vitest";
import { RetrySweep, type RetrySweepParameters } from "../../../../../designs/clio/rtl/retry/retry-sweep.ts";
import { type Bench, type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type SweepPorts, SweepRig } from "./support/sweep-rig.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

/** Numbers that come round soon, so that ageing is often urgent; numbers that do not; as many clients as sets twice. */
const sizes: readonly RetrySweepParameters[] = [
  { sets: 8, clients: 4, operationBits: 14 },
  { sets: 4, clients: 8, operationBits: 8 },
  { sets: 16, clients: 2, operationBits: 12 },
];
const tiny = sizes[0] as RetrySweepParameters;
/** The node's own. */
const whole: RetrySweepParameters = { sets: 1024, clients: 64, operationBits: 32 };

/** Phases of all kinds: busy and idle, purges or none, with resets between. */
async function run(b: Bench<SweepPorts>, p: RetrySweepParameters, phases: number): Promise<SweepRig> {
  const rig = new SweepRig(b, p),
    { random } = b;
  for (let phase = 0; phase < phases; phase++) {
    const takes = random.pick([0, 0.05, 0.5, 1]),
      purges = random.pick([0, 0.01, 0.3]),
      cycles = random.between(1, 40 * p.sets);
    for (let i = 0; i < cycles; i++)
      await rig.cycle(
        step => random.chance(takes) || (step.urgent && random.chance(0.9)),
        random.chance(purges) ? random.between(0, p.clients - 1) : undefined,
      );
    if (random.chance(0.2)) rig.reset();
  }
  return rig;
}

/** Requests in every cycle: a step only where it is claimed. */
const onlyUrgent = (step: { readonly urgent: boolean }): boolean => step.urgent;

/** A purge beside requests in every cycle. */
async function purgedInTime(b: Bench<SweepPorts>, p: RetrySweepParameters): Promise<void> {
  const rig = new SweepRig(b, p);
  for (let i = 0; i < b.random.between(0, 40); i++) await rig.cycle(onlyUrgent);
  const aged = rig.model.aged;
  await rig.cycle(onlyUrgent, p.clients - 1);
  rig.taken.length = 0;
  let cycles = 0;
  while (rig.model.purge !== undefined) {
    await rig.cycle(onlyUrgent);
    cycles++;
  }
  expect(cycles, "cycles of a purge, of 16 for each set").toBeGreaterThan(16 * (p.sets - 1));
  expect(cycles, "cycles of a purge, of 16 for each set").toBeLessThanOrEqual(16 * p.sets);
  expect(rig.taken.map(s => [s.row, s.client])).toEqual(Array.from({ length: p.sets }, (_, i) => [i, p.clients - 1]));
  expect(rig.model.aged - aged, "nobody ages meanwhile").toBeLessThanOrEqual(1);
}

describe("RetrySweep", () => {
  for (const p of sizes) {
    const size = `${p.sets} sets, ${p.clients} clients, numbers of ${p.operationBits} bits`;
    bench(`${size}: every step as it should be, in every cycle`, RetrySweep(p), { seed: p.sets }, async b => {
      const { taken } = await run(b, p, 150);
      for (const purge of [true, false]) {
        const places = new Set(taken.filter(s => s.purge === purge).map(s => s.row * p.clients + s.client));
        expect(places.size, "sets of clients looked at").toBe(p.sets * p.clients);
      }
    });
    bench(`${size}: a purge beside requests in every cycle`, RetrySweep(p), { seed: 3 }, b => purgedInTime(b, p));
    bench(`${size}: a round beside requests in every cycle`, RetrySweep(p), {}, async b => {
      const rig = new SweepRig(b, p),
        cycles = Math.max(2 ** (p.operationBits - 4), 16 * p.sets * p.clients);
      for (let i = 0; i < cycles; i++) await rig.cycle(onlyUrgent);
      expect(new Set(rig.taken.map(s => s.row * p.clients + s.client)).size).toBe(p.sets * p.clients);
      expect(rig.taken.length, "no cycle more than needed").toBe(p.sets * p.clients);
    });
  }
  bench("the node's own size: a purge of all sets, and what ageing costs", RetrySweep(whole), {}, async b => {
    await purgedInTime(b, whole);
    const rig = new SweepRig(b, whole);
    rig.reset();
    for (let i = 0; i < 3 * rig.model.every + 7; i++) await rig.cycle(onlyUrgent);
    expect([rig.model.every, rig.taken.length], "cycles for a step").toEqual([4096, 3]);
  });

  testOfResets(RetrySweep(tiny), {}, b => run(b, tiny, 60));

  describe("a planted fault is found", () => {
    const finds = (design: Dut<SweepPorts>): Promise<unknown> =>
      runBench("sweep planted", design, { wave: false, seed: 3 }, b => run(b, tiny, 60));
    test("and nothing without one", async () => {
      await finds(RetrySweep(tiny));
    });
    const faults: readonly (readonly [string, RegExp, string])[] = [
      ["the client of the last purge is purged once more", /purge_client <= purge_index;/, ""],
      ["the sets of the client whose turn it is to age are purged", /(?<=at_client = )purging \? purge_client : /, ""],
      ["a purge takes the ageing on with it", /take & ~purging/, "take"],
      ["ageing goes on only while there is a purge", /take & ~purging/, "take & purging"],
      ["one client ages, no other", /ageing_client \+ [^;]*/, "ageing_client"],
      ["a purge is over a set too early", /(?<=ends = take & )\(?&at_row\)?/, "(&(at_row | 1'b1))"],
      ["a purge is over though its last set was not looked at", /(?<=ends = )take & /, ""],
      ["the end of a round of ageing counts as a purge's", /(?<=purged = )ends & purging/, "ends"],
      ["a purge claims no cycle", /(?<=urgent = )purging \? turn : /, ""],
      ["ageing claims cycles as often as a purge", /(?<=urgent = )purging \? turn : [^;]*/, "turn"],
      ["ageing wants every cycle", /(?<=step_valid = )purging \| turn/, "1'b1"],
      ["a purge has a cycle in sixteen only", /(?<=step_valid = )purging \| turn/, "turn"],
      ["a reset leaves a purge under way", /if \(rst\) purging <= 1'b0;\s*else/, ""],
    ];
    for (const [name, from, to] of faults) test(name, () => findsFault(finds(plant(RetrySweep(tiny), from, to))));
  });
});
