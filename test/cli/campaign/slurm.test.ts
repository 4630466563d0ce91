/**
 * Campaigns on a real Slurm of this machine: MNEMO_SLURM=1, as root, with Debian's slurm-wlm and munge. Some minutes:
 * Slurm itself waits two of them until it begins a task again whose node has failed.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { planIn, standing } from "../../../cli/campaign/plan.ts";
import { root } from "../../../scripts/setup/paths.mjs";
import { pieces, specOf } from "./support/here.ts";
import { scratch, startsIn, until } from "./support/scratch.ts";

const path = scratch("slurm"),
  slurm = path("slurm"),
  env = { ...process.env, SLURM_CONF: join(slurm, "slurm.conf") };
const script = (name: string, ...args: readonly string[]): string =>
  execFileSync(join(root, "scripts/slurm", name), [slurm, ...args], { env, encoding: "utf8" });
const asked = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, { env, encoding: "utf8" }).trim();

interface Started {
  readonly child: ChildProcess;
  readonly said: () => string;
  readonly ended: Promise<number | null>;
}
function start(file: string, folder: string, ...more: readonly string[]): Started {
  let said = "";
  const args = ["cli/mnemo.mjs", "campaign", file, "--engine", "slurm", "--poll", "1", "--out", folder, ...more],
    child = spawn(process.execPath, args, { cwd: root, env });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (d: Buffer) => (said += d.toString()));
  return { child, said: () => said, ended: new Promise(done => child.once("exit", done)) };
}
const campaign = (name: string, count: number, wait: number): { file: string; folder: string; log: string } => {
  const file = path(`${name}.json`),
    log = path("log");
  writeFileSync(file, JSON.stringify(specOf([pieces(count, { log, wait })])));
  return { file, log, folder: path(name) };
};
/** @returns how many pieces were begun more than once @throws when one has no result, or did not pass */
function eachOnce(folder: string, log: string): number {
  const plan = planIn(folder);
  if (plan === undefined) throw new Error("no plan");
  const { results, pending } = standing(plan, folder, false);
  expect([pending, results.map(r => r.index), new Set(results.map(r => r.verdict))]).toEqual([
    [],
    plan.pieces.map(p => p.index),
    new Set(["passed"]),
  ]);
  const report = JSON.parse(readFileSync(join(folder, "report.json"), "utf8")) as { done: number; pieces: number };
  expect(report).toMatchObject({ done: plan.pieces.length, pieces: plan.pieces.length });
  const begun = startsIn(log).map(s => s.seed);
  return plan.pieces.filter(p => begun.filter(s => s === p.seed).length > 1).length;
}

describe.skipIf(process.env["MNEMO_SLURM"] !== "1")("a real Slurm", () => {
  beforeAll(() => {
    mkdirSync(slurm);
    script("start.sh");
  });
  afterAll(() => void script("stop.sh"));

  it("a node that fails gives its tasks back: nothing is lost, nothing counts twice", async () => {
    const { file, folder, log } = campaign("node", 16, 1500),
      run = start(file, folder, "--jobs", "4");
    await until(() => startsIn(log).length >= 3);
    script("node.sh", "kill");
    await until(() => asked("sinfo", "-h", "-o", "%T").includes("*") || asked("sinfo", "-h", "-o", "%T") === "down");
    script("node.sh", "start");
    expect(await run.ended, run.said()).toBe(0);
    // What was under way when it failed, and no more: a piece a core.
    expect(eachOnce(folder, log)).toBeLessThanOrEqual(Number(asked("nproc")));
  });

  it("a campaign that is killed finds its tasks again, and gives none out twice", async () => {
    const { file, folder, log } = campaign("killed", 8, 1500),
      first = start(file, folder, "--jobs", "2");
    await until(() => startsIn(log).length >= 2);
    first.child.kill("SIGKILL");
    await first.ended;
    const second = start(file, folder, "--jobs", "2");
    expect(await second.ended, second.said()).toBe(0);
    expect(second.said()).toMatch(/job \d+ of Slurm was given out before; its tasks are waited for/);
    expect(eachOnce(folder, log)).toBe(0);
  });

  it("a task over its time limit leaves the rest to the next round", async () => {
    const { file, folder, log } = campaign("limit", 10, 9000),
      run = start(file, folder, "--jobs", "1", "--minutes", "1");
    expect(await run.ended, run.said()).toBe(0);
    expect(run.said()).toMatch(/\d+ pieces have no result though no task is under way; they are given out again/);
    expect(eachOnce(folder, log)).toBeLessThanOrEqual(1);
  });

  it("a campaign that is stopped takes its tasks with it", async () => {
    const { file, folder, log } = campaign("stopped", 8, 4000),
      run = start(file, folder, "--jobs", "2");
    await until(() => startsIn(log).length >= 1);
    run.child.kill("SIGTERM");
    expect(await run.ended).toBe(1);
    expect(run.said()).toMatch(/stopped by SIGTERM; what is done stays, and the same command goes on/);
    await until(() => asked("squeue", "-h") === "");
  });

  it("words that sbatch refuses are told in its own", async () => {
    const { file, folder } = campaign("refused", 2, 0),
      run = start(file, folder, "--sbatch=--partition=nowhere");
    expect(await run.ended).toBe(2);
    expect(run.said()).toMatch(/^mnemo: sbatch refuses the tasks: .*partition/im);
  });
});
