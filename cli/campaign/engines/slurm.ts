/** Slurm: a share is a task of a job array, given out by the real `sbatch`. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { UsageError } from "../../../designs/shared/command-line/index.ts";
import { root } from "../../../scripts/setup/paths.mjs";
import { writeWhole } from "../whole-file.ts";
import type { Engine, Job } from "./engine.ts";
import { type Arrivals, inRounds, pause, taskLine } from "./shares.ts";

export interface SlurmOptions {
  readonly shares: number;
  /** Time limit of a task; undefined: the partition's own. What it leaves undone is given out again. */
  readonly minutes: number | undefined;
  /** Words for `sbatch` as they are: --partition=x. */
  readonly more: readonly string[];
  /** Milliseconds between two looks at queue and results. */
  readonly poll: number;
}

const run = promisify(execFile);
interface Failed {
  readonly code?: string | number;
  readonly stderr?: string;
}
const words = (e: unknown): string => ((e as Failed).stderr ?? (e as Error).message).trim().split("\n")[0] ?? "";

/** The array that is under way: a campaign that was killed finds it again. */
const jobFile = (folder: string): string => join(folder, "slurm.json");
function jobUnderWay(folder: string): string | undefined {
  if (!existsSync(jobFile(folder))) return undefined;
  const { job } = JSON.parse(readFileSync(jobFile(folder), "utf8")) as { readonly job: string };
  return job;
}

/** @returns the number of the array's job @throws UsageError with sbatch's own words */
async function submit(job: Job, given: readonly number[], o: SlurmOptions, logs: string): Promise<string> {
  const args = [
    "--parsable",
    // A node that fails gives its tasks back to the queue, and a task that is begun again goes on where it was.
    "--requeue",
    "--open-mode=append",
    `--array=${given.join(",")}`,
    `--job-name=mnemo-${job.plan.spec.name}`,
    `--output=${join(logs, "%a.log")}`,
    `--chdir=${root}`,
    "--ntasks=1",
    ...(o.minutes === undefined ? [] : [`--time=${o.minutes}`]),
    ...o.more,
    `--wrap=exec ${taskLine(job.folder, '"$SLURM_ARRAY_TASK_ID"', o.shares)}`,
  ];
  try {
    const { stdout } = await run("sbatch", args, { env: withoutJob(process.env) });
    return stdout.trim().split(";")[0] ?? "";
  } catch (e) {
    throw new UsageError(
      (e as Failed).code === "ENOENT"
        ? "there is no sbatch on the path; install Slurm (Debian: slurm-wlm), or take --engine local"
        : `sbatch refuses the tasks: ${words(e)}`,
    );
  }
}
/** A campaign that itself runs in a job gives none of that job's settings on. */
const withoutJob = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([k]) => !/^(?:SLURM|SBATCH)_/.test(k) || k === "SLURM_CONF"));

/** Whether tasks of the array wait or run; undefined: the controller does not answer, which is no answer. */
async function underWay(job: string): Promise<boolean | undefined> {
  try {
    const { stdout } = await run("squeue", ["--noheader", `--jobs=${job}`, "--format=%t"]);
    return stdout.trim() !== "";
  } catch (e) {
    return /Invalid job id/i.test(words(e)) ? false : undefined;
  }
}

/** Looks until none of the array's tasks is left. */
async function follow(job: Job, number: string, arrivals: Arrivals, poll: number): Promise<void> {
  let silent = false;
  for (;;) {
    const there = await underWay(number);
    arrivals.look();
    if (there === false) return;
    if (there === undefined && !silent) job.say("the controller of Slurm does not answer; it is asked again");
    silent = there === undefined;
    await pause(poll, job.signal);
  }
}

export const slurmEngine = (o: SlurmOptions): Engine => ({
  name: "slurm",
  run: job =>
    inRounds(job, o.shares, async (given, arrivals) => {
      const logs = join(job.folder, "tasks"),
        found = jobUnderWay(job.folder);
      mkdirSync(logs, { recursive: true });
      if (found !== undefined) job.say(`job ${found} of Slurm was given out before; its tasks are waited for`);
      const number = found ?? (await submit(job, given, o, logs));
      if (found === undefined) writeWhole(jobFile(job.folder), JSON.stringify({ job: number }));
      const cancel = (): void => void run("scancel", [number]).catch(() => undefined);
      job.signal.addEventListener("abort", cancel);
      try {
        await follow(job, number, arrivals, o.poll);
      } finally {
        job.signal.removeEventListener("abort", cancel);
        rmSync(jobFile(job.folder), { force: true });
      }
      return logs;
    }),
});
