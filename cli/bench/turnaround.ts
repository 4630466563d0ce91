import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { root } from "../../scripts/setup/paths.mjs";
import { CheckFailed, table } from "../../designs/shared/command-line/index.ts";

/** Seconds from saving a test to vitest's verdict, the whole command: start of vitest, TypeScript, model, run. */
export interface Turnaround {
  /** With empty caches: every source is translated. Under Verilator the model and the runtime are compiled too. */
  readonly cold: number;
  /** After an edit of the hardware: the runtime is there, the model is compiled. */
  readonly hardwareEdited: number;
  /** After an edit of the test alone. */
  readonly testEdited: number;
  /** After an edit of the hardware while vitest watches: from the file's write to the verdict. */
  readonly watched: number;
}

const example = "docs/examples/counter.ts",
  exampleTest = "test/docs/examples/counter.test.ts";

/**
 * Times the manual's example and its test, as copies in a folder of the project's own, with a model cache of their own.
 */
export async function measureTurnaround(): Promise<Turnaround> {
  mkdirSync(join(root, "out"), { recursive: true });
  const folder = mkdtempSync(join(root, "out", "turnaround-")),
    cache = mkdtempSync(join(tmpdir(), "mnemo-cold-"));
  const up = relative(folder, root).replaceAll("\\", "/");
  const design = readFileSync(join(root, example), "utf8").replace("../../hdl-dsl", `${up}/hdl-dsl`);
  const test = readFileSync(join(root, exampleTest), "utf8")
    .replace(/"[./]+docs\/examples\/counter\.ts"/, '"./counter.ts"')
    .replace(/"[./]+bench\.ts"/, `"${up}/test/bench.ts"`);
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const vitest = (command: string): readonly string[] => [
      join(root, "node_modules/vitest/vitest.mjs"),
      command,
      "--root",
      folder,
    ],
    environment = { ...process.env, MNEMO_CACHE: cache };
  const run = async (): Promise<number> => {
    const begun = performance.now();
    try {
      await promisify(execFile)(process.execPath, vitest("run"), { cwd: folder, env: environment });
    } catch (e) {
      throw new CheckFailed(`the test that was to be timed does not pass: ${(e as Error).message}`);
    }
    return (performance.now() - begun) / 1000;
  };
  try {
    // As the project of `mnemo new` has it, and vitest.config.ts for what is translated.
    const modules = { fsModuleCache: true, fsModuleCachePath: join(cache, "modules") },
      settings = { include: ["*.test.ts"], isolate: false, testTimeout: 300_000, experimental: modules };
    write(
      "vitest.config.mjs",
      `import { keptWorkers } from "${up}/scripts/vitest/kept-workers.ts";
export default { test: { ...${JSON.stringify(settings)}, pool: keptWorkers() } };
`,
    );
    write("counter.ts", design);
    write("counter.test.ts", test);
    const cold = await run();
    // The register gets another name, so the model is another one; it does the same.
    write("counter.ts", design.replaceAll("value", "tally"));
    const hardwareEdited = await run();
    write("counter.test.ts", `${test}// edited\n`);
    const testEdited = await run();
    const watched = await watchedEdits(vitest("watch"), folder, environment, n =>
      write("counter.ts", design.replaceAll("value", `tally${n}`)),
    );
    return { cold, hardwareEdited, testEdited, watched };
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(cache, { recursive: true, force: true });
  }
}

/** Edits that are timed while vitest watches; the median of an odd number is one of them. */
const EDITS = 5;

/** Has vitest watch, edits, and waits for its verdict, again and again. @returns the median of the seconds. */
async function watchedEdits(
  command: readonly string[],
  folder: string,
  env: NodeJS.ProcessEnv,
  edit: (n: number) => void,
): Promise<number> {
  const watching = spawn(process.execPath, command, { cwd: folder, env, stdio: ["pipe", "pipe", "inherit"] }),
    ended = new Promise<never>((_, reject) => {
      watching.once("exit", code => {
        reject(new CheckFailed(`vitest was to watch, and ended with ${String(code)}`));
      });
    });
  ended.catch(() => undefined);
  let verdict: (passed: boolean) => void = () => undefined;
  watching.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (text.includes("Waiting for file changes")) verdict(text.includes("PASS"));
  });
  const next = async (): Promise<void> => {
    const passed = await Promise.race([ended, new Promise<boolean>(resolve => (verdict = resolve))]);
    if (!passed) throw new CheckFailed("the test that was to be timed does not pass while vitest watches");
  };
  try {
    await next();
    const seconds: number[] = [];
    for (let n = 0; n < EDITS; n++) {
      const begun = performance.now(),
        passed = next();
      edit(n);
      await passed;
      seconds.push((performance.now() - begun) / 1000);
    }
    return seconds.sort((a, b) => a - b)[(EDITS - 1) / 2] ?? NaN;
  } finally {
    watching.removeAllListeners("exit");
    watching.kill();
  }
}

/** The figures as a table. */
export function turnaroundReport(t: Turnaround): string {
  return `From an edit to vitest's verdict (the manual's example, the whole command)
${table(
  ["after", "seconds"],
  [
    ["nothing cached: every source is translated", t.cold.toFixed(1)],
    ["an edit of the hardware", t.hardwareEdited.toFixed(1)],
    ["an edit of the test", t.testEdited.toFixed(1)],
    ["an edit of the hardware while vitest watches", t.watched.toFixed(2)],
  ],
  "lr",
)}`;
}
