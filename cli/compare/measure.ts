import { readFileSync } from "node:fs";
import { join } from "node:path";
import { emit, synthesisFiles } from "../../hdl-dsl/index.ts";
import { totalLuts } from "../synth/area.ts";
import { levelsOf } from "../synth/report.ts";
import { synthesize } from "../synth/synthesize.ts";
import { targets } from "../synth/target.ts";
import type { Yosys } from "../synth/yosys.ts";
import { type Pair, pairs } from "./pairs.ts";

/**
 * Cost of a text to its reader and the device: lines with code on them; LUTs (memories included), flip-flops and LUT
 * levels on UltraScale+.
 */
export interface Cost {
  readonly lines: number;
  readonly lut: number;
  readonly ff: number;
  readonly levels: number;
}
export interface Comparison {
  readonly name: string;
  readonly ours: Cost;
  readonly hand: Cost;
  /** Figures that are told and not judged. */
  readonly unjudged?: Pair["unjudged"];
}
export const aspects = ["lines", "lut", "ff", "levels"] as const satisfies readonly (keyof Cost)[];

/** Figures in which ours is above the hand-written module, each as `lut 104 > 101`; none where nothing is. */
export const lost = (c: Comparison): readonly string[] =>
  aspects
    .filter(a => c.ours[a] > c.hand[a] && c.unjudged?.includes(a) !== true)
    .map(a => `${a} ${c.ours[a]} > ${c.hand[a]}`);

/** Figures in which ours is above, and that are not judged. */
export const told = (c: Comparison): readonly string[] =>
  lost({ name: c.name, ours: c.ours, hand: c.hand }).filter(what => !lost(c).includes(what));

/** Lines that are neither blank nor a comment alone. */
export const codeLines = (text: string): number => text.split("\n").filter(l => !/^\s*(\/\/.*)?$/.test(l)).length;

/** What a text costs after synthesis, out of context. @param step called with the name of each step */
export async function costOf(
  top: string,
  files: readonly { readonly name: string; readonly text: string }[],
  yosys: Yosys,
  step: (what: string) => void,
): Promise<Cost> {
  const done = await synthesize({ name: top, top, files }, targets.xcup, yosys, pass => step(`${top}: ${pass}`));
  return {
    lines: files.reduce((n, f) => n + codeLines(f.text), 0),
    lut: totalLuts(done.area),
    ff: done.area.ff,
    levels: levelsOf(done),
  };
}

/**
 * Both texts of every pair through the same synthesis, out of context. @param root the project's folder @param step
 * called with the name of each step
 */
export async function compareAll(
  root: string,
  yosys: Yosys,
  step: (what: string) => void,
): Promise<readonly Comparison[]> {
  const out: Comparison[] = [];
  for (const p of pairs) {
    const emitted = emit(p.ours);
    out.push({
      name: p.name,
      ...(p.unjudged === undefined ? {} : { unjudged: p.unjudged }),
      ours: await costOf(emitted.top, synthesisFiles(emitted), yosys, step),
      hand: await costOf(
        p.name,
        [{ name: `${p.name}.v`, text: readFileSync(join(root, p.hand), "utf8") }],
        yosys,
        step,
      ),
    });
  }
  return out;
}
