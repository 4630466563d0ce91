import { describe, expect, it } from "vitest";
import {
  Autoscaler,
  type EpochLoad,
  IntendedMonitor,
  type LiveChain,
  LoadMonitor,
  periodEpochs,
} from "../../../../../designs/supernic/software/index.ts";
import { taskNamed } from "../../../../../designs/supernic/build/index.ts";
import { ModelledRegions } from "./support/modelled-regions.ts";

const load = (demand: number, instances = 1): ReadonlyMap<number, EpochLoad> =>
  new Map([[1, { demand, capacity: 10, instances }]]);
/** Epochs in which it was scaled, each with how. */
function run(scaler: Autoscaler, demands: readonly number[], instances = 1): [number, string][] {
  return demands.flatMap((d, epoch) =>
    [...scaler.epoch(load(d, instances)).values()].map((how): [number, string] => [epoch, how]),
  );
}
const times = (n: number, demand: number): number[] => Array.from({ length: n }, () => demand);

describe("autoscaling", () => {
  it("MONITOR_PERIOD of 5 and of 10 ms in epochs of 20 us, and a tenth of it", () => {
    expect([5e6, 10e6, 5e5].map(monitorPeriod => periodEpochs({ monitorPeriod, epoch: 20_000 }))).toEqual([
      250, 500, 25,
    ]);
    expect(() => new Autoscaler(0)).toThrow("period = 0 epochs: must be a whole number of 1 or more");
  });
  it("figure 5.20: load that rises at epoch 3 scales out at epoch 503", () => {
    expect(run(new Autoscaler(500), [...times(4, 8), ...times(500, 12)])).toEqual([[503, "out"]]);
    // One epoch less is no period.
    expect(run(new Autoscaler(500), [...times(4, 8), ...times(499, 12)])).toEqual([]);
  });
  it("a spike scales nothing, and load that is just enough neither", () => {
    expect(run(new Autoscaler(20), [...times(50, 10), ...times(18, 50), ...times(60, 10)])).toEqual([]);
  });
  it("19 of 20 epochs are enough, 18 are not", () => {
    const with1 = [...times(10, 12), 8, ...times(9, 12)],
      with2 = [...times(10, 12), 8, 8, ...times(8, 12)];
    expect(run(new Autoscaler(20), with1)).toEqual([[19, "out"]]);
    expect(run(new Autoscaler(20), with2)).toEqual([]);
    // A period begins anew with the next overload.
    expect(run(new Autoscaler(20), [...with2, ...times(20, 12)])).toEqual([[31, "out"]]);
  });
  it("scales in when 0.9 of one instance less is enough, and never the last one", () => {
    expect(run(new Autoscaler(5), times(5, 8.9), 2)).toEqual([[4, "in"]]);
    expect(run(new Autoscaler(5), times(20, 9), 2)).toEqual([]);
    expect(run(new Autoscaler(5), times(20, 0), 1)).toEqual([]);
  });
  it("between both bounds it stays: no chain goes out and in by turns", () => {
    const scaler = new Autoscaler(5);
    expect(run(scaler, times(20, 12), 1).length).toBeGreaterThan(0);
    scaler.changed(1);
    expect(run(scaler, times(50, 12), 2)).toEqual([]);
  });
  it("what was seen before a change, or of a chain that went away, says nothing", () => {
    const scaler = new Autoscaler(10);
    run(scaler, times(9, 12));
    scaler.changed(1);
    expect(run(scaler, times(9, 12))).toEqual([]);
    scaler.epoch(new Map());
    expect(run(scaler, times(9, 12))).toEqual([]);
    expect(run(scaler, times(1, 12))).toEqual([[0, "out"]]);
  });
});

