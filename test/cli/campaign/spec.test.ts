/** The campaign's file: each thing that cannot be is told in one sentence; pieces and seeds are the same everywhere. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { canonical, identityOf } from "../../../cli/campaign/identity.ts";
import { loadSpec } from "../../../cli/campaign/load.ts";
import { piecesOf, product, seedOf } from "../../../cli/campaign/pieces.ts";
import { specSchema } from "../../../cli/campaign/spec.ts";
import { mnemo } from "../../support/command-line.ts";
import { module, pieces, specOf } from "./support/here.ts";

const folder = mkdtempSync(join(tmpdir(), "mnemo-spec-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (text: string, name = "c.json"): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const of = (work: unknown, more: object = {}): string => JSON.stringify({ name: "x", work: [work], ...more });

describe("a file that cannot be", () => {
  const counted = pieces(1);
  const refused: readonly (readonly [text: string, sentence: RegExp])[] = [
    ["{", /c\.json is not JSON: .*; mend it there$/],
    ["{}", /c\.json: name is missing; add it; work is missing; add it$/],
    [of(counted, { name: "No!" }), /name = "No!": .*must be lower-case letters, digits and -/],
    [of(counted, { wrok: 1 }), /there is no field "wrok"; the fields are name, about, work, limits$/],
    [
      of({ kind: "programms" }),
      /work\[0\]\.kind = "programms": there is no such kind; the kinds are frames, .*, module/,
    ],
    [of({ count: 1 }), /work\[0\].kind is missing; add it$/],
    [of({ ...counted, count: 0 }), /work\[0\]\.count = 0: .*>=1$/],
    [of({ ...counted, count: 1.5 }), /work\[0\]\.count = 1\.5: /],
    [of({ ...counted, seed: 4294967296 }), /work\[0\]\.seed = 4294967296: /],
    [
      of({ ...counted, module: "no/such.ts" }),
      /work\[0\] names no\/such\.ts, and there is no such file in the project$/,
    ],
    [of({ kind: "vitest", files: ["test/no.test.ts"] }), /work\[0\] names test\/no\.test\.ts/],
    [of({ kind: "mutants", modules: ["Tlb"] }), /work\[0\]\.modules\[0\] = "Tlb": .*must be <design>\/<Module>/],
    [of({ kind: "sweep", design: "nobody", set: {} }), /there is no design nobody; the designs are /],
    [of(counted, { limits: { seconds: 0 } }), /limits\.seconds = 0: /],
    [of(counted, { limits: { retries: -1 } }), /limits\.retries = -1: /],
    [
      of({ ...counted, count: 1e9 }),
      /1000000000 of module in pieces of 1 are 1000000000 pieces.*make `piece` 1000 or more/,
    ],
  ];
  it.each(refused)("%s", async (text, sentence) => {
    const { code, out, err } = await mnemo(["campaign", file(text), "--list"]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(/^mnemo: [^\n]*\n$/);
    expect(err.trim()).toMatch(sentence);
  });
  it.each([
    [["campaign"], /name the campaign's file/],
    [["campaign", "c.txt"], /c\.txt is no campaign: its name must end in/],
    [["campaign", "nowhere.json"], /cannot open nowhere\.json: there is no such file or folder/],
    [["campaign", "--task", "x"], /--task needs --share k\/n/],
    [["campaign", "--task", "x", "--share", "3/3"], /It must be k\/n with k from 0 to n - 1/],
    [["campaign", "--task", "nowhere", "--share", "0/3"], /nowhere has no campaign/],
    [["campaign", "c.json", "--share", "0/3"], /--share is for --task/],
    [["campaign", "c.json", "--slots", "0"], /It must be a whole number from 1 to 1024/],
  ])("%j", async (args, sentence) => {
    const { code, out, err } = await mnemo(args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(sentence);
    expect(err).toMatch(/^mnemo: [^\n]*\n$/);
  });
  it.each([
    [["--submit", "x {command}"], /--submit is for --engine shell/],
    [["--engine", "shell"], /--engine shell needs --submit/],
    [["--engine", "shell", "--submit", "ssh x"], /does not say where the task goes; write \{command\} in it/],
    [["--engine", "local", "--jobs", "3"], /--jobs is for --engine slurm and shell/],
    [["--engine", "slurm", "--slots", "3"], /--slots is for --engine local/],
  ])("engine: %j", async (args, sentence) => {
    const { code, err } = await mnemo(["campaign", file(of(counted)), "--out", join(folder, "none"), ...args]);
    expect(code).toBe(2);
    expect(err).toMatch(sentence);
  });
});

it.each(readdirSync("examples/campaigns"))("examples/campaigns/%s can be run", async name => {
  const spec = await loadSpec(`examples/campaigns/${name}`);
  expect(piecesOf(spec).length).toBeGreaterThan(1);
  // A name for each: their folders stand beside one another.
  expect(spec.name).toBe(name.replace(/\..*$/, ""));
});

describe("pieces", () => {
  it("the count is cut, and the last piece is what is left", () => {
    const all = piecesOf(specOf([{ kind: "module", module, count: 10, piece: 4, seed: 7 }, pieces(2)]));
    expect(all.map(p => [p.index, p.work, p.count])).toEqual([
      [0, 0, 4],
      [1, 0, 4],
      [2, 0, 2],
      [3, 1, 1],
      [4, 1, 1],
    ]);
    expect(all[0]?.seed).toBe(7);
  });
  it("no two of 100,000 pieces have one seed, and neighbours lie far apart", () => {
    const seeds = Array.from({ length: 100_000 }, (_, i) => seedOf(4_000_000_000, i));
    expect(new Set(seeds).size).toBe(seeds.length);
    const near = seeds.slice(0, 1000).sort((a, b) => a - b);
    expect(Math.min(...near.slice(1).map((s, i) => s - (near[i] ?? 0)))).toBeGreaterThan(500_000);
    expect(seeds.every(s => s >= 0 && s <= 0xffff_ffff)).toBe(true);
  });
  it("seed, count and number are filled in wherever they stand", () => {
    const env = { SEED: "{seed}", MANY: "{count}" };
    const [, second] = piecesOf(specOf([{ kind: "command", command: ["x", "-{index}"], env, count: 5, piece: 4 }]));
    expect(second?.run).toEqual({
      how: "child",
      program: "x",
      args: ["-1"],
      env: { SEED: String(seedOf(1, 1)), MANY: "1" },
    });
  });
  it("a sweep is the product, the last setting fastest", () => {
    expect(product({ a: [1, 2], b: ["x", "y"] }).map(p => p.join(" "))).toEqual([
      "a=1 b=x",
      "a=1 b=y",
      "a=2 b=x",
      "a=2 b=y",
    ]);
    expect(product({})).toEqual([[]]);
  });
});

describe("identity", () => {
  const spec = { name: "x", work: [pieces(3)] };
  it("the order of fields and blanks are no difference; any value and the commit are", () => {
    const turned = { work: [Object.fromEntries(Object.entries(pieces(3)).reverse())], name: "x" };
    expect(canonical(specSchema.parse(spec))).toBe(canonical(specSchema.parse(turned)));
    const id = identityOf(specSchema.parse(spec), "a");
    expect(identityOf(specSchema.parse(turned), "a")).toBe(id);
    expect(identityOf(specSchema.parse(spec), "b")).not.toBe(id);
    expect(identityOf(specSchema.parse({ ...spec, work: [pieces(4)] }), "a")).not.toBe(id);
  });
  it("TypeScript and JSON of the same content are the same campaign", async () => {
    const ts = file(
      `const n: number = 3; export default { name: "x", work: [{ ...${JSON.stringify(pieces(1))}, count: n }] };`,
      "c.ts",
    );
    expect(await loadSpec(ts)).toEqual(await loadSpec(file(JSON.stringify(spec))));
  });
  it("a TypeScript file that cannot be loaded, or exports nothing", async () => {
    await expect(loadSpec(file("export const x = 1;", "none.ts"))).rejects.toThrow(/has no default export/);
    await expect(loadSpec(file("throw new Error('no');", "bad.ts"))).rejects.toThrow(
      /cannot be loaded: no; mend it there/,
    );
  });
});
