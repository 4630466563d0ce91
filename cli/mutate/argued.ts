/** Mutants of which somebody has argued that no test can tell them from the design: constraints/argued-mutants.json. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { UsageError } from "../../designs/shared/command-line/index.ts";
import { root } from "../../scripts/setup/paths.mjs";
import type { Located } from "./locate.ts";
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

/** @param file of the repository unless another is given */
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
export function lineText(m: Described, project = root): string {
  const path = join(project, m.file);
  let text = lines.get(path);
  if (text === undefined) {
    lines.set(path, (text = existsSync(path) ? readFileSync(path, "utf8").split("\n") : []));
  }
  return (text[m.line - 1] ?? "").trim();
}

/** The argument for a mutant. */
export const argumentFor = (all: readonly Argued[], { module, root: at }: Located, m: Described): Argued | undefined =>
  all.find(a => a.module === module && a.operator === m.operator && a.line === lineText(m, at) && a.says === m.says);
