/** The user's own Vitest, which runs his benches for `mnemo mutate` and `mnemo coverage`. */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { UsageError } from "../../designs/shared/command-line/index.ts";

/** How a run of Vitest ended, and the last of what it printed. */
export interface Ran {
  readonly code: number;
  readonly said: string;
}

/** @returns where the project's Vitest is @throws UsageError in one sentence when it has none */
function vitestOf(project: string): string {
  try {
    return pathToFileURL(createRequire(join(project, "package.json")).resolve("vitest/node")).href;
  } catch {
    throw new UsageError(`${project} has no Vitest, which runs its benches: npm install --save-dev vitest`);
  }
}

/**
 * Runs test files of the project. @param test settings for Vitest beside those of the project's own configuration
 * @param env variables beside this process's
 */
export function runVitest(
  project: string,
  files: readonly string[],
  test: object,
  env: Readonly<Record<string, string>>,
): Promise<Ran> {
  const job = { vitest: vitestOf(project), root: project, files, test };
  return collected([fileURLToPath(new URL("run-vitest.mjs", import.meta.url)), JSON.stringify(job)], project, env);
}

/** Runs Node to its end. */
export function collected(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<Ran> {
  const child = spawn(process.execPath, [...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  const add = (b: Buffer): void => {
    said = (said + b.toString("utf8")).slice(-20_000);
  };
  child.stdout.on("data", add);
  child.stderr.on("data", add);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", code => resolve({ code: code ?? 1, said }));
  });
}

/** What went wrong, on one line and without colours: the first test that fails and its error, else the last lines. */
export function lastLines(said: string): string {
  const lines = stripVTControlCharacters(said)
      .split("\n")
      .map(l => l.trim())
      .filter(l => l !== ""),
    failed = lines.find(l => l.startsWith("FAIL ")),
    error = lines.find(l => /^\w*Error: /.test(l));
  return (failed === undefined ? lines.slice(-6) : [failed, error ?? ""]).join(" ").trim();
}
