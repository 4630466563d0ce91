import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Design,
  exitCode,
  type ExitCode,
  table,
  type Terminal,
  UsageError,
} from "../../designs/shared/command-line/index.ts";
import { hookOf } from "../design-named.ts";
import {
  type Definition,
  type Figure,
  figureOf,
  type Report,
  reportSchema,
} from "../../designs/shared/evaluation/index.ts";
import { htmlOf } from "./report/html.ts";

/** `mnemo figures`' options as parsed. */
export interface FiguresOptions {
  readonly seed: number;
  readonly quick?: boolean;
  readonly full?: boolean;
  readonly only?: string;
  readonly out: string;
}

/** The figures that `--only` names. @throws UsageError for one that there is not */
function chosen(all: readonly Definition[], only: string | undefined): readonly Definition[] {
  if (only === undefined) return all;
  const wanted = only.split(",").map(n => n.trim()),
    known = all.map(d => d.number),
    unknown = wanted.find(n => !known.includes(n));
  if (unknown !== undefined)
    throw new UsageError(
      `--only names figure "${unknown}", which is not among ${known.join(", ")}; write such as --only ${known.slice(0, 2).join(",")}`,
    );
  return all.filter(d => wanted.includes(d.number));
}

/**
 * `mnemo figures`: measures the figures of the paper and writes them as one HTML page and as JSON. Both are written
 * anew after each figure, so that a run that ends early loses no measurement. The same seed gives the same files, byte
 * for byte; how long each figure took stands in the terminal only. Exit code 1 when a claim of shape does not hold.
 */
export async function runFigures(
  design: Design,
  { seed, quick = false, full = false, only, out }: FiguresOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  if (quick && full)
    throw new UsageError(
      "--quick and --full are both given, and one asks for few operations and the other for all; leave one out",
    );
  const { definitions: all, besides, ...about } = await hookOf(design, "figures")(),
    definitions = chosen(all, only),
    figures: Figure[] = [],
    seconds: number[] = [],
    page = join(out, `${design.name}-figures.html`),
    data = join(out, `${design.name}-figures.json`);
  // Seen before the minutes that it takes.
  mkdirSync(out, { recursive: true });
  for (const d of definitions) {
    terminal.progress(`figure ${d.number}: ${d.title} ...`);
    const from = performance.now();
    figures.push(await figureOf(d, { seed, quick, full }));
    seconds.push((performance.now() - from) / 1000);
    const report = reportSchema.parse({
      seed,
      extent: quick ? "quick" : full ? "full" : "usual",
      figures,
      besides: [...besides],
    } satisfies Report);
    writeFileSync(page, htmlOf(report, about));
    writeFileSync(data, `${JSON.stringify(report, undefined, 1)}\n`);
  }
  const failed = figures.flatMap(f =>
    f.verdicts.filter(v => !v.holds).map(v => `figure ${f.number} does not show: ${v.says} (${v.found})`),
  );
  terminal.print(
    table(
      ["figure", "", "standing", "claims that hold", "seconds"],
      figures.map((f, i) => [
        f.number,
        f.title,
        f.standing,
        f.verdicts.length === 0 ? "" : `${f.verdicts.filter(v => v.holds).length} of ${f.verdicts.length}`,
        (seconds[i] ?? 0).toFixed(1),
      ]),
      "lllrr",
    ),
  );
  terminal.print(`\n${page}\n${data}`);
  for (const f of failed) terminal.error(f);
  return failed.length === 0 ? exitCode.done : exitCode.failed;
}
