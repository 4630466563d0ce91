/** Everything that `mnemo prove` knows. */
import { libraryProofs, type Proof } from "../../hdl-dsl/index.ts";
import { UsageError } from "../../designs/shared/command-line/index.ts";
import { insteadOf } from "../no-such.ts";
import { designs } from "../designs.ts";

const ofDesigns = await Promise.all(designs.map(async d => (await d.proofs?.()) ?? []));

/** The library's proofs, then each design's. */
export const proofs: readonly Proof[] = [...libraryProofs, ...ofDesigns.flat()];

/**
 * The proofs of modules whose name has `text` in it, in either case.
 * @throws UsageError naming those that are like it, when there is none
 */
export function proofsNamed(text: string): readonly Proof[] {
  const found = proofs.filter(p => p.module.toLowerCase().includes(text.toLowerCase()));
  const names = [...new Set(proofs.map(p => p.module))];
  if (found.length === 0)
    throw new UsageError(`nothing is proved of "${text}"; ${insteadOf(text, names, "there are proofs of")}`);
  return found;
}

/** The proof whose harness has this Verilog name. @throws UsageError when there is none. */
export function proofOf(harness: string): Proof {
  const found = proofs.find(p => p.harness.name === harness);
  if (found === undefined) throw new UsageError(`no proof has a harness ${harness}; it may have been renamed`);
  return found;
}
