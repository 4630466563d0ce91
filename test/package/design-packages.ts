/** The designs' packages beside the one of the language: what each brings, and a design of a stranger's. */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { designPackage, packagedDesigns } from "../../scripts/package/designs.mjs";
import { Project } from "./project.ts";

const root = resolve(import.meta.dirname, "../.."),
  installed = ["clio", "supernic", "rack", "wickit"];

export function designPackages(tarball: () => string, long: boolean): void {
  describe.skipIf(!long)("packages of designs", () => {
    const project = new Project(),
      tarballs = new Map<string, string>();

    beforeAll(async () => {
      for (const design of packagedDesigns(root)) {
        const folder = await designPackage(root, join(project.folder, "folders"), design);
        const args = ["pack", "--silent", "--ignore-scripts", "--pack-destination", project.folder];
        const name = execFileSync("npm", args, { cwd: folder, encoding: "utf8" }).trim();
        tarballs.set(design, join(project.folder, name));
      }
      await project.begin(tarball());
    });
    afterAll(() => rmSync(project.folder, { recursive: true, force: true }));

    it("the package of the language has none of them, and says how to get one", async () => {
      const { out } = await project.mnemo("--help");
      expect(out).toMatch(/^Designs: frame-counter, [^;]*\.$/m);
      expect(await project.mnemo("run", "clio", "--in", "x.pcap", "--out", "y.pcap")).toEqual({
        ...{ code: 2, out: "" },
        err: "mnemo: command-argument value 'clio' is invalid for argument 'design'. Allowed choices are frame-counter. Others are packages: npm i mnemosyne-<design>.\n",
      });
    });
    it("each is less than 3 MB", () => {
      const sizes = [...tarballs].map(([design, path]) => ({ design, size: statSync(path).size }));
      expect(sizes.map(s => s.design)).toContain("hotpot");
      expect(sizes.filter(({ size }) => size > 3e6 || size < 1e4)).toEqual([]);
    });
    it("are found when they are installed, in the project's order", async () => {
      await project.add(...installed.map(d => tarballs.get(d) ?? d), "typescript@5.9", "@types/node@20");
      const { out, err } = await project.mnemo("--help");
      expect(err).toBe("");
      const names = /^Designs: (.*)\.$/m
        .exec(out)?.[1]
        ?.split("; ")
        .map(d => d.split(",")[0]);
      // npm writes dependencies in the order of their names.
      expect(names).toEqual([...installed].sort().concat("frame-counter"));
    });
    it("play captures, each frame judged by the model", async () => {
      const play = [
        "--in",
        join(root, "captures/supernic.pcap"),
        "--setup",
        join(root, "examples/supernic.setup.json"),
      ];
      const snic = await project.mnemo("run", "supernic", ...play, "--out", "out/snic.pcap");
      expect([snic.code, snic.err], snic.out).toEqual([0, expect.any(String)]);
      expect(snic.out + snic.err).toContain("compared with the reference model: no difference");
      const node = ["--in", join(root, "captures/first.pcap"), "--out", "out/node.pcap"];
      const clio = await project.mnemo("run", "clio", ...node);
      expect(clio.out + clio.err).toContain("compared with the reference model: no difference");
    });
    it("find what is no TypeScript: programs of WICKit, a thread of a rack", async () => {
      const list = (ending: string): string => join(root, `examples/wickit/list.${ending}`);
      const wickit = await project.mnemo("run", "wickit", "--program", list("wic"), "--setup", list("setup.json"));
      expect(wickit.code, wickit.out + wickit.err).toBe(0);
      const rack = ["--setup", join(root, "examples/rack.json"), "--threads", "2"];
      const { code, out, err } = await project.mnemo("run", "rack", ...rack);
      expect(code, out + err).toBe(0);
    });
    it("have types, and are one language with the package's", async () => {
      project.write(
        "src/own.ts",
        `import { emit } from "mnemosyne";
import { Client } from "mnemosyne-clio/client";
import { opcode } from "mnemosyne-clio/wire";
import { encode } from "mnemosyne/shared/wire";
import { supernic } from "mnemosyne-supernic/design";
const definition = await supernic.build?.([]);
if (definition !== undefined) console.log(emit(definition).files.length, typeof Client, opcode.READ, typeof encode);
`,
      );
      const compilerOptions = {
        ...{ target: "es2022", module: "nodenext", strict: true, skipLibCheck: false, noEmit: true, types: ["node"] },
        allowImportingTsExtensions: true,
      };
      project.write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["src"] }));
      expect(await project.tsc("-p", ".")).toEqual({ code: 0, out: "", err: "" });
      const { out, err } = await project.node("--import", "tsx", "src/own.ts");
      expect([out, err]).toEqual([expect.stringMatching(/^\d{2,} function \d+ function\n$/), ""]);
    });
    it("has what a network task of one's own needs", async () => {
      project.write(
        "src/mark.ts",
        `import { connect, map, module, stage } from "mnemosyne";
import { noFront, region, type Task, TaskAnswer, taskPorts, TaskVerdict } from "mnemosyne-supernic";
import { headerBytesFrom } from "mnemosyne-supernic/wire";

/** Writes 1 into the byte behind the ports. */
const at = 38;
const Mark = module("MarkTask", taskPorts, io => {
  const inside = stage(io.packet, "forward", { name: "inside" });
  const answers = map(inside, TaskAnswer, ({ tag }) =>
    ({ tag, verdict: TaskVerdict.forward, header: 1n << BigInt(8 * at), mask: 1n << BigInt(at), ...noFront }));
  connect(answers, io.answer);
  io.quiet.set(inside.valid.not());
});
const mark: Task = {
  declared: { name: "mark", reads: 0n, writes: headerBytesFrom(at, 1), growth: 0, leavesOut: 0,
    latency: 1, interval: 1, holds: 2, state: "none" },
  hardware: Mark(),
};
export const MarkRegion = region([mark]);
  `,
      );
      expect(await project.tsc("-p", ".")).toEqual({ code: 0, out: "", err: "" });
      expect(
        await project.mnemo("emit", "src/mark.ts", "--set", "contexts=256", "--set", "places=24", "--out", "mark"),
      ).toMatchObject({ code: 0, err: "" });
      expect(readFileSync(join(project.folder, "mark/MarkTask.v"), "utf8")).toContain("module MarkTask");
    });
    it("a design of one's own is found in the project's manifest; one that does not load is told", async () => {
      const manifest = JSON.parse(readFileSync(join(project.folder, "package.json"), "utf8")) as object;
      const withDesign = (design: string): void =>
        project.write("package.json", JSON.stringify({ ...manifest, mnemosyne: { design } }));
      project.write(
        "src/design.ts",
        `import { bit, module, output } from "mnemosyne";
import { design } from "mnemosyne/shared/command-line";
const One = module("One", () => ({ o: output(bit) }), io => { io.o.set(1); });
export const one = design({ name: "one", title: "always 1", settings: set => Promise.resolve(set), build: () => Promise.resolve(One()) });
`,
      );
      withDesign("./src/design.ts");
      expect((await project.mnemo("--help")).out).toMatch(/^Designs: one, always 1; /m);
      expect((await project.mnemo("lint", "one")).out).toMatch(/^1 designs pass /);
      withDesign("./src/missing.ts");
      const broken = await project.mnemo("--help");
      expect([broken.code, broken.err]).toEqual([
        0,
        expect.stringMatching(/^mnemo: the design of my-hardware \(\.\/src\/missing\.ts\) cannot be loaded: /),
      ]);
    });
  });
}
