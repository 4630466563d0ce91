/** Whether the covers are reached: they show that assertions do not hold vacuously. */
import type { FormalModel } from "./model.ts";
import { runLimited } from "./process.ts";
import { type Property, propertyAt } from "./properties.ts";

/** A cover and the cycle in which it is first reached; undefined when it is not within the limit. */
export interface Covered {
  readonly property: Property;
  readonly cycle: number | undefined;
}

/** Looks for a run to each cover within `cycles` cycles, `seconds` s at most. */
export async function reachCovers(
  model: FormalModel,
  cycles: number,
  seconds: number,
  solver: string,
): Promise<readonly Covered[]> {
  const covers = model.properties.filter(p => p.what === "cover");
  if (covers.length === 0) return [];
  const ended = await runLimited(
    "yosys-smtbmc",
    ["-s", solver, "--presat", "--unroll", "-c", "-t", String(cycles), model.smt2],
    {
      cwd: model.folder,
      seconds,
    },
  );
  const reached = new Map<Property, number>();
  for (const m of ended.out.matchAll(/Reached cover statement (?:at )?(.*) in step (\d+)/g)) {
    const p = propertyAt(model.properties, m[1] ?? "");
    // Covers of clocked blocks are seen one step after their cycle.
    if (p !== undefined) reached.set(p, Number(m[2]) - 1);
  }
  return covers.map(property => ({ property, cycle: reached.get(property) }));
}
