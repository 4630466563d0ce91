import type { Def } from "../../../hdl-dsl/index.ts";
import { UsageError } from "../../shared/errors/index.ts";
import { clockPeriod, type Parameters, parseParameters } from "../config/index.ts";
import {
  type DeviceParameters,
  type MemoryParameters,
  queueSizes,
  type SpillParameters,
  superNic,
  type Task,
} from "../rtl/index.ts";
import { usesMemory } from "../wire/index.ts";
import { taskNamed } from "./tasks.ts";

/** Time for which a class may be paused until its packets are dropped, and for which frames wait for software. */
const pauseTime = 10_000_000,
  softwareTime = 1_000_000;

/** Sizes of the device from its build parameters. */
export const deviceSizes = (p: Parameters): DeviceParameters => ({
  ports: p.ports,
  users: p.users,
  contexts: p.contexts,
  cells: p.cells,
  regions: p.regions,
  slots: p.slots,
  branches: p.branches,
  credits: p.credits,
  rules: 32,
  macs: 64,
  ...queueSizes(p.mtuFrame),
  linkBytes: p.linkBuffer,
  pauseCycles: pauseTime / clockPeriod,
  softwareCycles: softwareTime / clockPeriod,
  reprogramCycles: Math.ceil(p.reprogramTime / clockPeriod),
});

/** Entries of the page table, spaces, and zeroed pages that wait. */
const tablePages = 8192,
  memorySpaces = 16,
  freePages = 16;
/** Pages of the board's memory that tasks may have: those in front of the rings. */
export const boardPagesOf = (p: Parameters): number => Math.floor((p.memory - p.spillRings * p.spillRing) / p.pageSize);
/** Sizes of the memory for so many tasks; the number of a page of the board's memory has at least 13 bits. */
export const memoryOf = (p: Parameters, ways: number): MemoryParameters => ({
  ways,
  pages: tablePages,
  spaces: memorySpaces,
  pageShift: Math.log2(p.pageSize),
  ppnBits: Math.max(13, Math.ceil(Math.log2(p.memory / p.pageSize))),
  freePages,
  frames: boardPagesOf(p),
});

/** Sizes of the rings for frames of DAGs that wait: the last bytes of the board's memory. */
export const spillOf = (p: Parameters): SpillParameters => ({
  ports: p.ports,
  users: p.users,
  frameBytes: p.mtuFrame,
  rings: p.spillRings,
  ringBytes: p.spillRing,
  memoryBytes: p.memory,
});

/** A device: its parameters, and the chains of its regions by their tasks' names. */
export interface DeviceBuild {
  readonly parameters: Parameters;
  readonly chains: readonly (readonly string[])[];
  /** With rings for frames of DAGs that wait. */
  readonly spill: boolean;
}
/** A chain for each region: each task is in one of them. A device with fewer places has the first ones. */
const defaultChains = [["firewall", "nat"], Array<string>(4).fill("dummy"), ["checksum", "balancer"], ["tunnel"]];
const defaultChainsFor = (p: Parameters): readonly (readonly string[])[] =>
  defaultChains.slice(0, p.regions).map(chain => chain.slice(0, p.slots));

/** The chains of `chains=firewall+nat,dummy`. @throws UsageError for a task that there is not */
function chainsOf(text: string): readonly (readonly string[])[] {
  // A comma within parentheses belongs to a task.
  const chains = text.split(/,(?![^(]*\))/).map(chain => chain.split("+"));
  for (const task of chains.flat())
    try {
      taskNamed(task);
    } catch (error) {
      throw error instanceof RangeError ? new UsageError(`chains: "${task}": ${error.message}`) : error;
    }
  return chains;
}
/** Whether `spill=true`. @throws UsageError for another value, and for two of them */
function hasRings(set: readonly string[]): boolean {
  const [first = "spill=false", second] = set.filter(s => s.startsWith("spill="));
  if (second !== undefined) throw new UsageError("spill is given twice; give it once");
  if (first !== "spill=true" && first !== "spill=false")
    throw new UsageError(`spill = "${first.slice("spill=".length)}": must be true or false`);
  return first === "spill=true";
}
/**
 * Reads `ports=2`, `spill=true`, `chains=firewall+nat,dummy`. @throws UsageError, ConfigError in one sentence for what
 * cannot be
 */
export function parseDevice(set: readonly string[]): DeviceBuild {
  const chains = set.filter(s => s.startsWith("chains=")),
    parameters = parseParameters(set.filter(s => !s.startsWith("chains=") && !s.startsWith("spill=")));
  if (chains.length > 1) throw new UsageError(`chains is given ${chains.length} times; give it once`);
  const list = chains[0] === undefined ? defaultChainsFor(parameters) : chainsOf(chains[0].slice("chains=".length));
  if (list.length > parameters.regions)
    throw new UsageError(
      `chains has ${list.length} chains, and regions = ${parameters.regions}; give one chain a region at most`,
    );
  const long = list.find(c => c.length > parameters.slots);
  if (long)
    throw new UsageError(
      `chains: ${long.join("+")} has ${long.length} tasks, and slots = ${parameters.slots}; give fewer`,
    );
  return { parameters, chains: list, spill: hasRings(set) };
}
export const tasksOf = (chains: DeviceBuild["chains"]): readonly (readonly Task[])[] =>
  chains.map(c => c.map(taskNamed));
/** Sizes of all that is in a build. */
export function sizesOf({ parameters, chains, spill }: DeviceBuild): DeviceParameters {
  const ways = tasksOf(chains)
      .flat()
      .filter(t => usesMemory(t.declared)).length,
    memory = ways === 0 ? {} : { memory: memoryOf(parameters, ways) };
  return { ...deviceSizes(parameters), ...memory, ...(spill && { spill: spillOf(parameters) }) };
}
export const deviceOf = (build: DeviceBuild): Def => superNic(tasksOf(build.chains))(sizesOf(build));
