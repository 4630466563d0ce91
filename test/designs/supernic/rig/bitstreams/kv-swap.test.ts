/** A KV cache that users deploy at run time, in a region that comes and goes: docs/supernic/reconfigure.md. */
import { expect, it } from "vitest";
import { cache, cachePages, drain, type KvUsers, withKvUsers } from "../support/kv-users.ts";

/** The region that has ways to memory and payload. */
const region = 2;
const uidOf = (uid: number | string): number => {
  if (typeof uid === "string") throw new Error(`ADD_DAG is ${uid}`);
  return uid;
};
/** A cache that runs and has hit. @returns its DAG's UID */
async function cached(t: KvUsers): Promise<number> {
  expect(await t.deploy(cache)).toBe("OK");
  const uid = uidOf(await t.add(cache));
  await t.bind(uid, false);
  // The first frame is what loads it.
  expect(await t.reads()).toBe("miss");
  await t.aged();
  expect([await t.reads(), await t.reads()]).toEqual(["miss", "hit"]);
  return uid;
}
const all = async (t: KvUsers): Promise<number> => {
  const { used, rest } = await t.pages();
  return used + rest;
};

it("DEPLOY_NT, hits; its region is taken and it comes back: with no old value, and its pages were given back", () =>
  withKvUsers(
    "kv swap",
    () => true,
    async t => {
      const { manager } = t.managed,
        board = await all(t);
      expect(await t.add(cache)).toBe("DENIED");
      expect([await t.deploy(cache, 2), t.memory.manager.promised]).toEqual(["FULL", 0]);
      // Of two rules that match the first one counts: what goes to the other node is copied.
      expect(await t.deploy("replicate")).toBe("OK");
      await t.bind(uidOf(await t.add("replicate")), true);
      const uid = await cached(t);
      expect(t.memory.manager.promised).toBe(cachePages);
      expect(manager.places[region]?.chain?.labels).toEqual([cache]);
      expect((await t.pages()).used).toBe(1);
      // Another chain that needs the region's ways: the cache goes, and a write is copied to both nodes.
      const [, before = 0] = t.came;
      t.write();
      await t.device.bench.until(() => t.came[2] === 1 && t.came[1] === before + 1);
      expect(manager.counted.reprogrammed).toBe(2);
      expect(manager.places[region]?.chain?.labels).toEqual(["replicate"]);
      expect([await t.pages(), t.memory.manager.promised, t.memory.grants.renewed]).toEqual([
        { used: 0, rest: board },
        cachePages,
        1,
      ]);
      // The node's value is another one meanwhile. The first frame brings the cache back, without what it had.
      t.value = new Uint8Array(300).fill(9);
      expect(await t.reads()).toBe("miss");
      await t.aged();
      expect([await t.reads(), await t.reads()]).toEqual(["miss", "hit"]);
      expect(manager.counted).toMatchObject({ reprogrammed: 3, failed: 0, stopped: 2 });
      // STOP and LAUNCH: it is a victim, and the same region has it again, fresh.
      t.value = new Uint8Array(40).fill(3);
      await manager.stop(manager.chains.find(c => c.labels[0] === cache) ?? failed());
      await t.launch(uid);
      expect(await t.reads()).toBe("miss");
      expect(manager.counted).toMatchObject({ reprogrammed: 3, reused: 1 });
      expect(await t.end()).toEqual([]);
      expect(await all(t)).toBe(board);
    },
  ));

it("killed with accesses under way: it waits for the memory; memory that never answers costs the region, for a while", async () => {
  const state = { answers: true };
  await withKvUsers(
    "kv kill",
    () => state.answers,
    async t => {
      const { bench } = t.device,
        { manager } = t.managed,
        board = await all(t),
        uid = await cached(t);
      // Hits that wait for memory, and a kill. The region comes back when the memory has answered.
      state.answers = false;
      const lost = [t.read(), t.read()];
      await bench.cycles(400);
      const killed = manager.kill(region);
      await bench.cycles(3_000);
      expect((await t.device.driver.region(region)).empty).toBe(false);
      state.answers = true;
      expect(await killed).toBe("running");
      expect(lost.map(id => t.valueOf(id))).toEqual([undefined, undefined]);
      expect((await t.pages()).used).toBe(0);
      t.value = new Uint8Array(64).fill(5);
      expect(await t.reads()).toBe("miss");
      await t.aged();
      expect([await t.reads(), await t.reads()]).toEqual(["miss", "hit"]);

      // It never answers: after the bound the region is given up, and all else goes on.
      state.answers = false;
      t.read();
      await bench.cycles(400);
      const from = bench.cycle;
      expect(await manager.kill(region)).toBe("failed");
      // A register's access and a look more.
      expect((bench.cycle - from) * 4).toBeLessThan(drain + 4 * 1_000);
      expect(manager.places[region]?.use).toBe("broken");
      expect(await manager.launch(manager.chains.find(c => c.labels[0] === "checksum") ?? chainOf(t), "demand")).toBe(
        "running",
      );
      // Nobody waits for a cache that cannot come: its frames are dropped and counted.
      const dropped = (await t.device.counters()).middle["dropTask"] ?? 0;
      t.read();
      await bench.cycles(2_000);
      expect((await t.device.counters()).middle["dropTask"]).toBe(dropped + 1);

      // It answers again: LAUNCH finds the region empty, and its pages are back.
      state.answers = true;
      await bench.cycles(2_000);
      await t.launch(uid);
      await bench.until(() => manager.places[region]?.use === "active");
      expect([(await t.pages()).used, manager.counted.recovered]).toEqual([0, 1]);
      expect(await t.reads()).toBe("miss");
      await t.aged();
      expect([await t.reads(), await t.reads()]).toEqual(["miss", "hit"]);
      expect(await t.end()).toEqual([]);
      expect(await all(t)).toBe(board);
    },
  );
});
const chainOf = (t: KvUsers) => t.managed.manager.chainFor(["checksum"], () => true) ?? failed();
function failed(): never {
  throw new RangeError("there is such a chain");
}
