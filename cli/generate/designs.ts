import type { Design } from "../../designs/shared/command-line/index.ts";
import { Counter } from "../../docs/examples/counter.ts";
import { type EmittedDesign, libraryModules } from "../../hdl-dsl/index.ts";
import { designs } from "../designs.ts";
import type { Warned } from "../warnings.ts";

/** A design that is generated, and the folder under generated/ for its files. */
export interface GeneratedDesign {
  readonly folder: string;
  readonly emitted: EmittedDesign;
  /** The folder in which files of the same text stand already: they are not written again. */
  readonly besides?: string;
}

/** Generated designs outside the list: the manual's example, and the library's modules. */
export const fixedDesigns = (w: Warned): readonly GeneratedDesign[] => [
  { folder: "examples", emitted: w.emit(Counter({ width: 8 })) },
  ...libraryModules.map(m => ({ folder: "library", emitted: w.emit(m) })),
];

/** A design's default build, and those that are generated beside it. */
async function buildsOf(d: Design, w: Warned): Promise<readonly GeneratedDesign[]> {
  const { build } = d;
  if (build === undefined) return [];
  const made: GeneratedDesign[] = [{ folder: d.name, emitted: w.emit(await build([])) }];
  for (const { folder, set } of d.furtherBuilds ?? [])
    made.push({ folder, emitted: w.emit(await build(set)), besides: d.name });
  return made;
}

/** Everything that is generated as Verilog. */
export async function generatedDesigns(w: Warned): Promise<readonly GeneratedDesign[]> {
  return [...fixedDesigns(w), ...(await Promise.all(designs.map(d => buildsOf(d, w)))).flat()];
}
