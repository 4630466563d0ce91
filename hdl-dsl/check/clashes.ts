/** Names that stand twice. */
import type { Position } from "../ir/circuit.ts";
import type { Diagnostic } from "../ir/diagnostic.ts";
import { finding, type Study } from "./study.ts";

export function checkNames(s: Study): Diagnostic[] {
  const seen = new Map<string, { readonly what: string; readonly position: Position | undefined }>();
  const out: Diagnostic[] = [];
  const claim = (name: string, what: string, position: Position | undefined): void => {
    const first = seen.get(name);
    if (first === undefined) { seen.set(name, { what, position }); return; }
    out.push(finding(s, "HDL001", `the name \`${name}\` stands for a ${first.what} and for a ${what}`, "Rename one of them", position, first.position));
  };
  for (const d of s.circuit.domains) {
    claim(d.clock, "clock", undefined);
    if (d.reset !== undefined) claim(d.reset, "reset", undefined);
  }
  for (const x of s.circuit.signals) claim(x.name, x.kind === "input" || x.kind === "output" ? "port" : "signal", x.position);
  for (const m of s.circuit.memories) claim(m.name, "memory", m.position);
  for (const i of s.circuit.instances) claim(i.name, "instance", i.position);
  return out;
}
