/** The verbs on a module of a user's own: a small project with a module, a proof of it and a bench. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collected } from "../../../cli/own/vitest.ts";
import { cacheRoot } from "../../../sim/index.ts";
import { mnemo } from "../../support/command-line.ts";

const folder = `out/own-${process.pid}`,
  at = (name: string): string => `${folder}/${name}`;

/** \`top\` is a parameter; the claim is that the level never leaves its bounds. */
const level = (
  guard: string,
): string => `import { assertAlways, bit, cover, input, module, output, reg, uint, when } from "../../../hdl-dsl/index.ts";

export const Level = module("Level",
  (_p: { top: number }) => ({ up: input(bit), down: input(bit), level: output(uint(4)) }),
  (io, p) => {
    const level = reg(uint(4), { init: 0 });
    when(io.up.and(io.down.not())${guard}, () => { level.set(level.add(1)); })
      .elseWhen(io.down.and(io.up.not()).and(level.gt(0)), () => { level.set(level.sub(1)); });
    io.level.set(level);
    assertAlways(level.le(p.top), "the level stays within its bounds");
    cover(level.eq(p.top), "the level reaches the top");
  });
`;
const files: Readonly<Record<string, string>> = {
  "package.json": '{ "name": "own", "private": true, "type": "module" }\n',
  // Vitest looks for a configuration in the folders above, too. What it made of our sources is kept among ours.
  "vitest.config.ts": `export default { test: { experimental: ${JSON.stringify({
    fsModuleCache: true,
    fsModuleCachePath: join(cacheRoot(), "modules"),
  })} } };\n`,
  "src/level.ts": level(".and(level.lt(p.top))"),
  "src/wrong.ts": level(""),
  "src/two.ts": `${level("")}\nexport const Other = module("Other", () => ({ y: output(bit) }), io => { io.y.set(0); });\n`,
  "src/proof.ts": `import { Level } from "./level.ts";
export const claims = [{
  module: "Level, top 3",
  harness: Level({ top: 3 }),
  faults: [{ what: "one too many", from: "level_q < 4'd3", to: "level_q <= 4'd3" }],
}];
`,
  "src/broken.ts": "export const = ;\n",
  "src/nothing.ts": "export const width = 8;\n",
  "src/unclear.ts":
    'import { bit, module, output } from "../../../hdl-dsl/index.ts";\nexport const Unclear = module("Unclear", () => ({ y: output(bit) }), () => { throw new Error("no such table"); });\n',
  "test/level.test.ts": `import { expect, test } from "vitest";
import { benchWith } from "../../../sim/index.ts";
import { Level } from "../src/level.ts";

benchWith(test)("goes up, stays, comes down", Level({ top: 3 }), {}, async b => {
  b.io.up.value = 1;
  await b.cycles(6);
  expect(b.io.level.value).toBe(3);
  b.io.up.value = 0;
  await b.cycles(2);
  expect(b.io.level.value).toBe(3);
});
`,
};
beforeAll(() => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(at(name), text);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("lint", () => {
  it("asks the three tools of a module", async () => {
    expect(await mnemo(["lint", at("src/level.ts"), "--set", "top=3", "--strict"])).toEqual({
      code: 0,
      err: "",
      out: "Level_top3 passes verilator -Wall, yosys check -assert, iverilog -Wall\n",
    });
  });
});

describe("synth", () => {
  it("measures a module, and names the line of the deepest path", async () => {
    const { code, out, err } = await mnemo(["synth", at("src/level.ts"), "--set", "top=3", "--target", "ice40"]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^Level +\d+/m);
    expect(out).toContain("level.ts:");
  });
});

describe("prove", () => {
  it("decides the claims of a module's body", async () => {
    const { code, out, err } = await mnemo(["prove", at("src/level.ts"), "--set", "top=3"]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^Level_top3 +the level stays within its bounds +proved /m);
    expect(out).toMatch(/cover: the level reaches the top +reached/);
  });
  it("takes the proofs that a file exports, with their faults", async () => {
    const { code, out, err } = await mnemo(["prove", at("src/proof.ts"), "--faults"]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^Level, top 3 +the level stays within its bounds +proved /m);
    expect(out).toMatch(/fault: one too many +caught/);
  });
  it("a claim that fails leaves a test that fails in the user's project", async () => {
    const out = resolve(folder, "out/prove"),
      r = await mnemo(["prove", at("src/wrong.ts"), "--set", "top=3", "--out", out]);
    expect([r.code, r.err]).toEqual([1, ""]);
    expect(r.out).toMatch(/Level_top3 +the level stays within its bounds +FAILED/);
    const test = join(out, "test/Level_top3.test.ts"),
      text = readFileSync(test, "utf8");
    expect(text).toContain('import { Level } from "../../../src/wrong.ts";\n');
    expect(text).toContain('replay(Level({"top":3}), inputs)');
    const run = await collected([resolve("node_modules/vitest/vitest.mjs"), "run", test], folder, {});
    expect([run.code, run.said]).toEqual([1, expect.stringContaining("the level stays within its bounds")]);
  });
});

describe("mutate", () => {
  it("finds the tests that import the file, and the faults that they miss", async () => {
    const { code, out, err } = await mnemo(["mutate", at("src/level.ts"), "--only-operator", "reset-value,bound"]);
    expect([code, err], out).toEqual([1, ""]);
    // The bench never comes down: a wrong bound below is not seen, one above is.
    expect(out).toMatch(/^src\/level\.ts:8 {2}bound: .*\n {4}\.elseWhen/m);
    expect(out).not.toMatch(/^src\/level\.ts:7 {2}bound/m);
    expect(out).toMatch(/^Level: \d+ of \d+ mutants killed/m);
    expect(existsSync("src/level.ts")).toBe(false);
  });
});

describe("cover", () => {
  it("says which lines the benches that import the file reach", async () => {
    const { code, out, err } = await mnemo(["cover", at("src/level.ts"), "--floor", "lines=100"]);
    expect([code, err], out).toEqual([1, ""]);
    expect(out).toMatch(/^src\/level\.ts:8 {2}Level: not run {2}\| \.elseWhen/m);
    expect(out).toMatch(/^all +1\/2 /m);
  });
});

/** One sentence, exit code 2 unless the user's own code is what fails. */
const refused: readonly (readonly [verb: string, args: readonly string[], sentence: string, code?: number])[] = [
  ...["lint", "synth", "prove", "mutate", "cover"].flatMap((verb): (readonly [string, readonly string[], string])[] => [
    [verb, ["src/none.ts"], `${at("src/none.ts")}: there is no such file`],
  ]),
  ...["lint", "synth", "prove"].flatMap((verb): (readonly [string, readonly string[], string, number?])[] => [
    [verb, ["src/nothing.ts"], `${at("src/nothing.ts")} exports no module: write \`export const Name = module(...)\``],
    [verb, ["src/two.ts"], `${at("src/two.ts")} exports Level, Other: choose with --module <name>`],
    [verb, ["src/level.ts", "--module", "Lvel"], `${at("src/level.ts")} exports no module Lvel; it exports Level`],
    [verb, ["src/unclear.ts"], `${at("src/unclear.ts")}: no such table (unclear.ts:2)`, 1],
  ]),
  [
    "mutate",
    ["src/nothing.ts"],
    `${at("src/nothing.ts")} has no module: write \`export const Name = module("Name", ...)\``,
  ],
  ["mutate", ["src/two.ts"], `${at("src/two.ts")} has Level, Other: choose with --module <name>`],
  ["mutate", ["src/two.ts", "--module", "Lvel"], `${at("src/two.ts")} has no module Lvel; it has Level, Other`],
  [
    "mutate",
    ["src/two.ts", "--module", "Other"],
    `no test below ${resolve(folder)} imports ${at("src/two.ts")}: write a bench of Other, or name tests with --tests`,
  ],
  ["cover", ["src/two.ts"], `no test below ${resolve(folder)} imports ${at("src/two.ts")}: write a bench of it`],
  ["synth", ["src/level.ts", "--table"], `--table is of a design; leave it out with ${at("src/level.ts")}`],
  [
    "synth",
    ["src/level.ts", "--check"],
    `${at("src/level.ts")} has no baseline of areas; leave out --check and --write-baseline`,
  ],
  [
    "prove",
    ["src/proof.ts", "--set", "top=3"],
    `the proofs of ${at("src/proof.ts")} have their parameters already: --set has no place`,
  ],
];
describe("what does not fit is refused with one sentence", () => {
  for (const [verb, [file = "", ...rest], sentence, code = 2] of refused)
    it([verb, file, ...rest].join(" "), async () => {
      expect(await mnemo([verb, at(file), ...rest])).toEqual({ code, out: "", err: `mnemo: ${sentence}\n` });
    });
  it.each(["lint", "synth", "prove", "mutate"])("%s: --module without a file", async verb => {
    const name = verb === "mutate" ? "clio/SlotPool" : verb === "prove" ? "Fifo" : "clio";
    expect(await mnemo([verb, name, "--module", "X"])).toEqual({
      code: 2,
      out: "",
      err: "mnemo: --module is for a TypeScript file; give one, or leave out --module X\n",
    });
  });
  it.each(["lint", "synth"])("%s: a word that is neither a design nor a file", async verb => {
    expect((await mnemo([verb, "nobody"])).err).toMatch(
      /^mnemo: command-argument value 'nobody' is invalid for argument 'design'\. Allowed choices are clio, .* or a file whose name ends in \.ts\.\n$/,
    );
  });
});
