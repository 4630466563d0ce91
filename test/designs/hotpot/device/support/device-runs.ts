/** Runs of commits through a whole SuperNIC: a bad network, nodes that stop, memory that refuses, opposite orders. */
import { taskPid } from "../../../../../designs/hotpot/rig/index.ts";
import { opcode } from "../../../../../designs/clio/wire/index.ts";
import { areas, bytesOf, fail, ownerOf, replicaOf, Run, same, vaOf } from "../../task/support/task-runs.ts";
import { contexts, DeviceHost, type DeviceHostOptions, nodeCount } from "./device-host.ts";

/** One frame in twenty to one in ten of each fault, on every line. */
export const faults = { loss: 0.06, duplicate: 0.08, reorder: 0.1, corrupt: 0.05 } as const;
const slowMemory = { latency: 30, jitter: 40, pause: 0.1 } as const,
  usual = { clientTimeout: 6000 } as const;

async function runOf(o: DeviceHostOptions, body: (run: Run<DeviceHost>, host: DeviceHost) => Promise<void>) {
  return DeviceHost.run({ ...usual, ...o }, async host => {
    const run = new Run(host, host);
    await body(run, host);
    for (const k of run.known) same(`commit ${k.id}`, k.verdict, "done");
    await run.rest(contexts);
    const problems = await host.problems();
    if (problems.length > 0) fail(problems.join("\n"));
    return host;
  });
}
/** What the lines did to frames, in both directions of each. */
export const faultsOf = (host: DeviceHost) =>
  host.lines
    .flatMap(l => l.ways.map(w => w.statistics))
    .reduce(
      (n, s) => ({
        lost: n.lost + s.lost,
        duplicated: n.duplicated + s.duplicated,
        reordered: n.reordered + s.reordered,
        corrupted: n.corrupted + s.corrupted,
      }),
      { lost: 0, duplicated: 0, reordered: 0, corrupted: 0 },
    );

/** Commits of several clients on a bad network, with memory that is slow. */
export const crowdRun = (commits: number, o: DeviceHostOptions) =>
  runOf({ faults, node: () => slowMemory, ...o }, run => run.crowd(commits, 8, 5));
/** All commits want the same areas, in any order: each ends, some after another try. */
export const oppositeRun = (commits: number, o: DeviceHostOptions) =>
  runOf(o, async (run, host) => {
    await run.crowd(commits, 4, 4, [0, 1, 2, 4]);
    const asked = host.nodes.reduce((n, { came }) => n + (came["prepare"] ?? 0), 0);
    if (asked <= 4 * commits) fail("nobody had to try again");
  });
/** Memory of each node refuses one access in so many, for as long as clients commit. What is decided is done. */
export const refusingRun = (commits: number, o: DeviceHostOptions) =>
  runOf(o, async (run, host) => {
    let refused = 0;
    for (const { memory } of host.nodes)
      memory.refuses = (_, a) => {
        // What is written home is decided; a refused log makes a commit fail, which is another run's.
        const now = a.pid === taskPid && a.opcode === opcode.WRITE && host.random.chance(0.2);
        if (now) refused++;
        return now;
      };
    await run.crowd(commits, 4, 4);
    for (const { memory } of host.nodes) memory.refuses = () => false;
    if (refused < commits / 2) fail(`memory refused only ${refused} times`);
  });

const sourcesOf = (n: number): [bigint, number, number][] =>
  Array.from({ length: areas }, (_, i) => i)
    .filter(i => ownerOf(i) === n || replicaOf(i) === n)
    .map(i => [vaOf(i), bytesOf(i), ownerOf(i) === n ? replicaOf(i) : ownerOf(i)]);
/** Nodes stop in the midst of commits, one at a time, and start again with their memory or without. */
export const crashesRun = (commits: number, memory: "kept" | "zeroed", o: DeviceHostOptions) => {
  const seen = { crashes: 0, torn: 0 };
  return runOf({ node: () => slowMemory, ...o }, async (run, host) => {
    let ends = false;
    const crash = async (): Promise<void> => {
      while (!ends) {
        await host.cycles(host.random.between(500, 5000));
        const n = host.random.between(0, nodeCount - 1),
          down = host.random.between(1, 2500);
        if (memory === "kept") await host.restart(n, down);
        else await host.replace(n, down, sourcesOf(n));
        seen.crashes++;
      }
    };
    const crashing = crash();
    crashing.catch(() => undefined);
    await run.crowd(commits, 4, 4);
    ends = true;
    await crashing;
    seen.torn = host.nodes.reduce((t, n) => t + n.torn, 0);
    if (seen.crashes < 3) fail(`only ${seen.crashes} crashes`);
  }).then(host => ({ host, ...seen }));
};
