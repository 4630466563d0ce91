import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withExcerpts } from "../../cli/generate/excerpts.ts";
import { compare, writeAll } from "../../cli/generate/files.ts";
import { mnemo } from "../support/command-line.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mnemo-generate-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("what is committed is what is generated now, the README's examples included", async () => {
  const { code, out, err } = await mnemo(["generate", "--check"]);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^\d+ generated files are up to date\n$/);
});

describe("comparison", () => {
  const files = ["a.v", "b/c.v", "b/d.v"].map(name => ({ path: `generated/${name}`, text: `module ${name}\n` }));

  it("finds what is missing, changed and left over; writing mends all three", () => {
    writeAll(folder, files);
    expect(compare(folder, files)).toEqual([]);
    writeFileSync(join(folder, "generated/a.v"), "module a // by hand\n");
    rmSync(join(folder, "generated/b/c.v"));
    mkdirSync(join(folder, "generated/old"));
    writeFileSync(join(folder, "generated/old/e.v"), "module e\n");
    const different = compare(folder, files);
    expect(different).toEqual([
      { path: "generated/a.v", how: "changed" },
      { path: "generated/b/c.v", how: "missing" },
      { path: "generated/old/e.v", how: "left over" },
    ]);
    writeAll(folder, files, different);
    expect(compare(folder, files)).toEqual([]);
  });
});

describe("excerpts", () => {
  it("take the place of the block under their mark, and nothing else", () => {
    const page = "a\n<!-- file: x.ts -->\n```ts\nold\n```\nb\n```\nkept\n```\n";
    expect(withExcerpts(page, path => `text of ${path}\n`)).toBe(
      "a\n<!-- file: x.ts -->\n```ts\ntext of x.ts\n```\nb\n```\nkept\n```\n",
    );
  });
  it("hold text with `$` as it is", () => {
    expect(withExcerpts("<!-- file: x -->\n```\n```\n", () => "$& $1\n")).toBe("<!-- file: x -->\n```\n$& $1\n```\n");
  });
});
