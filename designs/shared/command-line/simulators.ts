/** The built-in simulator beside Verilator: a table of speeds and their goals. */
import { table } from "./table.ts";

export interface SpeedGoal {
  /** Cycles a second in each of the two. */
  readonly speeds: { readonly name: string; readonly builtin: number; readonly verilator: number };
  /** Cycles of the built-in simulator for each of Verilator's, at least. */
  readonly goal: number;
}
export interface LoadGoal {
  readonly what: string;
  /** From the emitted circuit to a model. */
  readonly ms: number;
  readonly below: number;
}

const round = (n: number): string => Math.round(n).toLocaleString("en-US"),
  verdict = (reached: boolean): string => (reached ? "reached" : "missed");

export function simulatorTable(what: string, rows: readonly SpeedGoal[], loads: readonly LoadGoal[]): string {
  const cells = rows.map(({ speeds: { name, builtin, verilator }, goal }) => [
    name,
    round(builtin),
    round(verilator),
    (builtin / verilator).toFixed(2),
    String(goal),
    verdict(builtin / verilator >= goal),
  ]);
  const loaded = loads.map(
    l =>
      `${l.what} is loaded in ${round(l.ms)} ms from its emitted circuit (goal < ${l.below}): ${verdict(l.ms < l.below)}`,
  );
  return `The built-in simulator beside Verilator, the same recorded inputs by turns, the best of five, in processor time
${table([what, "cycles/s", "Verilator", "ratio", "goal >=", ""], cells, "lrrrrl")}
${loaded.join("\n")}`;
}
