/** Finds the tests of a module, plants the mutants in them, and keeps the ledger. */
import { join } from "node:path";
import { CheckFailed } from "../../designs/shared/command-line/index.ts";
import { arguedFile, argumentFor, readArgued } from "./argued.ts";
import { type Choice, chosen, described } from "./choose.ts";
import { type Located, siblingsOf, testsNear } from "./locate.ts";
import { Ledger, type Outcome } from "./outcome.ts";
import type { Described, Job, Report, Seen } from "./plan.ts";
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

const rootOf = ({ root }: Located): { readonly root?: string } => (root === undefined ? {} : { root });

const isSeen = (r: Report): r is Extract<Report, { kind: "test" }> => r.kind === "test";

function refuse(ledger: Ledger): void {
  if (ledger.failed !== undefined)
    throw new CheckFailed(
      `${ledger.failed.id} fails without a mutant (${ledger.failed.message}): mend it, then run this again`,
    );
}

function foundIn(reports: readonly Report[]): Found {
  const tests = reports.filter(isSeen).map(({ id, file, ms, edges, variants }) => ({ id, file, ms, edges, variants }));
  return { mutants: described(reports), tests, reports };
}

/** Runs tests once without a mutant: which of them simulate the module, and what can be planted. */
export async function see(where: Located, named: readonly string[] | undefined, say: Say): Promise<Found> {
  for (const files of named === undefined ? testsNear(where.file) : [named]) {
    say(`looking for ${where.module} in ${files.length} test files`);
    const reports = await runTests(files, { ...rootOf(where), watched: [where.module] }),
      ledger = new Ledger();
    ledger.add(reports);
    refuse(ledger);
    const found = foundIn(reports);
    if (found.tests.length > 0 || ledger.whole.length > 0) return found;
  }
  throw new CheckFailed(`no test simulates ${where.module}: write a bench of it, or name test files with --tests`);
}

/** Of one module: what is planted, in which tests, and what is known. */
class Hunted {
  readonly mutants: readonly Described[];
  readonly ledger = new Ledger();
  left: readonly Seen[];
  readonly #isTried: boolean;
  readonly where: Located;
  readonly found: Found;

  constructor(where: Located, found: Found, choice: Choice, patience: number) {
    this.where = where;
    this.found = found;
    this.mutants = chosen(found.mutants, choice);
    this.left = found.tests.filter(t => t.ms <= patience);
    this.ledger.add(found.reports);
    this.#isTried = this.left.length > 0 || this.ledger.whole.length > 0;
  }
  /** @throws CheckFailed when nothing can be said of the module */
  check(): void {
    refuse(this.ledger);
    if (!this.#isTried)
      throw new CheckFailed(
        `each test that simulates ${this.where.module} takes longer than the patience: give a longer --patience`,
      );
  }
  get open(): readonly string[] {
    return this.mutants.map(m => m.key).filter(k => this.ledger.isOpen(k));
  }
  /** The next tests with what is to be planted in them; none when all is known or tried. */
  next(): readonly Job[] {
    const keys = this.open,
      tests = this.ledger.failed === undefined && keys.length > 0 ? nextTests(this.left, keys.length) : [];
    this.left = this.left.filter(t => !tests.includes(t));
    return tests.length === 0 ? [] : [{ module: this.where.module, keys, tests }];
  }
  /** Each mutant that is left in a process of its own, in the files that cannot be repeated. */
  async wholly(say: Say): Promise<void> {
    const { module } = this.where;
    for (const [i, key] of this.open.entries()) {
      const files = [...new Set([...this.ledger.whole, this.ledger.doubted(key)])].filter(f => f !== undefined);
      if (files.length === 0) continue;
      say(`${module}: ${key} in ${files.length} files that must be run whole (${i + 1} of ${this.open.length})`);
      this.ledger.add(await runTests(files, { ...rootOf(this.where), whole: { module, key } }));
    }
  }
  outcomes(): readonly Outcome[] {
    const { root } = this.where,
      argued = readArgued(root === undefined ? undefined : join(root, arguedFile));
    return this.mutants.map(m => this.ledger.of(m, argumentFor(argued, this.where, m)?.reason));
  }
}

/** Plants mutants of several modules in the tests that they have in common, as long as one has something to try. */
async function plantAll(all: readonly Hunted[], say: Say): Promise<void> {
  for (;;) {
    const jobs = all.flatMap(h => h.next()),
      [first] = all;
    if (jobs.length === 0 || first === undefined) return;
    const files = [...new Set(jobs.flatMap(j => j.tests.map(t => t.file)))],
      planted = jobs.reduce((n, j) => n + j.keys.length, 0),
      gone = new Set<string>();
    const reports = await runTests(files, { ...rootOf(first.where), jobs }, r => {
      if (r.kind === "killed") gone.add(`${r.module} ${r.key}`);
      say(`${jobs.map(j => j.module).join(", ")}: ${planted} mutants in ${files.length} files, ${gone.size} killed`);
    });
    for (const h of all) h.ledger.add(reports.filter(r => r.module === h.where.module));
  }
}

/** Plants the chosen mutants. @param patience tests that take longer (ms) are left out */
export async function hunt(
  where: Located,
  found: Found,
  choice: Choice,
  patience: number,
  say: Say,
): Promise<readonly Outcome[]> {
  const hunted = new Hunted(where, found, choice, patience);
  await plantAll([hunted], say);
  hunted.check();
  await hunted.wholly(say);
  return hunted.outcomes();
}

/** What was found of all modules of a folder, by the names of its test files and the choice. */
const huntedTogether = new Map<string, Promise<readonly Hunted[]>>();

async function huntAll(
  all: readonly Located[],
  files: readonly string[],
  choice: Choice,
  patience: number,
  say: Say,
): Promise<readonly Hunted[]> {
  say(`looking for ${all.length} modules in ${files.length} test files`);
  const reports = await runTests(files, { watched: all.map(l => l.module) });
  const hunted = all.map(l => new Hunted(l, foundIn(reports.filter(r => r.module === l.module)), choice, patience));
  await plantAll(hunted, say);
  return hunted;
}

/**
 * `see` and `hunt`; the first of a folder's modules that is asked for has all of them hunted in the same runs of its
 * tests. Only while neither sources nor tests change.
 */
export async function huntTogether(
  where: Located,
  choice: Choice,
  patience: number,
  say: Say,
): Promise<{ readonly found: Found; readonly outcomes: readonly Outcome[] }> {
  const [files = []] = testsNear(where.file),
    key = JSON.stringify([files, choice, patience]);
  let all = huntedTogether.get(key);
  if (all === undefined) huntedTogether.set(key, (all = huntAll(siblingsOf(where), files, choice, patience, say)));
  const own = (await all).find(h => h.where.module === where.module && h.where.file === where.file);
  // Farther tests are those of a whole design: by itself the module has them watched, in a campaign that is too much.
  if (own === undefined || (own.found.tests.length === 0 && own.ledger.whole.length === 0))
    throw new CheckFailed(`no test beside ${where.module} simulates it: hunt it by itself, or write a bench of it`);
  own.check();
  await own.wholly(say);
  return { found: own.found, outcomes: own.outcomes() };
}
