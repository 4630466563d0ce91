import { defineConfig } from "vitest/config";

// On a machine without native tools, what needs one is left out, and named at the end (scripts/setup/bootstrap.mjs).
const without =
  process.env["MNEMO_NATIVE"] === "none"
    ? {
        runner: "./test/support/left-out/runner.ts",
        globalSetup: ["./test/support/left-out/summary.ts"],
        passWithNoTests: true,
      }
    : {};

export default defineConfig({
  test: {
    ...without,
    include: ["test/**/*.test.ts"],
    // Two processes for all files: what one imports, the next has, which halves the time. Under Verilator each file has
    // a process of its own: its models are native, and one that dies takes nothing with it.
    pool: "forks",
    isolate: process.env["MNEMO_BACKEND"] === "verilator",
    maxWorkers: 2,
    // Limits against a hang, not verdicts on speed: the first test of a design compiles its model.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    watch: false,
  },
});
