import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { foldersUnder } from "../scripts/layers.cjs";
import { root } from "../scripts/setup/paths.mjs";

/** Most casts in all designs: what more would hide is what the language's types are to say. */
const most = 20;
/** A type that is taken on trust: the compiler would accept anything. */
const cast = /\bas never\b|\bas unknown as\b/;

/** The code of a line: without what stands in strings, and without a comment at its end. */
const codeOf = (line: string): string =>
  /^\s*(?:\*|\/\*)/.test(line) ? "" : line.replace(/"(?:[^"\\]|\\.)*"/g, '""').replace(/\/\/.*/, "");
/** The lines of a file with a cast; `reason`: whether a comment on it or on the line before says why. */
function castsOf(text: string): { readonly line: number; readonly reason: boolean }[] {
  const lines = text.split("\n"),
    comments = (line: string | undefined): boolean => /\/\/ \w/.test(line ?? "") || /^\s*\*/.test(line ?? "");
  return lines.flatMap((line, i) =>
    cast.test(codeOf(line)) ? [{ line: i + 1, reason: comments(line) || comments(lines[i - 1]) }] : [],
  );
}

it("a cast is found with its reason, prose is none", () => {
  const text = [
    "const a = b as never;",
    "// It stands for none.",
    "const c = d as unknown as E; f(g as never);",
    "h(i as never); // Nobody asks for it.",
    "/** such as never ends */",
    'throw new Error("such as never ends");',
    "const was = never;",
  ].join("\n");
  expect(castsOf(text)).toEqual([
    { line: 1, reason: false },
    { line: 3, reason: true },
    { line: 4, reason: true },
  ]);
});

it(`designs have at most ${most} casts, each with its reason`, () => {
  const found = foldersUnder(join(root, "designs"), "designs/")
    .flatMap(f => readdirSync(join(root, f)).map(n => `${f}/${n}`))
    .filter(f => f.endsWith(".ts"))
    .flatMap(f => castsOf(readFileSync(join(root, f), "utf8")).map(c => ({ at: `${f}:${c.line}`, ...c })));
  expect(found.filter(c => !c.reason).map(c => c.at)).toEqual([]);
  expect(found.length).toBeLessThanOrEqual(most);
});
