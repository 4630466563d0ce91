import { table } from "../../../shared/command-line/index.ts";
import type { AreaFigures } from "../../../shared/evaluation/index.ts";
import { levelsGoal, type Row, rows, zu7ev } from "./rows.ts";

const thousands = (n: number): string => n.toLocaleString("en-US");
const percent = (n: number, of: number): string => `${((100 * n) / of).toFixed(1)} %`;

function cells(row: Row, modules: Readonly<Partial<Record<string, AreaFigures>>>): readonly string[] {
  const paper =
    row.paper === undefined
      ? ["-", "-", "-"]
      : [`${row.paper.lut} %`, thousands(Math.round((row.paper.lut / 100) * zu7ev.lut)), `${row.paper.bram} %`];
  const found = row.blocks.map(b => modules[b]).filter(f => f !== undefined);
  if (found.length < row.blocks.length) return [row.name, ...paper, "not synthesized", "-", "-", "-", "-", "-", "-"];
  const total = (of: (f: AreaFigures) => number): number => found.reduce((sum, f) => sum + of(f), 0);
  const lut = total(f => f.lut),
    levels = Math.max(...found.map(f => f.levels));
  const goal = row.goal === undefined ? "-" : `${thousands(row.goal)}: ${lut <= row.goal ? "reached" : "missed"}`;
  return [
    row.name,
    ...paper,
    thousands(lut),
    percent(lut, zu7ev.lut),
    percent(lut, zu7ev.logicCells),
    goal,
    percent(
      total(f => f.bram),
      zu7ev.bram,
    ),
    String(levels),
    levels <= levelsGoal ? "reached" : "missed",
  ];
}

/**
 * The paper's Table 4.1 beside ours. @param modules figures of the node's blocks and of the whole by short
 * name, for UltraScale+
 */
export function paperTable(modules: Readonly<Partial<Record<string, AreaFigures>>>): string {
  // The whole has one row, whichever its build.
  const named = Object.fromEntries(
    Object.entries(modules).map(([name, f]) => [
      /^ClioNode(?:Gbn|Extended|GbnExtended)$/.test(name) ? "ClioNode" : name,
      f,
    ]),
  );
  const heading = [
    "",
    "paper LUT",
    "of 230,400",
    "paper BRAM",
    "here LUT",
    "of 230,400",
    "of 504,000",
    "goal",
    "here BRAM",
    "levels",
    `goal ${levelsGoal}`,
  ];
  return [
    table(
      heading,
      rows.map(r => cells(r, named)),
      "lrrrrrrrrrr",
    ),
    "",
    ...rows.flatMap(r => (r.note === undefined ? [] : [`${r.name.trim()}: ${r.note}.`])),
    "Here: after synthesis by Yosys, out of context, rows of several blocks added up; not placed, not routed. The paper: a whole ZCU106 design by Vivado.",
    `A ZU7EV has ${thousands(zu7ev.lut)} LUTs, sold as ${thousands(zu7ev.logicCells)} logic cells; the paper does not say which its percentages are of.`,
  ].join("\n");
}
