/** The page of the blocks' area and depth: what synthesis has measured of them, beside the goals. */
import { table } from "../../shared/command-line/index.ts";
import type { AreaFigures } from "../../shared/evaluation/index.ts";

/** Goals of docs: half of the paper's Table 5.1 for the packet store and Go-Back-N, and no path over 8 levels. */
const goals: Readonly<Record<string, { readonly lut: number; readonly bram?: number }>> = {
  PacketStore: { lut: 5400, bram: 99 },
  GoBackNTask: { lut: 7700 },
};
const levelsGoal = 8;

const beside = (here: number, goal: number | undefined): string =>
  goal === undefined ? "" : `${goal.toLocaleString("en-US")}: ${here <= goal ? "reached" : "missed"}`;

/** @param tool the version of Yosys that measured */
export function areaPage(tool: string, units: Readonly<Record<string, AreaFigures>>): string {
  const rows = Object.entries(units).map(([name, u]) => [
    name,
    u.lut.toLocaleString("en-US"),
    beside(u.lut, goals[name]?.lut),
    u.ff.toLocaleString("en-US"),
    String(u.bram),
    beside(u.bram, goals[name]?.bram),
    String(u.uram),
    String(u.levels),
    beside(u.levels, levelsGoal),
  ]);
  return `# Area and depth of SuperNIC's blocks

Written by \`mnemo generate\` from constraints/baseline/supernic/xcup.json, which \`mnemo synth supernic --write-baseline\` measures: ${tool}, UltraScale+, each block out of
context, after synthesis. Nothing here was placed or routed. \`mnemo synth supernic --check\` fails when a block has grown by more than 5 %.

\`\`\`
${table(["block", "LUT", "goal", "FF", "BRAM36", "goal", "URAM", "levels", "goal"], rows, "lrrrrrrrr")}
\`\`\`

The goals are half of the paper's Table 5.1, and 8 levels of LUTs between registers, memories and ports. What is counted is said for [the memory node](../area.md).
`;
}
