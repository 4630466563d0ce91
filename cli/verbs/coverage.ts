import { exitCode, UsageError } from "../../designs/shared/command-line/index.ts";
import type { Sort } from "../../sim/index.ts";
import { isSource } from "../own/source-file.ts";
import type { Verb } from "../verb.ts";

interface Options {
  readonly only?: string;
  readonly missed: string;
  readonly lcov?: string;
  readonly html?: string;
  readonly markdown?: string;
  readonly floor?: string;
}

/** `mnemo coverage`: what the benches reached of the hardware. */
export const coverageVerb: Verb = (program, { terminal, exit }) =>
  program
    .command("coverage")
    .alias("cover")
    .argument(
      "<folder>",
      "the folder that MNEMO_COVERAGE named when the benches ran, or a TypeScript file: the benches that import it are run",
    )
    .description(
      "show what benches reached of the hardware: lines, states, toggles and cover points, by place in the source",
    )
    .option("--only <name>", "only files in this folder or of this path, or modules of this name")
    .option(
      "--missed <sorts>",
      "list what was not reached of these sorts: lines, states, toggles, covers, or none",
      "lines,states,covers",
    )
    .option("--lcov <file>", "write lines and branches as an lcov tracefile")
    .option("--html <file>", "write a page with the sources and their marks")
    .option("--markdown <file>", "write a table of the folders into a Markdown file, between its coverage marks")
    .option("--floor <figures>", "exit with 1 below these, in per cent: lines=95,states=95")
    .action(async (folder: string, o: Options) => {
      const { mkdirSync, writeFileSync } = await import("node:fs");
      const path = await import("node:path");
      const { figuresOf, lcovOf, mergeCoverage } = await import("../../sim/index.ts");
      const { coverageTable, missedLines } = await import("../coverage/report.ts");
      const sorts = sortsOf(o.missed),
        floors = floorsOf(o.floor);
      const found = isSource(folder)
        ? await (await import("../coverage/cover-own.ts")).coverageOfFile(folder)
        : { points: mergeCoverage(folder), root: process.cwd(), file: undefined };
      const { root } = found,
        only = o.only ?? found.file;
      const points = found.points.filter(p => only === undefined || p.file.startsWith(only) || p.module === only);
      if (points.length === 0 && o.only === undefined)
        throw new UsageError(`the benches of ${folder} simulate no module of it; give --only a module that they do`);
      if (points.length === 0)
        throw new UsageError(
          `--only ${o.only ?? ""} leaves nothing of ${folder}; give a folder, a file or a module that was simulated`,
        );
      const write = (name: string, text: string): void => {
        mkdirSync(path.dirname(path.resolve(name)), { recursive: true });
        writeFileSync(name, text);
        terminal.print(`${name}: written`);
      };
      for (const line of missedLines(points, sorts, root)) terminal.print(line);
      terminal.print(coverageTable(points));
      if (o.lcov !== undefined) write(o.lcov, lcovOf(points));
      if (o.html !== undefined) {
        const { coveragePage } = await import("../coverage/page.ts");
        write(o.html, coveragePage(points, root, `Coverage${only === undefined ? "" : ` of ${only}`}`));
      }
      if (o.markdown !== undefined) {
        const { withTable } = await import("../coverage/markdown.ts");
        write(o.markdown, withTable(o.markdown, points));
      }
      const figures = figuresOf(points);
      const below = floors.filter(([sort, floor]) => 100 * figures[sort].reached < floor * figures[sort].all);
      if (below.length === 0) return;
      terminal.print(`below the floor: ${below.map(([sort, floor]) => `${sort} ${floor} %`).join(", ")}`);
      exit(exitCode.failed);
    });

const NAMES: readonly Sort[] = ["lines", "states", "toggles", "covers"];
const sortNamed = (option: string, text: string): Sort => {
  const sort = NAMES.find(s => s === text);
  if (sort === undefined)
    throw new UsageError(`${option} has ${text || "an empty word"}; the sorts are ${NAMES.join(", ")}`);
  return sort;
};

const sortsOf = (text: string): Sort[] => (text === "none" ? [] : text.split(",").map(t => sortNamed("--missed", t)));

function floorsOf(text: string | undefined): (readonly [Sort, number])[] {
  if (text === undefined) return [];
  return text.split(",").map(part => {
    const [name = "", value = ""] = part.split("="),
      floor = Number(value);
    if (value === "" || !(floor >= 0 && floor <= 100))
      throw new UsageError(`--floor ${part} is no figure; give one such as lines=95, 0 to 100 per cent`);
    return [sortNamed("--floor", name), floor] as const;
  });
}
