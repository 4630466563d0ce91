/** Any way to run a line elsewhere: `ssh box{share} 'cd clone && {command}'`, `bsub -K`, `kubectl run`. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../../designs/shared/command-line/index.ts";
import { root } from "../../../scripts/setup/paths.mjs";
import type { Engine } from "./engine.ts";
import { inRounds, pause, taskLine } from "./shares.ts";

export interface ShellOptions {
  /** A line for `sh`, which ends when the task has: `{command}` is the task's line, `{share}` its number. */
  readonly template: string;
  /** Tasks, all at a time. */
  readonly shares: number;
  /** Milliseconds between two looks for results. */
  readonly poll: number;
}

export function shellEngine({ template, shares, poll }: ShellOptions): Engine {
  if (!template.includes("{command}"))
    throw new UsageError(`--submit "${template}" does not say where the task goes; write {command} in it`);
  return {
    name: "shell",
    run: job =>
      inRounds(job, shares, async (given, arrivals) => {
        const logs = join(job.folder, "tasks");
        mkdirSync(logs, { recursive: true });
        const children = given.map(share => start(lineOf(template, job.folder, share, shares), logs, share));
        const gone = Promise.all(children.map(ended)),
          kill = (): void => children.forEach(killGroup);
        job.signal.addEventListener("abort", kill);
        try {
          const all = { over: false };
          void gone.then(() => {
            all.over = true;
          });
          while (!all.over) {
            await Promise.race([gone, pause(poll, job.signal)]);
            arrivals.look();
          }
        } finally {
          job.signal.removeEventListener("abort", kill);
          if (job.signal.aborted) kill();
        }
        return logs;
      }),
  };
}

const lineOf = (template: string, folder: string, share: number, shares: number): string =>
  template.replaceAll("{command}", () => taskLine(folder, share, shares)).replaceAll("{share}", String(share));

function start(line: string, logs: string, share: number): ChildProcess {
  const log = openSync(join(logs, `${share}.log`), "a");
  try {
    return spawn("sh", ["-c", line], { cwd: root, detached: true, stdio: ["ignore", log, log] });
  } finally {
    closeSync(log);
  }
}
const ended = (child: ChildProcess): Promise<void> =>
  new Promise(done => {
    child.on("exit", () => done());
    child.on("error", () => done());
  });
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code !== "ESRCH") throw e;
  }
}
