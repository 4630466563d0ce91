/** `mnemo new` with the package of `npm pack`: the project installs, and each of its commands works. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Outcome, Project, run } from "./project.ts";

export function newProject(tarball: () => string, long: boolean): void {
  describe.skipIf(!long)("a new project", () => {
    const outside = new Project();
    const folder = join(outside.folder, "my-hardware"),
      script = (...args: readonly string[]): Promise<Outcome> => run("npm", ["run", "--silent", ...args], folder);

    beforeAll(async () => {
      await outside.begin(tarball());
      // The tarball is the one that the command was installed from.
      const made = await outside.mnemo("new", "my-hardware");
      expect([made.code, made.err]).toEqual([0, ""]);
      const installed = await run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund"], folder);
      expect(installed.code, installed.err).toBe(0);
    });
    afterAll(() => rmSync(outside.folder, { recursive: true, force: true }));

    it("is refused where something is", async () => {
      expect(await outside.mnemo("new", "my-hardware")).toEqual({
        code: 2,
        out: "",
        err: "mnemo: my-hardware is not empty; name a new folder, or an empty one\n",
      });
    });
    it("passes its own checks: types, lint, benches", async () => {
      const r = await script("check");
      expect(r.code, r.out + r.err).toBe(0);
      expect(r.out).toContain("2 passed");
    });
    it("lint finds what TypeScript accepts and JavaScript answers wrongly", async () => {
      outside.write(
        "my-hardware/src/misuse.ts",
        'import { bit, wire } from "mnemosyne";\nif (wire(bit)) throw new Error();\n',
      );
      const r = await script("lint");
      rmSync(join(folder, "src/misuse.ts"));
      expect([r.code, r.out], r.err).toEqual([1, expect.stringContaining("mnemosyne/signal-misuse")]);
    });
    it("writes its Verilog and lints it", async () => {
      expect((await script("verilog")).code).toBe(0);
      expect(readFileSync(join(folder, "verilog/Credits_most5.v"), "utf8")).toContain("module Credits_most5");
      expect((await script("lint:verilog")).out).toBe(
        "Credits_most5 passes verilator -Wall, yosys check -assert, iverilog -Wall\n",
      );
    });
    it("proves its claims, and each planted fault is caught", async () => {
      const r = await script("prove");
      expect(r.code, r.out + r.err).toBe(0);
      expect(r.out).toMatch(/fault: a credit too many is taken back +caught/);
    });
    it("says its area, what its benches reach, and what they miss", async () => {
      expect((await script("synth")).out).toMatch(/^Credits +\d+/m);
      const covered = await script("cover", "--", "--floor", "lines=100");
      expect(covered.code, covered.out + covered.err).toBe(0);
      const mutated = await script("mutate");
      expect(mutated.out + mutated.err).toMatch(/^Credits: \d+ of \d+ mutants killed/m);
      expect(existsSync(join(folder, "node_modules/mnemosyne/cli/mutate"))).toBe(false);
    });
  });
}
