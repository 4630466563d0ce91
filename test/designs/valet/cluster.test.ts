/** A stage before a cluster: regions move under the traffic of its threads, also when the move fails in the middle. */
import { describe, expect, it, test } from "vitest";
import { ClusterBytes } from "../../../designs/valet/rig/index.ts";
import { WriteStage } from "../../../designs/valet/stage/index.ts";
import { type MigrationMode, migrationResult } from "../../../designs/clio/software/index.ts";
import { findsFault } from "../../support/plant.ts";
import { lossy, migrating, veryLate } from "../clio/cluster/migrating.ts";
import { type ClusterOptions, type ClusterRig, insist, onCluster, page, pageBytes } from "../clio/cluster/rig.ts";
import { traffic, type TrafficProcess, type TrafficResult } from "../clio/cluster/traffic.ts";

const pages = 8;
interface Outcome {
  readonly result: TrafficResult;
  readonly moved: readonly number[];
  readonly stage: WriteStage;
}
interface Staged extends ClusterOptions {
  readonly mode?: MigrationMode;
  readonly times?: number;
  readonly stageWrites?: number;
  /** What happens beside the moves. */
  readonly happens?: (rig: ClusterRig, pid: number) => Promise<unknown>;
  /** Results of moves that are no fault. */
  readonly ends?: readonly number[];
  /** The destination dies: what it has stays there. */
  readonly dies?: true;
}
const after = ({ time }: ClusterRig, ns: number): Promise<void> =>
  new Promise(resolve => {
    time.after(ns, resolve);
  });

/**
 * Four threads behind one stage, while a region goes to and fro.
 * @throws when a result is wrong, or something is kept
 */
function staged({
  mode = "readAtSource",
  times = 2,
  stageWrites = 64,
  happens,
  ends = [0],
  dies,
  ...o
}: Staged = {}): Promise<Outcome> {
  const seed = o.seed ?? 1;
  return onCluster({ clients: 1, limitNs: 1e9, ...o, seed }, async rig => {
    const [process] = await rig.process(),
      { pid } = process!,
      t = process!.thread(),
      va = await insist(() => t.ralloc(BigInt(pages) * page, { region: 1 })),
      far = new ClusterBytes({ client: rig.clients[0]!, pid, home: rig.at, clock: rig.time, quietNs: 80_000 });
    const stage = new WriteStage({
      far,
      bytes: 65_536,
      writes: stageWrites,
      window: 4,
      regionShift: 30n,
      pageBytes,
      partBytes: 1024,
    });
    const user: TrafficProcess = {
      thread: () => ({
        rread: (at, bytes) => stage.read(at, bytes),
        rwrite: (at, data) => stage.write(at, data),
        fetchAndAdd: (at, addend) => stage.fetchAndAdd(at, addend),
      }),
    };
    for (let i = 0n; i < BigInt(pages); i++) await insist(() => t.rwrite(va + i * page, Uint8Array.of(0)));
    const migrations = { moving: false, begun: 0 };
    const moves = async (): Promise<number[]> => {
      const moved: number[] = [];
      for (let i = 0; i < times; i++) {
        await after(rig, 60_000);
        migrations.moving = true;
        migrations.begun++;
        moved.push(await rig.controller.migrate(pid, 1, { mode }));
        migrations.moving = false;
      }
      return moved;
    };
    const all = Promise.all([moves(), happens?.(rig, pid)]);
    const result = await traffic(
      { time: rig.time, seed, processes: [user, user, user, user], va, pages },
      all,
      migrations,
    );
    const [moved] = await all;
    await stage.fence();
    if (result.problems.length > 0) throw new Error(result.problems[0]);
    expect(stage.inside).toEqual({ bytes: 0, writes: 0, waiting: 0, regions: 0 });
    expect(rig.clients[0]!.pending).toBe(0);
    for (const ret of moved) expect(ends).toContain(ret);
    // The region is whole at one node, and nothing of it at the other.
    const here = rig.nodeOf(process!, 1),
      other = rig.nodes.find(n => n !== here)!;
    expect(here.slow.memory.entries).toBe(pages);
    if (dies !== true)
      expect([other.slow.memory.entries, other.slow.pool.free + other.hardware.freePages.length]).toEqual([
        0,
        other.frames - 1,
      ]);
    return { result, moved, stage };
  });
}