describe("the load of a chain", () => {
  const chain = (regions: number[], ...labels: string[]): LiveChain => ({
    number: 3,
    name: labels.join("+"),
    labels,
    tasks: labels.map(l => taskNamed(l).declared),
    regions,
    group: 0,
  });
  const rig = () => new ModelledRegions({ regions: 4, reprogramCycles: 10, first: [1, 1, 0, 0] });
  it("is what its tasks took and what waits; its bound is that of the slowest task", async () => {
    const r = rig(),
      monitor = new LoadMonitor(r, 800),
      c = chain([0, 1], "dummy", "delay(4,8)");
    await monitor.epoch([c]);
    r.counts[0] = [60, 50];
    r.counts[1] = [60, 50];
    r.packets[0] = 30;
    expect((await monitor.epoch([c])).get(3)).toEqual({ demand: 130, capacity: 100, instances: 2 });
    // Nothing new but what still waits.
    expect((await monitor.epoch([c])).get(3)?.demand).toBe(30);
  });
  it("counts that wrap, and a slot that was reset, count right", async () => {
    const r = rig(),
      monitor = new LoadMonitor(r, 100),
      c = chain([0], "dummy");
    r.counts[0] = [2 ** 32 - 5];
    await monitor.epoch([c]);
    r.counts[0] = [2 ** 32 + 7];
    expect((await monitor.epoch([c])).get(3)?.demand).toBe(12);
    r.counts[0] = [1000];
    await monitor.epoch([c]);
    r.counts[0] = [3];
    expect((await monitor.epoch([c])).get(3)?.demand).toBe(3);
  });
  it("a chain without a region has none", async () => {
    expect((await new LoadMonitor(rig(), 100).epoch([chain([], "dummy")])).size).toBe(0);
  });
});

describe("what is intended for a chain", () => {
  const chain = (regions: number[], ...labels: string[]): LiveChain => ({
    number: 3,
    name: labels.join("+"),
    labels,
    tasks: labels.map(l => taskNamed(l).declared),
    regions,
    group: 0,
  });
  /** A user's packets have 100 bytes: of what it brings, so much by type; epochs of 800 cycles. */
  interface Brings {
    readonly demand: number;
    readonly rate: number;
    readonly types: readonly number[];
  }
  const packet = 100;
  const monitor = (...users: readonly Brings[]): IntendedMonitor =>
    new IntendedMonitor(
      {
        fair: (user, type) =>
          Promise.resolve({
            use: (users[user]?.types[type] ?? 0) / packet,
            demand: (users[user]?.demand ?? 0) * packet,
            rate: (users[user]?.rate ?? 0) * packet,
          }),
      },
      { typeOf: (_, slot) => slot, packetsOf: interval => 800 / interval, packetsByByte: use => use },
      users.map((_, u) => u),
    );
  const loadOf = async (c: LiveChain, ...users: readonly Brings[]): Promise<number> =>
    (await monitor(...users).epoch([c])).get(3)?.demand ?? NaN;

  it("is what users intend in front of their meters, where fair shares gave a task away in full", async () => {
    const slow = chain([0, 1], "dummy", "delay(4,8)");
    // Two instances take 200 packets of an epoch: 120 and 80 are let in of 120 and 180.
    const users = [
      { demand: 120, rate: 120, types: [1, 1] },
      { demand: 180, rate: 80, types: [1, 1] },
    ];
    expect(await loadOf(slow, ...users)).toBeCloseTo(3);
    // What is let in says nothing of it.
    expect(await loadOf(slow, ...users.map(u => ({ ...u, demand: u.rate })))).toBeCloseTo(2);
  });
  it("is no more than there is where another task holds the user: a second instance would not help", async () => {
    expect(await loadOf(chain([0], "dummy"), { demand: 9_000, rate: 100, types: [1] })).toBeCloseTo(1);
    expect(await loadOf(chain([0], "dummy"), { demand: 80, rate: 9_000, types: [1] })).toBeCloseTo(0.1);
  });
  it("counts a DAG that goes through the task twice, and users that do not use it not at all", async () => {
    const users = [
      { demand: 100, rate: 50, types: [2] },
      { demand: 900, rate: 9_000, types: [0] },
    ];
    expect(await loadOf(chain([0], "delay(4,8)"), ...users)).toBeCloseTo(2);
  });
  it("a chain without a region has none", async () => {
    expect((await monitor().epoch([chain([], "dummy")])).size).toBe(0);
  });
});
