import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { packageAbove, projectFolder } from "../../sim/index.ts";

test("the project is the nearest folder with a package.json; without any the folder itself", () => {
  const folder = mkdtempSync(join(tmpdir(), "mnemo-project-"));
  try {
    const inner = join(folder, "a/b/c");
    mkdirSync(inner, { recursive: true });
    expect(packageAbove(inner)).toBe(inner);
    writeFileSync(join(folder, "package.json"), "{}");
    expect(packageAbove(inner)).toBe(folder);
    writeFileSync(join(folder, "a/b/package.json"), "{}");
    expect(packageAbove(inner)).toBe(join(folder, "a/b"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("in the repository it is the repository, wherever the command is given", () => {
  expect(projectFolder()).toBe(resolve(import.meta.dirname, "../.."));
});
