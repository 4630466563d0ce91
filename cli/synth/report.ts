import type { EmittedFile } from "../../hdl-dsl/index.ts";
import { table } from "../../designs/shared/command-line/index.ts";
import { totalLuts } from "./area.ts";
import { depthOfPath } from "./carry.ts";
import type { FanOut } from "./fan-out.ts";
import type { Path } from "./paths.ts";
import { sourceLine } from "./source-line.ts";
import type { Synthesized } from "./synthesize.ts";
import type { Target } from "./target.ts";
import type { Unit } from "./unit.ts";

/** A unit with its result. */
export interface Result extends Synthesized {
  readonly unit: Unit;
}

/** The most LUTs on a path, carries aside. */
export const levelsOf = (r: Pick<Synthesized, "levels">): number => r.levels;
/** Levels of the deepest path, its carries counted: paths stand by that. */
export const depthOf = (r: Pick<Synthesized, "paths">): number => Math.max(0, ...r.paths.map(depthOfPath));
/** Inputs on the widest net, clocks left out. */
export const fanOutOf = (r: Synthesized): number => r.fanOuts[0]?.sinks ?? 0;
/** Inputs on one net beyond which it is to be replicated, or its register doubled. */
export const fanOutBound = 256;
const thousands = (n: number): string => n.toLocaleString("en-US");

/** One line per unit: its resources, and the depth of its deepest path. */
export function areaTable(results: readonly Result[], target: Target): string {
  const cells = results.map(r => {
    const a = r.area,
      luts = totalLuts(a);
    return [
      r.unit.name,
      ...[
        luts,
        a.lut,
        a.lutram,
        a.srl,
        Math.round(luts * target.logicCellsPerLut),
        a.ff,
        a.bram,
        a.uram,
        a.dsp,
        levelsOf(r),
        r.paths[0]?.carries ?? 0,
        depthOf(r),
        fanOutOf(r),
      ].map(thousands),
    ];
  });
  return table(
    [
      "module",
      "LUT",
      "logic",
      "LUTRAM",
      "SRL",
      "logic cells",
      "FF",
      target.memoryBlock,
      "URAM",
      "DSP",
      "levels",
      "carries",
      "depth",
      "fan-out",
    ],
    cells,
    "lrrrrrrrrrrrrr",
  );
}

/** A path in one line: its start, the signals on the way, and its end, each with its TypeScript line. */
export function pathLine(path: Path, files: readonly EmittedFile[]): string {
  const steps = path.nets.map(n => {
    const line = sourceLine(files, n.src);
    return line === undefined ? n.name : `${n.name} (${line})`;
  });
  return `${path.levels} LUT${path.carries > 0 ? ` + ${path.carries} carry` : ""}: ${steps.join(" > ")}`;
}

/** A wide net in one line: its inputs, what it does there, its name and its TypeScript line. */
export function fanOutLine(f: FanOut, files: readonly EmittedFile[]): string {
  const line = sourceLine(files, f.net.src);
  return `${thousands(f.sinks)} inputs${f.role === "logic" ? "" : ` (${f.role})`}: ${f.net.name}${line === undefined ? "" : ` (${line})`}`;
}

/** The nets of each unit that are wider than the bound; at least the widest one. */
export const fanOutList = (results: readonly Result[], count: number): string =>
  results
    .flatMap(r => [
      `${r.unit.name}:`,
      ...r.fanOuts
        .filter((f, n) => n === 0 || f.sinks > fanOutBound)
        .slice(0, count)
        .map(f => `  ${fanOutLine(f, r.unit.files)}`),
    ])
    .join("\n");

/** The deepest paths of each unit. */
export const pathList = (results: readonly Result[], count: number): string =>
  results
    .flatMap(r => [`${r.unit.name}:`, ...r.paths.slice(0, count).map(p => `  ${pathLine(p, r.unit.files)}`)])
    .join("\n");
