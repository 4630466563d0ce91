/** The tests as always, each run again and again with mutants (test-runner.ts). */
import { fileURLToPath } from "node:url";
import { mergeConfig } from "vitest/config";
import always from "../../vitest.config.ts";

export default mergeConfig(always, {
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    runner: fileURLToPath(new URL("test-runner.ts", import.meta.url)),
    setupFiles: [fileURLToPath(new URL("setup.ts", import.meta.url))],
    // A mutant is in the whole process: one test at a time.
    maxConcurrency: 1,
    reporters: ["dot"],
  },
});
