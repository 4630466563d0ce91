import type { BenchFigure } from "../../../shared/command-line/index.ts";
import { makeSettings } from "../../config/index.ts";
import { measureElaboration } from "./elaboration.ts";
import { type FirstTouches, measureFirstTouches } from "./first-touches.ts";
import { measureLatency } from "./latency.ts";
import {
  elaborationReport,
  firstTouchReport,
  latencyReport,
  simulatorReport,
  speedReport,
  stateReport,
  throughputReport,
} from "./report.ts";
import { compareNodeSimulators } from "./simulators.ts";
import { compareNodeSpeed } from "./speed.ts";
import { measureState } from "./state.ts";
import { measureThroughput } from "./throughput.ts";

/** Requests of the speed comparison: some 20,000 cycles. */
const speedRequests = 3000;
/** The default and the most: how many first touches can be under way is what bounds their rate. */
const missesInFlight = [16, 64];

const figure = <T>(
  name: string,
  counts: BenchFigure["counts"],
  measure: (seed: number) => T | Promise<T>,
  report: (value: T) => string,
): BenchFigure => ({
  name,
  counts,
  measure: async seed => {
    const value = await measure(seed);
    return { value, text: report(value) };
  },
});

async function firstTouches(seed: number): Promise<readonly FirstTouches[]> {
  const rows: FirstTouches[] = [];
  for (const n of missesInFlight) rows.push(await measureFirstTouches(seed, n));
  return rows;
}

/** The node's figures for `mnemo bench`. Elaboration is first: what was elaborated before would be warm. */
export const benchFigures: readonly BenchFigure[] = [
  figure("elaboration", "time", measureElaboration, elaborationReport),
  figure("latency", "cycles", measureLatency, latencyReport),
  figure(
    "throughput",
    "cycles",
    seed => measureThroughput(seed, maxData => [58, 256, 1024, maxData]),
    throughputReport,
  ),
  figure("firstTouches", "cycles", firstTouches, firstTouchReport),
  figure("state", "cycles", measureState, stateReport),
  figure(
    "simulationSpeed",
    "time",
    seed => compareNodeSpeed(makeSettings(), { seed, requests: speedRequests }),
    speedReport,
  ),
  figure("simulators", "time", seed => compareNodeSimulators(makeSettings(), seed), simulatorReport),
];
