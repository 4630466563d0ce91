/** Users share a device: chains that come when their packets come, and frames that wait meanwhile. */
import { describe, expect, it } from "vitest";
import { setup, uids, withUsers } from "./support/users-device.ts";

const slow = ["delay(8,40)"];

describe("launching on demand", () => {
  it("five chains take turns in three regions: every frame waits for its chain, and none is lost", async () => {
    const problems = await withUsers(
      "turns",
      async t => {
        const { manager } = t.managed,
          alice = [uids.alice, await t.dag("alice", ...slow), await t.dag("alice", "checksum", "dummy")],
          bob = [uids.bob, await t.dag("bob", "firewall", "dummy")];
        // None of the three has a region: the first frame is what launches them.
        expect(t.managed.waiting.closed.size).toBe(3);
        for (let round = 0; round < 2; round++)
          for (const [i, uid] of alice.entries())
            await t.run(2_500, { alice: 250, bob: 250 }, { alice: uid, bob: bob[i % 2] ?? uids.bob });
        await t.rest();
        expect(manager.counted.reprogrammed).toBeGreaterThanOrEqual(3);
        expect(manager.counted.stopped).toBeGreaterThanOrEqual(2);
        const { middle } = await t.device.counters();
        expect([middle["dropTask"], t.out.length]).toEqual([0, t.sent.alice + t.sent.bob]);
        return t.scoreboard.finish();
      },
      { hold: 16_000 },
    );
    expect(problems).toEqual([]);
  });

  it("what waits is held by the class queue; when that is full, frames are dropped and counted, and no others", async () => {
    const problems = await withUsers("full", async t => {
      const uid = await t.dag("alice", ...slow);
      // Nobody looks: the chain is not launched meanwhile. The others' frames go on.
      for (let i = 0; i < 400; i++) {
        t.send("alice", uid);
        if (i % 8 === 0) t.send("bob");
        await t.device.bench.cycles(4);
      }
      await t.device.bench.cycles(2_000);
      expect(t.out.length).toBe(t.sent.bob);
      const before = await t.device.counters(),
        full = before.ports[0]?.["inFull0"] ?? 0,
        held = before.ports[0]?.["inQueued0"] ?? 0;
      expect(full).toBeGreaterThan(0);
      expect(full + held).toBe(t.sent.alice);
      // 48 KB of a class, less what the page of the port says is kept for frames under way; three beats a frame.
      expect(held * 3 * 64).toBeGreaterThan(40_000);
      await t.rest();
      const lost = t.scoreboard.finish();
      expect(lost.length).toBe(full);
      expect(t.out.length).toBe(t.sent.bob + held);
      return [];
    });
    expect(problems).toEqual([]);
  });

  it("a region that is killed while its frames wait: they stay outside, and what was inside is counted", async () => {
    const problems = await withUsers("kill", async t => {
      const { manager } = t.managed;
      await t.run(1_000, { alice: 20, bob: 20 });
      const done = manager.kill(1);
      await t.run(1_500, { alice: 20, bob: 20 });
      expect(await done).toBe("running");
      await t.rest();
      const { middle } = await t.device.counters(),
        lost = t.scoreboard.finish();
      // All are of the killed chain, and no more than it can have inside.
      expect(lost.length).toBe(middle["dropTask"]);
      expect(lost.length).toBeLessThanOrEqual(setup.users[1]?.contexts ?? 0);
      expect(t.latencies("alice").length).toBe(t.sent.alice);
      return [];
    });
    expect(problems).toEqual([]);
  });
});
