import { table } from "../../../shared/command-line/index.ts";
import type { AreaFigures } from "../../../shared/evaluation/index.ts";
import { paperTable } from "./paper-table.ts";
import { levelsGoal } from "./rows.ts";

/** The page of the node's area and depth: what synthesis has measured of it, put into words. */
export function areaPage(tool: string, units: Readonly<Record<string, AreaFigures>>): string {
  const all = Object.entries(units);
  const lines = all.map(([name, u]) =>
    [name, u.lut, u.ff, u.bram, u.uram, u.dsp, u.levels].map(v =>
      typeof v === "string" ? v : v.toLocaleString("en-US"),
    ),
  );
  const deep = all
    .filter(([, u]) => u.levels > levelsGoal)
    .map(([name, u]) => `- ${name}, ${u.levels} levels: \`${u.deepest}\``);
  return `# Area and depth of the memory node

Written by \`mnemo generate\` from constraints/baseline/xcup.json, which \`mnemo synth --write-baseline\` measures: the default node, ${tool}, UltraScale+, each block out of
context and the whole (ClioNode) put together from its mapped blocks, after synthesis. Nothing here was placed or routed, so levels are no clock frequency. \`mnemo synth --check\` fails when a module has grown by
more than 5 %.

\`\`\`
${table(["module", "LUT", "FF", "BRAM36", "URAM", "DSP", "levels"], lines, "lrrrrrr")}
\`\`\`

LUT: LUT1 to LUT6, and the LUTs that distributed memories and shift registers take (8 for RAM32M16 and RAM64M8). Inverters are not counted: vendors' tools draw them into the LUT
before or behind. Levels: LUTs on the deepest path between registers, memories and ports, a read of distributed memory counting as one; carry chains come on top.

## The paper's Table 4.1

\`\`\`
${paperTable(units)}
\`\`\`

## What is deeper than ${levelsGoal} levels

${deep.length > 0 ? deep.join("\n") : "Nothing."}

\`mnemo synth --only Translate --paths 10\` lists a module's deepest paths with the TypeScript lines of the signals.
`;
}
