/** `mnemo mutate <design>`: a sample of the mutants of every module of a design. */
import { writeFileSync } from "node:fs";
import { exitCode, type ExitCode, table, type Terminal, UsageError } from "../../designs/shared/command-line/index.ts";
import type { Choice } from "./choose.ts";
import { hunt, see } from "./hunt.ts";
import { type Located, modulesOf, testsNamed } from "./locate.ts";
import { type Outcome, score, withFate } from "./outcome.ts";
import { json, type Result, survivorLines } from "./report.ts";

/** What became of one module: its mutants, or why none could be planted. */
type Entry = Result | (Located & { readonly refused: string });

export interface AllOptions extends Choice {
  readonly tests?: readonly string[];
  readonly patience: number;
  readonly floor?: number;
  readonly json?: string;
}

/** @param modules those of the design */
export async function runAll(
  name: string,
  o: AllOptions,
  terminal: Terminal,
  modules: readonly Located[] = modulesOf(name),
): Promise<ExitCode> {
  if (o.limit === undefined)
    throw new UsageError(`mutate ${name} goes through every module: give --limit, how many mutants of each`);
  const entries: Entry[] = [];
  for (const where of modules) {
    terminal.progress(`${entries.length + 1} of ${modules.length}: ${where.module}`);
    entries.push(await entryOf(where, o));
    if (o.json !== undefined) writeFileSync(o.json, asJson(entries, o));
  }
  terminal.endProgress();
  const results = entries.filter(isResult),
    outcomes = results.flatMap(r => r.outcomes);
  terminal.print(table(heads, [...entries.map(row), total(outcomes)], "lrrrrl"));
  for (const r of results) {
    const alive = survivorLines(r);
    if (alive !== "") terminal.print(`\n${r.module}:\n${alive}`);
  }
  terminal.print(`\nAt most ${o.limit} mutants of each module, seed ${o.seed}.`);
  const good = o.floor === undefined || score(outcomes) >= o.floor;
  return good && results.length === entries.length ? exitCode.done : exitCode.failed;
}

const isResult = (e: Entry): e is Result => !("refused" in e);

async function entryOf(where: Located, o: AllOptions): Promise<Entry> {
  const from = Date.now(),
    quiet = (): void => undefined;
  try {
    const named = o.tests === undefined ? undefined : testsNamed(o.tests),
      found = await see(where, named, quiet);
    const outcomes = await hunt(where, found, o, o.patience * 1000, quiet);
    const testFiles = [...new Set(found.tests.map(t => t.file))];
    return { ...where, testFiles, seconds: (Date.now() - from) / 1000, outcomes };
  } catch (e) {
    // One module without a test is no reason to know nothing of the others; it is in the table, and fails the whole.
    return { ...where, refused: (e as Error).message };
  }
}

const heads = ["module", "mutants", "killed", "survive", "not counted", "remark"];
const n = (all: readonly Outcome[], ...fates: Parameters<typeof withFate>[1][]): string =>
  String(withFate(all, ...fates).length);
const counts = (all: readonly Outcome[]): readonly string[] => [
  n(all, "killed", "survived", "unseen"),
  n(all, "killed"),
  n(all, "survived", "unseen"),
  n(all, "equivalent", "argued", "loop"),
];

function row(e: Entry): readonly string[] {
  if (!isResult(e)) return [e.module, "", "", "", "", e.refused.split("\n")[0] ?? ""];
  return [e.module, ...counts(e.outcomes), ""];
}
const total = (all: readonly Outcome[]): readonly string[] => ["in all", ...counts(all), `${score(all)} % killed`];

const asJson = (entries: readonly Entry[], o: AllOptions): string =>
  `${JSON.stringify(
    {
      limit: o.limit,
      seed: o.seed,
      modules: entries.map((e): unknown => (isResult(e) ? JSON.parse(json(e)) : e)),
    },
    null,
    2,
  )}\n`;
