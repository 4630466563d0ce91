import { makeSettings, parseSettings } from "../../designs/clio/config/index.ts";
import type { EmittedDesign } from "../../hdl-dsl/index.ts";
import { exitCode, type ExitCode, type Terminal } from "../../designs/shared/command-line/index.ts";
import { designs, node, furtherBuilds } from "../generate/designs.ts";
import { lintDesign, lintTools, missingTools } from "./lint.ts";
import { matrix } from "../../designs/clio/build/index.ts";

export const lintable = ["clio", "library", "examples"] as const;

/** A design to be linted; made when its turn comes. */
interface Candidate {
  readonly name: string;
  readonly make: () => EmittedDesign;
}

/** One design of the user's settings, or all that is generated with the matrix of configurations. */
function candidates(design: (typeof lintable)[number] | undefined, set: readonly string[]): Candidate[] {
  const generated = designs(set.length > 0 ? parseSettings(set).config : makeSettings().config)
    .filter(d => design === undefined || d.folder === design)
    .map((d): Candidate => ({ name: d.emitted.top, make: () => d.emitted }));
  if (set.length > 0 || (design ?? "clio") !== "clio") return generated;
  return [
    ...generated,
    ...furtherBuilds().map((d): Candidate => ({ name: d.emitted.top, make: () => d.emitted })),
    ...matrix.map((s): Candidate => ({
      name: `ClioNode with ${s.join(" ")}`,
      make: () => node(parseSettings(s).config),
    })),
  ];
}

/** `mnemo lint`. @param set settings of the node; none: the default and the matrix */
export async function runLint(
  design: (typeof lintable)[number] | undefined,
  set: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  missingTools();
  terminal.progress("elaborating ...");
  const all = candidates(design, set);
  let bad = 0;
  for (const [i, c] of all.entries()) {
    terminal.progress(`${i + 1} of ${all.length}: ${c.name}`);
    const complaints = await lintDesign(c.make());
    if (complaints.length > 0) bad++;
    for (const said of complaints) terminal.error(`${c.name}: ${said.tool} complains:\n${said.text}`);
  }
  const asked = Object.values(lintTools)
    .map(t => t.name)
    .join(", ");
  terminal.print(
    bad === 0 ? `${all.length} designs pass ${asked}` : `${bad} of ${all.length} designs do not pass ${asked}`,
  );
  return bad === 0 ? exitCode.done : exitCode.failed;
}
