/** The table of features, where it speaks of ours: what a row names is there, and what would refute a `no` is not. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { program } from "../../../cli/program.ts";
import { Terminal } from "../../../designs/shared/command-line/index.ts";
import * as language from "../../../hdl-dsl/index.ts";
import * as harness from "../../../sim/index.ts";

interface Row {
  readonly feature: string;
  readonly ours: string;
  readonly shown: string;
  readonly others: readonly string[];
}

const lines = readFileSync("docs/features.md", "utf8")
  .split("\n")
  .filter(l => l.startsWith("| "));
const cells = (line: string): string[] =>
  line
    .split("|")
    .slice(1, -1)
    .map(c => c.trim());
const rows = lines.slice(1).map((line): Row => {
  const [feature = "", ours = "", shown = "", ...others] = cells(line);
  return { feature, ours, shown, others };
});

const names: ReadonlySet<string> = new Set([...Object.keys(language), ...Object.keys(harness)]);
const quiet = { write: (): void => undefined },
  terminal = new Terminal({ stdout: quiet, stderr: quiet, env: {} });
const verbs = (await program([], terminal, () => undefined)).commands.map(c => c.name());

/** Why a piece of evidence does not hold; undefined when it does. */
function fault(evidence: string): string | undefined {
  const verb = /^mnemo ([\w-]+)$/.exec(evidence)?.[1];
  if (verb !== undefined) return verbs.includes(verb) ? undefined : `there is no verb ${verb}`;
  if (evidence.includes("/")) return existsSync(evidence) ? undefined : `there is no file ${evidence}`;
  return names.has(evidence) ? undefined : `nothing exports ${evidence}`;
}
const quoted = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(m => m[1] ?? "");
/** What a `no` would be refuted by, in what is exported, the verbs and the manifest. */
const everything = [...names, ...verbs, ...readFileSync("package.json", "utf8").split("\n")];
function refutations(shown: string): string[] {
  return quoted(shown).flatMap(pattern => {
    const [, body = "", flags = ""] = /^\/(.*)\/(\w*)$/.exec(pattern) ?? [];
    return everything.filter(word => new RegExp(body, flags).test(word));
  });
}
/** Whether a file says a sentence: `README.md: Nothing ...`. */
function isSaid(evidence: string): boolean {
  const [, file = "", sentence = ""] = /^(\S+): (.*)$/.exec(evidence) ?? [];
  return sentence !== "" && readFileSync(file, "utf8").includes(sentence);
}

test("the table has a verdict for each of six", () => {
  expect(cells(lines[0] ?? "").slice(3)).toHaveLength(5);
  for (const r of rows)
    expect([r.feature, [r.ours, ...r.others].filter(v => !/^(yes|part|no)$/.test(v))]).toEqual([r.feature, []]);
  expect(rows.length).toBeGreaterThan(25);
});
describe.each(rows)("$feature: $ours", ({ ours, shown }) => {
  test("is so", () => {
    if (ours === "no") {
      expect(shown).toMatch(/^(?:not|says): /);
      if (shown.startsWith("not: ")) expect(refutations(shown)).toEqual([]);
      else expect(quoted(shown).filter(e => !isSaid(e))).toEqual([]);
    } else {
      expect(quoted(shown).length).toBeGreaterThan(0);
      expect(quoted(shown).flatMap(e => fault(e) ?? [])).toEqual([]);
    }
  });
});
test("evidence that does not hold is found", () => {
  expect(["flux", "mnemo flux", "docs/flux.md"].map(fault)).toEqual([
    "nothing exports flux",
    "there is no verb flux",
    "there is no file docs/flux.md",
  ]);
  expect(refutations("not: `/Fifo$/`")).toContain("AsyncFifo");
  expect(["README.md: It was on every board", "README.md: "].map(isSaid)).toEqual([false, false]);
});
