/**
 * The package of `npm pack`, used as a stranger would: installed in an empty folder, to write, test, emit and
 * lint a module.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emit, libraryModules } from "../../hdl-dsl/index.ts";
import { designPackages } from "./design-packages.ts";
import { firstChapter } from "./first-chapter.ts";
import { newProject } from "./new-project.ts";
import { type Packed, Project } from "./project.ts";

const project = new Project();
let packed: Packed = { tarball: "", files: [], size: 0 };

const settings = {
  compilerOptions: {
    target: "es2022",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: ["node"],
  },
};
const accumulator = `import { bit, Fifo, input, instance, module, output, reg, sink, uint, when } from "mnemosyne";

/** Adds up what comes through a queue; \`clear\` wins. */
export const Accumulator = module("Accumulator",
  (p: { width: number }) => ({ item: sink(uint(p.width)), clear: input(bit), total: output(uint(p.width)) }),
  (io, p) => {
    const queue = instance(Fifo({ shape: uint(p.width), depth: 4 }));
    queue.push.payload.set(io.item.payload);
    queue.push.valid.set(io.item.valid);
    io.item.ready.set(queue.push.ready);
    queue.pop.ready.set(1);
    const sum = reg(uint(p.width), { init: 0 });
    when(io.clear, () => { sum.set(0); })
      .elseWhen(queue.pop.valid, () => { sum.set(sum.add(queue.pop.payload)); });
    io.total.set(sum);
  });
`;
const benchOf = (expected: number): string => `import assert from "node:assert/strict";
import { test } from "node:test";
import { benchWith, StreamSource } from "mnemosyne/sim";
import { Accumulator } from "../src/accumulator.ts";

benchWith(test)("adds up", Accumulator({ width: 8 }), { wave: false }, async (b) => {
  const items = new StreamSource(b.sim, b.io.item);
  for (let i = 1; i <= 30; i++) items.send(i);
  await items.drained();
  await b.cycles(4);
  assert.equal(b.io.total.value, ${expected});
});
`;

beforeAll(async () => {
  packed = await project.pack();
  await project.begin(packed.tarball, "typescript@5.9", "@types/node@20");
  project.write("tsconfig.json", JSON.stringify({ ...settings, include: ["src", "test"] }));
  project.write("src/accumulator.ts", accumulator);
  project.write("test/accumulator.test.ts", benchOf(465 % 256));
});
afterAll(() => rmSync(project.folder, { recursive: true, force: true }));

const long = process.env["MNEMO_LONG"] !== undefined;
if (!long)
  console.warn(
    "the package is not packed and installed here, for it takes a minute: .ci/run does it, and MNEMO_LONG=1",
  );

describe.skipIf(!long)("the package", () => {
  it("holds what is used: no tests, no tools of the repository, nothing generated", () => {
    const folders = new Set(
      packed.files.map(f =>
        f
          .split("/")
          .slice(0, f.startsWith("dist/") ? 2 : 1)
          .join("/"),
      ),
    );
    expect([...folders].sort()).toEqual([
      "LICENSE",
      "README.md",
      "cli",
      "designs",
      "dist/cli",
      "dist/designs",
      "dist/docs",
      "dist/examples",
      "dist/hdl-dsl",
      "dist/scripts",
      "dist/sim",
      "docs",
      "examples",
      "hdl-dsl",
      "package.json",
    ]);
    expect(packed.files.filter(f => f.startsWith("dist/sim/backend/native/")).length).toBeGreaterThanOrEqual(5);
  });

  it("is a tarball of less than 5 MB, with no design but what they share", () => {
    expect(packed.size).toBeGreaterThan(1e6);
    expect(packed.size).toBeLessThan(5e6);
    expect([...new Set(packed.files.flatMap(f => /^(?:dist\/)?designs\/([^/]+)\//.exec(f)?.[1] ?? []))]).toEqual([
      "shared",
    ]);
  });
  it("is imported without a source text being read: places are looked up when they are asked for", async () => {
    project.write(
      "import.mjs",
      `import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const read = fs.readFileSync, found = [];
