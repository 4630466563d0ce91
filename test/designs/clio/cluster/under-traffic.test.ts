/** Clients read, write and add while regions migrate under them: no write is lost, every read is legal. */
import { describe, expect, test } from "vitest";
import { migrationResult, type MigrationMode, type SlowPath } from "../../../../designs/clio/software/index.ts";
import type { LinkOptions } from "../../../../sim/index.ts";
import { findsFault } from "../../../support/plant.ts";
import { insist, onCluster, page, type ClusterOptions } from "./rig.ts";
import type { TableHardware } from "./table-node.ts";
import { traffic, type TrafficResult } from "./traffic.ts";

const lossy: LinkOptions = { loss: 0.1, duplicate: 0.1, reorder: 0.1, corrupt: 0.1, reorderNs: 3000 };

/** A region goes to the other node and back, `times` times in all, under the traffic of all clients. @throws when a result is wrong */
async function migrating(mode: MigrationMode, o: ClusterOptions & { readonly times?: number; readonly betweenNs?: number } = {}): Promise<TrafficResult> {
  const seed = o.seed ?? 1, pages = 12;
  return onCluster({ clients: 4, limitNs: 1e11, ...o, seed }, async ({ process, controller, time, clients }) => {
    const processes = await process(), t = processes[0]!.thread(), va = await insist(() => t.ralloc(BigInt(pages) * page, { region: 1 }));
    const migrations = { moving: false, begun: 0 };
    const moves = async (): Promise<void> => {
      for (let i = 0; i < (o.times ?? 4); i++) {
        await new Promise<void>(resolve => { time.after(o.betweenNs ?? 60_000, resolve); });
        migrations.moving = true;
        migrations.begun++;
        const result = await controller.migrate(processes[0]!.pid, 1, { mode });
        migrations.moving = false;
        if (result !== migrationResult.done) throw new Error(`the migration ended with ${result}`);
      }
    };
    const all = moves(), [result] = await Promise.all([traffic({ time, seed, processes, va, pages }, all, migrations), all]);
    if (result.problems.length > 0) throw new Error(result.problems.slice(0, 3).join("\n"));
    expect(clients.map(c => c.pending)).toEqual(clients.map(() => 0));
    return result;
  });
}

describe.each(["stopAll", "pageByPage"] as const)("%s", mode => {
  test("no faults on the network: no operation fails", async () => {
    const r = await migrating(mode);
    expect(r.failed).toBe(0);
    expect(Math.min(r.readsDuring, r.writesDuring)).toBeGreaterThan(30);
    expect(r.judgedBytes).toBeGreaterThan(50_000);
  });
  test("10 % loss, duplication, reordering and corruption", async () => {
    const r = await migrating(mode, { seed: 2, link: lossy, betweenNs: 400_000 });
    expect(Math.min(r.readsDuring, r.writesDuring)).toBeGreaterThan(30);
    expect(r.judgedBytes).toBeGreaterThan(100_000);
    expect(r.failed).toBeLessThan(0.2 * (r.reads + r.writes + r.atomics));
  });
});

test("page by page, operations are not held up by the whole region's copy", async () => {
  const stopped = await migrating("stopAll"), served = await migrating("pageByPage");
  expect(served.longestReadNs).toBeLessThan(stopped.longestReadNs / 2);
  expect(served.longestWriteNs).toBeLessThan(stopped.longestWriteNs / 2);
});

describe("planted faults: each is seen by what clients read", () => {
  const slowShootdown = (_: SlowPath, hardware: TableHardware): void => { hardware.shootdownNs = 4000; };
  test.each(["stopAll", "pageByPage"] as const)("%s: slow shootdowns alone are none", async mode => { expect((await migrating(mode, { plant: slowShootdown })).problems).toEqual([]); });
  test.each(["stopAll", "pageByPage"] as const)("%s: a page is copied before its shootdown is acknowledged", mode => findsFault(migrating(mode, { plant: (_, hardware) => {
    hardware.shootdownNs = 20_000;
    const acknowledged = hardware.shootdown.bind(hardware);
    hardware.shootdown = (pid, vpn) => { void acknowledged(pid, vpn); return Promise.resolve(); };
  } }), /it can be|not linear|found|words/));
  test("a page stays writable while it is copied: what is written before the switch is lost", () => findsFault(migrating("pageByPage", { plant: ({ memory }) => {
    const withdraw = memory.withdraw.bind(memory);
    memory.withdraw = (pid, vpn, keepRead) => (keepRead ? memory.frameOf(pid, vpn) : withdraw(pid, vpn, keepRead));
  } }), /it can be|words/));
  test("a page is in use at both nodes: it is never withdrawn at the first", () => findsFault(migrating("pageByPage", { plant: ({ memory }) => {
    const withdraw = memory.withdraw.bind(memory);
    memory.withdraw = (pid, vpn, keepRead) => (keepRead ? withdraw(pid, vpn, keepRead) : memory.frameOf(pid, vpn));
  } }), /it can be|words/));
  test("a region is given to two nodes", () => findsFault(onCluster({ clients: 2, limitNs: 1e11 }, async ({ process, controller, time }) => {
    const processes = await process(), { map } = controller.monitor, va = 1n << 30n;
    let turn = 0;
    map.give = (_, region = 1) => ({ region, node: map.nodes[turn++ % 2]!, state: "placed", to: undefined, version: 1 });
    for (const p of processes) await p.thread().ralloc(6n * page, { address: va });
    const result = await traffic({ time, seed: 1, processes, va, pages: 6 }, new Promise<void>(resolve => { time.after(100_000, resolve); }));
    if (result.problems.length > 0) throw new Error(result.problems[0]);
  }), /it can be|words/));
});
