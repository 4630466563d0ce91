/** What the instances of a design cost the simulator. */
import type { Evaluated } from "../backend.ts";
import type { Netlist } from "./circuit/netlist.ts";
import type { Counted } from "./generate.ts";

/** Sums up the counts by instance. A partition belongs to the instance in which its values were met first. */
export function evaluatedOf(net: Netlist, counted: readonly Counted[], memory: ArrayBuffer): readonly Evaluated[] {
  const counts = new DataView(memory),
    rows = new Map<number, { evaluations: number; cost: number }>();
  for (const { partition, cost, address } of counted) {
    const row = rows.get(partition.scope) ?? { evaluations: 0, cost: 0 },
      n = Number(counts.getBigUint64(address, true));
    row.evaluations += n;
    row.cost += n * cost;
    rows.set(partition.scope, row);
  }
  return net.scopes.map((path, scope) => ({
    path,
    module: net.modules[scope] ?? "",
    ...(rows.get(scope) ?? { evaluations: 0, cost: 0 }),
  }));
}
