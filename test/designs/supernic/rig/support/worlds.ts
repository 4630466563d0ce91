/** Random worlds on the whole device: a build, a setup, frames, and what the ends of its lines do. */
import { makeParameters, type Parameters } from "../../../../../designs/supernic/config/index.ts";
import { DeviceScoreboard } from "../../../../../designs/supernic/model/index.ts";
import {
  type BuildOptions,
  deviceDefinition,
  FrameCensus,
  leftAtRest,
  play,
  type PlayResult,
  SimulatedSuperNic,
} from "../../../../../designs/supernic/rig/device/index.ts";
import { bernoulli, bursts, type Dut, never, type Pause, Random, runBench } from "../../../../../sim/index.ts";
import { type Mix, worldFrames } from "./world-frames.ts";
import { type WorldChain, worldSetup } from "./world-setup.ts";

export interface Build {
  readonly parameters: Parameters;
  readonly chains: readonly WorldChain[];
  readonly options?: BuildOptions;
}
const chain = (...tasks: string[]): WorldChain => ({ chain: tasks.join("+").replace(/[(),]/g, "-"), tasks });
/** Class queues in which little fits, so that they are full and ask for pauses. */
const shortQueues = { beats: 1024, softwareBeats: 64, pauseAt: 24, resumeAt: 12 };

export const builds = {
  /** Two ports, and of everything as little as a device may have. */
  small: {
    parameters: makeParameters({
      ports: 2,
      contexts: 32,
      cells: 64,
      regions: 3,
      slots: 3,
      branches: 2,
      credits: 3,
      users: 4,
    }),
    chains: [chain("firewall", "nat"), chain("delay(3,2)", "balancer", "dummy"), chain("checksum", "tunnel")],
    options: { sizes: shortQueues },
  },
  /** Several instances of a chain, slow tasks, many branches. */
  instances: {
    parameters: makeParameters({
      ports: 3,
      contexts: 64,
      cells: 128,
      regions: 4,
      slots: 2,
      branches: 4,
      credits: 5,
      users: 4,
    }),
    chains: [chain("delay(9,4)", "dummy"), chain("delay(9,4)", "dummy"), chain("firewall"), chain("tunnel")],
    options: { sizes: shortQueues },
  },
  jumbo: {
    parameters: makeParameters({
      ports: 2,
      contexts: 64,
      cells: 256,
      regions: 3,
      slots: 3,
      branches: 2,
      credits: 6,
      users: 4,
      mtuFrame: 9018,
      linkBuffer: "128KB",
    }),
    chains: [chain("firewall", "nat"), chain("checksum", "balancer", "delay(5,1)"), chain("tunnel")],
  },
  /** Tasks that write payload, of every length that there is. */
  payload: {
    parameters: makeParameters({
      ports: 2,
      contexts: 32,
      cells: 128,
      regions: 3,
      slots: 3,
      branches: 2,
      credits: 4,
      users: 4,
    }),
    chains: [chain("xor", "dummy"), chain("firewall", "delay(3,2)", "xor"), chain("checksum", "tunnel")],
    options: { sizes: shortQueues },
  },
  full: {
    parameters: makeParameters(),
    chains: [chain("firewall", "nat"), chain("delay(6,1)", "balancer"), chain("checksum", "dummy"), chain("tunnel")],
  },
} as const satisfies Readonly<Record<string, Build>>;
export type BuildName = keyof typeof builds;

const pauseOf = (r: Random): (() => Pause) =>
  r.pick([
    () => never,
    () => never,
    () => bernoulli(r.pick([0.2, 0.5, 0.8]), r.word()),
    () => bursts({ go: r.between(1, 60), pause: r.between(1, 200) }, r.word()),
  ]);

/** Counts frames in every cycle. @returns what tells the first cycles in which they did not sum up */
export function watchCensus({ bench, parameters }: SimulatedSuperNic): () => readonly string[] {
  const census = new FrameCensus(bench.sim, parameters.ports),
    problems: string[] = [];
  bench.onEdge({
    sample: () => {
      const found = census.sample();
      if (problems.length < 6) problems.push(...found.map(f => `cycle ${bench.cycle}: ${f}`));
    },
  });
  return () => problems;
}

type Definition = ReturnType<typeof deviceDefinition>;
export interface WorldOptions {
  readonly mix?: Mix;
  /** Cycles without anything in or out after which what is due counts as lost. */
  readonly timeoutCycles?: number;
  /** What becomes of the device before it runs: a fault is planted. */
  readonly change?: (device: Definition) => Dut<Definition["ports"]>;
}
/** Plays a world. @returns what was wrong, and what the run says of itself */
export async function world(
  name: BuildName,
  seed: number,
  frames: number,
  { mix = {}, change = d => d, timeoutCycles = 20_000 }: WorldOptions = {},
): Promise<{ readonly problems: readonly string[]; readonly result: PlayResult }> {
  const { parameters, chains, options }: Build = builds[name],
    r = new Random(seed),
    setup = worldSetup(r, parameters, chains),
    list = worldFrames(r, setup, frames, mix),
    pause = pauseOf(r),
    backToBack = r.chance();
  return runBench(
    `world ${name} ${seed}`,
    change(deviceDefinition(setup, parameters, options)),
    { limitCycles: Infinity, hangCycles: 120_000, wave: false, signals: true },
    async bench => {
      const device = new SimulatedSuperNic(bench, setup, parameters, { backToBack, pauseTx: () => pause() });
      await device.bringUp();
      const scoreboard = new DeviceScoreboard(setup),
        census = watchCensus(device),
        result = await play(device, list, { pace: "capture", scoreboard, timeoutCycles });
      return { problems: [...census(), ...result.problems, ...leftAtRest(bench.sim, parameters)], result };
    },
  );
}