fs.readFileSync = (path, ...rest) => {
  found.push(String(path));
  return read(path, ...rest);
};
syncBuiltinESMExports();
const begun = performance.now(), before = process.cpuUsage().user;
await import("mnemosyne");
console.error(\`import of mnemosyne: \${(performance.now() - begun).toFixed(0)} ms, \${((process.cpuUsage().user - before) / 1000).toFixed(0)} of a processor\`);
console.log(found.filter(f => f.endsWith(".ts")).length);
`,
    );
    const { out, err } = await project.node("import.mjs");
    console.info(err.trim());
    expect(Number(out)).toBeLessThan(8);
  });

  it("type-checks a module and its bench, declarations of the package included", async () => {
    expect(await project.tsc("-p", ".")).toEqual({ code: 0, out: "", err: "" });
  });

  it("has types that refuse: a wrong width, a wrong direction, a port that is not there", async () => {
    project.write(
      "wrong/wrong.ts",
      `import { bit, input, module, output, reg, uint } from "mnemosyne";
export const Wrong = module("Wrong", () => ({ a: input(uint(4)), b: output(bit) }), (io) => {
  const r = reg(uint(8));
  r.set(io.a);
  io.a.set(1);
  io.c.set(1);
});
`,
    );
    project.write(
      "wrong/tsconfig.json",
      JSON.stringify({
        ...settings,
        compilerOptions: { ...settings.compilerOptions, skipLibCheck: true },
        include: ["."],
      }),
    );
    const { code, out } = await project.tsc("-p", "wrong");
    expect([code, [...out.matchAll(/^wrong\/wrong\.ts\((\d+),\d+\): error TS/gm)].map(m => m[1])]).toEqual([
      2,
      ["4", "5", "6"],
    ]);
  });

  it("tests the module with the harness; models are kept in the user's project, not in node_modules", async () => {
    const test = ["--import", "tsx", "--test", "test/accumulator.test.ts"];
    for (const passed of [await project.node(...test), await project.verilator(...test)]) {
      expect([passed.code, passed.err], passed.out).toEqual([0, ""]);
      expect(passed.out).toMatch(/^# pass 1$/m);
    }
    expect(existsSync(join(project.folder, ".cache/sim"))).toBe(true);
    expect(existsSync(join(project.folder, "node_modules/mnemosyne/.cache"))).toBe(false);
    project.write("test/planted.test.ts", benchOf(466 % 256));
    const failed = await project.node("--import", "tsx", "--test", "test/planted.test.ts");
    expect(failed.code).toBe(1);
    expect(failed.out).toMatch(/MNEMO_SEED=1 runs it again/);
  });

  it("emits and lints: names from the user's source, positions in it", async () => {
    const r = await project.mnemo("emit", "src/accumulator.ts", "--set", "width=8", "--out", "verilog", "--lint");
    expect(r).toEqual({
      code: 0,
      err: "",
      out: "verilog/Fifo_uint8_d4_auto.v\nverilog/Accumulator_width8.v\nverilog/Accumulator_width8.synthesis.f\nverilog/Accumulator_width8.simulation.f\nAccumulator_width8 passes verilator -Wall, yosys check -assert, iverilog -Wall\n",
    });
    const text = readFileSync(join(project.folder, "verilog/Accumulator_width8.v"), "utf8");
    expect(text).toContain("  Fifo_uint8_d4_auto queue ( // accumulator.ts:7\n");
    expect(text).toContain("  reg [7:0] sum; // accumulator.ts:12\n");
  });

  it("leads from a line of the Verilog to the user's source, and to the library's", async () => {
    const where = async (file: string, declaration: string): Promise<string> => {
      const line =
        readFileSync(join(project.folder, file), "utf8")
          .split("\n")
          .findIndex(l => l.includes(declaration)) + 1;
      return (await project.mnemo("where", `${file}:${line}`)).out;
    };
    expect(await where("verilog/Accumulator_width8.v", "reg [7:0] sum;")).toMatch(
      /^src\/accumulator\.ts:12: const sum = reg\(/,
    );
    expect(await where("verilog/Fifo_uint8_d4_auto.v", "reg [1:0] tail;")).toMatch(
      /^hdl-dsl\/lib\/queues\/fifo\.ts:\d+: const tail = reg\(/,
    );
  });

  it("says what is wrong, and where", async () => {
    project.write(
      "src/loop.ts",
      `import { bit, module, output, wire } from "mnemosyne";
export const Loop = module("Loop", () => ({ o: output(bit) }), (io) => {
  const a = wire(bit);
  a.set(a.not());
  io.o.set(a);
});
`,
    );
    expect(await project.mnemo("emit", "src/loop.ts")).toEqual({
      code: 1,
      out: "",
      err: "mnemo: HDL006 in Loop: combinational loop: `a` <- `a` (loop.ts:3). Break it with a register\n",
    });
    expect(await project.mnemo("generate")).toEqual({
      code: 2,
      out: "",
      err: "mnemo: mnemo generate without --out works in a clone of Mnemosyne's repository; this is the installed package\n",
    });
  });

  it("gives the library's Verilog as the repository does, whether the runtime applies source maps or not", async () => {
    project.write(
      "plain.mjs",
      `import { emit, libraryModules } from "mnemosyne/hdl-dsl";
process.stdout.write(JSON.stringify(libraryModules.map((m) => emit(m).files)));
`,
    );
    const wanted = libraryModules.map(m => emit(m).files);
    for (const options of [[], ["--enable-source-maps"], ["--import", "tsx"]]) {
      const { code, out, err } = await project.node(...options, "plain.mjs");
      expect([code, err]).toEqual([0, ""]);
      expect(JSON.parse(out), options.join(" ")).toEqual(wanted);
    }
  });

  it("compiled modules of the user's own keep their TypeScript's lines", async () => {
    project.write(
      "tsconfig.build.json",
      JSON.stringify({
        compilerOptions: {
          ...settings.compilerOptions,
          skipLibCheck: true,
          noEmit: false,
          allowImportingTsExtensions: false,
          rewriteRelativeImportExtensions: true,
          sourceMap: true,
          outDir: "build",
          rootDir: "src",
        },
        include: ["src"],
      }),
    );
    expect((await project.tsc("-p", "tsconfig.build.json")).code).toBe(0);
    project.write(
      "run.mjs",
      `import { emit } from "mnemosyne";
import { Accumulator } from "./build/accumulator.js";
process.stdout.write(emit(Accumulator({ width: 8 })).files.at(-1).text);
`,
    );
    const { out } = await project.node("run.mjs");
    expect(out).toContain("  reg [7:0] sum; // accumulator.ts:12\n");
  });

  // Installs another 30 MB.
  it("works under vitest, too: benches, names and positions", async () => {
    project.write(
      "vitest/module.test.ts",
      `import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { bit, emit, module, output, wire, libraryModules } from "mnemosyne";
import { benchWith } from "mnemosyne/sim";
import { Accumulator } from "../src/accumulator.ts";

benchWith(test)("stays at 0", Accumulator({ width: 8 }), {}, async (b) => {
  await b.cycles(9);
  expect(b.io.total.value).toBe(0);
});
test("positions", () => {
  const Loop = module("Loop", () => ({ o: output(bit) }), (io) => {
    const a = wire(bit);
    a.set(a.not());
    io.o.set(a);
  });
  expect(() => emit(Loop())).toThrow("module.test.ts:13");
  expect(emit(Accumulator({ width: 8 })).files.at(-1)?.text).toContain("  reg [7:0] sum; // accumulator.ts:12\\n");
  writeFileSync("vitest.json", JSON.stringify(libraryModules.map((m) => emit(m).files)));
});
`,
    );
    await project.add("vitest@4");
    const { code, out, err } = await project.node("node_modules/vitest/vitest.mjs", "run", "vitest");
    expect(code, out + err).toBe(0);
    expect(JSON.parse(readFileSync(join(project.folder, "vitest.json"), "utf8"))).toEqual(
      libraryModules.map(m => emit(m).files),
    );
  });

  it("refuses by a lint rule what TypeScript accepts and JavaScript answers wrongly", async () => {
    project.write(
      "eslint.config.js",
      `import mnemosyne from "mnemosyne/eslint";
import tseslint from "typescript-eslint";
export default tseslint.config({
  files: ["src/*.ts"], plugins: { mnemosyne }, rules: { "mnemosyne/signal-misuse": "error" },
  languageOptions: { parser: tseslint.parser, parserOptions: { projectService: true } },
});
`,
    );
    project.write(
      "src/misuse.ts",
      `import { bit, input, module, output } from "mnemosyne";
export const Misuse = module("Misuse", () => ({ a: input(bit), b: input(bit), o: output(bit) }), (io) => {
  if (io.a) io.o.set(1); else io.o.set(io.a === io.b ? 1 : 0);
});
`,
    );
    await project.add("eslint@9", "typescript-eslint@8");
    const { code, out } = await project.node("node_modules/eslint/bin/eslint.js", "src", "--format", "json");
    const found = (
      JSON.parse(out) as {
        readonly filePath: string;
        readonly messages: readonly { readonly line: number; readonly ruleId: string; readonly messageId?: string }[];
      }[]
    ).flatMap(f => f.messages.map(m => [f.filePath.split("/").at(-1), m.line, m.ruleId, m.messageId]));
    expect([code, found]).toEqual([
      1,
      [
        ["misuse.ts", 3, "mnemosyne/signal-misuse", "condition"],
        ["misuse.ts", 3, "mnemosyne/signal-misuse", "comparison"],
      ],
    ]);
  });
});

designPackages(() => packed.tarball, long);
firstChapter(() => packed.tarball, long);
newProject(() => packed.tarball, long);
