/** Says at the end of a run what it left to `.ci/run`. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { heavyFiles, type Part } from "./choice.ts";

/** @param log a line a file: how many of its tests were left out, and its name */
export function sampledSummary(part: Part, log: string): string {
  if (part !== "sample") return "";
  const lines = log.split("\n").filter(Boolean),
    tests = lines.reduce((n, l) => n + Number.parseInt(l, 10), 0);
  return [
    `Left to .ci/run: ${tests} tests in ${lines.length} files (planted faults, proofs), and ${Object.keys(heavyFiles).length} files that take long.`,
    "MNEMO_TESTS=all npm test runs everything; vitest with a file runs all of that file.",
    "",
  ].join("\n");
}

/** Vitest's global set-up. */
export default function setup(): () => void {
  const path = (process.env["MNEMO_PART_LOG"] = join(mkdtempSync(join(tmpdir(), "mnemo-part-")), "left"));
  return () => {
    let log = "";
    try {
      log = readFileSync(path, "utf8");
    } catch {
      // No runner left anything out.
    }
    process.stdout.write(`\n${sampledSummary((process.env["MNEMO_PART"] ?? "all") as Part, log)}`);
    rmSync(dirname(path), { recursive: true });
  };
}
