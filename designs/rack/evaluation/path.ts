/** Time of a read by the number of sNICs on its way, and what a sNIC more costs the simulator. */
import { table } from "../../shared/command-line/index.ts";
import { clientGroups, clockPeriod, type RunningRack, withRack } from "../rig/index.ts";
import { chainOf, type Way } from "./chain.ts";

const reads = 20,
  bytes = 64;
export interface PathFigure {
  readonly snics: number;
  readonly way: Way;
  /** Of a read, ns: the median. */
  readonly ns: number;
}
export interface SpeedFigure {
  readonly snics: number;
  readonly cycles: number;
  /** Of a processor's second. */
  readonly cyclesPerSecond: number;
}

/** Reads one after another. @returns the median time, ns */
async function readTime(rack: RunningRack, seed: number): Promise<number> {
  const [client] = clientGroups(rack, seed)[0]?.[0]?.clients ?? [],
    [node] = rack.nodes;
  if (client === undefined || node === undefined) throw new RangeError("the rack has no client or no node");
  const { ip, nativePort: port } = node.settings.runtime,
    thread = (await client.createProcess({ ip, port })).thread(),
    va = await thread.ralloc(client.options.pageSize),
    times: number[] = [];
  await thread.rwrite(va, new Uint8Array(bytes));
  for (let i = 0; i < reads; i++) {
    const from = rack.clockwork.time.now();
    await thread.rread(va, bytes);
    times.push(rack.clockwork.time.now() - from);
  }
  return times.sort((a, b) => a - b)[reads >> 1] ?? 0;
}
/** Numbers of sNICs on the way. */
const counts = [0, 1, 2, 4];
export async function measurePaths(seed: number, of: readonly number[] = counts): Promise<readonly PathFigure[]> {
  const all: PathFigure[] = [];
  for (const snics of of)
    for (const way of snics === 0 ? (["switched"] as const) : (["switched", "processed"] as const))
      all.push({ snics, way, ns: await withRack(chainOf(snics, way), { seed }, rack => readTime(rack, seed)) });
  return all;
}
export function pathReport(figures: readonly PathFigure[]): string {
  const none = figures.find(f => f.snics === 0)?.ns ?? 0;
  return `Round trip of a read of ${bytes} bytes, links of 100 ns, median of ${reads}. Processed: a firewall and a delay of 6 cycles on the way there.
${table(
  ["sNICs on the way", "way", "ns", "each way, a sNIC and its link: cycles"],
  figures.map(f => [
    String(f.snics),
    f.way,
    String(f.ns),
    f.snics === 0 ? "" : ((f.ns - none) / f.snics / 2 / clockPeriod).toFixed(1),
  ]),
  "rlrr",
)}`;
}

const speedCycles = 10_000,
  /** Numbers of sNICs in the rack. */
  sizes = [0, 1, 2, 3, 4, 6, 8];
export async function measureSpeed(seed: number, of: readonly number[] = sizes): Promise<readonly SpeedFigure[]> {
  const all: SpeedFigure[] = [];
  for (const snics of of)
    all.push(
      await withRack(chainOf(snics), { seed }, async rack => {
        await readTime(rack, seed);
        const { cycle } = rack.clockwork,
          from = process.cpuUsage();
        await rack.clockwork.pause(speedCycles * clockPeriod);
        const { user, system } = process.cpuUsage(from),
          cycles = rack.clockwork.cycle - cycle;
        return { snics, cycles, cyclesPerSecond: Math.round((cycles * 1e6) / (user + system)) };
      }),
    );
  return all;
}
export const speedReport = (figures: readonly SpeedFigure[]): string =>
  `Simulation of a rack at rest, one memory node, ${speedCycles} cycles, by seconds of the processor.
${table(
  ["sNICs", "cycles a second", "us a cycle"],
  figures.map(f => [String(f.snics), String(f.cyclesPerSecond), (1e6 / f.cyclesPerSecond).toFixed(1)]),
  "rrr",
)}`;
