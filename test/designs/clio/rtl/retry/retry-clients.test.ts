import { describe, expect, test } from "vitest";
import { RetryClients, type RetryClientsParameters } from "../../../../../designs/clio/rtl/retry/retry-clients.ts";
import { type Bench, type Dut, runBench } from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { clientsFaults } from "./support/clients-faults.ts";
import { type ClientsPorts, ClientsRig } from "./support/clients-rig.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

/**
 * Few places with short times, so that times come round; times that are no multiple of four; the node's own places
 * and keys.
 */
const sizes: readonly RetryClientsParameters[] = [
  { clients: 4, clientBits: 5, timeoutCycles: 120, stampBits: 5 },
  { clients: 8, clientBits: 12, timeoutCycles: 30, stampBits: 5 },
  { clients: 2, clientBits: 4, timeoutCycles: 5, stampBits: 6 },
  { clients: 64, clientBits: 48, timeoutCycles: 1000, stampBits: 16 },
];
const tiny = sizes[0] as RetryClientsParameters;

/** Phases of all kinds: some talk and others do not, requests come or not, for long or not, with resets between. */
async function run(b: Bench<ClientsPorts>, p: RetryClientsParameters, quarters: number): Promise<ClientsRig> {
  const rig = new ClientsRig(b, p),
    { random } = b,
    { quarter } = rig.model;
  for (let left = quarters * quarter; left > 0;) {
    const cycles = random.between(1, random.chance(0.3) ? 45 * quarter : 8 * quarter),
      talking = random.bits(p.clients);
    left -= cycles;
    await rig.run({
      cycles,
      talks: i => ((talking >> BigInt(i)) & 1n) === 1n,
      touch: random.pick([0, 0.02, 0.2, 0.9]),
      look: random.pick([0, 0.1, 0.6]),
      add: random.pick([0, 0.05, 0.5]),
      retire: random.pick([0, 0, 0.03, 0.5]),
      freed: random.pick([0.01, 0.2, 1]),
    });
    // Often while a place is vacant, as reset then has most to undo.
    if (random.chance(rig.model.vacant === undefined ? 0.04 : 0.25)) rig.reset();
  }
  await rig.everyPlaceComesBack();
  return rig;
}

describe("RetryClients", () => {
  for (const p of sizes) {
    test(`${p.clients} places, keys of ${p.clientBits} bits, TIMEOUT ${p.timeoutCycles}`, () =>
      runBench("clients", RetryClients(p), { seed: p.clients }, async b => {
        const { seen } = (await run(b, p, p.clients > 8 ? 60 : 3000)).model;
        expect([seen.retired, seen.entered, seen.mustOffer].every(n => n >= p.clients)).toBe(true);
        if (p.clients > 8) return;
        const rare = JSON.stringify(seen);
        if (p.clients > 2) expect(seen.waits.size, "times to wait").toBeGreaterThan(12);
        expect(seen.lookAtRetired, rare).toBeGreaterThan(0);
        if (p.clients > 2) expect(Math.min(seen.longest, seen.retired - 20), rare).toBeGreaterThan(0);
      }));
  }

  testOfResets(RetryClients(tiny), {}, b => run(b, tiny, 200));

  describe("a planted fault is found", () => {
    const finds = (design: Dut<ClientsPorts>): Promise<unknown> =>
      runBench("clients planted", design, { wave: false, seed: 3 }, b => run(b, tiny, 2000));
    test("and nothing without one", async () => {
      await finds(RetryClients(tiny));
    });
    for (const [name, from, to] of clientsFaults)
      test(name, () => findsFault(finds(plant(RetryClients(tiny), from, to))));
  });
});
