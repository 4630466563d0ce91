import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CapturedFrame, readPcap } from "../../../../../sim/index.ts";
import { mnemo } from "../../../../support/command-line.ts";
import { runTable, tableNumber } from "../../../../support/run-table.ts";

/** A row of the table that a run shows. */
export interface Row {
  readonly number: number;
  readonly us: number;
  readonly request: string;
  readonly bytes: number;
  readonly outcome: string;
  readonly cycles: number | undefined;
  readonly ns: number | undefined;
}
/** Output of a run of the command line. */
export interface Played {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly rows: readonly Row[];
  readonly replies: readonly CapturedFrame[];
  readonly stats: Readonly<Record<string, unknown>>;
}

/** The rows of the first table. */
const rowsOf = (out: string): Row[] =>
  runTable(out).map(row => ({
    number: tableNumber(row["#"]) ?? 0,
    us: tableNumber(row["time us"]) ?? 0,
    request: row["request"] ?? "",
    bytes: tableNumber(row["bytes"]) ?? 0,
    outcome: row["outcome"] ?? "",
    cycles: tableNumber(row["cycles"]),
    ns: tableNumber(row["ns"]),
  }));

/** `mnemo run clio` on a capture, with its outputs in a folder of their own, which `use` may look at. */
export async function played(
  capture: string,
  args: readonly string[],
  use?: (folder: string) => void,
): Promise<Played> {
  const folder = mkdtempSync(join(tmpdir(), "mnemo-run-"));
  try {
    const out = join(folder, "replies.pcap"),
      stats = join(folder, "stats.json");
    const run = await mnemo(["run", "clio", "--in", capture, "--out", out, "--stats", stats, ...args]);
    if (run.code === 2) return { ...run, rows: [], replies: [], stats: {} };
    use?.(folder);
    return {
      ...run,
      rows: rowsOf(run.out),
      replies: readPcap(readFileSync(out), out),
      stats: JSON.parse(readFileSync(stats, "utf8")) as Readonly<Record<string, unknown>>,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
