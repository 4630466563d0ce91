/**
 * Memory pressure, and migrations that cannot be carried out: the destination is full, someone cancels, a node is gone.
 */
import { describe, expect, test } from "vitest";
import type { ClusterProcess } from "../../../../designs/clio/client/index.ts";
import { type MigrationMode, migrationResult } from "../../../../designs/clio/software/index.ts";
import { type ClusterOptions, type ClusterRig, insist, onCluster, page } from "./rig.ts";
import { migrationSeeds, veryLate } from "./migrating.ts";
import { traffic } from "./traffic.ts";
import { hangMs } from "../../../support/hang-ms.ts";

const modes: readonly MigrationMode[] = ["stopAll", "pageByPage"];
const after = (rig: ClusterRig, ns: number): Promise<void> =>
  new Promise(resolve => {
    rig.time.after(ns, resolve);
  });

/** An event in the middle of a migration under traffic: its outcome, and its effects on the clients. */
function inTheMiddle(
  mode: MigrationMode,
  o: ClusterOptions,
  happens: (rig: ClusterRig, pid: number) => Promise<void>,
  ends: (rig: ClusterRig, result: number, p: ClusterProcess) => void,
): Promise<void> {
  return onCluster({ clients: 3, limitNs: 1e11, ...o }, async rig => {
    const processes = await rig.process(),
      t = processes[0]!.thread(),
      pid = processes[0]!.pid,
      va = await insist(() => t.ralloc(20n * page, { region: 1 }));
    for (let i = 0n; i < 20n; i++) await insist(() => t.rwrite(va + i * page, Uint8Array.of(0)));
    const first = rig.nodeOf(processes[0]!, 1).name,
      migration = rig.controller.migrate(pid, 1, { mode });
    const all = Promise.all([migration, happens(rig, pid)]),
      result = await traffic({ time: rig.time, seed: 3, processes, va, pages: 20 }, all);
    expect(result.problems).toEqual([]);
    expect(result.failed).toBe(0);
    const [ret] = await all;
    ends(rig, ret, processes[0]!);
    if (ret !== migrationResult.done) expect(rig.nodeOf(processes[0]!, 1).name).toBe(first);
    // The failure has left nothing behind at the other node.
    const other = rig.nodes.find(n => n.name !== rig.nodeOf(processes[0]!, 1).name)!;
    expect(other.slow.memory.entries).toBe(0);
    expect(other.slow.pool.free + other.hardware.freePages.length).toBe(other.frames - 1);
  });
}

