/** Which instance and which module costs the time of the built-in simulator. */
import type { Evaluated } from "../backend/backend.ts";
import { SimulationError } from "../errors.ts";

/** A part of a design and its part of the cost. */
export interface Cost {
  /** Dotted path of the instance with the top module's name first; or the name of a module. */
  readonly name: string;
  /** Of an instance: its module. Of a module: how many instances there are. */
  readonly of: string;
  /** Runs of functions of generated code. */
  readonly evaluations: number;
  /** Bytes of generated code, summed over the runs: what is compared, not a time. */
  readonly cost: number;
  /** 0 to 1, of the whole design. */
  readonly share: number;
}

/** Where the simulator's time went. */
export interface Profile {
  /** Without what is below each, the costliest first. */
  readonly instances: readonly Cost[];
  /** All instances of a module together, the costliest first. */
  readonly modules: readonly Cost[];
}

export function profileOf(top: string, rows: readonly Evaluated[] | undefined): Profile {
  if (rows === undefined)
    throw new SimulationError(
      "profile: nothing was counted; give simulate the option profile: true (the built-in simulator counts, Verilator does not)",
    );
  const all = rows.reduce((sum, r) => sum + r.cost, 0);
  const sorted = (list: readonly Omit<Cost, "share">[]): Cost[] =>
    list.map(c => ({ ...c, share: all === 0 ? 0 : c.cost / all })).sort((a, b) => b.cost - a.cost);
  const modules = new Map<string, { instances: number; evaluations: number; cost: number }>();
  for (const r of rows) {
    const m = modules.get(r.module) ?? { instances: 0, evaluations: 0, cost: 0 };
    m.instances++;
    m.evaluations += r.evaluations;
    m.cost += r.cost;
    modules.set(r.module, m);
  }
  return {
    instances: sorted(
      rows.map(r => ({
        name: r.path === "" ? top : `${top}.${r.path}`,
        of: r.module,
        evaluations: r.evaluations,
        cost: r.cost,
      })),
    ),
    modules: sorted(
      [...modules].map(([name, m]) => ({
        name,
        of: `${m.instances}`,
        evaluations: m.evaluations,
        cost: m.cost,
      })),
    ),
  };
}

/** Two tables, modules and instances. @param most rows of each; what is left out is one row */
export function profileTable(p: Profile, most = 20): string {
  const cells = (list: readonly Cost[]): string[][] => {
    const rest = list.slice(most),
      sum = (f: (c: Cost) => number): number => rest.reduce((n, c) => n + f(c), 0);
    const rows = list.slice(0, most).map(c => [percent(c.share), String(c.evaluations), c.name, c.of]);
    if (rest.length > 0)
      rows.push([percent(sum(c => c.share)), String(sum(c => c.evaluations)), `${rest.length} more`, ""]);
    return rows;
  };
  return [
    columns(["share", "evaluations", "module", "instances"], cells(p.modules)),
    columns(["share", "evaluations", "instance", "module"], cells(p.instances)),
  ].join("\n\n");
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Numbers to the right, names to the left. */
function columns(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heading.map((h, i) => Math.max(h.length, ...rows.map(r => (r[i] ?? "").length)));
  return [heading, ...rows]
    .map(r =>
      r
        .map((c, i) => (i < 2 ? c.padStart(widths[i] ?? 0) : c.padEnd(widths[i] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
