import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EmittedDesign, simulationFiles } from "../../../hdl-dsl/index.ts";
import type { Backend, ModelOptions, Program, WaveFormat } from "../backend.ts";
import { type BlockLayout, layoutOf } from "../layout.ts";
import { cached, digest, found } from "./cache.ts";
import { cacheRoot } from "./cache-root.ts";
import { compileModel, isStartUp } from "./compile.ts";
import { cxxFlags, nativeSource } from "./flags.ts";
import { type Loader, nativeLoader } from "./loader.ts";
import { VerilatorModel } from "./model.ts";
import { hotLevel } from "./prelude.ts";
import { run } from "./run.ts";
import { portsHeader, SHIM } from "./shim.ts";
import { simulationTools, type Tools } from "./tools.ts";

/**
 * Version 5.006 folds trees of bits wrongly: of `~(u[2] & f[2]) & u[3] & f[3]` it made 0 where u and f are 8 and 12
 * (test/sim/backend/bits.test.ts). Others before and after it did so with other trees.
 */
const noTreesOfBits = "-fno-const-bit-op-tree";

function verilatorFlags(design: EmittedDesign, trace: WaveFormat | false): string[] {
  return [
    "--cc",
    "--prefix",
    "Vdut",
    "--top-module",
    design.top,
    "-O3",
    noTreesOfBits,
    "--assert",
    "--x-assign",
    "unique",
    "--x-initial",
    "unique",
    "--timescale",
    "1ps/1ps",
    "-Wno-fatal",
    "-Wno-lint",
    "-Wno-style",
    "--output-split",
    "0",
    ...(trace === false ? [] : [trace === "fst" ? "--trace-fst" : "--trace", "--trace-structs"]),
  ];
}

/**
 * Where modules are inlined, Verilator may put an expression into each of its readers: the start-up code of a task with
 * GHASH's matrices grows to 34 MB, which takes a minute and a half to compile. With its modules kept it is 2 MB.
 */
const mostStartUpBytes = 8_000_000,
  keepModules = "-fno-inline";

const startUpBytes = (dir: string): number =>
  readdirSync(dir)
    .filter(isStartUp)
    .reduce((n, f) => n + statSync(join(dir, f)).size, 0);

/** Writes the Verilog into a folder, translates it and adds the shim. */
async function translate(
  tools: Tools,
  design: EmittedDesign,
  layout: BlockLayout,
  trace: WaveFormat | false,
  dir: string,
): Promise<void> {
  const verilog = simulationFiles(design);
  for (const f of verilog) writeFileSync(join(dir, f.name), f.text);
  // Relative names: the folder differs from run to run and must not show in the C++.
  const withFlags = (more: readonly string[]): Promise<unknown> =>
    run(
      tools.verilator.path,
      [...verilatorFlags(design, trace), ...more, "--Mdir", ".", ...verilog.map(f => f.name)],
      dir,
      `translating ${design.top} with Verilator`,
    );
  await withFlags([]);
  if (startUpBytes(dir) > mostStartUpBytes) {
    for (const f of readdirSync(dir)) if (/\.(cpp|h|dat|mk)$/.test(f)) rmSync(join(dir, f));
    await withFlags([keepModules]);
  }
  writeFileSync(join(dir, "ports.h"), portsHeader(layout));
  writeFileSync(join(dir, "shim.cc"), SHIM);
}

/**
 * The compiler's input as a key: a change of the Verilog that does not reach the C++ (a comment) costs no compilation.
 */
function generatedKey(tools: Tools, trace: WaveFormat | false, brief: boolean, dir: string): string {
  const files = readdirSync(dir)
    .filter(f => /\.(cpp|h|cc)$/.test(f))
    .sort();
  return digest([
    tools.fingerprint,
    cxxFlags(tools, trace).join(" "),
    hotLevel(brief),
    ...["abi.h", "shim-body.h", "verilated-hooks.h"].map(nativeSource),
    ...files.flatMap(f => [f, readFileSync(join(dir, f), "utf8").replace(/^\/\/ .*$/gm, "")]),
  ]);
}

