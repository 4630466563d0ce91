import type { Terminal } from "../terminal/terminal.ts";
import { languageSizes, measureLanguage, nodesPerSecond } from "./language.ts";

/** `mnemo bench language`: a line as each size is measured. Linear means that the last column stays. */
export function runLanguageBench(terminal: Terminal, sizes: readonly number[] = languageSizes): void {
  const widths = [10, 9, 12, 9, 9, 9];
  const line = (cells: readonly string[]): void => { terminal.print(cells.map((c, i) => i === 0 ? c.padEnd(widths[i] ?? 0) : c.padStart(widths[i] ?? 0)).join("  ")); };
  line(["design", "nodes", "elaborate s", "emit s", "lines", "nodes/s"]);
  measureLanguage(sizes, (s) => {
    line([s.design, String(s.nodes), (s.elaborationMs / 1000).toFixed(2), (s.emissionMs / 1000).toFixed(2), String(s.lines), String(Math.round(nodesPerSecond(s)))]);
  });
}
