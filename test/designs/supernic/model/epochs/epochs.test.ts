/** The epoch model: what endpoints send, who has which region, and what fair shares and software make of it. */
import { describe, expect, it } from "vitest";
import { epochModel } from "../../../../../designs/supernic/model/index.ts";

const { Endpoint, EpochDevice, FixedPlacement, InstantPlacement, loadsOf, ManagedPlacement, runOut, Shares } =
  epochModel;
type Sizes = epochModel.EpochSizes;
const sizes: Sizes = {
  epoch: 20_000,
  drfTime: 3_000,
  reprogramTime: 100_000,
  monitorPeriod: 200_000,
  regions: 3,
  chains: [["a"], ["b"]],
  taskBytes: { a: 10_000, b: 10_000 },
  laneBytes: 300_000,
  floor: 0,
};
const user = (name: string, parts: Record<string, number>, loads: readonly number[], each = 100) => ({
  name,
  weight: 1,
  parts,
  endpoint: new Endpoint({ loads, each }),
});
/** What happened in the first epochs, in which something changes. */
async function steps(device: epochModel.EpochDevice, epochs: number) {
  const all: epochModel.EpochSeen[] = [];
  for (let i = 0; i < epochs; i++) all.push(await device.step());
  return all;
}

describe("an endpoint", () => {
  it("sends everything, however it is held, and takes as long as its rates allow", () => {
    for (const rate of [10, 7, 3.3, 1000]) {
      const e = new Endpoint({ loads: [10, 4, 0, 25], each: 3 });
      let sent = 0,
        epochs = 0;
      while (!e.done) {
        sent += e.pass(rate);
        epochs++;
      }
      expect(sent).toBeCloseTo(e.total, 9);
      const least = [10, 4, 0, 25].reduce((n, l) => n + 3 * Math.max(1, l / rate), 0);
      expect(epochs).toBe(Math.ceil(least - 1e-9));
    }
  });
  it("is stopped by a rate of 0, and refuses what is no load", () => {
    const e = new Endpoint({ loads: [5], each: 1 });
    expect([e.pass(0), e.done, e.pass(5), e.done]).toEqual([0, false, 5, true]);
    expect(() => new Endpoint({ loads: [-1], each: 1 })).toThrow("not 0 or more");
    expect(() => new Endpoint({ loads: [1], each: 0 })).toThrow("each = 0");
  });
});

describe("fair shares of the model", () => {
  it("never give out more than tasks and lane can do, whatever is asked for", async () => {
    const loads = [9_000, 30_000, 100, 18_000, 0, 250_000],
      users = [
        user("x", { a: 1 }, loads, 7),
        user("y", { a: 0.5, b: 1 }, [...loads].reverse(), 7),
        user("z", { b: 0.25 }, loads, 11),
      ],
      device = new EpochDevice(sizes, users, new ManagedPlacement(sizes, { first: [1, 1] }));
    for (const s of await steps(device, 150)) {
      for (const [c, task] of ["a", "b"].entries())
        expect(epochModel.taskLoad(users, s.sent, task)).toBeLessThanOrEqual(10_000 * (s.instances[c] ?? 0) + 1);
      expect(s.sent.reduce((p, q) => p + q, 0)).toBeLessThanOrEqual(sizes.laneBytes);
    }
  });
  it("a chain is overloaded by the task that holds its users, and not by one that they would use, too", () => {
    const users = [user("x", { a: 1, b: 1 }, [0]), user("y", { a: 1 }, [0])],
      asked = [20_000, 4_000],
      // Task b can do less: it holds x.
      slow = { ...sizes, taskBytes: { a: 20_000, b: 10_000 } },
      rates = new Shares(slow, users).rates(asked, [1, 1]);
    expect(rates[0]).toBeLessThanOrEqual(10_000);
    const [a = 0, b = 0] = loadsOf(slow, users, asked, rates, [1, 1]);
    expect([a <= 1, b > 1]).toEqual([true, true]);
  });
});

