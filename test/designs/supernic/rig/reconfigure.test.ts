/** The whole device: regions are reprogrammed, killed and scaled beside traffic, and no frame goes astray. */
import { describe, expect, it } from "vitest";
import { Autoscaler, type LiveChain, LoadMonitor, ScalingLoop } from "../../../../designs/supernic/software/index.ts";
import { DeviceScoreboard } from "../../../../designs/supernic/model/index.ts";
import { mostSlots, tableWrite } from "../../../../designs/supernic/wire/index.ts";
import { parameters, reconfigured, setup, type Traffic, uids } from "./support/reconfigured.ts";

const chainOf = (t: Traffic, ...tasks: string[]): LiveChain => {
  const chain = t.managed.manager.chainFor(tasks, () => true);
  if (chain === undefined) throw new RangeError(`there is no chain for ${tasks.join("+")}`);
  return chain;
};
const load = 0.4;

describe("a device whose regions come and go", () => {
  it("at 40 % load a reconfiguration loses no frame: of others, and of its own while there is another instance", async () => {
    const problems = await reconfigured("a swap beside traffic", async t => {
      const { manager } = t.managed,
        both = [uids.double, uids.alone];
      await t.at(load, 2000, both);
      // One instance goes; its region gets another chain, which is reprogrammed beside the traffic.
      const swapped = (async () => {
        expect(await manager.scale(chainOf(t, "dummy"), "in")).toBe(true);
        expect(await manager.launch(chainOf(t, "firewall", "dummy"), "demand")).toBe("running");
        expect(await manager.launch(chainOf(t, "delay(8,40)"), "demand")).toBe("running");
        // Two regions were free; this one takes the victim.
        expect(await manager.launch(chainOf(t, "checksum", "dummy"), "demand")).toBe("running");
      })();
      await t.at(load, 12_000, both);
      await swapped;
      await t.at(load, 1000, both);
      await t.rest();
      expect(manager.counted).toEqual({ reprogrammed: 3, reused: 0, stopped: 0, failed: 0, recovered: 0 });
      expect(manager.places.map(p => p.use)).toEqual(["active", "active", "active", "active", "active"]);
      expect(t.sent.get(uids.alone)).toBeGreaterThan(500);
      return t.scoreboard.finish();
    });
    expect(problems).toEqual([]);
  });

  it("a region that is killed beside traffic leaks nothing: what was inside is dropped and counted", async () => {
    const problems = await reconfigured("a kill beside traffic", async t => {
      const { manager } = t.managed,
        both = [uids.double, uids.alone];
      for (let round = 0; round < 3; round++) {
        // Its task is given nothing: packets wait in the slot, as many as there are credits.
        await t.device.driver.write([
          tableWrite("slot", 2 * mostSlots, { limit: parameters.credits, busyAt: parameters.credits, quiesce: 1 }),
        ]);
        await t.at(load, 600, both);
        const done = manager.kill(2);
        await t.at(load, 1500, both);
        expect(await done).toBe("running");
        await t.at(load, 500, both);
      }
      await t.rest();
      const { killed } = await t.device.driver.region(2);
      const { middle } = await t.device.counters(),
        lost = t.scoreboard.finish();
      // Those that came while no region had the chain are dropped, too; all are the killed chain's.
      expect(killed).toBeGreaterThanOrEqual(3 * parameters.credits);
      expect(middle["dropTask"]).toBeGreaterThanOrEqual(killed);
      expect(lost.length).toBe(middle["dropTask"]);
      expect(t.scoreboard.entries.filter(e => e.lost).every(e => uidOf(e.bytes) === uids.alone)).toBe(true);
      return [];
    });
    expect(problems).toEqual([]);
  });

  it("a chain that is launched on demand: its packets wait for it, and all of them leave", async () => {
    const problems = await reconfigured("on demand", async t => {
      const { dags, manager } = t.managed,
        chain = chainOf(t, "firewall", "dummy"),
        [alice] = setup.users;
      if (alice === undefined) throw new RangeError("there is a user");
      const added = await dags.add(alice, {
        stages: [[{ chain, run: [0, 1], arg: 0 }]],
        way: "mac",
        port: 0,
        keepShim: false,
        unordered: false,
      });
      if (added === undefined) throw new RangeError("there is room for a DAG");
      const scoreboard = new DeviceScoreboard({ ...setup, chains: manager.chains, dags: [...setup.dags, added] });
      Object.assign(t, { scoreboard });
      const done = manager.launch(chain, "demand");
      await t.device.bench.until(() => chain.regions.length > 0);
      await t.device.bench.cycles(400);
      // Fewer than the user's quota of contexts: they wait in the queue of the region that is being loaded.
      for (let i = 0; i < 15; i++) t.send(added.uid);
      await t.at(load, 1000, [uids.alone]);
      await t.device.bench.until(() => scoreboard.outstanding <= 15);
      expect([scoreboard.outstanding, manager.stateOf(chain)]).toEqual([15, "loading"]);
      expect(await done).toBe("running");
      await t.at(load, 1500, [added.uid, uids.alone]);
      await t.rest();
      return scoreboard.finish();
    });
    expect(problems).toEqual([]);
  });

  it("load that lasts scales out into a free region, and back in when it has gone; no frame is lost", async () => {
    const problems = await reconfigured("scaling", async t => {
      const { manager, dags } = t.managed,
        chain = chainOf(t, "delay(8,40)"),
        [, bob] = setup.users;
      if (bob === undefined) throw new RangeError("there is a user");
      await manager.launch(chain, "demand");
      const added = await dags.add(bob, {
        stages: [[{ chain, run: [0], arg: 0 }]],
        way: "mac",
        port: 0,
        keepShim: false,
        unordered: false,
      });
      if (added === undefined) throw new RangeError("there is room for a DAG");
      const scoreboard = new DeviceScoreboard({ ...setup, chains: manager.chains, dags: [...setup.dags, added] });
      Object.assign(t, { scoreboard });
      const { driver, bench } = t.device,
        epoch = 800;
      const loop = new ScalingLoop(
        manager,
        new LoadMonitor({ took: (r, s) => driver.took(r, s), sent: async r => (await driver.region(r)).sent }, epoch),
        new Autoscaler(5),
      );
      /** Epochs of one packet in so many cycles; a task takes one in 40. */
      const epochs = async (n: number, every: number): Promise<void> => {
        for (let e = 0; e < n; e++) {
          const ends = bench.cycle + epoch,
            read = loop.epoch();
          while (bench.cycle < ends) {
            t.send(added.uid);
            await bench.cycles(every);
          }
          await read;
        }
      };
      await epochs(6, 60);
      expect(loop.done.out).toBe(0);
      await epochs(14, 34);
      expect(loop.done.out).toBe(1);
      expect(chain.regions).toHaveLength(2);
      await epochs(20, 70);
      // The chain of two instances has no traffic: it gives one back, too.
      expect(loop.done.out).toBe(1);
      expect(loop.done.in).toBeGreaterThanOrEqual(1);
      expect(chain.regions).toHaveLength(1);
      await t.rest();
      return scoreboard.finish();
    });
    expect(problems).toEqual([]);
  });
});
/** Of a frame as it came in: its shim is behind the MACs and its EtherType. */
const uidOf = (frame: Uint8Array): number => ((frame[16] ?? 0) << 8) | (frame[17] ?? 0);
