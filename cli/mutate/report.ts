/** The result: survivors by TypeScript line, counts by operator, JSON. */
import { table } from "../../designs/shared/command-line/index.ts";
import { lineText } from "./argued.ts";
import { type Outcome, score, withFate } from "./outcome.ts";

export interface Result {
  readonly module: string;
  readonly file: string;
  readonly root?: string;
  readonly testFiles: readonly string[];
  readonly seconds: number;
  readonly outcomes: readonly Outcome[];
}

const placeOf = (o: Outcome): string => `${o.mutant.file.replace(/^.*\//, "")}:${o.mutant.line}`;

/** Survivors, each with its line. */
export function survivorLines(r: Result): string {
  const alive = withFate(r.outcomes, "survived", "unseen");
  return alive
    .map(
      o =>
        `${o.mutant.file}:${o.mutant.line}  ${o.mutant.operator}: ${o.mutant.says}${o.fate === "unseen" ? " (in no test)" : ""}\n    ${lineText(o.mutant, r.root)}`,
    )
    .join("\n");
}

/** Every line with a mutant: how many were planted, how many died. */
export function lineTable(r: Result): string {
  const byPlace = new Map<string, Outcome[]>();
  for (const o of r.outcomes) byPlace.set(placeOf(o), [...(byPlace.get(placeOf(o)) ?? []), o]);
  const rows = [...byPlace].map(([place, all]) => {
    const counted = withFate(all, "killed", "survived", "unseen");
    return [
      place,
      String(counted.length),
      String(withFate(all, "killed").length),
      String(withFate(all, "survived", "unseen").length),
      String(withFate(all, "equivalent", "argued", "loop").length),
    ];
  });
  return table(["line", "mutants", "killed", "survived", "not counted"], rows, "lrrrr");
}

/** One line on the whole. */
export function summary(r: Result): string {
  const n = (...fates: Parameters<typeof withFate>[1][]): number => withFate(r.outcomes, ...fates).length;
  return (
    `${r.module}: ${n("killed")} of ${n("killed", "survived", "unseen")} mutants killed (${score(r.outcomes)} %), ` +
    `${n("survived", "unseen")} survive; not counted: ${n("equivalent")} the same circuit, ${n("argued")} argued, ` +
    `${n("loop")} no circuit. ${r.testFiles.length} test files, ${Math.round(r.seconds)} s.`
  );
}

/** How many faults, by what became of them; and a sentence for each that no test finds: for a campaign. */
export function figures(r: Result): string {
  const n = (...fates: Parameters<typeof withFate>[1][]): number => withFate(r.outcomes, ...fates).length;
  return JSON.stringify({
    problems: withFate(r.outcomes, "survived", "unseen").map(
      o => `${o.mutant.file}:${o.mutant.line} ${o.mutant.operator}: ${o.mutant.says}`,
    ),
    planted: r.outcomes.length,
    found: n("killed"),
    survived: n("survived", "unseen"),
    sameCircuit: n("equivalent"),
    argued: n("argued"),
    noCircuit: n("loop"),
  });
}

/** Everything, for programs. */
export const json = (r: Result): string =>
  `${JSON.stringify(
    {
      module: r.module,
      file: r.file,
      score: score(r.outcomes),
      testFiles: r.testFiles,
      mutants: r.outcomes.map(o => ({ ...o.mutant, fate: o.fate, by: o.by })),
    },
    null,
    2,
  )}\n`;
