import type { Settings } from "../../config/index.ts";
import { clioNode } from "../../build/index.ts";
import { Scoreboard } from "../../model/index.ts";
import { Mixture } from "../../workload/index.ts";
import {
  type Backend,
  type Bench,
  builtinBackend,
  compareSpeed,
  runBench,
  SimulationError,
  type Speeds,
  verilatorBackend,
} from "../../../../sim/index.ts";
import { type NodePorts, SimulatedNode } from "../../rig/index.ts";

/** Requests on their way at most: enough to keep the node busy all the time. */
const window = 128;
/** The first two warm up the compiler of JavaScript; the median leaves them out. */
const judgingRepeats = 9;

export interface NodeSpeeds extends Speeds {
  /** The scoreboard's price under Verilator, and on the built-in simulator. */
  readonly judging: readonly Judging[];
}
/** The bench without a scoreboard, and with one that judges every reply: cycles per second of the processor. */
export interface Judging {
  readonly simulator: string;
  readonly bench: number;
  readonly judged: number;
}

/**
 * Speed of simulating the node under random requests, in three ways: the bench with MAC, memory, slow path and protocol
 * checkers; the same inputs played to the same model from TypeScript, and from a plain C++ program. Then the bench with
 * every reply judged beside the bench without, by turns.
 */
export async function compareNodeSpeed(
  settings: Settings,
  o: { readonly seed: number; readonly requests: number },
): Promise<NodeSpeeds> {
  // The frames are there before the clock runs: making them is no part of simulating.
  const mixture = new Mixture(settings, { seed: o.seed, silentShare: 0 }),
    setup = mixture.setup();
  const frames = Array.from({ length: o.requests }, () => mixture.next());
  const options = { seed: o.seed, hangCycles: 20_000, wave: false } as const;
  const speeds = await compareSpeed(clioNode(settings.config), { ...options, repeats: 3 }, b =>
    drive(b, settings, setup, frames, undefined),
  );
  const run = (backend: Backend, scoreboard?: Scoreboard): Promise<number> =>
    runBench("judged", clioNode(settings.config), { ...options, backend }, async b => {
      const begun = process.cpuUsage();
      await drive(b, settings, setup, frames, scoreboard);
      const { user, system } = process.cpuUsage(begun);
      return b.cycle / ((user + system) / 1e6);
    });
  const judging: Judging[] = [];
  for (const [simulator, backend] of [
    ["Verilator", verilatorBackend],
    ["built-in", builtinBackend],
  ] as const) {
    const bench: number[] = [],
      judged: number[] = [];
    for (let i = 0; i < judgingRepeats; i++) {
      bench.push(await run(backend));
      judged.push(await run(backend, new Scoreboard(settings.config, settings.runtime)));
    }
    judging.push({ simulator, bench: median(bench), judged: median(judged) });
  }
  return { ...speeds, judging };
}
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

/** Sends the frames, `most` on their way at a time. Each has one reply. `ready` is called before the first. */
export async function drive(
  bench: Bench<NodePorts>,
  settings: Settings,
  setup: readonly Uint8Array[],
  frames: readonly Uint8Array[],
  scoreboard: Scoreboard | undefined,
  o: { readonly most?: number; readonly ready?: () => void } = {},
): Promise<void> {
  const { most = window } = o;
  const node = await SimulatedNode.start(bench, settings, scoreboard ? { slowPath: { observer: scoreboard } } : {});
  const entering: ReturnType<SimulatedNode["send"]>[] = [];
  let waiting = 0;
  bench.onEdge({
    sample: () => {
      for (let f = node.take(); f !== undefined; f = node.take()) {
        waiting--;
        scoreboard?.reply(f.bytes, f.end);
      }
      if (scoreboard === undefined) return;
      for (let e = entering[0]; e?.end !== undefined; e = entering[0]) {
        entering.shift();
        scoreboard.issue(e.bytes, e.end);
      }
    },
  });
  const send = (bytes: Uint8Array): void => {
    const sent = node.send(bytes);
    waiting++;
    if (scoreboard) entering.push(sent);
  };
  for (const frame of setup) {
    send(frame);
    await bench.until(() => waiting === 0);
  }
  o.ready?.();
  for (const frame of frames) {
    send(frame);
    if (waiting >= most) await bench.until(() => waiting < Math.max(1, (most * 3) / 4));
  }
  await bench.until(() => waiting === 0);
  node.transport.close();
  const problem = scoreboard?.problems[0];
  if (problem !== undefined)
    throw new SimulationError(`the node answers wrong while its speed is measured: ${problem}`);
}
