import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { cacheLimit, trimCache } from "./sim/backend/verilator/cache-bound.ts";
import { cacheRoot } from "./sim/backend/verilator/cache-root.ts";
import { hangMs } from "./test/support/hang-ms.ts";
import { heavyFiles, partOf } from "./test/support/sampled/choice.ts";
import { SlowFirst } from "./test/support/slow-first.ts";

// Where no model is compiled, nothing else bounds what is kept.
trimCache(cacheLimit());

// What a run of everything leaves to `.ci/run`: the runner and the summary read it.
const part = partOf(process.env["MNEMO_TESTS"], process.argv.slice(3));
process.env["MNEMO_PART"] = part;

// On a machine without native tools, what needs one is left out, and named at the end (scripts/setup/bootstrap.mjs).
const isNative = process.env["MNEMO_NATIVE"] !== "none",
  left = isNative ? "sampled" : "left-out";

export default defineConfig({
  // The gallery is written as a user of the package would: what it imports is the sources here.
  resolve: {
    alias: [
      { find: /^mnemosyne$/, replacement: join(import.meta.dirname, "hdl-dsl/index.ts") },
      { find: /^mnemosyne\/sim$/, replacement: join(import.meta.dirname, "sim/index.ts") },
    ],
  },
  test: {
    runner: `./test/support/${left}/runner.ts`,
    globalSetup: ["./test/support/sampled/summary.ts", ...(isNative ? [] : ["./test/support/left-out/summary.ts"])],
    passWithNoTests: !isNative,
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", ...(part === "sample" ? Object.keys(heavyFiles) : [])],
    // Two processes for all files: what one imports, the next has, which halves the time. Under Verilator each file has
    // a process of its own: its models are native, and one that dies takes nothing with it. CI shares them there, too.
    pool: "forks",
    isolate: process.env["MNEMO_BACKEND"] === "verilator",
    maxWorkers: 2,
    // Elaboration makes many small objects that soon go: a larger space for young ones costs 64 MB and saves a tenth.
    // The third of what the quick run leaves that has most whole devices needs more than the 4 GB of a process.
    execArgv: ["--max-semi-space-size=64", "--max-old-space-size=6144"],
    sequence: { sequencer: SlowFirst },
    // A model runs for one bench: where Verilator runs it, compiling takes longer than all its cycles.
    env: { MNEMO_OPTIMIZE: process.env["MNEMO_OPTIMIZE"] ?? "1" },
    // Limits against a hang, not verdicts on speed: the first test of a design compiles its model, and the machine may
    // have other work.
    testTimeout: hangMs,
    hookTimeout: hangMs,
    watch: false,
    // What vite made of a source is kept by its content: of 800 sources that a bench of the node imports, an edit
    // changes one. It lies among the models, so that one bound holds for both and `mnemo cache` shows them.
    experimental: { fsModuleCache: true, fsModuleCachePath: join(cacheRoot(), "modules") },
  },
});
