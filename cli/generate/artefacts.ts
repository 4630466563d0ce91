import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { committedBoardFiles } from "../board/committed.ts";
import { cataloguePage } from "../catalogue/page.ts";
import type { Design, FileTools, GeneratedFile } from "../../designs/shared/command-line/index.ts";
import { structureOf } from "../../hdl-dsl/index.ts";
import { buildOf } from "../design-named.ts";
import { designs } from "../designs.ts";
import { svgOf } from "../draw/svg.ts";
import { baselinePath, readBaseline } from "../synth/baseline.ts";
import { targets } from "../synth/target.ts";
import type { Warned } from "../warnings.ts";
import { generatedDesigns } from "./designs.ts";
import { fileLists, filesOf } from "./design-files.ts";
import { withExcerpts } from "./excerpts.ts";

/**
 * The Verilog of every design, one file per definition, its source map beside it, and the names and the file lists of
 * every top. A further build of a design has only the files that the default build lacks: its lists find the rest in
 * the folder of the default build.
 */
async function verilog(w: Warned): Promise<{ readonly path: string; readonly text: string }[]> {
  const files = new Map<string, string>();
  for (const d of await generatedDesigns(w)) {
    const own = filesOf(d.emitted, "../../"),
      { besides } = d;
    const shared = new Set(
      besides === undefined
        ? []
        : own.filter(f => files.get(`generated/${besides}/${f.path}`) === f.text).map(f => f.path),
    );
    // A list of one file says nothing.
    const lists = own.length <= 3 ? [] : fileLists(d.emitted, p => (shared.has(p) ? `../${besides ?? ""}/${p}` : p));
    for (const f of [...own, ...lists]) {
      const path = `generated/${d.folder}/${f.path}`,
        before = files.get(path);
      if (shared.has(f.path)) continue;
      if (before !== undefined && before !== f.text) throw new Error(`two definitions of ${path} differ`);
      files.set(path, f.text);
    }
  }
  return [...files].map(([path, text]) => ({ path, text }));
}

/** The files that a design makes beside its Verilog. */
async function ownFiles(d: Design, root: string): Promise<readonly GeneratedFile[]> {
  const baseline = (await d.synth?.())?.baseline;
  const tools: FileTools = {
    drawing: definition => svgOf(structureOf(definition)),
    areas: () => {
      if (baseline === undefined) throw new Error(`${d.name} has no baseline of areas`);
      return readBaseline(baselinePath(root, baseline, targets.xcup));
    },
  };
  return (await d.files?.(tools)) ?? [];
}

/** Pages whose excerpts are taken from other files: those that name one. */
const excerptPages = (root: string): readonly string[] =>
  ["README.md", ...readdirSync(join(root, "docs")).map(name => `docs/${name}`)].filter(
    path => path.endsWith(".md") && readFileSync(join(root, path), "utf8").includes("<!-- file: "),
  );

/**
 * Everything that is committed and generated. Excerpts are taken from the other files, so their pages come last.
 * @param root the project's folder
 */
export async function projectFiles(root: string, w: Warned): Promise<readonly GeneratedFile[]> {
  const files = [
    ...(await verilog(w)),
    ...(await Promise.all(designs.map(d => ownFiles(d, root)))).flat(),
    ...committedBoardFiles(root),
    { path: "docs/catalogue.md", text: cataloguePage(root) },
  ];
  const textOf = (path: string): string => {
    const made = files.find(f => f.path === path)?.text;
    return typeof made === "string" ? made : readFileSync(join(root, path), "utf8");
  };
  return [
    ...files,
    ...excerptPages(root).map(path => ({ path, text: withExcerpts(readFileSync(join(root, path), "utf8"), textOf) })),
  ];
}

/** A design's files for a configuration of one's own. @param set `key=value` each */
export async function configuredFiles(
  design: Design,
  set: readonly string[],
  w: Warned,
): Promise<readonly GeneratedFile[]> {
  const emitted = w.emit(await buildOf(design, "generate")(set));
  return [...filesOf(emitted, ""), ...fileLists(emitted)];
}
