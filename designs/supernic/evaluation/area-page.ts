/** The page of the blocks' area and depth: what synthesis has measured of them, beside the goals. */
import { table } from "../../shared/command-line/index.ts";
import type { AreaFigures } from "../../shared/evaluation/index.ts";
import { coreOfTwoPorts } from "./figures/index.ts";

/** Goals of docs: half of the paper's Table 5.1 for the packet store and Go-Back-N, and no path over 8 levels. */
const goals: Readonly<Record<string, { readonly lut: number; readonly bram?: number }>> = {
  PacketStore: { lut: 5400, bram: 99 },
  GoBackNTask: { lut: 7700 },
};
const levelsGoal = 8;

const beside = (here: number, goal: number | undefined): string =>
  goal === undefined ? "" : `${goal.toLocaleString("en-US")}: ${here <= goal ? "reached" : "missed"}`;

/**
 * LUTs that a block must have as it is built, counted by hand: a lookup table takes in four values of a bit, three with
 * a bit for each, or two with their selects beside what else is done to them; 8 hold 14 bits of 32 words. `how` names
 * what counts most.
 */
const least: Readonly<Record<string, readonly [number, string]>> = {
  RxPort: [4800, "shims off 1,024; ternary tables 1,030, their and-trees 450; six class queues 1,300; flow hash 250"],
  Scheduler: [7900, "128 queues of 29, their memories 424; pick and reservation 2,500; flows 1,100"],
  Control: [2650, "287 bits of 16 slots 1,435; read of 120 registers 770"],
  SwitchLane: [3900, "choice 512, shims 608, front 512; four queues of beats 1,300; facts of heads 700"],
  Regions: [3300, "four chains of dummies 2,604; choice of one of four that leave 620"],
  TxPort: [1600, "choice of lane 512, link shim 512; window and timers 450"],
  HeaderStore: [2500, "24 bytes of two banks 400; two readers 1,150, their queues 490; destinations 430"],
  Deparser: [3250, "turn by 64 lanes 1,536; choice of part 512; joining 512, inserting 192; queue of beats 336"],
  Merge: [2400, "choice 512, facts of heads 660; memories 544; accounts 600"],
  Counters: [400, "memories 120; sum and what is shown 96; choice of one of 45 90; two of several bits 70"],
};
const leastOf = (name: string): readonly [number, string] | undefined =>
  least[name] ?? least[name.replace(/_two_ports$|_n45_w65$/, "")];

/** What the core's sum is made of, largest first. */
function partsOfCore(units: Readonly<Record<string, AreaFigures>>): string {
  const parts = Object.entries(coreOfTwoPorts).map(([name, times]) => ({
    name,
    times,
    lut: units[name]?.lut ?? units[name.replace(/_two_ports$/, "")]?.lut ?? 0,
  }));
  const number = (n: number): string => n.toLocaleString("en-US"),
    sum = parts.reduce((n, b) => n + b.times * b.lut, 0),
    leastSum = parts.reduce((n, b) => n + b.times * (leastOf(b.name)?.[0] ?? b.lut), 0);
  const rows = [...parts]
    .sort((a, b) => b.times * b.lut - a.times * a.lut)
    .map(({ name, times, lut }) => {
      const [must, how] = leastOf(name) ?? [undefined, ""];
      return [name, String(times), number(lut), number(times * lut), must === undefined ? "" : number(must), how];
    });
  return table(
    ["block", "times", "LUT", "together", "at least", "of that"],
    [...rows, ["core", "", "", number(sum), number(leastSum), "blocks without a count by hand: as measured"]],
    "lrrrrl",
  );
}

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

## What the core is made of

The goal for a core of two ports without tasks is 25,800 LUT. *At least* is counted by hand for the blocks as they are built: what better synthesis could reach.

\`\`\`
${partsOfCore(units)}
\`\`\`

So the goal is not one of synthesis. Judge and match stand at each port and at the loop port, and the scheduler keeps 128 queues in registers. Without a change of these two the core stays above 40,000.

The goals are half of the paper's Table 5.1, and 8 levels of LUTs between registers, memories and ports. What is counted is said for [the memory node](../area.md).
`;
}
