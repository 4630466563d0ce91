/** A design at one point of a sweep: what `mnemo synth` and the design's own benches measure there. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { CheckFailed, exitCode, Terminal } from "../../designs/shared/command-line/index.ts";
import { designNamed, hookOf } from "../design-named.ts";
import { runSynth } from "../synth/run-synth.ts";

/** A design with settings, and what is measured there. */
export interface Point {
  readonly design: string;
  readonly set: readonly string[];
  /** Modules to synthesize; absent: all blocks, or with `whole` the whole. */
  readonly only?: readonly string[] | undefined;
  readonly whole: boolean;
  readonly measure: "all" | "area" | "cycles";
}

/** Of what `mnemo synth --json` writes. */
const synthSchema = z.object({
  modules: z
    .array(
      z.object({
        luts: z.number(),
        ff: z.number(),
        bram: z.number(),
        uram: z.number(),
        dsp: z.number(),
        levels: z.number(),
      }),
    )
    .min(1),
});
const resources = ["luts", "ff", "bram", "uram", "dsp"] as const;

/**
 * LUTs, registers, memories: of the whole, which is the last; else the sum of the modules, each once however often the
 * design has it. Levels: of the deepest of them.
 */
async function areaAt({ design, set, only, whole }: Point): Promise<Record<string, number>> {
  const folder = mkdtempSync(join(tmpdir(), "mnemo-point-")),
    json = join(folder, "synth.json"),
    said: string[] = [],
    quiet = new Terminal({ stdout: { write: () => true }, stderr: { write: t => said.push(t) }, env: {} });
  try {
    const code = await runSynth(
      design,
      { target: "xcup", set, whole, paths: 0, json, ...(only === undefined ? {} : { only }) },
      quiet,
    );
    if (code !== exitCode.done) throw new CheckFailed(`synthesis fails at ${set.join(" ")}: ${said.join(" ").trim()}`);
    const { modules } = synthSchema.parse(JSON.parse(readFileSync(json, "utf8"))),
      measured = whole ? modules.slice(-1) : modules;
    return {
      ...Object.fromEntries(resources.map(r => [r, measured.reduce((sum, m) => sum + m[r], 0)])),
      levels: Math.max(...measured.map(m => m.levels)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** All figures of a point, by name. @throws what the settings, the synthesis or the simulation refuse */
export async function measurePoint(point: Point, seed: number): Promise<Readonly<Record<string, number>>> {
  const design = designNamed(point.design);
  const cycles = point.measure === "area" ? {} : await (await hookOf(design, "explore")())(point.set, seed);
  const area = point.measure === "cycles" ? {} : await areaAt(point);
  return { ...area, ...cycles };
}
