/** Links between the pages lead somewhere, and the index leads to every page. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const docs = readdirSync(resolve(root, "docs"), { recursive: true, encoding: "utf8" })
  .filter(f => f.endsWith(".md"))
  .map(f => `docs/${f.replaceAll("\\", "/")}`);

const read = (page: string): string => readFileSync(resolve(root, page), "utf8");
/** Text without what stands in code. */
const prose = (text: string): string => text.replace(/^```[\s\S]*?^```$/gm, "").replace(/`[^`\n]*`/g, "code");
const linksOf = (text: string): string[] =>
  [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map(m => m[1] as string).filter(l => !/^[a-z]+:/.test(l));
/** Anchors as the usual renderers make them of headings. */
const anchorsOf = (page: string): Set<string> =>
  new Set(
    [
      ...read(page)
        .replace(/^```[\s\S]*?^```$/gm, "")
        .matchAll(/^#+ (.+)$/gm),
    ].map(m =>
      (m[1] as string)
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replace(/\s/g, "-"),
    ),
  );
const target = (page: string, link: string): string =>
  link.startsWith("#")
    ? page
    : relative(root, resolve(root, dirname(page), link.replace(/#.*$/, ""))).replaceAll("\\", "/");

function brokenLinks(page: string, text = read(page)): string[] {
  return linksOf(text).filter(l => {
    const to = target(page, l),
      anchor = /#(.+)$/.exec(l)?.[1];
    return !existsSync(resolve(root, to)) || (anchor !== undefined && !anchorsOf(to).has(anchor));
  });
}

describe("pages", () => {
  it.each(["README.md", "CONTRIBUTING.md", "CHANGELOG.md", ...docs])("%s: its links lead somewhere", page =>
    expect(brokenLinks(page)).toEqual([]),
  );
  it("a link to nowhere, and one to a heading that is not there, are seen", () => {
    const text =
      "[a](manual/01-first-module.md) [b](none.md) [c](manual/01-first-module.md#to-verilog) [d](manual/01-first-module.md#to-vhdl) `[e](none.md)` [f](https://example.org)";
    expect(brokenLinks("docs/planted.md", text)).toEqual(["none.md", "manual/01-first-module.md#to-vhdl"]);
  });
  it("the index leads to all of them, and the README to the index", () => {
    const linked = new Set(linksOf(read("docs/index.md")).map(l => target("docs/index.md", l)));
    expect(docs.filter(d => d !== "docs/index.md" && !linked.has(d))).toEqual([]);
    expect(linksOf(read("README.md"))).toContain("docs/index.md");
  });
});
