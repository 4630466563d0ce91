/** Memories that no block RAM can be. */
import type { Diagnostic } from "../ir/diagnostic.ts";
import { finding, type Study } from "./study.ts";

export function checkMemories(s: Study): Diagnostic[] {
  const out: Diagnostic[] = [];
  for (const m of s.circuit.memories) {
    const [first, second] = m.writePorts;
    if (first !== undefined && second !== undefined) {
      out.push(
        finding(
          s,
          "HDL009",
          `memory \`${m.name}\` has ${m.writePorts.length} write ports`,
          "Choose between the writes before one port (mux the address and the data), or use one memory for each",
          second.position,
          first.position,
        ),
      );
    }
    if (first === undefined && m.init === undefined) {
      out.push(
        finding(
          s,
          "HDL002",
          `memory \`${m.name}\` is never written and has no initial contents`,
          "Write it, or give it init",
          m.position,
        ),
      );
    }
    const crossing =
      m.collision === "new"
        ? m.readPorts.find(r => first !== undefined && r.domain.name !== first.domain.name)
        : undefined;
    if (first !== undefined && crossing !== undefined) {
      out.push(
        finding(
          s,
          "HDL013",
          `memory \`${m.name}\` promises the new word on a collision, but is written in clock domain \`${first.domain.name}\` and read in \`${crossing.domain.name}\``,
          'Declare it with collision: "undefined" and keep readers away from words being written',
          crossing.position,
          first.position,
        ),
      );
    }
  }
  return out;
}