describe("regions by software's rules, in epochs of 20 us", () => {
  /** Epochs of a MONITOR_PERIOD and of a reprogramming. */
  const period = 10,
    reprogram = 5;
  it("scale out behind a period, are paid for while they are reprogrammed, and scale in to a victim", async () => {
    const users = [user("x", { a: 1 }, [5_000, 15_000, 4_000], 40)],
      placement = new ManagedPlacement(sizes, { first: [1, 1] }),
      all = await steps(new EpochDevice(sizes, users, placement), 150);
    const first = (what: (s: epochModel.EpochSeen) => boolean): number => all.find(what)?.epoch ?? 0;
    // It rises with epoch 41; shares of 42 are the first that know of it.
    const begun = first(s => s.reprogramming === 1);
    expect(begun).toBe(42 + period);
    expect(first(s => s.instances[0] === 2)).toBe(begun + reprogram);
    expect(all[begun - 2]?.occupied).toBe(2);
    expect(all[begun - 1]?.occupied).toBe(3);
    expect(all.at(-1)?.occupied).toBe(2);
    expect([placement.scaled.out, placement.scaled.in, placement.counted.reprogrammed]).toEqual([1, 1, 1]);
  });
  it("a victim is there again at once; one whose area was given away is reprogrammed", async () => {
    const loads = [15_000, 4_000, 15_000];
    const run = async (keeps: boolean) => {
      const placement = new ManagedPlacement(sizes, { first: [1, 1], keeps: () => keeps }),
        cost = await runOut(new EpochDevice(sizes, [user("x", { a: 1 }, loads, 60)], placement), 1000);
      return { ...cost, ...placement.counted };
    };
    const [kept, lost] = [await run(true), await run(false)];
    expect([kept.reused, kept.reprogrammed]).toEqual([1, 1]);
    expect([lost.reused, lost.reprogrammed]).toEqual([0, 2]);
    expect(kept.epochs).toBeLessThan(lost.epochs);
  });
  it("what nobody uses is stopped, and launched again when its packets come: as a victim at once", async () => {
    const placement = new ManagedPlacement(sizes, { first: [1, 1], stopAfter: 20 }),
      device = new EpochDevice(sizes, [user("x", { b: 1 }, [5_000, 0, 5_000], 40)], placement),
      all = await steps(device, 130);
    expect(all[70]?.instances).toEqual([0, 0]);
    expect(all.find(s => s.epoch > 80 && (s.sent[0] ?? 0) > 0)?.epoch).toBe(81);
    expect(placement.counted).toMatchObject({ reused: 1, reprogrammed: 0 });
  });
  it("with fewer regions than chains, chains take turns: each runs for a period before it is stopped, and both end", async () => {
    const tight = { ...sizes, regions: 1 },
      users = [user("x", { a: 1 }, [0, 1_000], 50), user("y", { b: 1 }, [1_000, 0], 50)],
      placement = new ManagedPlacement(tight, { first: [1, 0], stopAfter: 5 }),
      device = new EpochDevice(tight, users, placement);
    const cost = await runOut(device, 2000);
    expect(placement.counted.reprogrammed).toBeGreaterThanOrEqual(2);
    expect(cost.slowdown).toBeGreaterThan(1);
    for (const u of users) expect(u.endpoint.done).toBe(true);
  });
  it("more instances at the beginning than regions are refused", () =>
    expect(() => new ManagedPlacement(sizes, { first: [3, 1] })).toThrow(
      "4 instances at the beginning, and 3 regions",
    ));
});

describe("other ways to give out regions", () => {
  const run = (placement: epochModel.Placement) =>
    runOut(new EpochDevice(sizes, [user("x", { a: 1 }, [5_000, 25_000], 50)], placement), 1000);
  it("for the highest load: fastest and dearest; for the mean: slower and cheaper; at once: as fast, and cheaper", async () => {
    const [most, mean, instant] = [
      await run(new FixedPlacement([3, 1])),
      await run(new FixedPlacement([2, 1])),
      await run(new InstantPlacement(2, 3)),
    ];
    expect(most.slowdown).toBeCloseTo(1, 1);
    expect(mean.slowdown).toBeGreaterThan(1.1);
    expect(instant.epochs).toBe(most.epochs);
    expect(most.regionEpochs).toBe(4 * most.epochs);
    expect(mean.regionEpochs).toBeLessThan(most.regionEpochs);
    expect(instant.regionEpochs).toBeLessThan(mean.regionEpochs);
  });
  it("a run that cannot end says so", async () => {
    await expect(run(new FixedPlacement([0, 1]))).rejects.toThrow("does not end within 1000 epochs");
  });
});
