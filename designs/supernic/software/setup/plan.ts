/** The planner's rules of supernic.md, section 3, "parallel NTs": what may stand side by side, and what last. */
import { type Declared, mostStages, payloadUse } from "../../wire/index.ts";
import type { Refuse } from "./refuse.ts";
import type { Branch, Dag, Setup, SetupSizes } from "./setup.ts";

const tasksOf = ({ chain, run }: Branch): Declared[] => run.flatMap(slot => chain.tasks[slot] ?? []);
const bytesOf = (branch: Branch, of: "reads" | "writes"): bigint => tasksOf(branch).reduce((m, t) => m | t[of], 0n);
/** It puts something in front or behind, or leaves something out. */
const moves = (t: Declared): boolean => t.growth > 0 || t.leavesOut > 0 || t.trailer !== undefined;

/** A task that changes where the frame begins is the last of its pass. */
function checkLast(dag: Pick<Dag, "stages">, at: string, refuse: Refuse): void {
  for (const [s, stage] of dag.stages.entries())
    for (const [b, branch] of stage.entries()) {
      const tasks = tasksOf(branch),
        mover = tasks.findIndex(moves);
      if (mover < 0) continue;
      const name = tasks[mover]?.name ?? "";
      refuse.unless(
        mover === tasks.length - 1 && s === dag.stages.length - 1,
        () =>
          `${at}.stages[${s}][${b}]: ${name} changes where the frame begins, and must be the last of a pass; put what follows behind the loop port`,
      );
    }
}
/** Nobody reads or writes what another one beside it writes; one at most grows. */
function checkBeside(stage: readonly Branch[], at: string, refuse: Refuse): void {
  for (const [i, a] of stage.entries())
    for (const [k, b] of stage.entries()) {
      if (i === k) continue;
      const [written, read] = [bytesOf(a, "writes") & bytesOf(b, "writes"), bytesOf(a, "writes") & bytesOf(b, "reads")];
      const both = written === 0n ? read : written;
      refuse.unless(
        both === 0n,
        () =>
          `${at}[${k}]: it ${written === 0n ? "reads" : "writes"} byte ${lowest(both)}, which ${at}[${i}] beside it writes; put them into stages of their own`,
      );
    }
  checkPayload(stage, at, refuse);
  const growing = stage.flatMap((b, i) => (tasksOf(b).some(moves) ? [i] : []));
  refuse.unless(
    growing.length < 2,
    () =>
      `${at}[${growing[1] ?? 0}]: it changes where the frame begins, as ${at}[${growing[0] ?? 0}] beside it does; put them into two passes`,
  );
}
/** Who writes payload has nobody beside it who reads or writes it. */
function checkPayload(stage: readonly Branch[], at: string, refuse: Refuse): void {
  const uses = stage.map(b => tasksOf(b).map(payloadUse)),
    writer = uses.findIndex(u => u.includes("write")),
    other = uses.findIndex((u, i) => i !== writer && u.some(use => use !== "none"));
  refuse.unless(
    writer < 0 || other < 0,
    () =>
      `${at}[${other}]: it uses payload, which ${at}[${writer}] beside it writes; put them into stages of their own`,
  );
}
function lowest(bytes: bigint): number {
  let n = 0;
  while (((bytes >> BigInt(n)) & 1n) === 0n) n++;
  return n;
}

/** Most that `arg` may be, of tasks that take it as switches. */
const switches: Readonly<Record<string, number>> = { firewall: 3, nat: 3, checksum: 3 };
/** What the branch tells its tasks names rows of the DAG's own user. */
function checkArg(
  branch: Branch,
  dag: Pick<Dag, "user">,
  rows: Pick<Setup, "tunnels" | "balancers" | "replicas" | "keys">,
  at: string,
  refuse: Refuse,
): void {
  const { arg } = branch,
    own = dag.user.number;
  const isTunnel = rows.tunnels.some(t => t.number === arg && t.row.user === own),
    isBalancer = rows.balancers.some(b => b.arg === arg && b.user === own),
    isGroup = rows.replicas.some(r => r.arg === arg && r.group.user === own);
  for (const { name } of tasksOf(branch)) {
    const most = switches[name];
    refuse.unless(
      most === undefined || arg <= most,
      () => `${at}.arg = ${arg}: ${name} takes 0 to ${most ?? 0}; give one of these`,
    );
    const kinds: Readonly<Record<string, boolean>> = { tunnel: isTunnel, balancer: isBalancer, replicate: isGroup };
    const ofTask = rows.keys.filter(k => k.task === name);
    refuse.unless(
      ofTask.length === 0 || ofTask.some(k => k.arg === arg && k.row.user === own),
      () => `${at}.arg = ${arg}: ${name} has no such key of user ${dag.user.name}; name one of that user`,
    );
    refuse.unless(
      kinds[name] ?? true,
      () => `${at}.arg = ${arg}: ${name} has no such row of user ${dag.user.name}; name one of that user`,
    );
  }
}

/** @throws ConfigError for a DAG that cannot be as it is. @param at the DAG's place in the file */
export function checkPlan(
  dag: Pick<Dag, "stages" | "user">,
  rows: Pick<Setup, "tunnels" | "balancers" | "replicas" | "keys">,
  sizes: SetupSizes,
  at: string,
  refuse: Refuse,
): void {
  refuse.fits(dag.stages, mostStages, `${at}.stages`, "stages");
  for (const [s, stage] of dag.stages.entries()) {
    const here = `${at}.stages[${s}]`;
    refuse.unless(stage.length > 0, () => `${here}: it has no branch; give it one, or leave it out`);
    refuse.fits(stage, sizes.branches, here, "branches");
    for (const [b, branch] of stage.entries()) checkArg(branch, dag, rows, `${here}[${b}]`, refuse);
    checkBeside(stage, here, refuse);
  }
  checkLast(dag, at, refuse);
}
