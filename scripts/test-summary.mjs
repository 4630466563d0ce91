// Prints the slowest test files, then vitest's result as `N passed, N failed`. A test file that could not be loaded
// counts as one failure, and so does a run that left no result. Results of further runs are added where there are any:
// CI may have had no time for them, and says so itself.
import { readFileSync } from "node:fs";
import { relative } from "node:path";

/**
 * @typedef {{
 *   readonly status: string; readonly assertionResults: readonly unknown[];
 *   readonly name?: string; readonly startTime?: number; readonly endTime?: number;
 * }} FileResult
 * @typedef {{
 *   readonly numPassedTests: number; readonly numFailedTests: number; readonly success: boolean;
 *   readonly testResults: readonly FileResult[];
 * }} Results
 */

/** @param {string | undefined} path @returns {Results | undefined} */
function read(path) {
  try {
    /** @type {unknown} */
    const results = JSON.parse(readFileSync(path ?? "", "utf8"));
    return /** @type {Results} */ (results);
  } catch {
    return undefined;
  }
}
const [first, ...others] = process.argv.slice(2);
const runs = [read(first), ...others.map(read).filter(r => r !== undefined)];
const passed = runs.reduce((n, r) => n + (r?.numPassedTests ?? 0), 0);

/** @param {Results | undefined} run @returns {number} */
function failuresOf(run) {
  const notLoaded = run?.testResults.filter(f => f.status === "failed" && f.assertionResults.length === 0).length ?? 0;
  const failures = (run?.numFailedTests ?? 0) + notLoaded;
  // An error outside any test fails the run without a failed test of its own.
  return failures === 0 && run?.success !== true ? 1 : failures;
}
const failed = runs.reduce((n, r) => n + failuresOf(r), 0);
const SHOWN = 15;
const times = runs
  .flatMap(r => r?.testResults ?? [])
  .map(f => ({ name: relative(process.cwd(), f.name ?? ""), seconds: ((f.endTime ?? 0) - (f.startTime ?? 0)) / 1000 }))
  .filter(f => f.seconds > 0)
  .sort((a, b) => b.seconds - a.seconds);
if (times.length > 0) {
  console.log(`The slowest of ${String(times.length)} runs of test files, in seconds:`);
  for (const { name, seconds } of times.slice(0, SHOWN)) console.log(`${seconds.toFixed(1).padStart(7)}  ${name}`);
}
console.log(`${String(passed)} passed, ${String(failed)} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
