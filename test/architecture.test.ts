import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { cruise, type ICruiseResult } from "dependency-cruiser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forbidden, layers } from "../scripts/layers.cjs";
import { root } from "../scripts/setup/paths.mjs";

/** What breaks a rule below `folder`: `rule: from -> to`. */
async function violations(folder: string): Promise<string[]> {
  const { output } = await cruise([...layers], {
    baseDir: folder, ruleSet: { forbidden: forbidden(folder) }, validate: true, tsPreCompilationDeps: true, doNotFollow: { path: "node_modules" },
  }, { extensions: [".ts", ".mjs", ".cjs", ".js"], exportsFields: ["exports"], conditionNames: ["import", "node", "default"] });
  return (output as ICruiseResult).summary.violations.map((v) => `${v.rule.name}: ${v.from} -> ${v.to}`).sort();
}

it("the project keeps to its layers", async () => {
  expect(await violations(root)).toEqual([]);
});

describe("each rule catches what it is for", () => {
  /** Imports, one file each, and the rules that they break. */
  const planted: readonly (readonly [from: string, to: string, rules: readonly string[]])[] = [
    ["hdl-dsl/a.ts", "designs/packets/index.ts", ["hdl-dsl-knows-nothing-above"]],
    ["hdl-dsl/b.ts", "sim/index.ts", ["hdl-dsl-knows-nothing-above"]],
    ["designs/packets/a.ts", "sim/index.ts", ["designs-knows-nothing-above"]],
    ["sim/a.ts", "cli/main.ts", ["sim-knows-nothing-above"]],
    ["cli/a.ts", "test/helper.ts", ["cli-knows-nothing-above"]],
    ["sim/b.ts", "hdl-dsl/ir/inner.ts", ["only-through-hdl-dsl-index"]],
    ["test/sim/a.test.ts", "hdl-dsl/ir/inner.ts", ["only-through-hdl-dsl-index"]],
    ["test/hdl-dsl/a.test.ts", "hdl-dsl/ir/inner.ts", []],
    ["cli/b.ts", "sim/inner.ts", ["only-through-sim-index"]],
    ["cli/c.ts", "designs/clio/table/inner.ts", ["only-through-designs-clio-table-index"]],
    ["designs/clio/rtl/a.ts", "hdl-dsl/index.ts", []],
    ["designs/clio/rtl/b.ts", "designs/clio/table/index.ts", []],
    ["designs/clio/rtl/c.ts", "designs/clio/model/index.ts", ["rtl-is-hardware"]],
    ["designs/clio/rtl/d.ts", "designs/clio/software/index.ts", ["rtl-is-hardware"]],
    ["designs/clio/software/a.ts", "designs/clio/rtl/index.ts", ["software-and-model-know-no-hardware"]],
    ["designs/clio/model/a.ts", "designs/clio/rtl/index.ts", ["software-and-model-know-no-hardware"]],
    ["designs/clio/model/b.ts", "sim/index.ts", ["designs-knows-nothing-above", "software-and-model-know-no-hardware"]],
    ["designs/clio/model/c.ts", "designs/packets/index.ts", []],
    ["designs/clio/offload/a.ts", "designs/clio/model/index.ts", ["offloads-are-hardware"]],
    ["designs/clio/offload/b.ts", "designs/clio/rtl/index.ts", []],
    ["designs/clio/offloads/c.ts", "designs/clio/software/index.ts", ["offloads-are-hardware"]],
    ["designs/clio/offloads/d.ts", "designs/clio/rtl/index.ts", ["offloads-know-their-host-only"]],
    ["designs/clio/offloads/e.ts", "designs/clio/offload/index.ts", []],
    ["designs/clio/client/a.ts", "designs/clio/model/index.ts", ["client-knows-the-wire-only"]],
    ["designs/clio/client/b.ts", "designs/clio/config/index.ts", []],
    ["sim/bus/cycle.ts", "sim/net/cycle.ts", ["no-cycles"]],
    ["sim/net/cycle.ts", "sim/bus/cycle.ts", []], // said once, above
    ["cli/d.ts", "cli/missing.ts", ["everything-is-found"]],
  ];
  const missing = "cli/missing.ts";
  let folder = "", found: readonly string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "mnemo-layers-"));
    const imports = new Map(planted.map(([from, to]) => [from, `import * as x from "${"../".repeat(from.split("/").length - 1)}${to}";\nexport const y = x;\n`]));
    for (const [, to] of planted) if (to !== missing && !imports.has(to)) imports.set(to, "export const z = 1;\n");
    for (const [path, text] of imports) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    found = await violations(folder);
  });
  afterAll(() => { rmSync(folder, { recursive: true, force: true }); });

  it.each(planted)("%s -> %s", (from, _to, rules) => {
    expect(found.filter((v) => v.includes(`: ${from} -> `)).map((v) => v.replace(/:.*/, ""))).toEqual(rules);
  });
  it("folders that need each other", () => {
    expect(found.filter((v) => v.startsWith("no-cycles-between-folders: sim/"))).toEqual([
      "no-cycles-between-folders: sim/bus -> sim/net", "no-cycles-between-folders: sim/net -> sim/bus",
    ]);
  });
});
