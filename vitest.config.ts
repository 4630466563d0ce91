import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // A process of its own for every file: native models stay apart, and one that dies takes nothing with it.
    pool: "forks",
    maxWorkers: 2,
    // Limits against a hang, not verdicts on speed: the first test of a design compiles its model.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    watch: false,
  },
});
