/**
 * Combinational loops, with their whole path; and `valid` that waits for its own `ready`, which is a loop
 * in two halves.
 */
import type { Diagnostic } from "../ir/diagnostic.ts";
import { bitsOf, finding, type Study } from "./study.ts";

export function checkLoops(s: Study): Diagnostic[] {
  return s.facts.loops.map(({ signals }) => {
    const names = signals.map(x => bitsOf(x.signal.name, x.lo, x.width, x.whole));
    const first = signals[0];
    return finding(
      s,
      "HDL006",
      `combinational loop: ${[...names, names[0] ?? ""].join(" <- ")}`,
      "Break it with a register",
      first?.signal.position,
      signals[1]?.signal.position,
    );
  });
}

export function checkValidWaitsForReady(s: Study): Diagnostic[] {
  const out: Diagnostic[] = [];
  for (const t of s.circuit.streams) {
    if (t.dir !== "out" || t.ready.kind !== "input") continue;
    if (s.facts.inputsOfSignal(t.valid).has(t.ready)) {
      out.push(
        finding(
          s,
          "HDL008",
          `\`${t.valid.name}\` depends on \`${t.ready.name}\` within the same cycle: valid must never wait for ready`,
          `Compute \`${t.valid.name}\` without \`${t.ready.name}\`, or put a stage in between`,
          t.valid.position,
        ),
      );
    }
  }
  return out;
}
