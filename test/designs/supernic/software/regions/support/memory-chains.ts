/** Chains with memory that come and go: what software does with ways and pages, and in which order. */
import type { LiveChain } from "../../../../../../designs/supernic/software/index.ts";
import { type World, world } from "./world.ts";

const cache = "kv_lru(64)",
  bitstreams = [["dummy"], ["checksum"], ["firewall"], [cache], ["kv_fifo(64)"], ["checksum", cache]],
  plain = 3;
/** A world in which these regions have ways to memory. */
function memoryWorld(wide: readonly number[], answers: { now: boolean } = { now: true }): World {
  return world({
    bitstreams,
    fits: (region, bitstream) => wide.includes(region) || bitstream <= plain,
    memory: regions => {
      // Who has no ways waits for no memory.
      const say = (what: string, needs: boolean): Promise<boolean> => {
        if (needs) regions.log.push({ at: regions.time, what });
        return Promise.resolve(!needs || answers.now);
      };
      const has = (labels: readonly string[]): boolean => labels.some(l => l.startsWith("kv_"));
      return {
        has,
        enter: (region, labels) => say(`enter ${region} ${labels.join("+")}`, has(labels)),
        leave: (region, lost) => say(`leave ${region}${lost ? " lost" : ""}`, wide.includes(region)),
      };
    },
  });
}
const chainOf = ({ manager }: World, ...labels: string[]): LiveChain => {
  const chain = manager.chainFor(labels, found => found.length === labels.length);
  if (chain === undefined) throw new RangeError(`there is no chain for ${labels.join("+")}`);
  return chain;
};
const places = ({ manager }: World): string => manager.places.map(p => `${p.use} ${p.chain?.name ?? ""}`).join(", ");
/** What was done with one region, without limits and rows. */
const steps = ({ regions }: World, region: number): string =>
  regions.log
    .map(h => h.what)
    .filter(s => /^(enter|leave|region) /.test(s) && s.split(/[ :]/)[1] === String(region) && !/limit|row/.test(s))
    .join(", ");

/** @returns what is not as the page says */
export async function wrongMemory(): Promise<readonly string[]> {
  const wrong: string[] = [];
  const same = (what: string, is: unknown, should: unknown): void => {
    if (JSON.stringify(is) !== JSON.stringify(should))
      wrong.push(`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(should)}`);
  };
  // What fits anywhere leaves the region with ways to those that need it.
  const one = memoryWorld([2]),
    kv = chainOf(one, cache),
    fifo = chainOf(one, "kv_fifo(64)");
  same("firewall", await one.manager.launch(chainOf(one, "firewall"), "demand"), "running");
  same("cache", await one.manager.launch(kv, "demand"), "running");
  same("places", places(one), "active plain, active sums, active kv_lru(64), active firewall");
  same("enters", steps(one, 2), "region 2: isolate, leave 2, region 2: isolate load 4, enter 2 kv_lru(64), region 2:");
  // Another one that fits only there takes it.
  one.regions.log.length = 0;
  same("fifo", await one.manager.launch(fifo, "demand"), "running");
  same(
    "swaps",
    steps(one, 2),
    "region 2: quiesce, region 2: isolate, leave 2, region 2: isolate load 5, enter 2 kv_fifo(64), region 2:",
  );
  one.regions.log.length = 0;
  same("kill", await one.manager.kill(2), "running");
  same("kills", steps(one, 2), "region 2: isolate, leave 2 lost, enter 2 kv_fifo(64), region 2:");

  // A task with memory is in one chain at a time.
  const two = memoryWorld([2, 3]),
    alone = chainOf(two, cache),
    other = two.manager.chainFor(["checksum", cache], () => true);
  same("cache", await two.manager.launch(alone, "demand"), "running");
  same("of two instances one would not know what the other keeps", await two.manager.scale(alone, "out"), false);
  same(
    "a chain for it while it is in another one",
    two.manager.chainFor(["checksum", cache], () => true)?.name,
    undefined,
  );
  if (other !== undefined) same("a launch of it", await two.manager.launch(other, "demand"), "noRegion");
  await two.manager.stop(alone);
  if (other !== undefined) same("a launch when it is a victim", await two.manager.launch(other, "demand"), "running");
  same("victims that have it", two.manager.places.filter(p => p.chain === alone).length, 0);

  // Memory that does not answer costs the region, until it does.
  const answers = { now: true },
    dead = memoryWorld([2], answers),
    lost = chainOf(dead, cache);
  await dead.manager.launch(lost, "demand");
  answers.now = false;
  same("kill without memory", await dead.manager.kill(2), "failed");
  same("launch without memory", await dead.manager.launch(lost, "demand"), "noRegion");
  same("others", await dead.manager.launch(chainOf(dead, "firewall"), "demand"), "running");
  same("places without memory", places(dead), "active plain, active sums, broken , active firewall");
  answers.now = true;
  same("launch with memory", await dead.manager.launch(lost, "demand"), "running");
  same("recovered", [dead.manager.counted.recovered, dead.manager.places[2]?.use], [1, "active"]);
  return wrong;
}
