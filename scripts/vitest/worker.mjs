// The process of a kept worker: it stays when a run has ended, and takes the next one (kept-workers.ts).
import { init, runBaseTests, setupEnvironment } from "vitest/worker";

// A run puts its own in place of it, which throws.
const exit = process.exit.bind(process);
init({
  post: message => process.send?.(message),
  on: listener => process.on("message", listener),
  off: listener => process.off("message", listener),
  // The listener stays for the next run.
  teardown: () => undefined,
  runTests: (state, traces) => runBaseTests("run", state, traces),
  collectTests: (state, traces) => runBaseTests("collect", state, traces),
  setup: setupEnvironment,
});
process.on("disconnect", () => exit());
