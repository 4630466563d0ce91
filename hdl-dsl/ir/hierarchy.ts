/** The modules of a design. */
import type { Circuit } from "./circuit.ts";

/** Every circuit of the hierarchy once, sub-modules before those that use them. */
export function circuitsOf(top: Circuit): Circuit[] {
  const out: Circuit[] = [];
  const seen = new Set<Circuit>();
  const visit = (c: Circuit): void => {
    if (seen.has(c)) return;
    seen.add(c);
    for (const i of c.instances) visit(i.circuit);
    out.push(c);
  };
  visit(top);
  return out;
}
