/** Each folder of the gallery, copied into what `mnemo new` makes: it type-checks, lints, and its bench passes. */
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Project, run } from "../../package/project.ts";
import { gallery } from "./designs.ts";
import { root } from "./figures.ts";

const long = process.env["MNEMO_LONG"] !== undefined;
if (!long)
  console.warn("the gallery is not copied into a project of its own, for it takes a minute: MNEMO_LONG=1 does it");

describe.skipIf(!long)("a copy", () => {
  const outside = new Project(),
    folder = join(outside.folder, "my-hardware");
  beforeAll(async () => {
    const { tarball } = await outside.pack();
    await outside.begin(tarball);
    expect((await outside.mnemo("new", "my-hardware")).code).toBe(0);
    const installed = await run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund"], folder);
    expect(installed.code, installed.err).toBe(0);
  });
  afterAll(() => rmSync(outside.folder, { recursive: true, force: true }));

  it.each(gallery)("$name", async ({ name, file, module, set }) => {
    for (const part of ["src", "test"]) {
      rmSync(join(folder, part), { recursive: true, force: true });
      cpSync(join(root, "examples/gallery", name, part), join(folder, part), { recursive: true });
    }
    const npx = (...args: readonly string[]) => run("npx", ["--no-install", ...args], folder);
    const types = await npx("tsc", "-p", ".");
    expect([types.code, types.out]).toEqual([0, ""]);
    const lint = await npx("eslint", ".");
    expect([lint.code, lint.out]).toEqual([0, ""]);
    const benches = await npx("vitest", "run");
    expect(benches.code, benches.out + benches.err).toBe(0);
    const emitted = await npx(
      ...["mnemo", "emit", `src/${file}`, "--module", module, "--out", "verilog", "--strict"],
      ...set.flatMap(s => ["--set", s]),
    );
    expect(emitted.code, emitted.err).toBe(0);
  });
});
