/** What a frame takes through an idle device, and what a device takes through when frames come back to back. */
import { frameFor, latencyOf, type MeasuredSetup, setCredits, withMeasured } from "./measured-device.ts";
import { type Rate, rateOf } from "./rate.ts";
import { type Rounds, roundsOf } from "./scheduler-round.ts";
import { type StageCycles, stagesOf } from "./stages.ts";

/** Tasks that change nothing. */
export const dummies = (n: number): readonly string[] => Array.from({ length: n }, () => "dummy"),
  longest = 4;
/** The default build with a chain of four dummies, and one dummy by itself. */
const setup = {
  set: {},
  regions: [
    { chain: "four", tasks: dummies(longest) },
    { chain: "one", tasks: dummies(1) },
  ],
  dags: [
    { name: "one", stages: [[{ chain: "one" }]] },
    { name: "four", stages: [[{ chain: "four" }]] },
    { name: "first-of-four", stages: [[{ chain: "four", tasks: 1 }]] },
    { name: "two-stages", stages: [[{ chain: "one" }], [{ chain: "one" }]] },
  ],
} as const satisfies MeasuredSetup;
const dagOf = (name: (typeof setup.dags)[number]["name"]): number => setup.dags.findIndex(d => d.name === name),
  regionOf = (chain: (typeof setup.regions)[number]["chain"]): number =>
    setup.regions.findIndex(r => r.chain === chain),
  ports = 4,
  least = 64;

export interface CoreFigures {
  /** Cycles of an idle frame of 64 bytes through one dummy, last beat in to first beat out. */
  readonly dummy: number;
  /** Where these cycles go. */
  readonly stages: readonly StageCycles[];
  /** The same through four. */
  readonly chain: number;
  /** Of a frame of 64 bytes that no DAG takes: it is only switched. */
  readonly switched: number;
  /** What a slot costs that a packet skips. */
  readonly skip: number;
  readonly rounds: Rounds;
}
export const measureCore = (seed: number): Promise<CoreFigures> =>
  withMeasured("core", setup, { seed }, async device => {
    const frame = (name: Parameters<typeof dagOf>[0]): Uint8Array =>
      frameFor(dagOf(name), { size: least, from: 0, ports });
    const dummy = await latencyOf(device, frame("one")),
      chain = await latencyOf(device, frame("four")),
      skipping = await latencyOf(device, frame("first-of-four"));
    return {
      dummy,
      stages: await stagesOf(device, frame("one")),
      chain,
      switched: await latencyOf(device, frameFor(setup.dags.length, { size: least, from: 0, ports })),
      skip: (skipping - dummy) / (longest - 1),
      rounds: await roundsOf(device, frame("two-stages")),
    };
  });

export interface Throughput {
  readonly credits: number;
  /** 64-byte frames, by ports that they come in at. */
  readonly short: readonly Rate[];
  /** Longer ones at one port. */
  readonly long: readonly Rate[];
}
export const measureThroughput = (seed: number, o: { readonly frames: number }): Promise<Throughput> =>
  withMeasured("throughput", setup, { seed, backToBack: true }, async device => {
    const dag = dagOf("four"),
      short: Rate[] = [],
      long: Rate[] = [];
    for (const inlets of [1, 2, ports])
      short.push(await rateOf(device, { dag, size: least, ports: inlets, frames: Math.ceil(o.frames / inlets) }));
    for (const size of [256, 1024, 1518])
      long.push(await rateOf(device, { dag, size, ports: 1, frames: Math.ceil(o.frames / 6) }));
    return { credits: device.parameters.credits, short, long };
  });

/** Throughput of one task by credits and by the size of frames. */
export interface ByCredits {
  /** Cycles until a credit can be used again: with one credit, from one frame to the next. */
  readonly loop: number;
  readonly rows: readonly { readonly credits: number; readonly rate: Rate }[];
}
export const measureByCredits = (
  seed: number,
  o: { readonly credits: readonly number[]; readonly sizes: readonly number[]; readonly frames: number },
): Promise<ByCredits> =>
  withMeasured("credits", setup, { seed, backToBack: true }, async device => {
    const rows: { credits: number; rate: Rate }[] = [];
    const at = async (credits: number, size: number): Promise<Rate> => {
      await setCredits(device, regionOf("one"), 1, credits);
      return rateOf(device, { dag: dagOf("one"), size, ports: 1, frames: o.frames });
    };
    const loop = 1 / (await at(1, least)).perCycle;
    for (const credits of o.credits) for (const size of o.sizes) rows.push({ credits, rate: await at(credits, size) });
    return { loop, rows };
  });
