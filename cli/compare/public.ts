/** Modules of the library beside published ones of their kind, which have other ports and other cycles. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { catalogue, emit, synthesisFiles } from "../../hdl-dsl/index.ts";
import { UsageError } from "../../designs/shared/command-line/index.ts";
import type { Yosys } from "../synth/yosys.ts";
import { type Cost, costOf } from "./measure.ts";
import { type PublicPair, publicPairs } from "./public-pairs.ts";

/** The text of a module with other values of its parameters. @throws UsageError when it has none of that name */
export function withParameters(text: string, parameters: Readonly<Record<string, number>>): string {
  return Object.entries(parameters).reduce((t, [name, value]) => {
    const at = new RegExp(`(\\bparameter\\s+${name}\\s*=\\s*)[^,\\n]+`);
    if (!at.test(t)) throw new UsageError(`a published module has no parameter ${name}; give another commit of it`);
    return t.replace(at, `$1${value}`);
  }, text);
}

/** Lines say nothing: theirs are of all builds at once. */
type Figures = Omit<Cost, "lines">;
export interface Beside {
  readonly pair: PublicPair;
  readonly ours: Figures;
  readonly theirs: Figures;
}
/** Commits of the clones, by repository; `unknown` for a folder that is no clone. */
export const commitsIn = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    [...new Set(publicPairs.map(p => p.repository))].map(r => {
      const { stdout, status } = spawnSync("git", ["-C", join(folder, r), "rev-parse", "--short=12", "HEAD"]);
      return [r, status === 0 ? stdout.toString().trim() : "unknown"];
    }),
  );

/**
 * Both through the same synthesis, out of context.
 * @param folder has the clones @param step called with the name of each step
 * @throws UsageError when a file is not there
 */
export async function compareWithPublic(
  folder: string,
  yosys: Yosys,
  step: (what: string) => void,
): Promise<readonly Beside[]> {
  const textOf = (p: PublicPair, name: string): string => {
    const path = join(folder, p.repository, "rtl", `${name}.v`);
    if (!existsSync(path))
      throw new UsageError(`--public ${folder}: ${path} is not there; clone github.com/alexforencich/${p.repository}`);
    // Yosys knows not all formats of their messages, which are no hardware.
    return readFileSync(path, "utf8").replace(/\$(?:display|error)\([^;]*\);/g, ";");
  };
  const emitted = new Map(catalogue.map(({ def }) => emit(def)).map(e => [e.top, e])),
    all: Beside[] = [];
  for (const pair of publicPairs) {
    const own = emitted.get(pair.ours);
    if (own === undefined) throw new RangeError(`the catalogue has no ${pair.ours}`);
    const theirs = [
      { name: `${pair.top}.v`, text: withParameters(textOf(pair, pair.top), pair.parameters) },
      ...pair.with.map(name => ({ name: `${name}.v`, text: textOf(pair, name) })),
    ];
    all.push({
      pair,
      ours: await costOf(pair.ours, synthesisFiles(own), yosys, step),
      theirs: await costOf(pair.top, theirs, yosys, step),
    });
  }
  return all;
}

const columns = ["lut", "ff", "levels"] as const;
/** Rows of a table: a pair, and each figure of ours and of theirs. */
export const besideRows = (all: readonly Beside[]): readonly (readonly string[])[] =>
  all.map(({ pair, ours, theirs }) => [
    pair.ours,
    pair.top,
    ...columns.flatMap(c => [String(ours[c]), String(theirs[c])]),
  ]);
export const besideHeads = ["ours", "theirs", ...columns.flatMap(c => [`${c}: ours`, "theirs"])];
/** The same in Markdown, with what differs, and the commits. */
export const besideMarkdown = (all: readonly Beside[], commits: ReadonlyMap<string, string>): string =>
  [
    `| ${[...besideHeads, "what differs"].join(" | ")} |`,
    `|${besideHeads.map((_, i) => (i < 2 ? "---" : "---:")).join("|")}|---|`,
    ...besideRows(all).map((row, i) => `| ${[...row, all[i]?.pair.differs ?? ""].join(" | ")} |`),
    "",
    `Commits: ${[...commits].map(([r, c]) => `${r} \`${c}\``).join(", ")}.`,
  ].join("\n");
