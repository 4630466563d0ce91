/** Vitest in a process of its own, with a plan. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../../scripts/setup/paths.mjs";
import { CheckFailed } from "../../designs/shared/command-line/index.ts";
import { collected, lastLines, type Ran, runVitest } from "../own/vitest.ts";
import { type Plan, type Report, Reports } from "./plan.ts";

/** Runs test files with the plan. @returns what they told @param heard called with each report as it comes */
export async function runTests(
  files: readonly string[],
  plan: Omit<Plan, "out">,
  heard: (r: Report) => void = () => undefined,
): Promise<readonly Report[]> {
  const folder = mkdtempSync(join(tmpdir(), "mnemo-mutate-")),
    out = join(folder, "reports.jsonl"),
    file = join(folder, "plan.json"),
    reports = new Reports(out),
    all: Report[] = [];
  writeFileSync(file, JSON.stringify({ ...plan, out }));
  const read = (): void => {
    for (const r of reports.next()) {
      all.push(r);
      heard(r);
    }
  };
  const timer = setInterval(read, 250);
  try {
    const said = await vitest(files, file, plan.root);
    read();
    if (all.length === 0 && (plan.watched === undefined || (plan.root !== undefined && said.code !== 0)))
      throw new CheckFailed(`vitest told nothing of the module: ${lastLines(said.said)}`);
    return all;
  } finally {
    clearInterval(timer);
    rmSync(folder, { recursive: true });
  }
}

/** The repository's tests under its own configuration, or those of a user's project under his. */
function vitest(files: readonly string[], plan: string, project: string | undefined): Promise<Ran> {
  const env = { MNEMO_MUTATE: plan, MNEMO_BACKEND: "builtin" };
  if (project !== undefined) return runVitest(project, files, mutating, env);
  const program = join(root, "node_modules/vitest/vitest.mjs"),
    config = join(root, "cli/mutate/vitest.config.ts");
  return collected([program, "run", "--config", config, ...files], root, env);
}

const beside = (name: string): string => fileURLToPath(new URL(`${name}${extname(import.meta.url)}`, import.meta.url));
/** What makes Vitest plant mutants. A mutant is in the whole process: one test at a time. */
const mutating = {
  runner: beside("test-runner"),
  setupFiles: [beside("setup")],
  maxConcurrency: 1,
  reporters: ["dot"],
};
