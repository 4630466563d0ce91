/** Vitest's processes, kept from one run to the next while it watches (`mnemosyne/vitest`). */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { PoolOptions, PoolRunnerInitializer, PoolWorker, TestProject, WorkerRequest } from "vitest/node";

/** Runs of a process: what they leave behind does not add up for ever. */
const MOST_RUNS = 200;
/** For a process that ignores SIGTERM, ms. */
const PATIENCE = 1_000;

interface Kept {
  readonly child: ChildProcess;
  runs: number;
}

/**
 * A pool for `test.pool` of Vitest's configuration, beside `isolate: false`. While Vitest watches, a process stays when
 * its run has ended, with all that it imported. So an edit costs what was edited, and not the language and the
 * simulator anew. A run that does not watch has processes of its own, as with `pool: "forks"`.
 *
 * Files of one process share their modules, within a run and from one run to the next. Vitest imports anew what was
 * edited, and what imports that.
 */
export function keptWorkers(): PoolRunnerInitializer {
  const spare = new Map<TestProject, Kept[]>();
  return {
    name: "kept",
    createPoolWorker: options => {
      const { project } = options;
      let list = spare.get(project);
      if (list === undefined) spare.set(project, (list = []));
      return new KeptWorker(options, list);
    },
  };
}

class KeptWorker implements PoolWorker {
  readonly name = "kept";
  readonly cacheFs = true;
  readonly #options: PoolOptions;
  readonly #spare: Kept[];
  #kept: Kept | undefined;

  constructor(options: PoolOptions, spare: Kept[]) {
    this.#options = options;
    this.#spare = spare;
  }

  /** @throws Error before `start` and after `stop` */
  get #child(): ChildProcess {
    if (this.#kept === undefined) throw new Error("the process of this worker was not started");
    return this.#kept.child;
  }
  on(event: string, callback: (arg: unknown) => void): void {
    this.#child.on(event, callback);
  }
  off(event: string, callback: (arg: unknown) => void): void {
    this.#child.off(event, callback);
  }
  send(message: WorkerRequest): void {
    this.#child.send(message);
  }
  deserialize(data: unknown): unknown {
    return data;
  }

  start(): Promise<void> {
    this.#kept ??= this.#alive() ?? { child: this.#fork(), runs: 0 };
    this.#kept.runs++;
    return Promise.resolve();
  }
  /** One that has died may not have been heard of yet. */
  #alive(): Kept | undefined {
    for (let k = this.#spare.pop(); k !== undefined; k = this.#spare.pop()) if (k.child.connected) return k;
    return undefined;
  }
  #fork(): ChildProcess {
    const { env, execArgv } = this.#options,
      worker = fileURLToPath(new URL("./worker.mjs", import.meta.url));
    const child = fork(worker, [], {
      env,
      execArgv,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      serialization: "advanced",
    });
    // One that does nothing but run hears of no end: nothing may stay behind.
    const end = (): void => void child.kill("SIGKILL");
    process.once("exit", end);
    child.once("exit", () => {
      process.off("exit", end);
      const at = this.#spare.findIndex(k => k.child === child);
      if (at >= 0) this.#spare.splice(at, 1);
    });
    return child;
  }

  async stop(): Promise<void> {
    const kept = this.#kept;
    if (kept === undefined) return;
    this.#kept = undefined;
    const { child } = kept;
    if (this.#options.project.config.watch && child.connected && child.exitCode === null && kept.runs < MOST_RUNS) {
      // Those of this run; the pool has let go of the others.
      child.removeAllListeners("message").removeAllListeners("error");
      // Between runs nobody waits for it: an error then says that it has died, which the next start sees.
      child.on("error", () => undefined);
      this.#spare.push(kept);
      return;
    }
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit"),
      late = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
    child.kill();
    await ended;
    clearTimeout(late);
  }
}
