/** Goodput while a region moves: three ways to treat who writes, two ways to choose the region. */
import { CheckFailed } from "../../shared/command-line/index.ts";
import { ClusterProcess } from "../../clio/client/index.ts";
import { type MigrationMode, migrationResult, type RegionName } from "../../clio/software/index.ts";
import { type LinkOptions, Random } from "../../../sim/index.ts";
import type { Settings } from "../config/index.ts";
import { ClusterBytes } from "./cluster-bytes.ts";
import { type StageStatistics, WriteStage } from "../stage/index.ts";
import { home, insist, pageBytes, type Pair, quietNs, withPair } from "./pair.ts";
import { type Kind, type Memory, recordBytes, Users } from "./users.ts";

export const ways = ["pause all", "held", "staged"] as const;
export type Way = (typeof ways)[number];
export const victims = ["least active", "random"] as const;
export type Victim = (typeof victims)[number];

const modes: Readonly<Record<Way, MigrationMode>> = {
  "pause all": "stopAll",
  held: "readAtSource",
  staged: "readAtSource",
};

export interface MovesOptions {
  readonly seed: number;
  readonly settings: Settings;
  /** Regions that are chosen at random, one after another. */
  readonly picks: number;
  readonly link?: LinkOptions;
}
/** One region's move. */
export interface Move {
  readonly victim: Victim;
  /** 0: the hottest region. */
  readonly rank: number;
  readonly ns: number;
  /** Operations for each us, before and while it moved. */
  readonly before: Readonly<Record<Kind, number>>;
  readonly during: Readonly<Record<Kind, number>>;
  /** Writes that the stage took in for it. */
  readonly staged: number;
}
export interface Moved {
  readonly way: Way;
  readonly moves: readonly Move[];
  /** Cycles that the node's table took for the choice. */
  readonly scanCycles: number;
  readonly stage: StageStatistics | undefined;
  readonly failed: number;
}

/** ns before the first move in which activity shows, and in which goodput is measured before each. */
const warmNs = 60_000,
  calmNs = 30_000;

/** The regions of a process at one node, their pages touched: the hottest first. */
async function regionsOf({ client, controller }: Pair, { regions, pages }: Settings) {
  const { pid } = await insist(() => client.createProcess(home)),
    process = new ClusterProcess(client, pid, home),
    thread = process.thread(),
    names: RegionName[] = [];
  let source: number | undefined;
  for (let region = 1; names.length < regions; region++) {
    const va = await insist(() => thread.ralloc(pages * pageBytes, { region })),
      at = controller.monitor.map.find(pid, region)?.node.ip;
    source ??= at;
    if (at !== source) continue;
    for (let p = 0; p < pages; p++) await insist(() => thread.rwrite(va + BigInt(p * pageBytes), new Uint8Array(1)));
    names.push({ pid, region });
  }
  return { pid, process, names, source: source as number };
}

function memoryOf(
  way: Way,
  p: Pair,
  process: ClusterProcess,
  s: Settings,
): { memory: Memory; stage: WriteStage | undefined } {
  if (way !== "staged")
    return {
      stage: undefined,
      memory: {
        read: (va, bytes) => process.thread().rread(va, bytes),
        write: (va, data) => process.thread().rwrite(va, data),
      },
    };
  const stage = new WriteStage({
    far: new ClusterBytes({ client: p.client, pid: process.pid, home, clock: p.time, quietNs }),
    bytes: s.stageBytes,
    writes: s.stageWrites,
    window: s.window,
    regionShift: 30n,
    pageBytes,
    partBytes: 1024,
  });
  return { stage, memory: stage };
}

/** Each once, in an order that is drawn. */
function shuffled<T>(all: readonly T[], random: Random): T[] {
  const left = [...all];
  return all.map(() => left.splice(random.below(left.length), 1)[0] as T);
}
const addressOf = ({ region }: RegionName): bigint => BigInt(region) << 30n;

/**
 * Regions move away and back under the traffic of all threads.
 * @throws CheckFailed when a thread finds a wrong record
 */
export function measureMoves(way: Way, o: MovesOptions): Promise<Moved> {
  const { seed, settings } = o;
  return withPair(`valet, ${way}`, { seed, ...(o.link && { link: o.link }) }, async p => {
    const { process, names, source, pid } = await regionsOf(p, settings),
      { memory, stage } = memoryOf(way, p, process, settings),
      random = new Random(seed * 10),
      // The same for each way.
      picked = shuffled(names, new Random(seed * 77)),
      node = p.nodes.find(n => n.runtime.ip === source) as Pair["nodes"][number],
      activity = node.slowPath.cluster?.epochs;
    if (activity === undefined) throw new CheckFailed("the node is in no cluster");
    await activity.scan(names);
    const { threads, writes, pages } = settings,
      users = new Users({
        time: p.time,
        random,
        memory,
        regions: names.map(addressOf),
        pageBytes,
        pages,
        threads,
        writes,
      });
    const rates = (from: number): Readonly<Record<Kind, number>> => {
      const to = p.time.now(),
        of = (kind: Kind): number => (1000 * users.between(kind, from, to)) / (to - from);
      return { read: of("read"), write: of("write") };
    };
    const move = async ({ region }: RegionName, mode: MigrationMode): Promise<void> => {
      const result = await p.controller.migrate(pid, region, { mode });
      if (result !== migrationResult.done) throw new CheckFailed(`region ${region} has not moved: ${result}`);
    };
    const moves: Move[] = [];
    await p.after(warmNs);
    for (let n = 0; n <= o.picks; n++) {
      const calm = p.time.now();
      await p.after(calmNs);
      const before = rates(calm),
        victim: Victim = n === 0 ? "least active" : "random",
        chosen = n === 0 ? await activity.leastRecentlyWritten(names) : picked[(n - 1) % picked.length];
      if (chosen === undefined) throw new CheckFailed("no region was found to move");
      const from = p.time.now(),
        staged = stage?.statistics.staged ?? 0;
      await move(chosen, modes[way]);
      moves.push({
        victim,
        rank: names.indexOf(chosen),
        ns: p.time.now() - from,
        before,
        during: rates(from),
        staged: (stage?.statistics.staged ?? 0) - staged,
      });
      await move(chosen, "pageByPage");
    }
    await users.end();
    await stage?.fence();
    if (stage !== undefined && stage.inside.writes + stage.inside.regions > 0)
      throw new CheckFailed(`the stage keeps ${JSON.stringify(stage.inside)}`);
    if (p.client.pending > 0) throw new CheckFailed(`${p.client.pending} requests are left over`);
    return {
      way,
      moves,
      scanCycles: node.transport.activity?.lastScan ?? 0,
      stage: stage?.statistics,
      failed: users.failed,
    };
  });
}
/** Bytes of an operation. */
export { recordBytes };
