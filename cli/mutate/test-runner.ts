/** Vitest's runner, in which a test is a function that the session calls as often as it likes. */
import type { RunnerTestCase } from "vitest";
import { VitestTestRunner } from "vitest/runners";
import { sessionOf } from "./shared-session.ts";

export default class MutationRunner extends VitestTestRunner {
  async runTask(test: RunnerTestCase): Promise<void> {
    // The function is called with one and the same context.
    await sessionOf().test(test, async () => {
      await VitestTestRunner.getTestFn(test)();
    });
  }
}
