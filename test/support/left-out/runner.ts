/**
 * Runs tests where native tools are missing: a test that fails after it looked for such a tool in vain is left out,
 * with the tool's name as its reason. Only `npm test` on such a machine uses it (MNEMO_LEFT_OUT names its file).
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { RunnerTask, RunnerTestFile, RunnerTestSuite } from "vitest";
import Sampled from "../sampled/runner.ts";
import type { LeftOut } from "./summary.ts";

type Result = NonNullable<RunnerTask["result"]>;

/** Programs that children of this process, and what runs in it, looked for in vain, in order. */
class Missing {
  readonly #log: string;
  constructor(log: string) {
    this.#log = log;
    process.env["MNEMO_MISSING_LOG"] = log;
  }
  /** How far the log goes now. */
  get mark(): number {
    return existsSync(this.#log) ? readFileSync(this.#log, "utf8").length : 0;
  }
  since(mark: number): string[] {
    return existsSync(this.#log) ? readFileSync(this.#log, "utf8").slice(mark).split("\n").filter(Boolean) : [];
  }
}

/** Programs that an error says could not be started. */
const notStarted = (r: Result): string[] =>
  (r.errors ?? []).flatMap(e => {
    const [, program] = /spawn(?:Sync)? (\S+) ENOENT/.exec(e.message) ?? [];
    return program === undefined ? [] : [program];
  });

export default class LeavesOut extends Sampled {
  readonly #out = process.env["MNEMO_LEFT_OUT"] ?? "";
  readonly #missing = new Missing(`${this.#out}.${process.pid}`);
  readonly #marks = new Map<RunnerTask, number>();

  override onCollectStart(file: RunnerTestFile): void {
    this.#marks.set(file, this.#missing.mark);
    super.onCollectStart(file);
  }
  override onCollected(files: RunnerTestFile[]): void {
    super.onCollected(files);
    for (const file of files) if (file.result?.state === "fail") this.#leaveOut(file, file.result);
  }
  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    if (!this.#marks.has(suite)) this.#marks.set(suite, this.#missing.mark);
    await super.onBeforeRunSuite(suite);
  }
  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onAfterRunSuite(suite);
    // Without an error of its own it failed by a test, which has been judged by itself.
    if (suite.result?.state === "fail" && suite.result.errors !== undefined) this.#leaveOut(suite, suite.result);
  }
  override async onBeforeRunTask(test: RunnerTask): Promise<void> {
    this.#marks.set(test, this.#missing.mark);
    await super.onBeforeRunTask(test);
  }
  override onAfterRunTask(test: RunnerTask): void {
    super.onAfterRunTask(test);
    if (test.result?.state === "fail") this.#leaveOut(test, test.result);
  }

  #leaveOut(task: RunnerTask, result: Result): void {
    const tools = [...new Set([...this.#missing.since(this.#marks.get(task) ?? 0), ...notStarted(result)])].sort();
    if (tools.length === 0) return;
    const line: LeftOut = { file: task.file.name, test: task.name, kind: task.type, tools };
    appendFileSync(this.#out, `${JSON.stringify(line)}\n`);
    task.mode = "skip";
    Object.assign(result, { state: "skip", errors: undefined, note: `${tools.join(", ")} not there` });
  }
}
