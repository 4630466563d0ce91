/** Mutants of which somebody has argued that no test can tell them from the design: constraints/argued-mutants.json. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { UsageError } from "../../designs/shared/command-line/index.ts";
import { root } from "../../scripts/setup/paths.mjs";
import type { Described } from "./plan.ts";

export const arguedFile = "constraints/argued-mutants.json";

const Argued = z.array(
  z.strictObject({
    module: z.string(),
    operator: z.string(),
    /** The TypeScript line, without the spaces around it: a line that is edited loses its excuse. */
    line: z.string(),
    /** The sentence of the mutant, as the tool prints it. */
    says: z.string(),
    reason: z.string().min(20),
  }),
);
export type Argued = z.infer<typeof Argued>[number];

export const readArgued = (file = join(root, arguedFile)): readonly Argued[] => {
  if (!existsSync(file)) return [];
  const parsed = Argued.safeParse(JSON.parse(readFileSync(file, "utf8")));
  if (!parsed.success)
    throw new UsageError(
      `${arguedFile}: ${parsed.error.issues.map(i => `${i.path.join(".")}: ${i.message}`).join("; ")}`,
    );
  return parsed.data;
};

const lines = new Map<string, readonly string[]>();
/** The text of the line that a mutant is at. */
export function lineText(m: Described): string {
  let text = lines.get(m.file);
  if (text === undefined) {
    const path = join(root, m.file);
    lines.set(m.file, (text = existsSync(path) ? readFileSync(path, "utf8").split("\n") : []));
  }
  return (text[m.line - 1] ?? "").trim();
}

/** The argument for a mutant. */
export const argumentFor = (all: readonly Argued[], module: string, m: Described): Argued | undefined =>
  all.find(a => a.module === module && a.operator === m.operator && a.line === lineText(m) && a.says === m.says);
