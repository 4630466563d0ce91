/** Mutants that are argued for: each line still stands in the source, and an edited one loses its excuse. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readArgued } from "../../../cli/mutate/argued.ts";
import { root } from "../../../scripts/setup/paths.mjs";

/** The modules whose source has the line. */
function modulesWith(line: string): string[] {
  const found: string[] = [];
  for (const folder of ["designs", "hdl-dsl", "examples"])
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".ts")) continue;
      const text = readFileSync(join(root, folder, name), "utf8");
      if (text.split("\n").some(l => l.trim() === line))
        found.push(...[...text.matchAll(/^export const (\w+)/gm)].map(m => m[1] ?? ""));
    }
  return found;
}

test.each(readArgued().map(a => [`${a.module}: ${a.says}`, a] as const))("%s", (_, a) => {
  expect(
    modulesWith(a.line),
    `no source of ${a.module} has the line "${a.line}": argue again, or take it out`,
  ).toContain(a.module);
});
