/** Every bit has exactly one driver, on every path: undriven, several drivers, latches, streams left standing. */
import type { Signal } from "../ir/circuit.ts";
import { type Diagnostic, shortPosition } from "../ir/diagnostic.ts";
import type { Hole, Segment } from "../ir/resolve.ts";
import { bitsOf, finding, type Study } from "./study.ts";

const KIND: Readonly<Record<Signal["kind"], string>> = {
  input: "input",
  output: "output",
  wire: "wire",
  reg: "register",
  instanceIn: "instance input",
  instanceOut: "instance output",
  memData: "memory output",
};
/** Name of the signal's kind in messages. */
export const kindOf = (s: Signal): string => KIND[s.kind];

export function checkDrivers(s: Study): Diagnostic[] {
  const out: Diagnostic[] = [];
  const { segments: all, assigned } = s.resolution;
  const never = (x: Signal): boolean => !(all.get(x) ?? []).some(g => assigned.has(g));
  const reported = new Set<Signal>();

  for (const stream of s.circuit.streams) {
    if (isDriven(stream.ready) && never(stream.ready)) {
      reported.add(stream.ready);
      out.push(
        finding(
          s,
          "HDL007",
          `nobody drives \`${stream.ready.name}\`, so nothing ever moves on the stream \`${stream.name}\``,
          `Consume the stream (connect, map, a stage), or set \`${stream.ready.name}\``,
          stream.ready.position,
        ),
      );
    }
    const source = [stream.valid, ...stream.payload];
    if (source.every(x => isDriven(x) && never(x))) {
      for (const x of source) reported.add(x);
      out.push(
        finding(
          s,
          "HDL002",
          `the stream \`${stream.name}\` is never driven: neither \`${stream.valid.name}\` nor its payload is assigned`,
          "Connect a stream to it, or set its valid and payload",
          stream.valid.position,
        ),
      );
    }
  }
  for (const [signal, segments] of all) {
    if (reported.has(signal)) continue;
    if (never(signal)) {
      out.push(
        finding(
          s,
          "HDL002",
          `${kindOf(signal)} \`${signal.name}\` is never assigned`,
          signal.kind === "reg" ? "Assign it, or write its value as a constant" : "Assign it, or remove it",
          signal.position,
        ),
      );
      continue;
    }
    for (const run of runs(segments.filter(g => !assigned.has(g)))) {
      out.push(
        finding(
          s,
          "HDL002",
          `bits ${bitsOf(signal.name, run.lo, run.width, false)} of ${kindOf(signal)} \`${signal.name}\` are never assigned`,
          "Assign all of its bits",
          signal.position,
        ),
      );
    }
    const holes = segments.filter(g => g.value !== undefined && g.hole !== undefined);
    const first = holes[0];
    if (first?.hole !== undefined) {
      const what =
        holes.length === segments.length ? `\`${signal.name}\`` : bitsOf(signal.name, first.lo, first.width, false);
      out.push(
        finding(
          s,
          "HDL005",
          `${kindOf(signal)} ${what} is not assigned ${path(first.hole)}: it would be a latch`,
          `Give \`${signal.name}\` a default before the condition, or assign it on every path`,
          first.hole.statement.position,
          signal.position,
        ),
      );
    }
  }
  for (const o of s.resolution.overwritten) {
    const target = o.first.target;
    out.push(
      finding(
        s,
        "HDL003",
        `${bitsOf(target.name, o.first.lo, o.first.width, o.first.width === target.width)} has two drivers: this assignment overwrites the one at ${shortPosition(o.first.position)} whole`,
        "Remove one of them, or put the later one under a condition",
        o.by.position,
        o.first.position,
      ),
    );
  }
  return out;
}

const isDriven = (x: Signal): boolean => x.kind === "output" || x.kind === "instanceIn" || x.kind === "wire";

function path(h: Hole): string {
  const at = shortPosition(h.statement.position);
  switch (h.path) {
    case "else":
      return `when the condition at ${at} is 0`;
    case "then":
      return `when the condition at ${at} is 1`;
    case "default":
      return `when no case of the switch at ${at} applies`;
    case "case":
      return `in every case of the switch at ${at}`;
  }
}

function runs(segments: readonly Segment[]): { lo: number; width: number }[] {
  const out: { lo: number; width: number }[] = [];
  for (const s of segments) {
    const last = out.at(-1);
    if (last !== undefined && last.lo + last.width === s.lo) last.width += s.width;
    else out.push({ lo: s.lo, width: s.width });
  }
  return out;
}
