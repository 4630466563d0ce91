/** Names that stand twice. */
import type { Instance, Memory, Position, Signal } from "../ir/circuit.ts";
import type { Diagnostic } from "../ir/diagnostic.ts";
import { finding, type Study } from "./study.ts";

/** Carriers of a name: only examined closer when two carry the same. */
type Named = Signal | Memory | Instance | "clock" | "reset";

export function checkNames(s: Study): Diagnostic[] {
  const seen = new Map<string, Named>();
  const out: Diagnostic[] = [];
  const claim = (name: string, by: Named): void => {
    const first = seen.get(name);
    if (first === undefined) {
      seen.set(name, by);
      return;
    }
    out.push(
      finding(
        s,
        "HDL001",
        `the name \`${name}\` stands for a ${whatOf(first)} and for a ${whatOf(by)}`,
        "Rename one of them",
        positionOf(by),
        positionOf(first),
      ),
    );
  };
  for (const d of s.circuit.domains) {
    claim(d.clock, "clock");
    if (d.reset !== undefined) claim(d.reset, "reset");
  }
  for (const x of s.circuit.signals) claim(x.name, x);
  for (const m of s.circuit.memories) claim(m.name, m);
  for (const i of s.circuit.instances) claim(i.name, i);
  return out;
}

function whatOf(n: Named): string {
  if (typeof n === "string") return n;
  if ("circuit" in n) return "instance";
  if ("depth" in n) return "memory";
  return n.kind === "input" || n.kind === "output" ? "port" : "signal";
}
const positionOf = (n: Named): Position | undefined => (typeof n === "string" ? undefined : n.position);
