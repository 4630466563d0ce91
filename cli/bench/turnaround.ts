import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { root } from "../../scripts/setup/paths.mjs";
import { CheckFailed, table } from "../../designs/shared/command-line/index.ts";

/** Seconds from saving a test to vitest's verdict, the whole command: start of vitest, TypeScript, model, run. */
export interface Turnaround {
  /** With an empty model cache: Verilator and the compiler run, the simulator's runtime is built too. */
  readonly cold: number;
  /** After an edit of the hardware: the runtime is there, the model is compiled. */
  readonly hardwareEdited: number;
  /** After an edit of the test alone. */
  readonly testEdited: number;
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
  const run = async (): Promise<number> => {
    const begun = performance.now();
    try {
      await promisify(execFile)(
        process.execPath,
        [join(root, "node_modules/vitest/vitest.mjs"), "run", "--root", folder],
        { cwd: folder, env: { ...process.env, MNEMO_CACHE: cache } },
      );
    } catch (e) {
      throw new CheckFailed(`the test that was to be timed does not pass: ${(e as Error).message}`);
    }
    return (performance.now() - begun) / 1000;
  };
  try {
    write(
      "vitest.config.mjs",
      'export default { test: { include: ["*.test.ts"], pool: "forks", testTimeout: 300_000 } };\n',
    );
    write("counter.ts", design);
    write("counter.test.ts", test);
    const cold = await run();
    // The register gets another name, so the model is another one; it does the same.
    write("counter.ts", design.replaceAll("value", "tally"));
    const hardwareEdited = await run();
    write("counter.test.ts", `${test}// edited\n`);
    return { cold, hardwareEdited, testEdited: await run() };
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(cache, { recursive: true, force: true });
  }
}

/** The figures as a table. */
export function turnaroundReport(t: Turnaround): string {
  return `From an edit to vitest's verdict (the manual's example, the whole command)
${table(
  ["after", "seconds"],
  [
    ["nothing cached: the simulator's runtime and the model are compiled", t.cold.toFixed(1)],
    ["an edit of the hardware: the model is compiled", t.hardwareEdited.toFixed(1)],
    ["an edit of the test: nothing is compiled", t.testEdited.toFixed(1)],
  ],
  "lr",
)}`;
}
