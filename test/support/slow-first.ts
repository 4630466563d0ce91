/** The order of the tests' files where no run before has measured them, as in a fresh clone. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes ten seconds or more of one processor, the longest first. */
export const slowFiles: readonly string[] = [
  "test/prove/proofs.test.ts",
  "test/designs/clio/rig/serve/newcomers.test.ts",
  "test/hdl-dsl/simulator/faults.test.ts",
  "test/hdl-dsl/fuzz/faults.test.ts",
  "test/hdl-dsl/lib/two-ports.test.ts",
  "test/designs/clio/rig/node/random.test.ts",
  "test/cli/draw/draw.test.ts",
  "test/sim/bench/traps.test.ts",
  "test/hdl-dsl/fuzz/grid/grid.test.ts",
  "test/designs/clio/rig/node/gbn-offloads.test.ts",
  "test/cli/mutate/mutate.test.ts",
  "test/architecture.test.ts",
  "test/hdl-dsl/behaviour/made-clocks.test.ts",
  "test/hdl-dsl/simulator/waves.test.ts",
  "test/designs/clio/rig/node/simulators.test.ts",
  "test/designs/clio/client/c/c.test.ts",
  "test/sim/backend/cache.test.ts",
  "test/scripts/setup.test.ts",
  "test/hdl-dsl/formal/past.test.ts",
  "test/designs/clio/rig/serve/verb.test.ts",
  "test/designs/rack/rig/serve/verb.test.ts",
  "test/designs/supernic/rig/serve/verb.test.ts",
  "test/sim/prove/engines.test.ts",
  "test/scripts/signal-misuse.test.ts",
  "test/designs/clio/client/python/python.test.ts",
  "test/designs/clio/client/first-program.test.ts",
  "test/designs/clio/board/boards.test.ts",
];

/**
 * Files that are known to be slow go first. Vitest would begin with the largest: the longest of all, the proofs, is one
 * of the smallest, and ran at the end with one processor idle. A run's own times, once there are some, go before.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = new Map(slowFiles.map((file, n) => [file, n])),
      root = `${this.ctx.config.root}/`,
      key = (f: TestSpecification): string => f.moduleId.slice(root.length),
      isNew = (f: TestSpecification): boolean => this.ctx.cache.getFileTestResults(`:${key(f)}`) === undefined,
      usual = await super.sort(files),
      slow = usual.filter(f => rank.has(key(f)) && isNew(f)),
      rankOf = (f: TestSpecification): number => rank.get(key(f)) ?? NaN;
    return [...slow.sort((a, b) => rankOf(a) - rankOf(b)), ...usual.filter(f => !slow.includes(f))];
  }
}
