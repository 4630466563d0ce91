/** `mnemo campaign`. */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import {
  CheckFailed,
  exitCode,
  type ExitCode,
  type Terminal,
  UsageError,
} from "../../designs/shared/command-line/index.ts";
import { repository } from "../repository.ts";
import { conduct, type Conducted, work } from "./conduct.ts";
import { engineOf, type EngineOptions } from "./engines/choose.ts";
import { localEngine } from "./engines/local.ts";
import { shareOf } from "./engines/shares.ts";
import { shortState, stateOf } from "./identity.ts";
import { loadSpec } from "./load.ts";
import { defaultFolder, type Plan, planIn, planOf } from "./plan.ts";
import { duration } from "./progress.ts";
import { reportText } from "./report.ts";
import { runPiece } from "./run-piece.ts";
import type { Spec } from "./spec.ts";

export interface CampaignOptions extends EngineOptions {
  readonly out?: string;
  readonly list?: true;
  readonly piece?: number;
  readonly task?: string;
  readonly share?: { readonly share: number; readonly of: number };
}

/** One piece in front of a person: nothing is kept. */
async function onePiece(plan: Plan, index: number, terminal: Terminal): Promise<ExitCode> {
  const piece = plan.pieces[index];
  if (piece === undefined)
    throw new UsageError(`there is no piece ${index}; the campaign's are 0 to ${plan.pieces.length - 1}`);
  const { problems, figures } = await runPiece(piece);
  terminal.print(`piece ${index}: ${piece.title}`);
  for (const [name, v] of Object.entries(figures)) terminal.print(`  ${name}: ${v}`);
  if (problems.length > 0) throw new CheckFailed(problems.join("; "));
  return exitCode.done;
}

/** A share of a campaign that another process conducts. @returns 0 whatever the pieces found: each says it itself */
async function task(
  folder: string,
  { share, of }: { share: number; of: number },
  terminal: Terminal,
): Promise<ExitCode> {
  const plan = planIn(folder);
  if (plan === undefined) throw new UsageError(`${folder} has no campaign; \`mnemo campaign <file>\` makes one`);
  const state = stateOf(repository("campaign"));
  if (state !== plan.state)
    throw new UsageError(
      `${folder} is of commit ${plan.state}, and this clone is of ${state}; the pieces would be other ones: check out that commit`,
    );
  const { done, seconds } = await work(plan, folder, localEngine(1), terminal, i => shareOf(i, of) === share);
  terminal.print(`share ${share} of ${of}: ${done} pieces in ${duration(seconds)}`);
  return exitCode.done;
}

/** How much of the time of the cores was not in pieces, as measured in this start. */
export function costLine({ done, seconds, inPieces }: Conducted, slots: number): string {
  const used = Math.min(slots, done),
    idle = Math.max(0, 1 - inPieces / (seconds * used));
  return `${done} pieces in ${duration(seconds)} on ${used} ${used === 1 ? "core" : "cores"}: ${Math.round((done * 3600) / (seconds * used))} pieces an hour a core, ${(100 * idle).toFixed(1)} % of it not in pieces (${((seconds * used - inPieces) / done).toFixed(3)} s a piece)`;
}

/** Runs a plan with an engine and tells what came of it. @returns 1 when a piece did not pass */
export async function carryOut(plan: Plan, folder: string, o: EngineOptions, terminal: Terminal): Promise<Conducted> {
  const engine = await engineOf(o, plan.pieces.length),
    conducted = await conduct(plan, folder, engine, terminal);
  const state = stateOf(repository("campaign"));
  if (state !== plan.state && conducted.done > 0)
    terminal.error(
      `the project has changed while its pieces ran, from ${shortState(plan.state)} to ${shortState(state)}: the last of them may be of either; a clone or a worktree of its own keeps still`,
    );
  terminal.print(reportText(conducted.report));
  if (conducted.done > 0 && engine.name === "local")
    terminal.print(costLine(conducted, o.slots ?? availableParallelism()));
  terminal.print(`\n${join(folder, "index.html")}\n${join(folder, "report.md")}`);
  return conducted;
}

const listed = (plan: Plan): string =>
  plan.pieces.map(p => `${String(p.index).padStart(6)}  ${p.title}, ${p.count}`).join("\n");

export async function runCampaign(file: string | undefined, o: CampaignOptions, terminal: Terminal): Promise<ExitCode> {
  const root = repository("campaign");
  if (o.task !== undefined) {
    if (file !== undefined) throw new UsageError("--task names a campaign's folder; leave out the file");
    if (o.share === undefined) throw new UsageError("--task needs --share k/n: which share of how many");
    return task(o.task, o.share, terminal);
  }
  if (o.share !== undefined) throw new UsageError("--share is for --task <folder>; leave it out");
  if (file === undefined) throw new UsageError("name the campaign's file, such as examples/campaigns/smoke.json");
  const spec: Spec = await loadSpec(file),
    plan = planOf(spec, file, stateOf(root));
  if (o.list === true) {
    terminal.print(listed(plan));
    return exitCode.done;
  }
  if (o.piece !== undefined) return onePiece(plan, o.piece, terminal);
  const { report } = await carryOut(plan, o.out ?? defaultFolder(plan), o, terminal);
  return report.verdicts.passed === report.pieces ? exitCode.done : exitCode.failed;
}
