/** The page "Add a design": its excerpts are whole, its commands work, its sentences are short. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { withExcerpts } from "../../cli/generate/excerpts.ts";
import { mnemo } from "../support/command-line.ts";

const page = readFileSync("docs/add-a-design.md", "utf8");

it("shows every file of the example, and the line that adds it, as they are", () => {
  const shown = [...page.matchAll(/^<!-- file: (\S+) -->$/gm)].map(m => m[1] ?? "");
  const files = readdirSync("examples/frame-counter").map(f => `examples/frame-counter/${f}`);
  expect(shown.sort()).toEqual([...files, "cli/designs.ts"].sort());
  expect(withExcerpts(page, path => readFileSync(path, "utf8"))).toBe(page);
});

it("tells of every hook", () => {
  const source = readFileSync("designs/shared/command-line/design.ts", "utf8"),
    hooks = source.slice(source.indexOf("interface CommonHooks"), source.indexOf("/** A design as the command line"));
  const names = [...hooks.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(m => m[1] ?? "");
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) expect(page, name).toContain(`\`${name}\``);
});

it("gives commands that there are", async () => {
  const verbs = [...page.matchAll(/^npx mnemo (\w+)/gm)].map(m => m[1] ?? "");
  expect(verbs.length).toBeGreaterThan(5);
  for (const verb of verbs) expect((await mnemo([verb, "--help"])).code, verb).toBe(0);
});

it("has sentences of at most 25 words", () => {
  const prose = page.replace(/^```[\s\S]*?^```$/gm, "").replace(/^[|#<].*$/gm, "");
  const long = prose
    .split(/[.:;](?:\s|$)|\n\n/)
    .map(s => s.trim())
    .filter(s => s.split(/\s+/).length > 25);
  expect(long).toEqual([]);
});
