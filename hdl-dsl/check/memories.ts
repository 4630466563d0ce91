/** Memories that no block RAM can be. */
import type { Diagnostic } from "../ir/diagnostic.ts";
import type { Memory } from "../ir/circuit.ts";
import { finding, type Study } from "./study.ts";

export function checkMemories(s: Study): Diagnostic[] {
  const out: Diagnostic[] = [];
  for (const m of s.circuit.memories) {
    const [first, second] = m.writePorts;
    const refusal = portsRefused(m);
    if (refusal !== undefined)
      out.push(finding(s, "HDL131", ...refusal, second?.position ?? m.position, first?.position));
    else if (hasPorts(m)) continue;
    else if (first !== undefined && second !== undefined) {
      out.push(
        finding(
          s,
          "HDL009",
          `memory \`${m.name}\` has ${m.writePorts.length} write ports`,
          "Choose between the writes before one port (mux the address and the data), give it two ports that read and write (port), or use one memory for each",
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

const hasPorts = (m: Memory): boolean => m.readPorts.some(r => r.own !== undefined);

/** Why no block RAM has the ports that read and write of `m`: sentence and remedy. */
function portsRefused(m: Memory): readonly [message: string, fix: string] | undefined {
  if (!hasPorts(m)) return undefined;
  const ports = m.readPorts.filter(r => r.own !== undefined).length;
  if (ports > 2)
    return [`memory \`${m.name}\` has ${ports} ports that read and write`, "A block RAM has two: use several memories"];
  if (m.readPorts.length > ports || m.writePorts.length > ports)
    return [
      `memory \`${m.name}\` has ports that read and write, and other reads or writes`,
      "Make all of them ports: a block RAM has two in all",
    ];
  if (m.collision === "new")
    return [
      `memory \`${m.name}\` promises one port the word that the other writes at the same edge`,
      'Declare it with collision: "old" or "undefined"; `reads: "new"` says what a port sees of its own write',
    ];
  if (m.style === "distributed" || m.style === "ultra")
    return [
      `memory \`${m.name}\` of style ${m.style} has a port that reads and writes, which block RAM alone has`,
      'Declare it with style: "block", or leave the style out',
    ];
  return undefined;
}
