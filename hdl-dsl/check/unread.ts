/**
 * Signals without a reader: wires, registers, inputs, memory outputs and memories. A record counts as read when one of
 * its fields is.
 */
import type { Signal } from "../ir/circuit.ts";
import type { Diagnostic } from "../ir/diagnostic.ts";
import { portAt } from "../ir/port-leaves.ts";
import { kindOf } from "./drivers.ts";
import { finding, type Study } from "./study.ts";

export function checkUnread(s: Study): Diagnostic[] {
  const { signals: read, memories } = s.reads;
  const out: Diagnostic[] = [];
  // A stream with an undriven ready has its own message.
  const idle = new Set(
    s.circuit.streams
      .filter(t => t.dir === "in" && (s.resolution.segments.get(t.ready) ?? []).every(g => g.value === undefined))
      .flatMap(t => [t.valid, ...t.payload]),
  );
  const groups = new Map<unknown, Signal[]>();
  for (const x of s.circuit.signals) {
    if (x.kind !== "wire" && x.kind !== "reg" && x.kind !== "input" && x.kind !== "memData") continue;
    const port = portAt(s.circuit.ports, x.path ?? [])?.path.join(".") ?? x.name;
    const key = x.kind === "input" ? `${port}/${x.role ?? ""}` : (x.position ?? x);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [x]);
    else group.push(x);
  }
  for (const group of groups.values()) {
    const first = group[0];
    if (first === undefined || group.some(x => x.mayBeUnread === true || read.has(x) || idle.has(x))) continue;
    out.push(
      finding(
        s,
        "HDL004",
        `${kindOf(first)} ${group.map(x => `\`${x.name}\``).join(", ")} is never read`,
        first.kind === "input"
          ? "Use it, remove it, or mark the port as unused"
          : "Use it, remove it, or declare it with mayBeUnread",
        first.position,
      ),
    );
  }
  for (const m of s.circuit.memories) {
    if (!memories.has(m))
      out.push(finding(s, "HDL004", `memory \`${m.name}\` is never read`, "Add a read port, or remove it", m.position));
  }
  return out;
}