describe.each(modes)("%s", mode => {
  test("the destination is full: all stays where it is, no operation fails", () =>
    inTheMiddle(
      mode,
      { pages: [200, 12] },
      async () => undefined,
      ({ nodes }, result) => {
        expect(result).toBe(migrationResult.noRoom);
        expect(nodes[1]!.slow.pool.free).toBeGreaterThan(0);
      },
    ));
  test("cancelled: all is taken back, with what was written at the destination, and no operation fails", () =>
    inTheMiddle(
      mode,
      {},
      async (rig, pid) => {
        await after(rig, 60_000);
        expect(await rig.controller.cancel(pid, 1)).toBe(true);
      },
      (_, result) => expect(result).toBe(migrationResult.cancelled),
    ));
  test("cancelled, with 10 % loss, duplication, reordering and corruption", () =>
    onCluster(
      {
        clients: 2,
        limitNs: 1e11,
        seed: 5,
        link: { loss: 0.1, duplicate: 0.1, reorder: 0.1, corrupt: 0.1, reorderNs: 3000 },
      },
      async rig => {
        const processes = await rig.process(),
          t = processes[0]!.thread(),
          { pid } = processes[0]!,
          va = await insist(() => t.ralloc(12n * page, { region: 1 }));
        for (let i = 0n; i < 12n; i++) await insist(() => t.rwrite(va + i * page, Uint8Array.of(0)));
        const migration = rig.controller.migrate(pid, 1, { mode }),
          cancel = after(rig, 300_000).then(() => rig.controller.cancel(pid, 1));
        const r = await traffic(
          { time: rig.time, seed: 5, processes, va, pages: 12 },
          Promise.all([migration, cancel]),
        );
        expect(r.problems).toEqual([]);
        expect([migrationResult.cancelled, migrationResult.done]).toContain(await migration);
      },
    ));
  test(
    "cancelled twice, then let go, with faults later than the time until frames are sent again: nothing is left behind, whatever came when",
    async () => {
      for (const seed of migrationSeeds([7])) {
        await onCluster({ clients: 2, limitNs: 2e8, seed, link: veryLate }, async rig => {
          const processes = await rig.process(),
            t = processes[0]!.thread(),
            { pid } = processes[0]!,
            va = await insist(() => t.ralloc(12n * page, { region: 1 }));
          for (let i = 0n; i < 12n; i++) await insist(() => t.rwrite(va + i * page, Uint8Array.of(0)));
          const moves = async (): Promise<number> => {
            for (let k = 0; k < 2; k++) {
              const migration = rig.controller.migrate(pid, 1, { mode });
              await after(rig, 100_000 + 100_000 * (seed % 17));
              await rig.controller.cancel(pid, 1);
              await migration;
            }
            return rig.controller.migrate(pid, 1, { mode });
          };
          const all = moves(),
            r = await traffic({ time: rig.time, seed, processes, va, pages: 12 }, all);
          expect([r.problems, await all]).toEqual([[], migrationResult.done]);
          const other = rig.nodes.find(n => n !== rig.nodeOf(processes[0]!, 1))!;
          expect([other.slow.memory.entries, other.slow.pool.free + other.hardware.freePages.length]).toEqual([
            0,
            other.frames - 1,
          ]);
        });
      }
    },
    hangMs + 5000 * migrationSeeds([]).length,
  );
  test("the source is gone: the region is lost, and clients are told so", () =>
    onCluster({ limitNs: 1e12, cluster: { silentNs: 750_000 } }, async rig => {
      const [p] = await rig.process(),
        t = p!.thread(),
        va = await t.ralloc(20n * page, { region: 1 });
      for (let i = 0n; i < 20n; i++) await t.rwrite(va + i * page, Uint8Array.of(1));
      const migration = rig.controller.migrate(p!.pid, 1, { mode });
      await after(rig, 50_000);
      rig.nodeOf(p!, 1).fail();
      expect(await migration).toBe(migrationResult.lost);
      await expect(t.rread(va, 1)).rejects.toThrow(/TIMEOUT|lost/);
      await expect(t.rread(va, 1)).rejects.toThrow();
    }));
});

test("stop-all, the destination is gone: all stays where it is", () =>
  onCluster({ limitNs: 1e12, cluster: { silentNs: 750_000 } }, async rig => {
    const [p] = await rig.process(),
      t = p!.thread(),
      va = await t.ralloc(20n * page, { region: 1 });
    for (let i = 0n; i < 20n; i++) await t.rwrite(va + i * page, Uint8Array.of(Number(i) + 1));
    const migration = rig.controller.migrate(p!.pid, 1, { mode: "stopAll" });
    await after(rig, 60_000);
    rig.nodes.find(n => n !== rig.nodeOf(p!, 1))!.fail();
    expect(await migration).toBe(migrationResult.noRoom);
    for (let i = 0n; i < 20n; i++) expect(await t.rread(va + i * page, 1)).toEqual(Uint8Array.of(Number(i) + 1));
  }));
test.each(["stopAll", "readAtSource"] as const)(
  "%s, the destination is gone when pages are in use there that the controller has not told of: lost, not silently old",
  mode =>
    onCluster({ clients: 2, limitNs: 1e12, cluster: { silentNs: 750_000 } }, async rig => {
      const [p] = await rig.process(),
        t = p!.thread(),
        va = await t.ralloc(4n * page, { region: 1 });
      for (let i = 0n; i < 4n; i++) await t.rwrite(va + i * page, Uint8Array.of(1));
      const destination = rig.nodes.find(n => n !== rig.nodeOf(p!, 1))!,
        migration = rig.controller.migrate(p!.pid, 1, { mode });
      // In use there, and the controller does not know it yet.
      const grants = destination.slow.memory.grant.bind(destination.slow.memory);
      let granted = 0;
      destination.slow.memory.grant = async (...args) => {
        await grants(...args);
        if (++granted === 2) destination.fail();
      };
      expect(await migration).toBe(migrationResult.lost);
      await expect(t.rread(va, 1)).rejects.toThrow(/lost|TIMEOUT/);
    }),
);
test("page by page, the destination is gone with pages that were in use there: the region is lost, not silently old", () =>
  onCluster({ limitNs: 1e12, cluster: { silentNs: 750_000 } }, async rig => {
    const [p] = await rig.process(),
      t = p!.thread(),
      va = await t.ralloc(20n * page, { region: 1 });
    for (let i = 0n; i < 20n; i++) await t.rwrite(va + i * page, Uint8Array.of(1));
    const migration = rig.controller.migrate(p!.pid, 1, { mode: "pageByPage" });
    await after(rig, 100_000);
    rig.nodes.find(n => n !== rig.nodeOf(p!, 1))!.fail();
    expect(await migration).toBe(migrationResult.lost);
    await expect(t.rread(va, 1)).rejects.toThrow(/lost|TIMEOUT/);
  }));

