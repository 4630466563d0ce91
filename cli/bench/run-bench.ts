import { closeSync, openSync, writeFileSync } from "node:fs";
import { arch, cpus } from "node:os";
import { makeSettings } from "../../designs/clio/config/index.ts";
import {
  compareNodeSpeed,
  measureElaboration,
  measureFirstTouches,
  measureLatency,
  elaborationReport,
  firstTouchReport,
  latencyReport,
  speedReport,
  stateReport,
  throughputReport,
  turnaroundReport,
  measureState,
  measureThroughput,
} from "../../designs/clio/evaluation/index.ts";
import { exitCode, type ExitCode, type Terminal } from "../../designs/shared/command-line/index.ts";
import { measureTurnaround } from "./turnaround.ts";

/** `mnemo bench`'s options as parsed. */
export interface FigureOptions {
  readonly seed: number;
  readonly json?: string;
  /** Only the node: cycles, beats and bytes, which are the same on every machine. */
  readonly nodeOnly?: boolean;
}

/** Requests of the speed comparison: some 20,000 cycles. */
const speedRequests = 3000;
/** The default and the most: how many first touches can be under way is what bounds their rate. */
const missesInFlight = [16, 64];

/**
 * `mnemo bench`: measures the project's figures and prints them as they come. Cycles are the same on every machine with
 * the same seed; times are this machine's. None is a verdict: the exit code is 0 unless something breaks.
 */
export async function runBench({ seed, json, nodeOnly = false }: FigureOptions, terminal: Terminal): Promise<ExitCode> {
  // Seen before the minutes that it takes.
  if (json !== undefined) closeSync(openSync(json, "a"));
  const figures: Record<string, unknown> = { seed };
  let first = true;
  const figure = async <T>(
    name: string,
    measure: () => T | Promise<T>,
    report: (value: T) => string,
  ): Promise<void> => {
    terminal.progress(`measuring: ${name} ...`);
    const value = await measure();
    figures[name] = value;
    terminal.print(`${first ? "" : "\n"}${report(value)}`);
    first = false;
  };
  // First of all: code elaborated before would be warm.
  if (!nodeOnly) await figure("elaboration", measureElaboration, elaborationReport);
  await figure("latency", () => measureLatency(seed), latencyReport);
  await figure("throughput", () => measureThroughput(seed, maxData => [58, 256, 1024, maxData]), throughputReport);
  await figure(
    "firstTouches",
    async () => {
      const rows = [];
      for (const n of missesInFlight) rows.push(await measureFirstTouches(seed, n));
      return rows;
    },
    firstTouchReport,
  );
  await figure("state", measureState, stateReport);
  if (!nodeOnly) {
    await figure(
      "simulationSpeed",
      () => compareNodeSpeed(makeSettings(), { seed, requests: speedRequests }),
      speedReport,
    );
    await figure("turnaround", measureTurnaround, turnaroundReport);
  }
  const machine = `${cpus().length} x ${cpus()[0]?.model ?? arch()}, Node ${process.versions.node}`;
  terminal.print(`\nseed ${seed}; times on ${machine}`);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify({ machine, ...figures }, undefined, 2)}\n`);
  return exitCode.done;
}
