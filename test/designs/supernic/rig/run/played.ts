import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type InterfaceFrame, readCapture } from "../../../../../sim/index.ts";
import { mnemo } from "../../../../support/command-line.ts";
import { runTable, tableNumber } from "../../../../support/run-table.ts";

/** A file of the project. */
export const projectFile = (name: string): string => fileURLToPath(new URL(`../../../../../${name}`, import.meta.url));
export const shippedCapture = projectFile("captures/supernic.pcap"),
  shippedSetup = projectFile("examples/supernic.setup.json");

/** A row of the table that a run shows. */
export interface Row {
  readonly number: number;
  readonly us: number;
  readonly port: number;
  readonly bytes: number;
  readonly outcome: string;
  readonly cycles: number | undefined;
  readonly ns: number | undefined;
}
const rowsOf = (out: string): Row[] =>
  runTable(out).map(row => ({
    number: tableNumber(row["#"]) ?? 0,
    us: tableNumber(row["time us"]) ?? 0,
    port: tableNumber(row["port"]) ?? Number.NaN,
    bytes: tableNumber(row["bytes"]) ?? 0,
    outcome: row["outcome"] ?? "",
    cycles: tableNumber(row["cycles"]),
    ns: tableNumber(row["ns"]),
  }));

type Counters = Readonly<Record<string, number>>;
/** What `--stats` writes. */
export interface Statistics {
  readonly in: readonly { readonly path: string; readonly port?: number }[];
  readonly seed: number;
  readonly pace: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly cycles: number;
  readonly skippedCycles: number;
  readonly framesIn: number;
  readonly framesOut: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly differences: readonly string[];
  readonly outcomes: Readonly<
    Record<string, { readonly frames: number; readonly latencyCycles?: { readonly p50: number; readonly max: number } }>
  >;
  readonly counters: { readonly ports: readonly Counters[]; readonly middle: Counters };
}
/** Output of a run of the command line. */
export interface Played {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly rows: readonly Row[];
  readonly left: readonly InterfaceFrame[];
  readonly stats: Statistics;
}

/**
 * `mnemo run supernic` on captures, with its outputs in a folder of their own, which `use` may look at.
 * @param inputs as `--in` takes them
 */
export async function played(
  inputs: readonly string[],
  args: readonly string[] = [],
  { out = "left.pcap", use }: { readonly out?: string; readonly use?: (folder: string) => void } = {},
): Promise<Played> {
  const folder = mkdtempSync(join(tmpdir(), "mnemo-snic-"));
  try {
    const left = join(folder, out),
      stats = join(folder, "stats.json"),
      setup = args.includes("--setup") ? [] : ["--setup", shippedSetup];
    const files = [...inputs.flatMap(i => ["--in", i]), "--out", left, "--stats", stats, ...setup];
    const run = await mnemo(["run", "supernic", ...files, ...args]);
    if (run.code === 2) throw new Error(run.err);
    use?.(folder);
    return {
      ...run,
      rows: rowsOf(run.out),
      left: readCapture(readFileSync(left), left),
      stats: JSON.parse(readFileSync(stats, "utf8")) as Statistics,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
