/** What is left out on a machine without native tools: what fails for want of one, and nothing else. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../../scripts/setup/paths.mjs";
import { leftOutSummary } from "../support/left-out/summary.ts";

let folder = "";
beforeAll(() => {
  mkdirSync(join(root, ".cache"), { recursive: true });
  folder = mkdtempSync(join(root, ".cache", "left-out-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Results {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

/** Runs test files with an empty PATH; the states by title, and what the summary says. */
function runFiles(files: Readonly<Record<string, string>>): {
  states: Record<string, string>;
  ok: boolean;
  out: string;
} {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const config = join(folder, "vitest.config.mjs"),
    support = join(root, "test/support/left-out");
  writeFileSync(
    config,
    `export default { root: ${JSON.stringify(folder)}, test: { include: ["*.test.ts"], passWithNoTests: true, isolate: false,
      runner: ${JSON.stringify(join(support, "runner.ts"))}, globalSetup: [${JSON.stringify(join(support, "summary.ts"))}] } };\n`,
  );
  const result = join(folder, "result.json");
  const r = spawnSync(
    process.execPath,
    [
      join(root, "node_modules/vitest/vitest.mjs"),
      "run",
      "--config",
      config,
      "--reporter=json",
      `--outputFile=${result}`,
    ],
    // All of these files, whatever part of the project's tests runs now.
    {
      ...{ cwd: folder, encoding: "utf8" },
      env: { ...process.env, PATH: folder, NO_COLOR: "1", MNEMO_TESTS: undefined, MNEMO_PART: undefined },
    },
  );
  const { testResults, success } = JSON.parse(readFileSync(result, "utf8")) as Results;
  return {
    states: Object.fromEntries(testResults.flatMap(f => f.assertionResults.map(a => [a.title, a.status]))),
    ok: success && r.status === 0,
    out: r.stdout + r.stderr,
  };
}

const lines = (...all: string[]): string => all.join("\n");
const head = lines(
  'import { spawnSync, execFileSync } from "node:child_process";',
  'import { beforeAll, describe, expect, test } from "vitest";',
  'import { findTool } from "../../sim/index.ts";',
);

describe("a run without native tools", () => {
  test("leaves out what looked for a tool and failed, in the test, before it, or at import", () => {
    const { states, ok, out } = runFiles({
      "a.test.ts": lines(
        head,
        'test("needs none", () => expect(1).toBe(1));',
        'test("looks and goes on without", () => expect(findTool("verilator")).toBeUndefined());',
        'test("looks and fails", () => expect(findTool("yosys")).toBeDefined());',
        'test("starts one", () => { execFileSync("iverilog", ["-V"]); });',
        'describe("group", () => { beforeAll(() => { if (!findTool("z3")) throw new Error("no z3"); }); test("of a group", () => {}); });',
      ),
      "b.test.ts": lines(head, 'if (!findTool("tshark")) throw new Error("no tshark");', 'test("never", () => {});'),
    });
    expect(states).toEqual({
      "needs none": "passed",
      "looks and goes on without": "passed",
      "looks and fails": "skipped",
      "starts one": "skipped",
      "of a group": "skipped",
    });
    expect(ok).toBe(true);
    expect(out).toContain("Left out, as native tools are missing: 2 tests and 2 set-ups of tests in 2 files.");
    for (const tool of [
      "yosys: 1 test",
      "iverilog: 1 test",
      "z3: 0 tests and 1 set-up",
      "tshark: 0 tests and 1 set-up",
    ])
      expect(out).toContain(`  ${tool}`);
  });

  test("fails where something else is wrong, another test's look included", () => {
    const { states, ok } = runFiles({
      "a.test.ts": lines(
        head,
        'test("looks and fails", () => expect(findTool("yosys")).toBeDefined());',
        'test("fails by itself", () => expect(1).toBe(2));',
      ),
      "b.test.ts": lines(head, 'test("fine", () => {});'),
    });
    expect(states).toEqual({ "looks and fails": "skipped", "fails by itself": "failed", fine: "passed" });
    expect(ok).toBe(false);
  });

  test("fails where a file cannot be loaded for another reason", () => {
    const { ok } = runFiles({ "a.test.ts": lines(head, 'throw new Error("broken");'), "b.test.ts": "" });
    expect(ok).toBe(false);
  });
});

test("a summary of nothing", () => {
  expect(leftOutSummary([])).toBe("No test was left out: none needed a native tool that is missing.\n");
});
