/**
 * What the manual's first chapter says, done word for word with the TypeScript that npm gives today, on a machine that
 * has Node and a shell and nothing else.
 */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Project } from "./project.ts";

const manual = fileURLToPath(new URL("../../docs/manual", import.meta.url));

/** The text of a fenced block of a chapter, by the words behind its fence. */
function block(chapter: string, fence: string): string {
  const file = readdirSync(manual).find(f => f.startsWith(chapter));
  const text = readFileSync(join(manual, file ?? chapter), "utf8");
  const found = text.split(`\n\`\`\`${fence}\n`)[1]?.split("\n```")[0];
  if (found === undefined) throw new Error(`chapter ${chapter} has no block "${fence}"`);
  return `${found}\n`;
}

/** The packages that a command of a chapter installs. */
function packagesOf(command: RegExp): string[] {
  const line = command.exec(readFileSync(join(manual, "01-first-module.md"), "utf8"))?.[1];
  if (line === undefined) throw new Error(`chapter 1 has no command ${command.source}`);
  return line.trim().split(/\s+/);
}

export function firstChapter(tarball: () => string, long: boolean): void {
  describe.skipIf(!long)("chapter 1, with today's TypeScript, on an empty machine", () => {
    const project = new Project();

    beforeAll(async () => {
      await project.begin(tarball(), ...packagesOf(/^npm install --save-dev (.*)$/m), "vitest@4");
      project.write("tsconfig.json", block("01", "json tsconfig.json"));
      project.write("counter.ts", block("01", "ts counter.ts"));
      project.write("counter.test.ts", block("10", "ts counter.test.ts"));
    });
    afterAll(() => rmSync(project.folder, { recursive: true, force: true }));

    it("installs a TypeScript of version 7 or later, and type-checks with the settings that it gives", async () => {
      const { version } = JSON.parse(
        readFileSync(join(project.folder, "node_modules/typescript/package.json"), "utf8"),
      ) as { readonly version: string };
      expect(Number.parseInt(version, 10)).toBeGreaterThanOrEqual(7);
      expect(await project.tsc("-p", ".")).toEqual({ code: 0, out: "", err: "" });
    });

    it("emits the Verilog that the chapter shows", async () => {
      const mnemo = join(project.folder, "node_modules/.bin/mnemo");
      const r = await project.bare(mnemo, "emit", "counter.ts", "--set", "width=8", "--out", "verilog");
      expect(r).toEqual({
        code: 0,
        err: "",
        out: ["v", "synthesis.f", "simulation.f"].map(end => `verilog/Counter_width8.${end}\n`).join(""),
      });
      expect(readFileSync(join(project.folder, "verilog/Counter_width8.v"), "utf8")).toBe(
        block("01", "verilog Counter({ width: 8 })"),
      );
      const lint = await project.bare(mnemo, "emit", "counter.ts", "--set", "width=8", "--out", "verilog", "--lint");
      expect([lint.code, lint.err]).toEqual([
        2,
        "mnemo: Verilator, Yosys and Icarus Verilog are missing: install them (Debian or Ubuntu: sudo apt-get install verilator yosys iverilog) and run this again.\n",
      ]);
    });

    it("tests the counter without a native tool, and says nothing of it", async () => {
      const r = await project.bare("node", "node_modules/vitest/vitest.mjs", "run");
      expect([r.code, r.out], r.out + r.err).toEqual([0, expect.stringContaining("1 passed")]);
      expect(r.err).not.toContain("Verilator");
    });

    it("says what is wrong with a bench, without a native tool", async () => {
      project.write("counter.test.ts", block("10", "ts counter.test.ts").replace("toBe(300 % 256)", "toBe(45)"));
      const r = await project.bare("node", "node_modules/vitest/vitest.mjs", "run");
      expect(r.code).toBe(1);
      expect(r.out + r.err).toContain("expected 44 to be 45");
    });

    it("takes the lint rule with what the chapter installs for it", async () => {
      await project.add("--save-dev", ...packagesOf(/`npm install --save-dev ([^`]*eslint[^`]*)`/));
      project.write("eslint.config.js", block("01", "js eslint.config.js"));
      project.write("src/misuse.ts", 'import { bit, wire } from "mnemosyne";\nif (wire(bit)) throw new Error();\n');
      project.write("tsconfig.json", block("01", "json tsconfig.json"));
      const { code, out } = await project.node("node_modules/eslint/bin/eslint.js", "src");
      expect([code, out], out).toEqual([1, expect.stringContaining("mnemosyne/signal-misuse")]);
    });
  });
}
