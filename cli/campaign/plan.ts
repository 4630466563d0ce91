/** A campaign that is ready to run: its pieces, its identity, and the folder in which it lives. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { UsageError } from "../../designs/shared/command-line/index.ts";
import { canonical, identityOf, shortState } from "./identity.ts";
import { type Piece, piecesOf } from "./pieces.ts";
import { piecesThere, readResult, type Result, resultPath } from "./result.ts";
import { type Spec, specSchema } from "./spec.ts";
import { writeWhole } from "./whole-file.ts";

export interface Plan {
  readonly spec: Spec;
  /** The campaign's file as it was typed. */
  readonly file: string;
  /** Of the project (`stateOf`). */
  readonly state: string;
  readonly id: string;
  readonly pieces: readonly Piece[];
}

export const planOf = (spec: Spec, file: string, state: string): Plan => ({
  spec,
  file,
  state,
  id: identityOf(spec, state),
  pieces: piecesOf(spec),
});

const keptSchema = z.strictObject({ id: z.string(), file: z.string(), state: z.string(), spec: specSchema });
const planPath = (folder: string): string => join(folder, "plan.json");

/** The plan that a folder has; undefined: none. @throws UsageError when its file is none */
export function planIn(folder: string): Plan | undefined {
  if (!existsSync(planPath(folder))) return undefined;
  let kept;
  try {
    kept = keptSchema.parse(JSON.parse(readFileSync(planPath(folder), "utf8")));
  } catch {
    throw new UsageError(`${planPath(folder)} is no plan of a campaign; name another folder by --out`);
  }
  return planOf(kept.spec, kept.file, kept.state);
}

/** In what two plans differ: the sentence's middle. */
const difference = (before: Plan, now: Plan): string =>
  [
    ...(canonical(before.spec) === canonical(now.spec) ? [] : ["its file has changed"]),
    ...(before.state === now.state
      ? []
      : [`it was of commit ${shortState(before.state)} and is now of ${shortState(now.state)}`]),
  ].join(", and ");

/** Earlier runs of a campaign of this name: what has changed since, and where they stand. */
function earlier(plan: Plan, folder: string): readonly string[] {
  const above = dirname(folder);
  if (!existsSync(above)) return [];
  return readdirSync(above)
    .filter(f => f.startsWith(`${plan.spec.name}-`) && /-[0-9a-f]{8}$/.test(f))
    .map(f => join(above, f))
    .filter(f => f !== folder)
    .flatMap(f => {
      const before = planIn(f);
      return before?.spec.name === plan.spec.name && before.id !== plan.id
        ? [`${plan.spec.name} begins anew: ${difference(before, plan)}; what was done before stays in ${f}`]
        : [];
    });
}

export const defaultFolder = ({ spec, id }: Plan): string => join("out/campaigns", `${spec.name}-${id.slice(0, 8)}`);

/**
 * The plan's folder, with its plan in it.
 * @returns what a person should know of earlier runs @throws UsageError when the folder has another campaign
 */
export function settle(plan: Plan, folder: string): readonly string[] {
  const there = planIn(folder);
  if (there !== undefined) {
    if (there.id !== plan.id)
      throw new UsageError(
        there.spec.name === plan.spec.name
          ? `${folder} has ${plan.spec.name}, but ${difference(there, plan)}; name another folder by --out`
          : `${folder} has another campaign, ${there.spec.name}; name another folder by --out`,
      );
    return [];
  }
  const told = earlier(plan, folder);
  mkdirSync(folder, { recursive: true });
  const { id, file, state, spec } = plan;
  writeWhole(planPath(folder), `${JSON.stringify({ id, file, state, spec }, undefined, 1)}\n`);
  return told;
}

export interface Standing {
  readonly results: readonly Result[];
  readonly pending: readonly number[];
  /** Pieces whose file was cut short or changed. */
  readonly damaged: readonly number[];
}
/**
 * What is done and what is not.
 * @param mend removes files that are no whole results
 * @param mine the pieces that count: a task reads those of its share
 */
export function standing(
  plan: Plan,
  folder: string,
  mend: boolean,
  mine: (index: number) => boolean = () => true,
): Standing {
  const results: Result[] = [],
    pending: number[] = [],
    damaged: number[] = [];
  const there = piecesThere(folder);
  for (const { index } of plan.pieces.filter(p => mine(p.index))) {
    const r = there.has(index) ? readResult(folder, plan.id, index) : "missing";
    if (typeof r === "object") results.push(r);
    else {
      pending.push(index);
      if (r === "damaged") {
        damaged.push(index);
        if (mend) rmSync(resultPath(folder, index));
      }
    }
  }
  return { results, pending, damaged };
}
