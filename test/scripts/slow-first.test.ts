import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { TestSpecification, Vitest } from "vitest/node";
import { root } from "../../scripts/setup/paths.mjs";
import { slowFiles, SlowFirst } from "../support/slow-first.ts";

it("the slow files are there, each named once", () => {
  expect(slowFiles.filter(f => !existsSync(join(root, f)))).toEqual([]);
  expect(new Set(slowFiles).size).toBe(slowFiles.length);
});

/** The order of some files when a run before has measured `known`, by its milliseconds. */
async function order(names: readonly string[], known: Readonly<Record<string, number>>): Promise<string[]> {
  const project = { name: "", config: { sequence: { groupOrder: 0 }, isolate: false } };
  const context = {
    config: { root },
    cache: {
      getFileTestResults: (key: string) => {
        const duration = known[key.slice(1)];
        return duration === undefined ? undefined : { failed: false, duration };
      },
      getFileStats: () => ({ size: 1 }),
    },
  };
  const files = names.map(n => ({ moduleId: join(root, n), project }));
  // What the sequencer looks at, and no more.
  const sorted = await new SlowFirst(context as unknown as Vitest).sort(files as unknown as TestSpecification[]);
  return sorted.map(f => f.moduleId.slice(root.length + 1));
}

it("where nothing was measured they go first, else the longest of the run before", async () => {
  const [first = "", second = ""] = slowFiles,
    quick = "test/casts.test.ts";
  expect(await order([quick, second, first], {})).toEqual([first, second, quick]);
  expect(await order([second, quick, first], { [first]: 1, [second]: 2, [quick]: 3 })).toEqual([quick, second, first]);
});
