import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installSentence } from "../../scripts/setup/install-tools.mjs";
import { firstDifference } from "../../scripts/setup/packages.mjs";
import { root } from "../../scripts/setup/paths.mjs";
import { tools } from "../../scripts/setup/tools.mjs";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mnemo-setup-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a script of the project with another PATH and, when given, a module loaded before it. */
function run(
  script: string,
  args: readonly string[],
  o: { readonly path?: string; readonly before?: string; readonly env?: Readonly<Record<string, string>> } = {},
): { readonly code: number | null; readonly out: string; readonly err: string } {
  const before = o.before === undefined ? [] : ["--import", o.before];
  const r = spawnSync(process.execPath, [...before, join(root, script), ...args], {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", ...o.env, PATH: o.path ?? process.env["PATH"] },
  });
  return { code: r.status, out: r.stdout, err: r.stderr };
}

describe("the machine lacks something", () => {
  // Nothing is on this PATH, apt-get neither.
  const missing =
    "Verilator, a C++ compiler, make, Icarus Verilog, Yosys, Z3, cvc5 and tshark are missing: install them " +
    "(Debian or Ubuntu: sudo apt-get install verilator clang make iverilog yosys z3 cvc5 tshark) and run this again.";
  it.each([{ MNEMO_NATIVE: "all" }, { CI: "true" }])(
    "tools, and nobody may install them, with %o: one sentence, exit code 2",
    env => {
      const r = run("scripts/bootstrap.mjs", ["test"], { path: folder, env: { CI: "", MNEMO_NATIVE: "", ...env } });
      expect(r).toEqual({ code: 2, out: "", err: `${missing}\n` });
    },
  );
  it("tools: `npm test` runs what needs none of them, and says what it left out", () => {
    const files = ["test/hdl-dsl/verilog/port-names.test.ts", "test/hdl-dsl/verilog/golden.test.ts"];
    const { code, out, err } = run("scripts/bootstrap.mjs", ["test", ...files], {
      path: folder,
      env: { CI: "", MNEMO_NATIVE: "" },
    });
    expect(err).toContain(`${missing} Without them, the tests that need them are left out.\n`);
    expect([code, err, out]).toEqual([0, expect.any(String), expect.stringMatching(/Tests .*passed .*skipped/)]);
    expect(out).toMatch(/Left out, as native tools are missing: \d+ tests in 2 files\.\n {2}\w+: \d+ tests\n/);
  });
  it("a value of MNEMO_NATIVE that means nothing", () => {
    expect(run("scripts/bootstrap.mjs", ["test"], { env: { MNEMO_NATIVE: "some" } })).toEqual({
      code: 2,
      out: "",
      err: 'MNEMO_NATIVE is "some"; give all or none, or leave it away.\n',
    });
  });
  it("tools, and `npm start` needs none of them: both designs answer their shipped captures", () => {
    const { code, out, err } = run("scripts/bootstrap.mjs", ["start"], { path: folder });
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(
      /bytes of replies compared with the reference model: no difference\n[^]*bytes of frames compared with the reference model: no difference\n$/,
    );
  });
  it("`npm start` with a design that has no capture: one sentence", () => {
    expect(run("scripts/bootstrap.mjs", ["start", "clipper"])).toEqual({
      code: 2,
      out: "",
      err: '"clipper" has no shipped capture; name clio or supernic, or neither for both.\n',
    });
  });
  it.each(["scripts/bootstrap.mjs", "cli/mnemo.mjs"])("Node is too old for %s: one sentence, exit code 2", script => {
    const old = join(folder, "old.mjs");
    writeFileSync(
      old,
      'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.19.0" } });\n',
    );
    expect(run(script, ["test"], { before: old })).toEqual({
      code: 2,
      out: "",
      err: "Node 18.19.0 is too old: install Node 20 or later and run this again.\n",
    });
  });
  it("one tool reads as one", () => {
    expect(installSentence([tools.verilator])).toBe(
      "Verilator is missing: install it (Debian or Ubuntu: sudo apt-get install verilator) and run this again.",
    );
  });
  it("no such job", () => {
    expect(run("scripts/bootstrap.mjs", ["fly"])).toEqual({
      code: 2,
      out: "",
      err: 'there is no job "fly"; the jobs are start and test.\n',
    });
  });
});

