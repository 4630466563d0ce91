/** Coverage in the form of lcov's tracefiles (geninfo(1)), which editors and code hosts read. */
import type { Reached } from "./merge.ts";
import { byFile } from "./summary.ts";

/** Lines under a condition as lines and branches. States, toggles and covers have no place in this form. */
export function lcovOf(points: readonly Reached[]): string {
  const out: string[] = [];
  for (const [file, all] of byFile(points)) {
    const bodies = all.filter(p => p.kind === "line");
    if (bodies.length === 0) continue;
    const hits = new Map<number, number>();
    for (const b of bodies) for (const l of b.lines) hits.set(l, Math.max(hits.get(l) ?? 0, b.seen === 0n ? 0 : 1));
    out.push("TN:", `SF:${file}`);
    bodies.forEach((b, n) => out.push(`BRDA:${b.line},0,${n},${b.seen === 0n ? 0 : 1}`));
    out.push(`BRF:${bodies.length}`, `BRH:${bodies.filter(b => b.seen !== 0n).length}`);
    for (const [line, n] of [...hits].sort(([a], [b]) => a - b)) out.push(`DA:${line},${n}`);
    out.push(`LF:${hits.size}`, `LH:${[...hits.values()].filter(n => n > 0).length}`, "end_of_record");
  }
  return `${out.join("\n")}\n`;
}