/** Verilator's input as a key: when it is unchanged, Verilator is not even started. */
function textKey(
  tools: Tools,
  design: EmittedDesign,
  layout: BlockLayout,
  trace: WaveFormat | false,
  brief: boolean,
): string {
  return digest([
    tools.fingerprint,
    [...verilatorFlags(design, trace), mostStartUpBytes, keepModules].join(" "),
    cxxFlags(tools, trace).join(" "),
    hotLevel(brief),
    portsHeader(layout),
    ...["abi.h", "shim-body.h", "verilated-hooks.h"].map(nativeSource),
    ...simulationFiles(design).flatMap(f => [f.name, f.text]),
  ]);
}

/** Folder of the compiled model (`model.so`, `hot.o`, `slow.o`, headers), built unless it is in the cache. */
export async function modelFolder(
  tools: Tools,
  design: EmittedDesign,
  layout: BlockLayout,
  trace: WaveFormat | false,
  brief = false,
): Promise<{ readonly dir: string; readonly built: boolean }> {
  const pointer = join(cacheRoot(), "text", textKey(tools, design, layout, trace, brief));
  if (existsSync(pointer)) {
    const dir = join(cacheRoot(), "model", readFileSync(pointer, "utf8"));
    if (found(dir)) return { dir, built: false };
  }
  const work = mkdtempSync(join(tmpdir(), "mnemo-"));
  try {
    await translate(tools, design, layout, trace, work);
    const key = generatedKey(tools, trace, brief, work);
    const result = await cached("model", key, (_, to) => {
      underway.add(design.top);
      return compileModel(tools, trace, brief, work, to).finally(() => underway.delete(design.top));
    });
    mkdirSync(join(cacheRoot(), "text"), { recursive: true });
    const temporary = `${pointer}.${process.pid}.tmp`;
    writeFileSync(temporary, key);
    renameSync(temporary, pointer);
    return result;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Designs whose models are being compiled by this process. */
const underway = new Set<string>();
process.once("exit", () => {
  for (const top of underway)
    process.stderr.write(
      `The model of ${top} was still being compiled when the tests ended. The compilation goes on; run them again.\n`,
    );
});

class VerilatorProgram implements Program {
  readonly built: boolean;
  readonly #loader: Loader;
  readonly #library: string;
  readonly #layout: BlockLayout;
  constructor(loader: Loader, library: string, layout: BlockLayout, built: boolean) {
    this.#loader = loader;
    this.#library = library;
    this.#layout = layout;
    this.built = built;
  }
  create(options: ModelOptions): VerilatorModel {
    return new VerilatorModel(this.#loader, this.#library, this.#layout, options);
  }
}

async function build(design: EmittedDesign, trace: WaveFormat | false, brief: boolean): Promise<VerilatorProgram> {
  const tools = simulationTools(),
    layout = layoutOf(design);
  const [loader, folder] = await Promise.all([nativeLoader(tools), modelFolder(tools, design, layout, trace, brief)]);
  return new VerilatorProgram(loader, join(folder.dir, "model.so"), layout, folder.built);
}

/** Programs of this process by design object: a test that makes a thousand models of a design looks it up once. */
const programs = new WeakMap<EmittedDesign, Map<string, Promise<VerilatorProgram>>>();

/** Verilator by its command line, its C++ compiled here and run in this process. */
export const verilatorBackend: Backend = {
  name: "verilator",
  waveFormats: () => ["fst", "vcd"],
  load(design, { trace, brief = false }) {
    const known = programs.get(design) ?? new Map<string, Promise<VerilatorProgram>>();
    programs.set(design, known);
    const key = `${trace === false ? "plain" : trace} ${hotLevel(brief)} ${cacheRoot()}`;
    let program = known.get(key);
    if (!program) {
      known.set(key, (program = build(design, trace, brief)));
      // A failure is not remembered: the tool may have been installed since.
      program.catch(() => known.delete(key));
    }
    return program;
  },
};
