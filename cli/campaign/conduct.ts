/** One start of a campaign: what is done stays, the engine does the rest, the report is written. */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CheckFailed, type Terminal } from "../../designs/shared/command-line/index.ts";
import type { Engine } from "./engines/engine.ts";
import { lockFolder } from "./lock.ts";
import { merge, type Report } from "./merge.ts";
import { campaignPage } from "./page.ts";
import { type Plan, settle, standing } from "./plan.ts";
import { Progress } from "./progress.ts";
import { reportMarkdown } from "./report.ts";
import { type Result, resultPath } from "./result.ts";
import { unfinished, writeWhole } from "./whole-file.ts";

/** What one start has done. */
export interface Conducted {
  readonly report: Report;
  readonly results: readonly Result[];
  /** Of this start: pieces, seconds by the clock, seconds in pieces. */
  readonly done: number;
  readonly seconds: number;
  readonly inPieces: number;
}

/** Files of processes that were killed while they wrote. */
function sweepUp(folder: string): void {
  for (const f of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    if (f.endsWith(unfinished)) rmSync(join(folder, f), { force: true });
}

/** A signal of the terminal, or of the machine that goes down. */
function untilStopped(): { readonly signal: AbortSignal; readonly end: () => void } {
  const stop = new AbortController(),
    names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const on = (name: NodeJS.Signals): void =>
    stop.abort(new CheckFailed(`stopped by ${name}; what is done stays, and the same command goes on`));
  for (const n of names) process.on(n, on);
  return {
    signal: stop.signal,
    end: () => {
      for (const n of names) process.off(n, on);
    },
  };
}

/** The pieces of a folder whose lock is held; also those of a share, whose campaign holds it. */
export async function work(
  plan: Plan,
  folder: string,
  engine: Engine,
  terminal: Terminal,
  mine?: (index: number) => boolean,
): Promise<Omit<Conducted, "report">> {
  const { results, pending, damaged } = standing(plan, folder, true, mine);
  for (const index of damaged)
    terminal.error(
      `the result of piece ${index} was cut short or changed; it is done again (${resultPath(folder, index)})`,
    );
  const fresh: Result[] = [],
    stopped = untilStopped(),
    from = performance.now();
  if (pending.length > 0) {
    const progress = new Progress(terminal, plan.pieces.length, results);
    // The time that is left falls between two results, too.
    const ticks = setInterval(() => progress.show(), 1000);
    try {
      await engine.run({
        plan,
        folder,
        pending,
        signal: stopped.signal,
        say: text => terminal.error(text),
        onResult: r => {
          fresh.push(r);
          progress.add(r);
        },
      });
    } finally {
      clearInterval(ticks);
      stopped.end();
      terminal.endProgress();
    }
  } else stopped.end();
  return {
    results: [...results, ...fresh],
    done: fresh.length,
    seconds: (performance.now() - from) / 1000,
    inPieces: fresh.reduce((sum, r) => sum + r.seconds, 0),
  };
}

/** Report and page beside the results. */
export function writeReport(plan: Plan, folder: string, results: readonly Result[]): Report {
  const report = merge(plan, results);
  writeWhole(join(folder, "report.json"), `${JSON.stringify(report, undefined, 1)}\n`);
  writeWhole(join(folder, "report.md"), reportMarkdown(report));
  writeWhole(join(folder, "index.html"), campaignPage(report, results));
  return report;
}

/**
 * Runs what is left of a campaign in its folder.
 * @throws UsageError when the folder is another campaign's or another process has it; the system's error when the disk
 * is full. What is done stays whatever is thrown.
 */
export async function conduct(plan: Plan, folder: string, engine: Engine, terminal: Terminal): Promise<Conducted> {
  for (const told of settle(plan, folder)) terminal.error(told);
  const unlock = lockFolder(folder);
  try {
    // The tasks of other machines may be writing just now.
    if (engine.name === "local") sweepUp(folder);
    const done = await work(plan, folder, engine, terminal);
    return { ...done, report: writeReport(plan, folder, done.results) };
  } finally {
    unlock();
  }
}
