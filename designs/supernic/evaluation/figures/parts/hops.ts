/** What figures of hops have in common: numbers that were put in, and those that the device gives. */
import type { Given } from "../../../../shared/evaluation/index.ts";
import { client, type CoreCycles, macs, node, torSwitch } from "../../epochs/index.ts";
import { measureCore } from "../../measure/index.ts";

export const poolHops: readonly Given[] = [
  {
    what: "MAC and PHY of an sNIC",
    value: `${macs} ns for both ways through`,
    source: "paper 5.7.1: 1.3 µs for the whole data path, less 196 ns for the core",
  },
  {
    what: "ToR switch",
    value: `${torSwitch} ns`,
    source: "paper 5.7.1: commodity switches take 0.8 to 1 µs",
  },
];
export const keyValueHops: readonly Given[] = [
  ...poolHops,
  { what: "lines", value: "100 Gbit/s, and 10 Gbit/s to Clio's boards", source: "paper 5.7, Environment" },
  { what: "client", value: `${client} ns for each operation`, source: 'paper 4.7.1: "250ns in total"' },
  { what: "memory node", value: `${node} ns from request to answer`, source: "assumed" },
];
export const hopNotes: readonly string[] = [
  "A sum over hops of an idle system: nothing waits. The core's cycles are measured on the device; all else is put in.",
];
export async function coreCycles(seed: number): Promise<CoreCycles> {
  const { dummy, switched } = await measureCore(seed);
  return { processed: dummy, switched };
}
