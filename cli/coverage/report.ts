/** Coverage as text: a table of the files, then what was not reached, each with its line of the source. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { table } from "../../designs/shared/command-line/index.ts";
import {
  byFile,
  type Figures,
  figuresOf,
  missed,
  missing,
  percent,
  type Reached,
  type Sort,
  sortOf,
  SORTS,
} from "../../sim/index.ts";

/** The figures of each sort as a pair: how many of how many, and the share. Both are empty where there are none. */
export const pairs = (points: readonly Reached[]): (readonly [count: string, share: string])[] => {
  const f: Figures = figuresOf(points);
  return SORTS.map(s => [f[s].all === 0 ? "" : `${f[s].reached}/${f[s].all}`, percent(f[s])]);
};

/** One row a file, and the sum. */
export function coverageTable(points: readonly Reached[]): string {
  const rows = [...byFile(points)].map(([file, all]) => [file === "" ? "(no place)" : file, ...pairs(all).flat()]);
  return table(
    ["file", ...SORTS.flatMap(s => [s, ""])],
    [...rows, ["all", ...pairs(points).flat()]],
    `l${"rr".repeat(SORTS.length)}`,
  );
}

const texts = new Map<string, readonly string[]>();
/** The lines of a source file; none where it cannot be read any more. */
export function sourceLines(root: string, file: string): readonly string[] {
  const known = texts.get(file);
  if (known !== undefined) return known;
  let lines: readonly string[] = [];
  try {
    lines = readFileSync(join(root, file), "utf8").split("\n");
  } catch {
    // The report then has the places alone.
  }
  texts.set(file, lines);
  return lines;
}

/** What was not reached of the sorts, a line each: place, what is missing, the source's line. */
export function missedLines(points: readonly Reached[], sorts: readonly Sort[], root: string): string[] {
  return points
    .filter(p => missed(p) && sorts.includes(sortOf(p)))
    .map(p => {
      const source = sourceLines(root, p.file)[p.line - 1]?.trim() ?? "";
      return `${p.file}:${p.line}  ${p.module}: ${missing(p)}${source === "" ? "" : `  | ${source}`}`;
    });
}
