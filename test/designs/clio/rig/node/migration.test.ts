/** Two cycle-accurate nodes in one time: a region migrates between them while clients write to it (paper §4.4.7). */
import { expect, test } from "vitest";
import { Client, ClusterProcess } from "../../../../../designs/clio/client/index.ts";
import { clockPeriod, makeSettings } from "../../../../../designs/clio/config/index.ts";
import { clioNode } from "../../../../../designs/clio/build/index.ts";
import {
  type MigrationMode,
  type MigrationReport,
  migrationResult,
} from "../../../../../designs/clio/software/index.ts";
import { clientEndpoint } from "../../../../../designs/clio/workload/index.ts";
import { ClientStation, joinController, joinNetwork, SimulatedNode } from "../../../../../designs/clio/rig/index.ts";
import { type LinkOptions, Lockstep, NetworkModel, Random, runBench, SimulatedTime } from "../../../../../sim/index.ts";
import { insist } from "../../cluster/rig.ts";
import { traffic, type TrafficResult } from "../../cluster/traffic.ts";
import { watchRegion } from "../../cluster/watch-region.ts";
import { onlyHangsEnd } from "../../../../support/hang-limit.ts";

onlyHangsEnd();

const page = 4096n;
const controllerAt = { mac: 0x02c1100000ffn, ip: 0x0a0a00ff, port: 10_000 };
/** A build that another test of the node has, too. */
const settingsOf = (i: number) =>
  makeSettings({
    dataWidth: 256,
    pageSize: "4KB",
    physicalMemory: "64MB",
    tlbEntries: 16,
    outstandingMisses: 4,
    requestSlots: 16,
    freePageBuffer: 8,
    ip: `10.10.0.${i + 1}`,
    mac: `02:c1:10:00:00:0${i + 1}`,
  });

interface Pair {
  readonly result: TrafficResult;
  readonly reports: readonly MigrationReport[];
  readonly shootdowns: readonly bigint[];
  /**
   * Answers of the hardware for a page of the region during the first migration: at the node that it left, and
   * at the other.
   */
  readonly said: readonly (readonly string[])[];
}

/** The region goes to the other node, and back, as often as `moves` says, under traffic. */
async function pair(
  mode: MigrationMode,
  o: {
    readonly seed: number;
    readonly link: LinkOptions;
    readonly pages: number;
    readonly moves: number;
    readonly watched?: boolean;
  },
): Promise<Pair> {
  const { seed, link, pages } = o;
  const lockstep = new Lockstep(2),
    nodes: SimulatedNode[] = [],
    reports: MigrationReport[] = [];
  let network: NetworkModel | undefined,
    begin: () => void = () => undefined,
    end: () => void = () => undefined;
  const begun = new Promise<void>(resolve => {
      begin = resolve;
    }),
    ended = new Promise<void>(resolve => {
      end = resolve;
    });
  const one = (i: number): Promise<unknown> =>
    runBench(
      `migration-${i}`,
      clioNode(settingsOf(i).config),
      { seed, hangCycles: 0, limitCycles: 100_000_000, wave: false },
      async bench => {
        await lockstep.join(bench);
        // The first one's clock is the network's.
        network ??= new NetworkModel(new SimulatedTime(() => bench.cycle * clockPeriod), {
          seed,
          link: { latencyNs: 200 },
        });
        const node = await SimulatedNode.start(bench, settingsOf(i), {
          slowPath: {
            cluster: {
              clock: network.time,
              controller: { ...controllerAt, port: 1200 },
              pressureFrames: 0,
              watchNs: 1e9,
              timeoutNs: 20_000,
              report: r => {
                reports.push(r);
              },
            },
          },
        });
        joinNetwork(node, network, { name: `node${i}`, out: link, in: link });
        nodes.push(node);
        if (nodes.length === 2) begin();
        try {
          await ended;
        } finally {
          node.transport.close();
          lockstep.leave(bench);
        }
      },
    );
  const body = async (): Promise<Pair> => {
    await begun;
    const net = network!,
      { time } = net,
      controller = joinController(net, controllerAt, { timeoutNs: 20_000, pollNs: 10_000 });
    const macs = new Map([
        [controllerAt.ip, controllerAt.mac],
        ...nodes.map((n): [number, bigint] => [n.runtime.ip, n.runtime.mac]),
      ]),
      at = { ip: controllerAt.ip, port: 1200 };
    const clients = [0, 1, 2].map(i => {
      const r = new Random(seed * 1000 + i);
      return new Client({
        transport: new ClientStation(net, `client${i}`, clientEndpoint(i), macs),
        clock: time,
        timeoutNs: 4000,
        pageSize: Number(page),
        random: () => r.fraction(),
      });
    });
    const after = (ns: number): Promise<void> =>
      new Promise(resolve => {
        time.after(ns, resolve);
      });
    while (controller.monitor.map.nodes.length < 2) await after(10_000);
    const { pid } = await insist(() => clients[0]!.createProcess(at)),
      processes = clients.map(c => new ClusterProcess(c, pid, at));
    const t = processes[0]!.thread(),
      va = await insist(() => t.ralloc(BigInt(pages + 1) * page, { region: 1 })),
      migrations = { moving: false, begun: 0 };
    for (let i = 0n; i <= BigInt(pages); i++) await insist(() => t.rwrite(va + i * page, Uint8Array.of(0)));
    let said: Pair["said"] = [];
    const moves = async (): Promise<void> => {
      for (let i = 0; i < o.moves; i++) {
        await after(20_000);
        migrations.moving = true;
        migrations.begun++;
        const from = controller.monitor.map.find(pid, 1)!.node.ip,
          moving = controller.migrate(pid, 1, { mode });
        // Beside the traffic, a client that polls both nodes all the time for a page that the traffic does not touch.
        const watching =
          o.watched === true && i === 0
            ? [from, nodes.find(n => n.runtime.ip !== from)!.runtime.ip].map(ip =>
                watchRegion(clients[2]!, { ip, port: 1200 }, { pid, va: va + BigInt(pages) * page }, moving, time),
              )
            : [];
        const result = await moving;
        if (watching.length > 0) said = await Promise.all(watching);
        migrations.moving = false;
        if (result !== migrationResult.done) throw new Error(`the migration ended with ${result}`);
      }
    };
    const all = moves(),
      [result] = await Promise.all([traffic({ time, seed, processes, va, pages }, all, migrations), all]);
    const shootdowns = await Promise.all(nodes.map(async n => (await n.counters()).shootdowns));
    return { result, reports, shootdowns, said };
  };
  const benches = Promise.all([one(0), one(1)]);
  const outcome = body().finally(end);
  const [done] = await Promise.all([outcome, benches]);
  return done;
}

