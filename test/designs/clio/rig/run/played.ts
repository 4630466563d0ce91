import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CapturedFrame, readPcap } from "../../../../../sim/index.ts";
import { mnemo } from "../../../../support/command-line.ts";

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

const number = (text: string | undefined): number | undefined =>
  text === undefined || text === "" ? undefined : Number(text.replaceAll(",", ""));

/** The rows of the first table: columns stand where its rule has its dashes. */
export function rowsOf(out: string): Row[] {
  const lines = out.split("\n"),
    rule = lines.findIndex(l => /^-+(  -+)+$/.test(l)),
    columns = [...(lines[rule] ?? "").matchAll(/-+/g)];
  const rows: Row[] = [];
  for (const line of lines.slice(rule + 1)) {
    if (line === "" || line.startsWith("...")) break;
    const [n, us, request, bytes, outcome, cycles, ns] = columns.map(c =>
      line.slice(c.index, c.index + c[0].length).trim(),
    );
    rows.push({
      number: number(n) ?? 0,
      us: number(us) ?? 0,
      request: request ?? "",
      bytes: number(bytes) ?? 0,
      outcome: outcome ?? "",
      cycles: number(cycles),
      ns: number(ns),
    });
  }
  return rows;
}

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
