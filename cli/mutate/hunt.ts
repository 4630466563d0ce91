/** Finds the tests of a module, plants the mutants in them, and keeps the ledger. */
import { join } from "node:path";
import { CheckFailed } from "../../designs/shared/command-line/index.ts";
import { arguedFile, argumentFor, readArgued } from "./argued.ts";
import { type Choice, chosen, described } from "./choose.ts";
import { type Located, testsNear } from "./locate.ts";
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

const planOf = ({ module, root }: Located): { readonly module: string; readonly root?: string } => ({
  module,
  ...(root === undefined ? {} : { root }),
});

const isSeen = (r: Report): r is Seen & { kind: "test" } => r.kind === "test";

function refuse(ledger: Ledger): void {
  if (ledger.failed !== undefined)
    throw new CheckFailed(
      `${ledger.failed.id} fails without a mutant (${ledger.failed.message}): mend it, then run this again`,
    );
}

/** Runs tests once without a mutant: which of them simulate the module, and what can be planted. */
export async function see(where: Located, named: readonly string[] | undefined, say: Say): Promise<Found> {
  for (const files of named === undefined ? testsNear(where.file) : [named]) {
    say(`looking for ${where.module} in ${files.length} test files`);
    const reports = await runTests(files, planOf(where)),
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
    ledger = new Ledger(),
    tests = found.tests.filter(t => t.ms <= patience);
  ledger.add(found.reports);
  const open = (): string[] => mutants.map(m => m.key).filter(k => ledger.isOpen(k));
  let shortest = 0;
  for (const longest of rounds) {
    const now = tests.filter(t => t.ms >= shortest && t.ms < longest),
      keys = open();
    shortest = longest;
    if (now.length === 0 || keys.length === 0) continue;
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
