// Prints vitest's result as `N passed, N failed`. A test file that could not be loaded counts as one failure, and so
// does a run that left no result.
import { readFileSync } from "node:fs";

/**
 * @typedef {{ readonly status: string; readonly assertionResults: readonly unknown[] }} FileResult
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
console.log(`${String(passed)} passed, ${String(failed)} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
