import { availableParallelism } from "node:os";
import { relative } from "node:path";
import { exitCode, type ExitCode, table, type Terminal } from "../../designs/shared/command-line/index.ts";
import { writeCounterexample } from "./artefacts.ts";
import { check, type Checked, type CheckOptions, isGood, type Provable } from "./check.ts";
import { alignment, heading, rows } from "./rows.ts";

/** Checks every proof, as many at a time as there are cores, and prints the table. Counterexamples go to `folder`. */
export async function runProofs(
  wanted: readonly Provable[],
  o: CheckOptions,
  folder: string,
  terminal: Terminal,
): Promise<ExitCode> {
  const done: (Checked | undefined)[] = wanted.map(() => undefined);
  let next = 0,
    finished = 0;
  const begun = Date.now();
  await Promise.all(
    Array.from({ length: Math.min(availableParallelism(), wanted.length) }, async () => {
      for (let i = next++; i < wanted.length; i = next++) {
        done[i] = await check(wanted[i] as Provable, o);
        terminal.progress(`${++finished} of ${wanted.length}: ${(wanted[i] as Provable).module}`);
      }
    }),
  );
  const all = done as readonly Checked[];
  terminal.print(table(heading, all.flatMap(rows), alignment));
  for (const { proof, result } of all) {
    if (result.counterexample === undefined) continue;
    const paths = await writeCounterexample(folder, proof, result.counterexample);
    terminal.print(
      `\n${proof.module} fails:\n${paths.map(p => `  ${p.startsWith("(") ? p : relative("", p)}`).join("\n")}`,
    );
  }
  for (const { proof, result } of all)
    if (result.finding.verdict === "unknown" && result.assertions.length === 0)
      terminal.print(`\n${proof.module}: ${result.finding.why}`);
  const bad = all.filter(c => !isGood(c, o.bounded) || c.faults.some(f => f.by === undefined));
  const sum = (count: (c: Checked) => number): number => all.reduce((n, c) => n + count(c), 0);
  const counts = [
    `${all.length} modules`,
    `${sum(c => c.result.assertions.length)} properties`,
    `${sum(c => c.result.covers.length)} covers`,
    ...(o.faults ? [`${sum(c => c.faults.length)} planted faults`] : []),
  ];
  const few = all.filter(c => c.proof.bounded !== undefined).length,
    boundedOnes = few === 0 ? "" : `, ${few} of them for as many cycles as the table says`;
  const outcome =
    bad.length === 0
      ? o.bounded === undefined
        ? `all hold${boundedOnes}`
        : `no counterexample up to ${o.bounded} cycles; longer runs are not looked at`
      : `${bad.length} of the modules ${o.bounded === undefined ? "do not hold" : "fail or were not decided"} (${bad.map(c => c.proof.module).join("; ")})`;
  terminal.print(`\n${counts.join(", ")} in ${((Date.now() - begun) / 1000).toFixed(0)} s: ${outcome}`);
  return bad.length === 0 ? exitCode.done : exitCode.failed;
}
