import type { EmittedDesign } from "../../hdl-dsl/index.ts";
import { type Design, exitCode, type ExitCode, type Terminal } from "../../designs/shared/command-line/index.ts";
import { buildOf, defaultDesign } from "../design-named.ts";
import { designs } from "../designs.ts";
import { fixedDesigns } from "../generate/designs.ts";
import { shortName } from "../synth/unit.ts";
import { Warned } from "../warnings.ts";
import { type Complaint, lintDesign, lintTools, missingTools } from "./lint.ts";

/** A design to be linted; made when its turn comes. */
interface Candidate {
  readonly name: string;
  readonly make: () => Promise<EmittedDesign>;
}

/** A design with the settings, or without any: its default, what is generated beside it, and its matrix. */
async function candidatesOf(d: Design, set: readonly string[], w: Warned): Promise<readonly Candidate[]> {
  const make = async (settings: readonly string[]): Promise<EmittedDesign> =>
    w.emit(await buildOf(d, "lint")(settings));
  const emitted = await make(set);
  const own: Candidate = { name: emitted.top, make: () => Promise.resolve(emitted) };
  if (set.length > 0) return [own];
  return [
    own,
    ...(d.furtherBuilds ?? []).map(b => ({ name: b.folder, make: () => make(b.set) })),
    ...((await d.lintMatrix?.()) ?? []).map(s => ({
      name: `${shortName(emitted.top)} with ${s.join(" ")}`,
      make: () => make(s),
    })),
  ];
}

/** The one that is named, or all. Settings are the named design's, or the first one's. */
async function candidates(name: string | undefined, set: readonly string[], w: Warned): Promise<readonly Candidate[]> {
  const fixed = fixedDesigns(w)
    .filter(d => name === undefined || d.folder === name)
    .map((d): Candidate => ({ name: d.emitted.top, make: () => Promise.resolve(d.emitted) }));
  // Of all: those that have hardware of their own.
  const wanted = designs.filter(d => (name === undefined ? d.build !== undefined : d.name === name));
  const own = await Promise.all(
    wanted.map(d => candidatesOf(d, name === undefined && d !== defaultDesign ? [] : set, w)),
  );
  return [...fixed, ...own.flat()];
}

/** Designs at a time: of one, the slowest of the three tools runs alone in the end. */
const TOGETHER = 2;

/** What the tools say of each, in the order given. */
async function askAll(all: readonly Candidate[], terminal: Terminal): Promise<readonly (readonly Complaint[])[]> {
  const said: (readonly Complaint[])[] = [],
    waiting = [...all.entries()];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [i, c] = next;
      terminal.progress(`${i + 1} of ${all.length}: ${c.name}`);
      said[i] = await lintDesign(await c.make());
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, worker));
  return said;
}

/** `mnemo lint`. @param name of a design, `library` or `examples` @param set settings; none: default and matrix
 * @param strict warnings of the language are errors */
export async function runLint(
  name: string | undefined,
  set: readonly string[],
  strict: boolean,
  terminal: Terminal,
): Promise<ExitCode> {
  missingTools();
  const warned = new Warned(strict);
  terminal.progress("elaborating ...");
  const all = await candidates(name, set, warned);
  const complaints = await askAll(all, terminal);
  const bad = complaints.filter(c => c.length > 0).length;
  for (const [i, c] of all.entries())
    for (const said of complaints[i] ?? []) terminal.error(`${c.name}: ${said.tool} complains:\n${said.text}`);
  warned.print(terminal);
  const asked = Object.values(lintTools)
    .map(t => t.name)
    .join(", ");
  terminal.print(
    bad === 0 ? `${all.length} designs pass ${asked}` : `${bad} of ${all.length} designs do not pass ${asked}`,
  );
  return bad === 0 ? exitCode.done : exitCode.failed;
}
