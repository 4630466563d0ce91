/** `mnemo mutate <design>/<Module>`. */
import { writeFileSync } from "node:fs";
import { exitCode, type ExitCode, table, type Terminal, UsageError } from "../../designs/shared/command-line/index.ts";
import { operators } from "../../sim/index.ts";
import { isSource } from "../own/source-file.ts";
import { repository } from "../repository.ts";
import { chosen } from "./choose.ts";
import { type Found, hunt, huntTogether, see } from "./hunt.ts";
import { locate, type Located, testsNamed } from "./locate.ts";
import { type Outcome, score, withFate } from "./outcome.ts";
import { figures, json, lineTable, type Result, summary, survivorLines } from "./report.ts";

export interface MutateOptions {
  /** Of a file: which of its modules. */
  readonly module?: string;
  readonly limit?: number;
  readonly seed: number;
  readonly onlyOperator?: readonly string[];
  readonly list?: true;
  readonly tests?: readonly string[];
  readonly patience: number;
  readonly floor?: number;
  readonly lines?: true;
  readonly json?: string;
  readonly figures?: string;
  /** All modules beside it are hunted in the same runs of their tests. */
  readonly together?: true;
}

/** The module that is meant, and the tests that the user named; a file's tests are those that import it. */
async function subject(
  name: string,
  o: MutateOptions,
): Promise<{ readonly where: Located; readonly named: readonly string[] | undefined }> {
  if (!isSource(name)) {
    repository("mutate");
    return { where: locate(name), named: o.tests === undefined ? undefined : testsNamed(o.tests) };
  }
  const { fileModule, fileTests } = await import("./mutate-own.ts");
  const where = fileModule(name, o.module);
  return { where, named: o.tests === undefined ? fileTests(where, name) : testsNamed(o.tests, where.root) };
}

export async function runMutate(name: string, o: MutateOptions, terminal: Terminal): Promise<ExitCode> {
  const unknown = o.onlyOperator?.find(n => !operators.some(x => x.name === n));
  if (unknown !== undefined)
    throw new UsageError(
      `--only-operator ${unknown}: there is no such operator; there are ${operators.map(x => x.name).join(", ")}`,
    );
  const { where, named } = await subject(name, o),
    from = Date.now(),
    say = (text: string): void => terminal.progress(text);
  if (o.together === true && named === undefined) {
    const choice = { seed: o.seed, ...(o.limit === undefined ? {} : { limit: o.limit }) },
      { found, outcomes } = await huntTogether(where, choice, o.patience * 1000, say);
    return tellOf(where, from, found, outcomes, o, terminal);
  }
  const found = await see(where, named, say);
  if (o.list === true) {
    const rows = chosen(found.mutants, o).map(m => [`${m.file.replace(/^.*\//, "")}:${m.line}`, m.operator, m.says]);
    terminal.print(table(["line", "operator", "change"], rows, "lll"));
    return exitCode.done;
  }
  const outcomes = await hunt(where, found, o, o.patience * 1000, say);
  return tellOf(where, from, found, outcomes, o, terminal);
}

/** Prints and keeps what was found of a module. @param from when it was begun, ms */
function tellOf(
  where: Located,
  from: number,
  found: Found,
  outcomes: readonly Outcome[],
  o: MutateOptions,
  terminal: Terminal,
): ExitCode {
  const result: Result = {
    ...where,
    testFiles: [...new Set(found.tests.map(t => t.file))],
    seconds: (Date.now() - from) / 1000,
    outcomes,
  };
  if (o.lines === true) terminal.print(lineTable(result));
  const alive = survivorLines(result);
  if (alive !== "") terminal.print(alive);
  terminal.print(summary(result));
  if (o.json !== undefined) writeFileSync(o.json, json(result));
  if (o.figures !== undefined) writeFileSync(o.figures, figures(result));
  const good =
    o.floor === undefined ? withFate(outcomes, "survived", "unseen").length === 0 : score(outcomes) >= o.floor;
  return good ? exitCode.done : exitCode.failed;
}
