/** Leaves out what is not in the part of the tests that is run, and tells how much that is. */
import { appendFileSync } from "node:fs";
import { TestRunner } from "vitest";
import type { RunnerTask, RunnerTestFile, RunnerTestSuite } from "vitest";
import { inPart, type Part } from "./choice.ts";

export default class Sampled extends TestRunner {
  readonly #part = (process.env["MNEMO_PART"] ?? "all") as Part;

  onCollected(files: RunnerTestFile[]): void {
    if (this.#part === "all") return;
    for (const file of files) {
      const left = this.#leaveOut(file, file.name, "");
      if (left > 0) appendFileSync(process.env["MNEMO_PART_LOG"] ?? "", `${left} ${file.name}\n`);
    }
  }

  /** The tests left out. A group that has none to run has no set-up to do either. */
  #leaveOut(suite: RunnerTestSuite, file: string, above: string): number {
    let left = 0;
    for (const task of suite.tasks) left += this.#task(task, file, `${above} ${task.name}`.trim());
    if (suite.tasks.length > 0 && suite.tasks.every(t => t.mode !== "run" && t.mode !== "queued")) suite.mode = "skip";
    return left;
  }

  #task(task: RunnerTask, file: string, name: string): number {
    if (task.type === "suite") return this.#leaveOut(task, file, name);
    if (task.mode !== "run" || inPart(this.#part, file, name)) return 0;
    task.mode = "skip";
    return 1;
  }
}
