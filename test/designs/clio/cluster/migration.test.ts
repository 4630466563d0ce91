/** Paper §4.4.7: regions at several nodes, and their migration while clients use them. */
import { describe, expect, test } from "vitest";
import type { MigrationMode } from "../../../../designs/clio/software/index.ts";
import { insist, onCluster, page } from "./rig.ts";
import { watchRegion } from "./watch-region.ts";

const modes: readonly MigrationMode[] = ["stopAll", "pageByPage"];
const text = (s: string): Uint8Array => new TextEncoder().encode(s);

test("a process's regions lie at different nodes, and its threads find each", () =>
  onCluster({ nodes: 2, clients: 2 }, async ({ process, nodeOf }) => {
    const [p, q] = await process(),
      t = p!.thread(),
      other = q!.thread();
    const first = await t.ralloc(4n * page, { region: 1 }),
      second = await t.ralloc(4n * page, { region: 2 });
    expect(first >> 30n).toBe(1n);
    expect(second >> 30n).toBe(2n);
    expect(nodeOf(p!, 1).name).not.toBe(nodeOf(p!, 2).name);
    await t.rwrite(first + page - 3n, text("over a page's end"));
    await t.rwrite(second, text("elsewhere"));
    expect(await other.rread(first + page - 3n, 17)).toEqual(text("over a page's end"));
    expect(await other.rread(second, 9)).toEqual(text("elsewhere"));
    await expect(t.rread(5n << 30n, 1)).rejects.toThrow();
  }));

describe.each(modes)("%s", mode => {
  test("a region moves with all its bytes, and its frames are free again", () =>
    onCluster({}, async ({ process, nodeOf, controller, reports, nodes }) => {
      const [p] = await process(),
        t = p!.thread(),
        va = await t.ralloc(12n * page),
        from = nodeOf(p!, 1),
        free = nodes.map(n => n.slow.pool.free);
      for (let i = 0n; i < 8n; i++) await t.rwrite(va + i * page + 100n * i, text(`page ${i}`));
      expect(await controller.migrate(p!.pid, 1, { mode })).toBe(0);
      expect(nodeOf(p!, 1).name).not.toBe(from.name);
      for (let i = 0n; i < 8n; i++) expect(await t.rread(va + i * page + 100n * i, 6)).toEqual(text(`page ${i}`));
      expect(await t.rread(va + 9n * page, 4)).toEqual(new Uint8Array(4));
      expect(from.slow.memory.entries).toBe(0);
      expect(from.slow.pool.free).toBeGreaterThanOrEqual(free[nodes.indexOf(from)]! - 4);
      expect(reports).toMatchObject([{ mode, result: 0, pages: 12, bytes: 8 * 4096 }]);
      // And back again.
      expect(await controller.migrate(p!.pid, 1, { mode })).toBe(0);
      expect(nodeOf(p!, 1).name).toBe(from.name);
      expect(await t.rread(va, 6)).toEqual(text("page 0"));
      await insist(() => t.rfree(va, 12n * page));
      await p!.end();
    }));
});

test("stop-all: the fast path says MIGRATING of a region that moves, at the node that it leaves and at the one that it goes to", () =>
  onCluster({ clients: 2 }, async ({ process, nodeOf, controller, nodes, clients, time }) => {
    const [p] = await process(),
      va = await p!.thread().ralloc(12n * page, { region: 1 }),
      from = nodeOf(p!, 1),
      to = nodes.find(n => n !== from)!;
    for (let i = 0n; i < 12n; i++) await p!.thread().rwrite(va + i * page, Uint8Array.of(7));
    const moves = controller.migrate(p!.pid, 1, { mode: "stopAll" }),
      at = { pid: p!.pid, va };
    const [source, destination] = await Promise.all([
      watchRegion(clients[0]!, from.address, at, moves, time),
      watchRegion(clients[1]!, to.address, at, moves, time),
    ]);
    expect(await moves).toBe(0);
    // A write may be the last that is done, and the read behind it the first that is refused.
    expect(source.filter(s => !s.startsWith("OK M"))).toEqual(["OK OK", "MIGRATING MIGRATING", "INVALID INVALID"]);
    expect(destination.filter(s => !["INVALID M", "MIGRATING O"].some(mixed => s.startsWith(mixed)))).toEqual([
      "INVALID INVALID",
      "MIGRATING MIGRATING",
      "OK OK",
    ]);
  }));
