import { writeFileSync } from "node:fs";
import { exitCode, type ExitCode, type Terminal } from "../../../shared/command-line/index.ts";
import { claimOutputs, readNamed } from "../../../shared/rig/index.ts";
import { outOf, type Rack, readRack } from "../../setup/index.ts";
import { threadsFor } from "../apart/index.ts";
import { type RunningRack, type Tap, withRack } from "../fabric/index.ts";
import { clientGroups, playAll, problemsOf, work, type Workload } from "../program/index.ts";
import {
  beginning,
  endpointCapture,
  type Input,
  linkCapture,
  linkFile,
  readInputs,
  type Recorded,
} from "./captures.ts";
import { reportOf, type Summary } from "./report.ts";
import { statistics } from "./statistics.ts";

export interface RackRunOptions {
  readonly setup: string;
  readonly links?: string;
  readonly stats?: string;
  readonly seed: number;
  /** Of this process; each simulates a share of the sNICs and nodes. */
  readonly threads: number;
}

/**
 * `mnemo run rack`: sNICs, memory nodes and endpoints in one simulated time.
 * @returns 0, or 1 when an operation's result cannot be, a frame is lost, or something is left inside
 * @throws what is wrong with the setup and its files, before anything is simulated
 */
export async function runRack(o: RackRunOptions, terminal: Terminal): Promise<ExitCode> {
  const text = readNamed(o.setup).toString(),
    plan = readRack(text, o.setup),
    inputs = readInputs(plan, o.setup),
    outputs = plan.endpoints.flatMap(e => outOf(e.program) ?? []),
    links = o.links === undefined ? [] : plan.links.map((l, i) => linkFile(o.links ?? "", l, i));
  const giveUp = claimOutputs([o.setup, ...inputs.map(i => i.path)], [...outputs, ...links, o.stats]);
  const recorder = new Recorder(plan);
  terminal.progress("building the models ...");
  const apart = threadsFor(plan, { text, path: o.setup, seed: o.seed }, o.threads);
  let report: string, summary: Summary, stats: string;
  try {
    [report, summary, stats] = await withRack(
      plan,
      { seed: o.seed, ...(apart && { apart }), ...(links.length > 0 && { tap: i => recorder.tap(i) }) },
      async rack => {
        recorder.watch(rack);
        const threads = 1 + (apart?.elsewhere.length ?? 0),
          made = await simulate(rack, inputs, { seed: o.seed, threads }, terminal);
        return [reportOf(rack, made), made, statistics(rack, made, o)] as const;
      },
    );
  } catch (e) {
    giveUp();
    throw e;
  }
  recorder.write(beginning(inputs), links);
  if (o.stats !== undefined) writeFileSync(o.stats, stats);
  terminal.print(report);
  return summary.problems.length === 0 ? exitCode.done : exitCode.failed;
}

const processorSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
/** All programs to their ends, and what they and the counters tell. */
async function simulate(
  rack: RunningRack,
  inputs: readonly Input[],
  { seed, threads }: { readonly seed: number; readonly threads: number },
  terminal: Terminal,
): Promise<Summary> {
  const from = { cycle: rack.clockwork.cycle, seconds: performance.now() / 1000, processor: processorSeconds() },
    groups = clientGroups(rack, seed),
    players = inputs.map(i => ({ endpoint: rack.endpoint(i.endpoint), frames: i.frames }));
  const progress = (done: number): void =>
    terminal.progress(`${done} operations, cycle ${rack.clockwork.cycle - from.cycle}`);
  const [workloads] = await Promise.all([
    Promise.all(groups.map((g, i): Promise<Workload> => work(rack, g, { seed: seed + i, progress }))),
    playAll(rack, players),
  ]);
  const finished = await rack.finish();
  return {
    workloads,
    finished,
    problems: [...workloads.flatMap(problemsOf), ...finished.problems],
    cycles: rack.clockwork.cycle - from.cycle,
    seconds: performance.now() / 1000 - from.seconds,
    processorSeconds: processorSeconds() - from.processor,
    threads,
  };
}

/** Keeps the frames that are to be written. */
class Recorder {
  readonly #plan: Rack;
  readonly #arrived = new Map<string, Recorded[]>();
  readonly #onLinks: Recorded[][];
  /** When programs begin: the devices are up. */
  #begin = 0;
  constructor(plan: Rack) {
    this.#plan = plan;
    this.#onLinks = plan.links.map(() => []);
  }
  tap(link: number): Tap {
    return (point, ns, frame) => void this.#onLinks[link]?.push({ ns, bytes: frame, interface: point });
  }
  watch(rack: RunningRack): void {
    this.#begin = rack.clockwork.time.now();
    for (const { name, program } of this.#plan.endpoints) {
      if (outOf(program) === undefined) continue;
      const list: Recorded[] = [];
      this.#arrived.set(name, list);
      rack.endpoint(name).onFrame = bytes => void list.push({ ns: rack.clockwork.time.now(), bytes });
    }
  }
  write(first: bigint, links: readonly string[]): void {
    const from = first - BigInt(Math.round(this.#begin));
    for (const { name, program } of this.#plan.endpoints) {
      const path = outOf(program);
      if (path !== undefined) writeFileSync(path, endpointCapture(this.#arrived.get(name) ?? [], from));
    }
    for (const [i, path] of links.entries()) writeFileSync(path, linkCapture(this.#onLinks[i] ?? [], from));
  }
}
