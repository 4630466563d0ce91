/** The whole device: a NAT's region is given away and comes back, here or elsewhere, with every binding. */
import { describe, expect, it } from "vitest";
import { DeviceScoreboard } from "../../../../designs/supernic/model/index.ts";
import { natKey, natSet } from "../../../../designs/supernic/wire/index.ts";
import { flows, type NatTraffic, setup, withNat } from "./support/state-device.ts";

/** Every flow once, and an answer to each from outside. */
async function bothWays(t: NatTraffic, order: readonly number[]): Promise<void> {
  for (const flow of order) t.out(flow);
  await t.rest();
}
const setOf = (port: number): number =>
  Number(natSet(natKey({ user: setup.users[0]?.number ?? 0, udp: true, address: 0x0a02_0001, port })));
/** Bindings that the flows have: four of one set, and the first of the others. */
const bindings = (): readonly number[] => flows.map((f, i) => setOf(f) * 4 + (i < 4 ? i : 0));

describe("state of a chain on the device", () => {
  it("a NAT is evicted under traffic, and comes back elsewhere, equal to the byte", async () => {
    const problems = await withNat("a NAT that moves", async t => {
      const { manager } = t.managed,
        { edge } = t;
      await bothWays(t, flows);
      const before = await t.state();
      expect(before.length).toBeGreaterThan(2 * 11 * flows.length);
      expect(edge.regions).toEqual([0]);
      // Its region is wanted while frames come; they wait for it in their class queue.
      const evicted = manager.launch(t.chainOf("checksum"), "demand");
      await t.device.bench.until(() => manager.counted.stopped === 1);
      for (let i = 0; i < 12; i++) {
        t.out(flows[i % flows.length] ?? 0);
        t.plain();
        await t.device.bench.cycles(60);
      }
      expect(await evicted).toBe("running");
      expect([edge.regions, manager.state.counts]).toEqual([[], { saved: 2, restored: 0, lost: 0 }]);
      await manager.stop(t.chainOf("dummy"));
      expect(await manager.launch(edge, "demand")).toBe("running");
      expect(edge.regions).toEqual([1]);
      // The others waited behind its frames; their chain comes in the place of the one that came.
      expect(await manager.launch(t.chainOf("dummy"), "demand")).toBe("running");
      await t.rest();
      // Nothing of it lies here any more; what comes from outside finds its flow, before any goes out.
      expect([manager.state.has(edge), manager.state.counts.restored]).toEqual([false, 1]);
      expect(await t.state()).toBe(before);
      for (const b of bindings()) t.in(b);
      await t.rest();
      await bothWays(t, [...flows].reverse());
      expect(await t.state()).toBe(before);
      // It has one instance, whoever wants more.
      expect(await manager.scale(edge, "out")).toBe(false);
      return t.scoreboard.finish();
    });
    expect(problems).toEqual([]);
  });

  it("a victim keeps what it had, a kill loses it, and a task that never answers is told; others lose nothing", async () => {
    const problems = await withNat("states lost", async t => {
      const { manager } = t.managed,
        { edge } = t;
      await bothWays(t, flows);
      const before = await t.state();
      await manager.stop(edge);
      expect(manager.places[0]?.use).toBe("victim");
      expect(await manager.launch(edge, "demand")).toBe("running");
      expect(manager.counted).toMatchObject({ reused: 1, reprogrammed: 0 });
      expect(await t.state()).toBe(before);
      for (const b of bindings()) t.in(b);
      await t.rest();
      const problems = t.scoreboard.finish();
      // A chain that never tells its state is stopped all the same.
      const mute = t.chainOf("counter_mute");
      await manager.stop(t.chainOf("dummy"));
      expect(await manager.launch(mute, "demand")).toBe("running");
      expect(manager.state.counts).toMatchObject({ lost: 0 });
      await manager.stop(mute);
      expect(manager.state.counts).toMatchObject({ lost: 1 });
      expect(manager.state.fault).toContain("counter_mute does not answer for its state");
      expect(await t.device.driver.registers.read("stateLates")).toBe(1);
      expect(await manager.launch(t.chainOf("dummy"), "demand")).toBe("running");
      // Killed: it is as configured, and all flows begin anew.
      expect(await manager.kill(0)).toBe("running");
      expect(manager.state.counts).toMatchObject({ lost: 2 });
      expect((await t.state()).length).toBeLessThan(before.length);
      Object.assign(t, { scoreboard: new DeviceScoreboard(setup) });
      await bothWays(t, flows);
      t.plain();
      await t.rest();
      return [...problems, ...t.scoreboard.finish()];
    });
    expect(problems).toEqual([]);
  });
});