describe("memory pressure", () => {
  test.each([
    ["as memory is looked at", false],
    ["as the table says", true],
  ])("the region that was written longest ago goes, %s, and first touches that had no frame succeed", (_, activity) =>
    onCluster(
      { pages: [48, 200], cluster: { pressureFrames: 6, watchNs: 200_000 }, limitNs: 1e11, activity },
      async rig => {
        const { controller, nodes } = rig,
          [p] = await rig.process(),
          t = p!.thread(),
          { map } = controller.monitor;
        // All three at the small node: more virtual than physical memory.
        const small = map.nodes.find(n => n.ip === nodes[0]!.address.ip)!;
        for (const r of [1, 2, 3]) {
          map.give(p!.pid, r);
          map.find(p!.pid, r)!.node = small;
        }
        const at = (r: number): bigint => BigInt(r) << 30n;
        for (const r of [1, 2, 3]) await t.ralloc(24n * page, { address: at(r) });
        const touch = async (r: number, from: number, to: number): Promise<void> => {
          for (let i = from; i < to; i++) await insist(() => t.rwrite(at(r) + BigInt(i) * page, Uint8Array.of(r, i)));
        };
        await touch(1, 0, 10);
        await touch(2, 0, 10);
        await touch(3, 0, 10);
        await after(rig, 1_000_000);
        // 1 and 3 are written again, 2 is only read.
        await touch(1, 0, 3);
        await touch(3, 0, 3);
        await t.rwrite(at(1), Uint8Array.of(9));
        await t.rwrite(at(3), Uint8Array.of(9));
        await t.rread(at(2), 1);
        await after(rig, 1_000_000);
        expect([1, 2, 3].map(r => rig.nodeOf(p!, r).name)).toEqual(["node0", "node0", "node0"]);
        await touch(1, 10, 20);
        await after(rig, 5_000_000);
        expect([1, 2, 3].map(r => rig.nodeOf(p!, r).name)).toEqual(["node0", "node1", "node0"]);
        await touch(1, 20, 24);
        await touch(3, 10, 12);
        for (let i = 1; i < 10; i++) expect(await t.rread(at(2) + BigInt(i) * page, 2)).toEqual(Uint8Array.of(2, i));
      },
    ),
  );
  test("one region at a time: what it leaves may be enough", () =>
    onCluster({ pages: [60, 200], cluster: { pressureFrames: 20, watchNs: 20_000 }, limitNs: 1e11 }, async rig => {
      const { controller, nodes, reports, time } = rig,
        [p] = await rig.process(),
        t = p!.thread(),
        { map } = controller.monitor;
      const small = map.nodes.find(n => n.ip === nodes[0]!.address.ip)!;
      for (const r of [1, 2]) {
        map.give(p!.pid, r);
        map.find(p!.pid, r)!.node = small;
        await t.ralloc(24n * page, { address: BigInt(r) << 30n });
      }
      // 59 frames, of which up to 4 are in the hardware's buffer: 15 to 19 are free at the end, then 31 to 35.
      for (const [r, from, to] of [
        [1, 0, 16],
        [2, 0, 24],
      ] as const)
        for (let i = from; i < to; i++)
          await insist(() => t.rwrite((BigInt(r) << 30n) + BigInt(i) * page, Uint8Array.of(r)));
      await new Promise<void>(resolve => {
        time.after(1_500_000, resolve);
      });
      // It is asked many times whether there is room while the first one moves.
      expect(reports.map(r => [r.name.region, r.result, r.totalNs > 3 * 20_000])).toEqual([[1, 0, true]]);
    }));
});
