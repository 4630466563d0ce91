/** Vitest in a process of its own, with a plan. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../scripts/setup/paths.mjs";
import { CheckFailed } from "../../designs/shared/command-line/index.ts";
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
    const said = await vitest(files, file);
    read();
    if (all.length === 0 && plan.keys !== undefined)
      throw new CheckFailed(`vitest told nothing of the mutants: ${said.trim().split("\n").slice(-3).join(" ")}`);
    return all;
  } finally {
    clearInterval(timer);
    rmSync(folder, { recursive: true });
  }
}

function vitest(files: readonly string[], plan: string): Promise<string> {
  const child = spawn(
    process.execPath,
    [
      join(root, "node_modules/vitest/vitest.mjs"),
      "run",
      "--config",
      join(root, "cli/mutate/vitest.config.ts"),
      ...files,
    ],
    {
      cwd: root,
      env: { ...process.env, MNEMO_MUTATE: plan, MNEMO_BACKEND: "builtin" },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let said = "";
  const add = (b: Buffer): void => {
    said = (said + b.toString("utf8")).slice(-4000);
  };
  child.stdout.on("data", add);
  child.stderr.on("data", add);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => resolve(said));
  });
}
