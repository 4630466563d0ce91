/** Finds the tests of a module, plants the mutants in them, and keeps the ledger. */
import { join } from "node:path";
import { CheckFailed } from "../../designs/shared/command-line/index.ts";
import { arguedFile, argumentFor, readArgued } from "./argued.ts";
import { type Choice, chosen, described } from "./choose.ts";
import { type Located, siblingsOf, testsNear } from "./locate.ts";
import { Ledger, type Outcome } from "./outcome.ts";
import type { Described, Report, Seen } from "./plan.ts";
import { runTests } from "./run-tests.ts";

export interface Found {
  readonly mutants: readonly Described[];
  readonly tests: readonly Seen[];
  readonly reports: readonly Report[];
}
/** Says what is going on. */
export type Say = (text: string) => void;

/** Short tests first: most mutants die in them. Milliseconds. */
const rounds = [300, 3000, 15_000, Number.MAX_SAFE_INTEGER];
/** About what another start of Vitest costs: longer tests that cost less come along at once. Milliseconds. */
const start = 4000;

/** The next tests to run, of those that are left. @param keys how many mutants are planted in each at most */
export function nextTests(left: readonly Seen[], keys: number): readonly Seen[] {
  const sorted = [...left].sort((a, b) => a.ms - b.ms),
    least = sorted[0]?.ms ?? 0,
    longest = rounds.find(r => least < r) ?? least;
  let cost = 0;
  return sorted.filter(t => t.ms < longest || (cost += t.ms * keys) < start);
}

const planOf = ({ module, root }: Located): { readonly module: string; readonly root?: string } => ({
  module,
  ...(root === undefined ? {} : { root }),
});

const isSeen = (r: Report): r is Extract<Report, { kind: "test" }> => r.kind === "test";

function refuse(ledger: Ledger): void {
  if (ledger.failed !== undefined)
    throw new CheckFailed(
      `${ledger.failed.id} fails without a mutant (${ledger.failed.message}): mend it, then run this again`,
    );
}

/** What was told of tests that were watched for several modules, by the names of their files. */
const seenTogether = new Map<string, Promise<readonly Report[]>>();

/** As `runTests` for one module; the first asked of a folder's modules has the tests watched for all of them. */
async function watchTogether(where: Located, files: readonly string[]): Promise<readonly Report[]> {
  const key = files.join(),
    watched = siblingsOf(where);
  let all = seenTogether.get(key);
  if (all === undefined) seenTogether.set(key, (all = runTests(files, { ...planOf(where), watched })));
  return (await all).filter(r => !("module" in r) || r.module === where.module);
}

/**
 * Runs tests once without a mutant: which of them simulate the module, and what can be planted.
 * @param together for the modules beside it in the same run; only while neither sources nor tests change
 */
export async function see(
  where: Located,
  named: readonly string[] | undefined,
  say: Say,
  together = false,
): Promise<Found> {
  for (const [i, files] of [...(named === undefined ? testsNear(where.file) : [named])].entries()) {
    say(`looking for ${where.module} in ${files.length} test files`);
    const isShared = together && named === undefined && i === 0,
      reports = isShared ? await watchTogether(where, files) : await runTests(files, planOf(where)),
      ledger = new Ledger();
    ledger.add(reports);
    refuse(ledger);
    const tests = reports
      .filter(isSeen)
      .map(({ id, file, ms, edges, variants }) => ({ id, file, ms, edges, variants }));
    if (tests.length > 0 || ledger.whole.length > 0) return { mutants: described(reports), tests, reports };
  }
  throw new CheckFailed(`no test simulates ${where.module}: write a bench of it, or name test files with --tests`);
}

/** Plants the chosen mutants. @param patience tests that take longer (ms) are left out */
export async function hunt(
  where: Located,
  found: Found,
  choice: Choice,
  patience: number,
  say: Say,
): Promise<readonly Outcome[]> {
  const { module } = where,
    mutants = chosen(found.mutants, choice),
    ledger = new Ledger();
  ledger.add(found.reports);
  const open = (): string[] => mutants.map(m => m.key).filter(k => ledger.isOpen(k));
  let left = found.tests.filter(t => t.ms <= patience);
  while (left.length > 0 && open().length > 0) {
    const keys = open(),
      now = nextTests(left, keys.length);
    left = left.filter(t => !now.includes(t));
    const gone = new Set<string>();
    const files = [...new Set(now.map(t => t.file))];
    ledger.add(
      await runTests(files, { ...planOf(where), keys, tests: now }, r => {
        if (r.kind === "killed") gone.add(r.key);
        say(`${module}: ${keys.length} mutants in ${now.length} tests, ${gone.size} killed`);
      }),
    );
    refuse(ledger);
  }
  for (const [i, key] of open().entries()) {
    const files = [...new Set([...ledger.whole, ledger.doubted(key)])].filter(f => f !== undefined);
    if (files.length === 0) continue;
    say(`${module}: ${key} in ${files.length} files that must be run whole (${i + 1} of ${open().length})`);
    ledger.add(await runTests(files, { ...planOf(where), keys: [key], whole: true }));
  }
  const argued = readArgued(where.root === undefined ? undefined : join(where.root, arguedFile));
  return mutants.map(m => ledger.of(m, argumentFor(argued, where, m)?.reason));
}
