/** A fault's page at a sNIC's port, behind the windows of three other users: the setup says who leaves first. */
import { expect, it } from "vitest";
import { measureSnicFaults, snicWays } from "../../../designs/fastswap/rig/index.ts";

it("a fault's page waits least in the urgent class, longest in one class with all others", async () => {
  const waits: number[] = [];
  for (const way of snicWays) {
    const { alone, faults } = await measureSnicFaults(way, { seed: 3, rounds: 2, window: 2 });
    waits.push(Math.max(...faults) - alone);
  }
  const [one = 0, turns = 0, urgent = 0] = waits,
    frame = (23 * 512) / 10;
  expect(one).toBeGreaterThan(turns);
  expect(turns).toBeGreaterThan(urgent + 3 * frame);
  expect(urgent).toBeLessThanOrEqual(4 * frame);
});
