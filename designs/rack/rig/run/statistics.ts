/** The statistics file: all that the report tells, and the data for running it again. */
import type { RunningRack } from "../fabric/index.ts";
import type { Summary } from "./report.ts";

export function statistics(
  rack: RunningRack,
  { workloads, finished, problems, cycles }: Summary,
  o: { readonly setup: string; readonly seed: number },
): string {
  const plain = (_: string, v: unknown): unknown => (typeof v === "bigint" ? Number(v) : v);
  return `${JSON.stringify(
    {
      setup: o.setup,
      seed: o.seed,
      cycles,
      problems,
      workloads: workloads.map(({ kind, node, endpoints, result }) => ({
        kind,
        node,
        endpoints: endpoints.map(e => e.endpoint.name),
        ...result,
        failed: Object.fromEntries(result.failed),
      })),
      endpoints: Object.fromEntries(rack.endpoints.map(e => [e.name, { ...e.jack.counts, ...e.counts }])),
      links: Object.fromEntries(rack.lines.map(l => [l.name, l.ways.map(w => w.statistics)])),
      devices: Object.fromEntries(finished.devices),
      nodes: Object.fromEntries(finished.nodes),
      switches: Object.fromEntries(rack.switches.map(s => [s.name, s.counts])),
    },
    plain,
    2,
  )}\n`;
}
