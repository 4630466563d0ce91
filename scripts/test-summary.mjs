// Prints the slowest test files, then vitest's result as `N passed, N failed`. A test file that could not be loaded
// counts as one failure, and so does a run that left no result.
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
const results = read(process.argv[2]);
const passed = results?.numPassedTests ?? 0;
const notLoaded =
  results?.testResults.filter(f => f.status === "failed" && f.assertionResults.length === 0).length ?? 0;
const failures = (results?.numFailedTests ?? 0) + notLoaded;
// An error outside any test fails the run without a failed test of its own.
const failed = failures === 0 && results?.success !== true ? 1 : failures;
const SHOWN = 15;
const times = (results?.testResults ?? [])
  .map(f => ({ name: relative(process.cwd(), f.name ?? ""), seconds: ((f.endTime ?? 0) - (f.startTime ?? 0)) / 1000 }))
  .filter(f => f.seconds > 0)
  .sort((a, b) => b.seconds - a.seconds);
if (times.length > 0) {
  console.log(`The slowest of ${String(times.length)} test files, in seconds:`);
  for (const { name, seconds } of times.slice(0, SHOWN)) console.log(`${seconds.toFixed(1).padStart(7)}  ${name}`);
}
console.log(`${String(passed)} passed, ${String(failed)} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
