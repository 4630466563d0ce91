/** The figures of a documentation page: written by the tool, never by hand. */
import { dirname } from "node:path";
import { missed, missing, type Reached, SORTS } from "../../sim/index.ts";
import { between } from "../page-marks.ts";
import { pairs } from "./report.ts";

/** The page's text with new figures between its marks. @throws UsageError when it cannot be read or has no marks */
export const withTable = (path: string, points: readonly Reached[]): string =>
  between(path, "coverage", `${tableOf(points)}\n\n${missesOf(points)}`);

function tableOf(points: readonly Reached[]): string {
  const folders = new Map<string, Reached[]>();
  for (const p of points) {
    const folder = dirname(p.file),
      list = folders.get(folder);
    if (list === undefined) folders.set(folder, [p]);
    else list.push(p);
  }
  const row = (name: string, of: readonly Reached[]): string =>
    `| ${[name, ...pairs(of).map(pair => pair.filter(text => text !== "").join(", "))].join(" | ")} |`;
  return [
    `| folder | ${SORTS.join(" | ")} |`,
    `|---|${SORTS.map(() => "---|").join("")}`,
    ...[...folders].sort(([a], [b]) => (a < b ? -1 : 1)).map(([folder, of]) => row(`\`${folder}\``, of)),
    row("**all**", points),
  ].join("\n");
}

function missesOf(points: readonly Reached[]): string {
  const misses = points.filter(p => missed(p) && (p.kind === "line" || p.kind === "state" || p.kind === "cover"));
  if (misses.length === 0) return "Every line, state and cover point was reached.";
  return ["Lines, states and cover points that were not reached:", ""]
    .concat(misses.map(p => `- \`${p.file}:${p.line}\`, ${p.module}: ${missing(p)}`))
    .join("\n");
}
