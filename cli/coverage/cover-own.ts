/** `mnemo coverage <file>`: runs the benches that import a file of the user's, and says what they reached of it. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { mergeCoverage, packageAbove, type Reached } from "../../sim/index.ts";
import { CheckFailed, UsageError } from "../../designs/shared/command-line/index.ts";
import { testsOf } from "../own/tests-of.ts";
import { lastLines, runVitest } from "../own/vitest.ts";

/** What was reached, and the folder that the places are seen from. */
export interface OwnCoverage {
  readonly points: readonly Reached[];
  readonly root: string;
  readonly file: string;
}

/** @throws UsageError without a test of the file, CheckFailed when one fails */
export async function coverageOfFile(name: string): Promise<OwnCoverage> {
  const path = resolve(name);
  if (!existsSync(path)) throw new UsageError(`${name}: there is no such file`);
  const root = packageAbove(dirname(path)),
    tests = testsOf(path, root);
  if (tests.length === 0) throw new UsageError(`no test below ${root} imports ${name}: write a bench of it`);
  const folder = mkdtempSync(join(tmpdir(), "mnemo-cover-"));
  try {
    const ran = await runVitest(root, tests, {}, { MNEMO_COVERAGE: folder, MNEMO_BACKEND: "builtin" });
    if (ran.code !== 0) throw new CheckFailed(`the benches of ${name} fail: ${lastLines(ran.said)}`);
    return { points: mergeCoverage(folder), root, file: relative(root, path) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
