import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { EmittedFile } from "../../hdl-dsl/index.ts";
import { contentKey } from "../cache.ts";
import { UsageError } from "../../designs/shared/command-line/index.ts";
import type { TargetName } from "../synth/target.ts";
import { contentOf } from "../verilog-content.ts";

const Cost = z.strictObject({
  luts: z.number(),
  ff: z.number(),
  bram: z.number(),
  dsp: z.number(),
  levels: z.number(),
});
/** Resources of the device that a unit takes, and LUTs on its deepest path. */
export type Cost = z.infer<typeof Cost>;
/** The devices that the catalogue tells of: UltraScale+, and the two small ones with open tools. */
export const costTargets = ["xcup", "ecp5", "ice40"] as const satisfies readonly TargetName[];
export type CostTarget = (typeof costTargets)[number];
/** A cost, or the reason why the device has no place for the unit. */
const Measured = z.union([Cost, z.strictObject({ none: z.string() })]);
export type Measured = z.infer<typeof Measured>;
const Unit = z.strictObject({
  /** Key of the Verilog that was measured: another text's cost is not known. */
  content: z.string(),
  ...(Object.fromEntries(costTargets.map(t => [t, Measured.optional()])) as Record<
    CostTarget,
    z.ZodOptional<typeof Measured>
  >), // The keys are those of the list.
});
/** What is known of a unit on each device. */
export type UnitCosts = z.infer<typeof Unit>;
const Costs = z.strictObject({ tool: z.string(), units: z.record(z.string(), Unit) });
/** Measured costs by Verilog name. */
export type Costs = z.infer<typeof Costs>;

/** The committed file of measurements, from the project's folder. */
export const costsPath = "docs/catalogue.json";
const unmeasured: Costs = { tool: "Yosys", units: {} };

/** Key under which the measurement of these files is filed. */
export const costKey = (files: readonly EmittedFile[]): string => contentKey(contentOf(files));

/** @throws UsageError when the file is damaged */
export function readCosts(root: string): Costs {
  const path = join(root, costsPath);
  if (!existsSync(path)) return unmeasured;
  try {
    return Costs.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    throw new UsageError(`${costsPath} is damaged: remove it and measure again, mnemo catalogue --measure`);
  }
}

/** One line per unit, names in order, so that a change shows as the lines that it changes. */
export function writeCosts(root: string, costs: Costs): void {
  const units = Object.entries(costs.units)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([n, c]) => `    ${JSON.stringify(n)}: ${JSON.stringify(c)}`);
  writeFileSync(
    join(root, costsPath),
    `{\n  "tool": ${JSON.stringify(costs.tool)},\n` + `  "units": {\n${units.join(",\n")}\n  }\n}\n`,
  );
}