const us = (ns: number): string => (ns / 1000).toFixed(1);
test("a region goes to the other node and back, both ways: every read is legal, the hardware says MIGRATING, and what clients wait is measured", async () => {
  const all = new Map<MigrationMode, Pair>();
  for (const mode of ["stopAll", "pageByPage"] as const) {
    const p = await pair(mode, { seed: 1, link: {}, pages: 8, moves: 2, watched: true }),
      {
        result,
        reports,
        shootdowns,
        said: [source, destination],
      } = p;
    all.set(mode, p);
    expect(result.problems).toEqual([]);
    expect(result.failed).toBe(0);
    expect(reports.map(r => r.result)).toEqual([0, 0]);
    for (const n of shootdowns) expect(Number(n)).toBeGreaterThan(8);
    // The watched page may change between the write and the read behind it.
    expect(source?.filter(s => /^(\w+) \1$/.test(s))).toEqual(["OK OK", "MIGRATING MIGRATING", "INVALID INVALID"]);
    expect(destination?.filter(s => /^(\w+) \1$/.test(s))).toEqual(["INVALID INVALID", "MIGRATING MIGRATING", "OK OK"]);
    const [there, back] = reports.map(r => r.totalNs);
    console.log(
      `${mode}, two cycle-accurate nodes, 9 pages of 4 KB: ${us(there ?? 0)} us there, ${us(back ?? 0)} us back; longest read ${us(result.longestReadNs)} us, longest write ${us(
        result.longestWriteNs,
      )} us; ${result.readsDuring} reads and ${result.writesDuring} writes during migrations`,
    );
  }
  const [stopped, served] = [all.get("stopAll")!.result, all.get("pageByPage")!.result];
  expect(served.longestReadNs).toBeLessThan(stopped.longestReadNs / 2);
  expect(served.longestWriteNs).toBeLessThan(stopped.longestWriteNs / 2);
});

test("page by page with 10 % loss, duplication, reordering and corruption", async () => {
  const { result, reports } = await pair("pageByPage", {
    seed: 2,
    link: { loss: 0.1, duplicate: 0.1, reorder: 0.1, corrupt: 0.1, reorderNs: 1500 },
    pages: 4,
    moves: 1,
  });
  expect(result.problems).toEqual([]);
  expect(reports.map(r => r.result)).toEqual([0]);
  expect(Math.min(result.readsDuring, result.writesDuring)).toBeGreaterThan(10);
});
