/** Mutants that are argued for: each line still stands in the source, and an edited one loses its excuse. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { readArgued } from "../../../cli/mutate/argued.ts";
import { root } from "../../../scripts/setup/paths.mjs";

/** All sources: their text, and the sources that they import. */
const sources = new Map<string, { readonly text: string; readonly imports: readonly string[] }>();
for (const folder of ["designs", "hdl-dsl", "examples"])
  for (const name of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".ts")) continue;
    const file = join(root, folder, name),
      text = readFileSync(file, "utf8");
    const imports = [...text.matchAll(/from "(\.[^"]+)"/g)].map(m => join(dirname(file), m[1] ?? ""));
    sources.set(file, { text, imports: imports.filter(f => existsSync(f)) });
  }

/** The source of a module and all that it is made of: a long body stands in several files. */
function sourcesOf(module: string): ReadonlySet<string> {
  const found = new Set<string>(),
    // Under the name of its constant, or of its Verilog where that is another.
    names = [`export const ${module} =`, `module(\n  "${module}",`, `module("${module}",`],
    open = [...sources].filter(([, s]) => names.some(n => s.text.includes(n))).map(([file]) => file);
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    open.push(...(sources.get(file)?.imports ?? []));
  }
  return found;
}
const hasLine = (module: string, line: string): boolean =>
  [...sourcesOf(module)].some(file =>
    sources
      .get(file)
      ?.text.split("\n")
      .some(l => l.trim() === line),
  );

test.each(readArgued().map(a => [`${a.module}: ${a.says}`, a] as const))("%s", (_, a) => {
  expect(
    hasLine(a.module, a.line),
    `no source of ${a.module} has the line "${a.line}": argue again, or take it out`,
  ).toBe(true);
});

test("a line that stands nowhere is found missing, and one of another module too", () => {
  expect(hasLine("RetryVerdict", "const hashKey = reg(uint(hashKeyBits), { init: 1 });")).toBe(false);
  expect(hasLine("RetrySweep", "const judged = reg(Judged(p), { init: 0 });")).toBe(false);
});
