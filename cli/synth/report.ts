import type { EmittedFile } from "../../hdl-dsl/index.ts";
import { table } from "../terminal/table.ts";
import { sumOf, totalLuts } from "./area.ts";
import type { Path } from "./paths.ts";
import { levelsGoal, rows, zu7ev, type Row } from "./rows.ts";
import { sourceLine } from "./source-line.ts";
import type { Synthesized } from "./synthesize.ts";
import type { Target } from "./target.ts";
import type { Unit } from "./unit.ts";

/** A unit with its result. */
export interface Result extends Synthesized { readonly unit: Unit }

/** LUT levels of the deepest path. */
export const levelsOf = (r: Synthesized): number => r.paths[0]?.levels ?? 0;
const thousands = (n: number): string => n.toLocaleString("en-US");
const percent = (n: number, of: number): string => `${(100 * n / of).toFixed(1)} %`;

/** One line per unit: what it takes of the device, and the depth of its deepest path. */
export function areaTable(results: readonly Result[], target: Target): string {
  const cells = results.map((r) => {
    const a = r.area, luts = totalLuts(a);
    return [r.unit.name, ...[luts, a.lut, a.lutram, a.srl, Math.round(luts * target.logicCellsPerLut), a.ff, a.bram, a.uram, a.dsp, levelsOf(r), r.paths[0]?.carries ?? 0].map(thousands)];
  });
  return table(["module", "LUT", "logic", "LUTRAM", "SRL", "logic cells", "FF", target.memoryBlock, "URAM", "DSP", "levels", "carries"], cells, "lrrrrrrrrrrr");
}

/** A path in one line: what it begins with, the signals on the way, what it ends in, each with its TypeScript line. */
export function pathLine(path: Path, files: readonly EmittedFile[]): string {
  const steps = path.nets.map((n) => {
    const line = sourceLine(files, n.src);
    return line === undefined ? n.name : `${n.name} (${line})`;
  });
  return `${path.levels} LUT${path.carries > 0 ? ` + ${path.carries} carry` : ""}: ${steps.join(" > ")}`;
}

/** The deepest paths of each unit. */
export const pathList = (results: readonly Result[], count: number): string =>
  results.flatMap((r) => [`${r.unit.name}:`, ...r.paths.slice(0, count).map((p) => `  ${pathLine(p, r.unit.files)}`)]).join("\n");

function rowCells(row: Row, results: readonly Result[]): readonly string[] {
  const paper = row.paper === undefined ? ["-", "-", "-"] : [`${row.paper.lut} %`, thousands(Math.round(row.paper.lut / 100 * zu7ev.lut)), `${row.paper.bram} %`];
  const ours = row.blocks?.map((b) => results.find((r) => r.unit.name === b));
  if (ours === undefined) return [row.name, ...paper, "absent", "-", "-", "-", "-", "-", "-"];
  const found = ours.filter((r) => r !== undefined);
  if (found.length < ours.length) return [row.name, ...paper, "not synthesized", "-", "-", "-", "-", "-", "-"];
  const area = sumOf(found.map((r) => r.area)), luts = totalLuts(area), levels = Math.max(...found.map(levelsOf));
  const goal = row.goal === undefined ? "-" : `${thousands(row.goal)}: ${luts <= row.goal ? "reached" : "missed"}`;
  return [row.name, ...paper, thousands(luts), percent(luts, zu7ev.lut), percent(luts, zu7ev.logicCells), goal, percent(area.bram, zu7ev.bram), String(levels),
    levels <= levelsGoal ? "reached" : "missed"];
}

/** The paper's Table 4.1 beside ours. @param results of the node's blocks and of the whole, for UltraScale+ */
export function paperTable(results: readonly Result[]): string {
  const heading = ["", "paper LUT", "of 230,400", "paper BRAM", "here LUT", "of 230,400", "of 504,000", "goal", "here BRAM", "levels", `goal ${levelsGoal}`];
  return [
    table(heading, rows.map((r) => rowCells(r, results)), "lrrrrrrrrrr"), "",
    ...rows.flatMap((r) => (r.note === undefined ? [] : [`${r.name.trim()}: ${r.note}.`])),
    "Here: after synthesis by Yosys, out of context, rows of several blocks added up; not placed, not routed. The paper: a whole ZCU106 design by Vivado.",
    `A ZU7EV has ${thousands(zu7ev.lut)} LUTs, sold as ${thousands(zu7ev.logicCells)} logic cells; the paper does not say which its percentages are of.`,
  ].join("\n");
}
