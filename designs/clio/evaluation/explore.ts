/** The node at a point of a design space: what `mnemo bench` measures, for other settings. */
import type { ExploreHook } from "../../shared/command-line/index.ts";
import { parseSettings } from "../config/index.ts";
import { measureLatency } from "./bench/latency.ts";
import { measureThroughput } from "./bench/throughput.ts";

/** Bytes of data of a request of the throughput, where a frame holds as many. */
const usualBytes = 1024;

/** Latency: a read of 64 bytes that hits the TLB. Throughput: data of reads, back to back. */
export const exploreHook: ExploreHook = async (set, seed) => {
  const settings = parseSettings(set),
    { net, rows } = await measureLatency(seed, settings),
    rates = await measureThroughput(seed, maxData => [Math.min(usualBytes, maxData)], settings);
  const cyclesOf = (kind: string): number => net + (rows.find(r => r.kind === kind)?.core ?? NaN),
    rateOf = (kind: string): number => rates.find(r => r.kind === kind)?.gbps ?? NaN;
  return {
    latency: cyclesOf("read hit"),
    throughput: rateOf("read"),
    latencyOfMiss: cyclesOf("read miss"),
    latencyOfWrite: cyclesOf("write hit"),
    throughputOfWrites: rateOf("write"),
  };
};
