/** Fair shares in the whole device: users that overload it get what the exact fractions say, and no byte more. */
import { describe, expect, it } from "vitest";
import type { FairDevice } from "./support/fair-device.ts";
import { epoch, problemOf, type SenderName, senders, sharesOf, withFairDevice } from "./support/fair-device.ts";

const all = ["short", "long", "fast"] as const;
/** What registers say of a port from the start: 100 Gbit/s for 20 us. */
const portBytes = 250_000;
/** Epochs until all that a user has sent before, and what was counted of it, is over. */
const settled = 3;
type Weights = Partial<Record<SenderName, number>>;

/** Whole numbers lie below the fractions by no more than the page of DRF says: 2^-11 of a resource, and a byte. */
function nearExact(active: readonly SenderName[], weights: Weights = {}): void {
  for (const { rate, exact } of sharesOf(problemOf(active, weights))) {
    expect(rate).toBeLessThanOrEqual(exact);
    expect(exact - rate).toBeLessThanOrEqual(exact / 2 ** 11 + 1);
  }
}
/**
 * In some epochs all who send get their rates, exact to a frame and a 64th: an epoch ends within a part of the
 * meter.
 */
async function shares(
  fair: FairDevice,
  active: readonly SenderName[],
  weights: Weights = {},
  epochs = 3,
): Promise<void> {
  const wanted = sharesOf(problemOf(active, weights)),
    sum = new Map<SenderName, number>();
  for (let i = 0; i < epochs; i++) {
    await fair.toNext();
    for (const name of active) {
      const { user, bytes } = senders[name],
        { rate, taken, demand } = await fair.seen(user);
      // Its class was paused while its meter held it: the port counts with all that it could bring.
      expect(demand).toBeGreaterThanOrEqual(portBytes);
      expect(rate, `rate of ${name}`).toBe(wanted[user]?.rate);
      expect(Math.abs(taken - rate), `${name}: ${taken} of ${rate} bytes`).toBeLessThanOrEqual(bytes + rate / 64);
      sum.set(name, (sum.get(name) ?? 0) + taken);
    }
  }
  // Over all of them, too: what is over in one is less in the next.
  for (const [name, taken] of sum) {
    const { user, bytes } = senders[name];
    const rate = wanted[user]?.rate ?? 0;
    expect(Math.abs(taken - epochs * rate)).toBeLessThanOrEqual(bytes + rate / 64);
  }
}
const start = (fair: FairDevice, names: readonly SenderName[]): void => {
  fair.sending.clear();
  for (const name of names) fair.sending.add(name);
};

describe("fair shares in the device", () => {
  it("three users and two chains under overload: their exact shares", async () => {
    nearExact(all);
    await withFairDevice("shares", async fair => {
      await fair.tell();
      start(fair, all);
      await fair.run(settled * epoch);
      await shares(fair, all);
      await fair.quiet();
    });
  });
  it("by weight, and with a weight of 0 a frame an epoch", async () => {
    const weights = { short: 3, long: 1, fast: 0 };
    nearExact(all, weights);
    await withFairDevice("weights", async fair => {
      await fair.tell(weights);
      fair.often.set("short", 4);
      start(fair, all);
      await fair.run(settled * epoch);
      await shares(fair, all, weights);
      // With a weight of 0 what waits would leave in 30 epochs.
      await fair.tell();
      await fair.quiet();
    });
  });
  it("a user stops and starts", async () => {
    await withFairDevice("stops", async fair => {
      await fair.tell();
      start(fair, all);
      await fair.run(settled * epoch);
      nearExact(["short", "fast"]);
      start(fair, ["short", "fast"]);
      await fair.run(settled * epoch);
      await shares(fair, ["short", "fast"]);
      start(fair, all);
      await fair.run(settled * epoch);
      await shares(fair, all);
      await fair.quiet();
    });
  });
  for (const after of [-20, -1, 0, 3, 40, 400, 700])
    it(`a reset ${after} cycles from an epoch's end leaves nothing behind`, async () => {
      await withFairDevice("reset", async fair => {
        await fair.tell();
        start(fair, all);
        const end = fair.began + 2 * epoch;
        await fair.run(end + after - fair.device.bench.cycle);
        await fair.reset();
        await fair.tell();
        await fair.run(settled * epoch);
        await shares(fair, all, {}, 1);
        await fair.quiet();
      });
    });
});
