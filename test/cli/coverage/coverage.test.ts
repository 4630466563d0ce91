/** `mnemo coverage`: its report, its files, and what it says of bad input. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Counter } from "../../../docs/examples/counter.ts";
import { simulate } from "../../../sim/index.ts";
import { mnemo } from "../../support/command-line.ts";

let folder = "";
const before = process.env["MNEMO_COVERAGE"];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "mnemo-coverage-"));
  process.env["MNEMO_COVERAGE"] = join(folder, "run");
  const sim = await simulate(Counter({ width: 8 }));
  sim.io.en.value = 1;
  sim.step(9);
  sim.free();
});
afterAll(() => {
  if (before === undefined) delete process.env["MNEMO_COVERAGE"];
  else process.env["MNEMO_COVERAGE"] = before;
  rmSync(folder, { recursive: true, force: true });
});
const run = (): string => join(folder, "run");

test("a table, and what was not reached with its line", async () => {
  const { code, out, err } = await mnemo(["coverage", run(), "--missed", "lines,toggles"]);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/docs\/examples\/counter\.ts +1\/2 +50\.0 % +\d+\/\d+ +\d+\.\d %/);
  expect(out).toMatch(
    /docs\/examples\/counter\.ts:\d+ {2}Counter: value never rises in bits 7:4 {2}\| const value = reg\(/,
  );
  expect(out).toMatch(/Counter: en is never 0/);
});

test("below a floor it fails", async () => {
  expect((await mnemo(["coverage", run(), "--floor", "lines=50"])).code).toBe(0);
  const { code, out } = await mnemo(["coverage", run(), "--floor", "lines=50,toggles=90"]);
  expect(code).toBe(1);
  expect(out).toMatch(/below the floor: toggles 90 %\n$/);
});

test("the page stands by itself and marks the lines; lcov names the file", async () => {
  const html = join(folder, "out", "page.html"),
    lcov = join(folder, "out", "lcov.info");
  expect((await mnemo(["coverage", run(), "--html", html, "--lcov", lcov])).code).toBe(0);
  const page = readFileSync(html, "utf8");
  expect(page).not.toMatch(/<(script|link|img)|src=|https?:/);
  expect(page).toMatch(/<span class="part">.*value\.set\(value\.add.*not run/);
  expect(page).toMatch(/value never rises in bits 7:4/);
  expect(page).not.toMatch(/=> \{|<UInt</);
  expect(readFileSync(lcov, "utf8")).toMatch(/^TN:\nSF:docs\/examples\/counter\.ts\nBRDA:/);
});

test("bad input: one sentence, exit code 2", async () => {
  const empty = join(folder, "empty");
  mkdirSync(empty);
  for (const [args, message] of [
    [[empty], /empty has no coverage; run benches with MNEMO_COVERAGE=.*empty under the built-in simulator first/],
    [[join(folder, "nowhere")], /nowhere is no folder that can be read; give the one that MNEMO_COVERAGE named/],
    [
      [run(), "--only", "Nothing"],
      /--only Nothing leaves nothing of .*; give a folder, a file or a module that was simulated/,
    ],
    [[run(), "--missed", "line"], /--missed has line; the sorts are lines, states, toggles, covers/],
    [[run(), "--floor", "lines"], /--floor lines is no figure; give one such as lines=95/],
    [[run(), "--floor", "lines=101"], /--floor lines=101 is no figure/],
  ] as const) {
    const { code, out, err } = await mnemo(["coverage", ...args]);
    expect(err, args.join(" ")).toMatch(message);
    expect(err.trim().split("\n"), args.join(" ")).toHaveLength(1);
    expect([code, out]).toEqual([2, ""]);
  }
});