describe("npm packages", () => {
  const lock = (
    packages: Readonly<
      Record<string, { readonly version?: string; readonly integrity?: string; readonly optional?: boolean }>
    >,
  ) => ({ packages });
  const a = { version: "1.0.0", integrity: "sha512-a" };
  it.each([
    ["the same", lock({ "": {}, a }), lock({ a }), undefined],
    ["another version", lock({ a }), lock({ a: { ...a, version: "1.0.1" } }), "a"],
    ["another content", lock({ a }), lock({ a: { ...a, integrity: "sha512-b" } }), "a"],
    ["one missing", lock({ a, b: a }), lock({ a }), "b"],
    ["one too many", lock({ a }), lock({ a, b: a }), "b"],
    [
      "an optional one missing, for another kind of machine",
      lock({ a, b: { ...a, optional: true } }),
      lock({ a }),
      undefined,
    ],
  ])("%s", (_name, wanted, installed, difference) => {
    expect(firstDifference(wanted, installed)).toBe(difference);
  });
});

describe("CI's count", () => {
  const result = (o: Readonly<Record<string, unknown>>): string => {
    const path = join(folder, "result.json");
    writeFileSync(path, JSON.stringify({ numPassedTests: 3, numFailedTests: 0, success: true, testResults: [], ...o }));
    return path;
  };
  it.each([
    ["all passed", {}, "3 passed, 0 failed", 0],
    ["one failed", { numFailedTests: 1, success: false }, "3 passed, 1 failed", 1],
    [
      "a file that does not load",
      { success: false, testResults: [{ status: "failed", assertionResults: [] }] },
      "3 passed, 1 failed",
      1,
    ],
    ["an error outside the tests", { success: false }, "3 passed, 1 failed", 1],
    ["no tests at all", { numPassedTests: 0 }, "0 passed, 0 failed", 1],
  ])("%s", (_name, content, line, code) => {
    expect(run("scripts/test-summary.mjs", [result(content)])).toEqual({ code, out: `${line}\n`, err: "" });
  });
  it("the slowest files before it", () => {
    const at = (name: string, seconds: number): object => ({
      status: "passed",
      assertionResults: [1],
      name: join(process.cwd(), "test", name),
      startTime: 5000,
      endTime: 5000 + 1000 * seconds,
    });
    const { out } = run("scripts/test-summary.mjs", [
      result({ testResults: [at("a.test.ts", 2), at("b.test.ts", 31.25)] }),
    ]);
    expect(out).toBe(
      "The slowest of 2 runs of test files, in seconds:\n   31.3  test/b.test.ts\n    2.0  test/a.test.ts\n3 passed, 0 failed\n",
    );
  });
  it("results of a further run are added, failures of its own, too; one that was left out counts for nothing", () => {
    const first = result({}),
      second = join(folder, "second.json");
    const both = (o: object): unknown => {
      writeFileSync(
        second,
        JSON.stringify({ numPassedTests: 5, numFailedTests: 0, success: true, testResults: [], ...o }),
      );
      return run("scripts/test-summary.mjs", [first, second]);
    };
    expect(both({})).toMatchObject({ code: 0, out: "8 passed, 0 failed\n" });
    expect(both({ numFailedTests: 2, success: false })).toMatchObject({ code: 1, out: "8 passed, 2 failed\n" });
    expect(run("scripts/test-summary.mjs", [first, join(folder, "none.json")])).toMatchObject({
      code: 0,
      out: "3 passed, 0 failed\n",
    });
  });
  it("no result", () => {
    expect(run("scripts/test-summary.mjs", [join(folder, "none.json")])).toEqual({
      code: 1,
      out: "0 passed, 1 failed\n",
      err: "",
    });
  });
});
