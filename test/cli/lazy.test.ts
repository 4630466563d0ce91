/** Modules loaded before a verb begins: the verbs, the list of designs and their hooks, but nothing heavy. */
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, it } from "vitest";

/** Imports and exports from files that are there when the program runs: neither of types alone, nor `import(...)`. */
const fromFile = /^(?:import|export)\s+(?!type\b)(?:\{([^}]*)\}|[^"{]*)\s*from\s+"(\.[^"]+)";/gm;

/** All files that a file needs to be loaded, itself among them. */
function loaded(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, names, path] of readFileSync(file, "utf8").matchAll(fromFile)) {
    const onlyTypes = names !== undefined && names.split(",").every(n => /^\s*(?:type\s|$)/.test(n));
    if (!onlyTypes && path !== undefined) loaded(normalize(join(dirname(file), path)), found);
  }
  return found;
}

it("help needs neither the simulator, nor the language, nor a design's hardware", () => {
  const files = [...loaded("cli/main.ts")];
  expect(files).toContain("cli/designs.ts");
  expect(files).toContain("designs/clio/design.ts");
  expect(files.filter(f => /^(?:sim|hdl-dsl)\/|\/(?:rtl|rig|evaluation)(?:\/|\.ts$)|wire/.test(f))).toEqual([]);
});
it("what is heavy is found where it is loaded at once", () => {
  expect([...loaded("designs/clio/rig/index.ts")]).toContain("sim/index.ts");
});
