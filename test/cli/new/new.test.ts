/** `mnemo new` without npm: the files, what is refused; module, bench and proof work as written. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { projectFiles } from "../../../cli/new/files.ts";
import { type Def, emit, type Proof } from "../../../hdl-dsl/index.ts";
import { planted } from "../../../sim/index.ts";
import { mnemo } from "../../support/command-line.ts";

const folder = mkdtempSync(join(tmpdir(), "mnemo-new-")),
  tarball = join(folder, "language-1.2.3.tgz"),
  inside = `out/new-${process.pid}`;
writeFileSync(tarball, "a tarball");
const at = (path: string): string => resolve(inside, path);
for (const [path, text] of Object.entries(projectFiles("new", "language.tgz"))) {
  if (!/^(?:src|test)\//.test(path)) continue;
  mkdirSync(dirname(at(path)), { recursive: true });
  const local = text
    .replace('from "mnemosyne/sim"', 'from "../../../sim/index.ts"')
    .replace('from "mnemosyne"', 'from "../../../hdl-dsl/index.ts"');
  writeFileSync(at(path), local);
}
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  rmSync(inside, { recursive: true, force: true });
});

const filesOf = (project: string): string[] =>
  readdirSync(project, { recursive: true, withFileTypes: true })
    .filter(e => e.isFile())
    .map(e => join(e.parentPath, e.name))
    .sort();

it("writes the project and says how to go on; the tarball goes along, so that a clone can be installed", async () => {
  const project = join(folder, "My Hardware"),
    { code, out, err } = await mnemo(["new", project, "--package", tarball]);
  expect([code, err]).toEqual([0, ""]);
  expect(out.split("\n").slice(0, -3).sort()).toEqual(filesOf(project));
  expect(out).toMatch(/\n\ncd .*My Hardware && npm install && npm run check\n$/);
  expect(readFileSync(join(project, "vendor/language-1.2.3.tgz"), "utf8")).toBe("a tarball");
  expect(JSON.parse(readFileSync(join(project, "package.json"), "utf8"))).toMatchObject({
    name: "my-hardware",
    private: true,
    dependencies: { mnemosyne: "file:vendor/language-1.2.3.tgz" },
  });
});

it("takes an empty folder, and refuses every other one without touching it", async () => {
  const empty = join(folder, "empty"),
    full = join(folder, "full");
  mkdirSync(empty);
  mkdirSync(full);
  writeFileSync(join(full, ".hidden"), "mine");
  expect((await mnemo(["new", empty, "--package", tarball])).code).toBe(0);
  expect(await mnemo(["new", full, "--package", tarball])).toEqual({
    code: 2,
    out: "",
    err: `mnemo: ${full} is not empty; name a new folder, or an empty one\n`,
  });
  expect(readdirSync(full)).toEqual([".hidden"]);
  expect(await mnemo(["new", tarball, "--package", tarball])).toEqual({
    code: 2,
    out: "",
    err: `mnemo: ${tarball} is a file; name a new folder, or an empty one\n`,
  });
});

it("a tarball that is not there is refused before anything is written", async () => {
  const nothing = join(folder, "nothing");
  expect(await mnemo(["new", nothing, "--package", `${tarball}.tgz`])).toEqual({
    code: 2,
    out: "",
    err: `mnemo: --package ${tarball}.tgz: there is no such file\n`,
  });
  expect(readdirSync(folder)).not.toContain("nothing");
  expect((await mnemo(["new", nothing, "--package", "language.zip"])).err).toBe(
    "mnemo: option '--package <tarball>' argument 'language.zip' is invalid. Its name must end in .tgz.\n",
  );
});

describe("the sources of the project, as they are written", () => {
  it("the module passes without a warning, and the planted fault of its proof is in the Verilog", async () => {
    const { Credits } = (await import(/* @vite-ignore */ at("src/credits.ts"))) as Record<string, (p: object) => Def>,
      { proofs } = (await import(/* @vite-ignore */ at("src/proofs.ts"))) as { proofs: readonly Proof[] };
    expect(emit(Credits!({ most: 5 }), { strict: true }).warnings).toEqual([]);
    expect(proofs.map(p => p.faults.map(f => planted(emit(p.harness), f).top))).toEqual([["Credits_most5"]]);
  });
});
// The project's own benches, registered here.
await import(/* @vite-ignore */ at("test/credits.test.ts"));
