/** The device at a point of a design space: the measures of `mnemo bench`, for other build parameters. */
import type { ExploreHook } from "../../shared/command-line/index.ts";
import { parseDevice } from "../build/index.ts";
import { frameFor, latencyOf, rateOf, withMeasured } from "./measure/index.ts";

const least = 64,
  long = 1024,
  frames = 600;

/** Latency: an idle frame of 64 bytes through one task that changes nothing. Throughput: such frames at all ports. */
export const exploreHook: ExploreHook = async (set, seed) => {
  const { parameters } = parseDevice(set),
    { ports } = parameters;
  const setup = {
    set: { ...parameters },
    regions: [{ chain: "one", tasks: ["dummy"] }],
    dags: [{ name: "one", stages: [[{ chain: "one" }]] }],
  };
  const latency = await withMeasured("latency", setup, { seed }, device =>
    latencyOf(device, frameFor(0, { size: least, from: 0, ports })),
  );
  const { short, longer } = await withMeasured("throughput", setup, { seed, backToBack: true }, async device => ({
    short: await rateOf(device, { dag: 0, size: least, ports, frames: Math.ceil(frames / ports) }),
    longer: await rateOf(device, { dag: 0, size: long, ports: 1, frames: Math.ceil(frames / 6) }),
  }));
  return {
    latency,
    throughput: short.gbps,
    framesPerCycle: short.perCycle,
    throughputOfLong: longer.gbps,
  };
};
