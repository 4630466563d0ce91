/** What a run without native tools left out, and why, at its end. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A test, or a file or group of tests whose set-up failed. */
export interface LeftOut {
  readonly file: string;
  readonly test: string;
  readonly kind: "test" | "suite";
  readonly tools: readonly string[];
}

/** A line for each tool, and the files in which something is left out. */
export function leftOutSummary(all: readonly LeftOut[]): string {
  if (all.length === 0) return "No test was left out: none needed a native tool that is missing.\n";
  const tools = [...new Set(all.flatMap(x => x.tools))].sort(),
    files = [...new Set(all.map(x => x.file))].sort();
  const count = (of: readonly LeftOut[]): string => {
    const tests = of.filter(x => x.kind === "test").length,
      groups = of.length - tests;
    const some = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;
    return `${some(tests, "test")}${groups === 0 ? "" : ` and ${some(groups, "set-up")} of tests`}`;
  };
  return [
    `Left out, as native tools are missing: ${count(all)} in ${files.length} ${files.length === 1 ? "file" : "files"}.`,
    ...tools.map(t => `  ${t}: ${count(all.filter(x => x.tools.includes(t)))}`),
    ...files.map(f => `    ${f}`),
    "",
  ].join("\n");
}

/** Vitest's global set-up: the file that the runners write, and its summary when all have run. */
export default function setup(): () => void {
  const path = (process.env["MNEMO_LEFT_OUT"] = join(mkdtempSync(join(tmpdir(), "mnemo-left-out-")), "tests"));
  return () => {
    let text = "";
    try {
      text = readFileSync(path, "utf8");
    } catch {
      // No runner wrote anything.
    }
    const all = text
      .split("\n")
      .filter(Boolean)
      .map(line => JSON.parse(line) as LeftOut);
    process.stdout.write(`\n${leftOutSummary(all)}`);
    rmSync(dirname(path), { recursive: true });
  };
}
