import { closeSync, openSync, writeFileSync } from "node:fs";
import { arch, cpus } from "node:os";
import { type BenchFigure, exitCode, type ExitCode, type Terminal } from "../../designs/shared/command-line/index.ts";
import { designNamed, hookOf } from "../design-named.ts";
import { designs } from "../designs.ts";
import { measureTurnaround, turnaroundReport } from "./turnaround.ts";

/** `mnemo bench`'s options as parsed. */
export interface FigureOptions {
  readonly seed: number;
  readonly json?: string;
}

/** From an edit to the verdict: the project's own figure, of no design. */
const turnaround: BenchFigure = {
  name: "turnaround",
  counts: "time",
  measure: async () => {
    const value = await measureTurnaround();
    return { value, text: turnaroundReport(value) };
  },
};

/** A figure, and its key in the JSON file: two designs may give their figures the same name. */
interface Wanted extends BenchFigure {
  readonly key: string;
}
const ofDesign = (design: string, figures: readonly BenchFigure[]): readonly Wanted[] =>
  figures.map(f => ({ ...f, key: `${design}.${f.name}` }));

/** A design's figures of cycles, and what more of it costs; all that tell of simulators; or all. */
export async function figuresFor(what: string | undefined): Promise<readonly Wanted[]> {
  if (what !== undefined && what !== "simulators")
    return ofDesign(
      what,
      (await hookOf(designNamed(what), "bench")()).filter(f => f.counts !== "time"),
    );
  const own = (await Promise.all(designs.map(async d => ofDesign(d.name, (await d.bench?.()) ?? [])))).flat();
  return what === undefined
    ? [...own, { ...turnaround, key: turnaround.name }]
    : own.filter(f => /simulat/i.test(f.name));
}

/**
 * `mnemo bench`: measures the project's figures and prints them as they come. Cycles are the same on every machine with
 * the same seed; times are this machine's. None is a verdict: the exit code is 0 unless something breaks.
 * @param what only this design's cycles, beats, bytes and growth, or `simulators`; undefined: everything
 */
export async function runBench(
  what: string | undefined,
  { seed, json }: FigureOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const wanted = await figuresFor(what);
  // Seen before the minutes that it takes.
  if (json !== undefined) closeSync(openSync(json, "a"));
  const figures: Record<string, unknown> = { seed };
  for (const [i, f] of wanted.entries()) {
    terminal.progress(`measuring: ${f.name} ...`);
    const { value, text } = await f.measure(seed);
    figures[f.key] = value;
    terminal.print(`${i === 0 ? "" : "\n"}${text}`);
  }
  const machine = `${cpus().length} x ${cpus()[0]?.model ?? arch()}, Node ${process.versions.node}`;
  terminal.print(`\nseed ${seed}; times on ${machine}`);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify({ machine, ...figures }, undefined, 2)}\n`);
  return exitCode.done;
}
