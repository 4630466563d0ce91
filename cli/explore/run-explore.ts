/** `mnemo explore`: a campaign whose pieces are the points of a sweep. */
import { join } from "node:path";
import { exitCode, type ExitCode, table, type Terminal, UsageError } from "../../designs/shared/command-line/index.ts";
import { keyValues } from "../../designs/shared/settings/index.ts";
import { shortState, stateOf } from "../campaign/identity.ts";
import { defaultFolder, type Plan, planOf } from "../campaign/plan.ts";
import { repeatOf } from "../campaign/repeat.ts";
import type { Result } from "../campaign/result.ts";
import { carryOut } from "../campaign/run-campaign.ts";
import type { EngineOptions } from "../campaign/engines/choose.ts";
import { type Spec, specSchema } from "../campaign/spec.ts";
import { writeWhole } from "../campaign/whole-file.ts";
import { buildOf, designNamed, hookOf } from "../design-named.ts";
import { repository } from "../repository.ts";
import { columnsOf, explorePage, type Measured, rowOf } from "./page.ts";
import { front, sharedGoals } from "./pareto.ts";

export interface ExploreOptions extends EngineOptions {
  readonly set: readonly string[];
  readonly only?: readonly string[];
  readonly whole?: true;
  readonly measure: "all" | "area" | "cycles";
  readonly seed: number;
  readonly out?: string;
  readonly limit: number;
}

/** Most points of a sweep by mistake: more are meant to be a campaign's file. */
const mostPoints = 10_000;

/** `a=1,2` as a: 1, 2. @throws UsageError for an empty value or one that is given twice */
export function valuesOf(set: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const given = Object.entries(keyValues(set, "tlbEntries=16,64", UsageError)).map(([key, text]) => {
    const values = text.split(",").map(v => v.trim()),
      twice = values.find((v, i) => values.indexOf(v) !== i);
    if (values.includes("")) throw new UsageError(`${key} = "${text}" has an empty value; write ${key}=a,b`);
    if (twice !== undefined) throw new UsageError(`${key} = "${text}" has ${twice} twice; give it once`);
    return [key, values] as const;
  });
  const points = given.reduce((n, [, v]) => n * v.length, 1);
  if (points > mostPoints)
    throw new UsageError(`these are ${points} points, more than ${mostPoints}; write a campaign's file with a sweep`);
  return Object.fromEntries(given);
}

function specOf(design: string, o: ExploreOptions): Spec {
  const { only, whole = false, measure, seed } = o;
  return specSchema.parse({
    name: `explore-${design}`,
    about: `${design} at each point of ${o.set.join(" ") || "its own settings"}`,
    work: [{ kind: "sweep", design, set: valuesOf(o.set), whole, measure, seed, ...(only && { only }) }],
    limits: { seconds: o.limit, retries: 1 },
  });
}

/** The points that were measured, in the order of the plan. */
export const measuredOf = (plan: Plan, results: readonly Result[]): readonly Measured[] =>
  plan.pieces.flatMap(p => {
    const r = results.find(x => x.index === p.index);
    return r?.verdict === "passed" ? [{ name: p.title, figures: r.figures, repeat: repeatOf(plan, p) }] : [];
  });

export async function runExplore(name: string, o: ExploreOptions, terminal: Terminal): Promise<ExitCode> {
  const root = repository("explore"),
    design = designNamed(name);
  if (o.whole === true && o.only !== undefined)
    throw new UsageError("--only names modules and --whole is all of them; leave one out");
  if (!(o.limit > 0)) throw new UsageError("--limit is a number of seconds above 0");
  if (o.measure !== "area") hookOf(design, "explore");
  const plan = planOf(specOf(name, o), "", stateOf(root));
  // What cannot be is said before the minutes that the others take.
  const build = buildOf(design, "synth");
  for (const p of plan.pieces) if (p.run.how === "point") await build(p.run.set);
  const folder = o.out ?? defaultFolder(plan),
    { report, results } = await carryOut(plan, folder, o, terminal);
  const points = measuredOf(plan, results),
    figures = points.map(p => p.figures),
    by = sharedGoals(figures),
    columns = columnsOf(points, by),
    best = front(figures, by);
  const facts = [
    `${plan.pieces.length} points, seed ${o.seed}, commit ${shortState(plan.state)}. Area after synthesis for UltraScale+, out of context, not placed${o.whole === true ? "" : o.only === undefined ? "; the sum of the blocks, each once" : `; of ${o.only.join(", ")} only`}.`,
  ];
  const missing = report.findings.map(f => `${f.title}: ${f.problems[0] ?? f.verdict}`),
    page = join(folder, "explore.html");
  writeWhole(page, explorePage(`${name}: ${plan.pieces.length} points`, points, facts, missing));
  if (points.length > 0)
    terminal.print(
      `\n${table(
        ["settings", "front", ...columns],
        points.map((p, i) => rowOf(p, columns, best[i] === true)),
        `l${"r".repeat(columns.length + 1)}`,
      )}`,
    );
  terminal.print(`\n${page}`);
  return report.verdicts.passed === report.pieces ? exitCode.done : exitCode.failed;
}