describe("linearizable, and no write is lost", () => {
  it.each(["readAtSource", "pageByPage", "stopAll"] as const)("%s", async mode => {
    const { result, stage } = await staged({ mode });
    expect(result.failed).toBe(0);
    expect(stage.statistics.staged).toBeGreaterThan(10);
    expect(Math.min(result.readsDuring, result.writesDuring)).toBeGreaterThan(10);
  });
  it("with 10 % loss, duplication, reordering and corruption", async () => {
    const { result, stage } = await staged({ seed: 2, link: lossy });
    expect(stage.statistics.staged).toBeGreaterThan(10);
    expect(result.judgedBytes).toBeGreaterThan(20_000);
  });
  it("with faults later than the time until frames are sent again", async () => {
    await staged({ seed: 3, times: 1, link: veryLate });
  });
  it("with clients that hold their writes instead, and 10 % of each fault", async () => {
    const r = await migrating("readAtSource", { seed: 2, times: 1, link: lossy, betweenNs: 200_000 });
    expect(r.readsDuring).toBeGreaterThan(r.writesDuring);
  });
  it("with nodes whose shootdowns are slow", async () => {
    const { result } = await staged({
      times: 1,
      plant: (_, hardware) => {
        hardware.shootdownNs = 10_000;
      },
    });
    expect(result.failed).toBe(0);
  });
  it("with room for two writes: the others are held, and all goes on", async () => {
    const { stage } = await staged({ stageWrites: 2 });
    expect(stage.statistics.held).toBeGreaterThan(3);
  });
});

test("reads do not wait for the copy, and staged writes for nothing", async () => {
  const valet = await staged({ times: 1 }),
    paused = await staged({ times: 1, mode: "stopAll" });
  expect(valet.result.longestReadNs).toBeLessThan(paused.result.longestReadNs / 2);
});

describe("a move that fails in the middle gives everything back", () => {
  it("the destination is full", () =>
    staged({ pages: [200, 6], times: 1, ends: [migrationResult.noRoom] }).then(({ stage }) =>
      expect(stage.statistics.staged).toBeGreaterThan(0),
    ));
  it.each([{}, { link: lossy, seed: 5 }])("cancelled, %o", o =>
    staged({
      ...o,
      times: 1,
      ends: [migrationResult.cancelled, migrationResult.done],
      happens: (rig, pid) => after(rig, 90_000).then(() => rig.controller.cancel(pid, 1)),
    }).then(() => undefined),
  );
  it("the destination is dead", () =>
    staged({
      times: 1,
      dies: true,
      cluster: { silentNs: 1_000_000 },
      ends: [migrationResult.noRoom],
      happens: async (rig, pid) => {
        await after(rig, 80_000);
        const to = rig.controller.monitor.map.find(pid, 1)?.to;
        rig.nodes.find(n => n.address.ip === to?.ip)?.fail();
      },
    }).then(() => undefined));
});

describe("planted faults of the node", () => {
  it("a region's pages may be written while they are copied", () =>
    findsFault(
      staged({
        times: 3,
        plant: ({ memory }) => {
          const withdraw = memory.withdraw.bind(memory);
          memory.withdraw = (pid, vpn, readable) =>
            readable ? memory.frameOf(pid, vpn) : withdraw(pid, vpn, readable);
        },
      }),
      /it can be|words/,
    ));
  it("pages are read at the source after they are in use at the destination", () =>
    findsFault(
      staged({
        times: 3,
        plant: ({ memory }) => {
          const withdraw = memory.withdraw.bind(memory);
          memory.withdraw = (pid, vpn) => withdraw(pid, vpn, true);
        },
      }),
    ));
});
