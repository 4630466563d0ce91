import { CheckFailed } from "../../../shared/command-line/index.ts";
import type { Definition, Series } from "../../../shared/evaluation/index.ts";
import { network } from "../measure/given.ts";
import { checkValue, createKeys, keyOf, kvLineNs, valueOf } from "../measure/key-value.ts";
import { withNodes } from "../measure/nodes.ts";
import { theta, valueBytes, Zipf } from "../../../shared/workload/index.ts";
import { mulberry32, Random } from "../../../../hdl-dsl/index.ts";

const clients = 2,
  threads = 16,
  pid = 1;
/** ns before each measurement, in which the threads begin one after another. */
const warmNs = (threads * clients * kvLineNs) / 2;
const loads = [
  ["get, uniform", 0, 0],
  ["get, Zipf", 0, theta],
  ["50 % set, Zipf", 0.5, theta],
] as const;
const room = "what the nodes' ports have room for";

/** The node that a client finds a key at. */
const nodeOf = (i: number, nodes: number): number => Number(keyOf(i) >> 32n) % nodes;

/** Operations a µs, by load. */
async function throughput(
  nodes: number,
  { seed, keys, ns }: { readonly seed: number; readonly keys: number; readonly ns: number },
): Promise<ReadonlyMap<string, number>> {
  const indices = Array.from({ length: keys }, (_, i) => i),
    found = new Map<string, number>();
  await withNodes(
    "key-value stores",
    {
      seed,
      nodes,
      clients,
      offloads: "all",
      fastOffloads: true,
      prepare: (node, n) =>
        createKeys(
          node,
          indices.filter(i => nodeOf(i, nodes) === n),
        ),
    },
    async rig => {
      // A thread has a CLib thread at each node.
      const all = rig.clients.flatMap(c =>
        Array.from({ length: threads }, () => rig.addresses.map(a => c.process(pid, a).thread())),
      );
      let stamp = 1;
      // A client is known to a node's software from its first set on, which costs that a round trip; pages' entries are
      // in the TLBs.
      for (let c = 0; c < clients; c++)
        for (let n = 0; n < nodes; n++) {
          const i = indices.find(k => nodeOf(k, nodes) === n) ?? 0;
          await all[c * threads]?.[n]?.kv.shared.update(keyOf(i), valueOf(i, stamp++));
        }
      for (const [name, sets, skew] of loads) {
        const from = rig.now() + warmNs,
          to = from + ns;
        let ended = 0;
        await Promise.all(
          all.map(async (at, k) => {
            const random = new Random(seed * 100 + k, mulberry32),
              zipf = new Zipf(keys, skew, random);
            await rig.pause((k * warmNs) / all.length);
            while (rig.now() < to) {
              const key = zipf.next(),
                set = random.fraction() < sets,
                t = at[nodeOf(key, nodes)];
              await rig.timed(async () => {
                if (!set) {
                  checkValue(key, await t?.kv.shared.read(keyOf(key)));
                  return;
                }
                if ((await t?.kv.shared.update(keyOf(key), valueOf(key, stamp++))) !== true)
                  throw new CheckFailed(`key ${key} is gone`);
              });
              if (rig.now() >= from && rig.now() < to) ended++;
            }
          }),
        );
        found.set(name, ended / (ns / 1000));
      }
    },
  );
  return found;
}

/** Clio-KV by the number of memory nodes. */
export const figure415: Definition = {
  number: "4.15",
  title: "Clio-KV throughput by memory nodes",
  paper: [["4.7.2", "Clio-KV fills the port of a CN, and serves gets and sets of contended keys at one time."]],
  given: network,
  sizes: [{ what: "memory nodes", paper: "four", here: "one to four (quick: two)" }],
  notes: [
    `Every node is cycle-accurate, all of them in one time on one network. The clients part the keys among the nodes by a hash. ${clients} clients of ${threads} threads; a thread has one operation under way. Values have ${valueBytes} B; the value of every get is checked.`,
    `Gets are bounded by the nodes' ports, sets fill the other direction. By Zipf's distribution (theta ${theta}) one key alone has more than a tenth of all operations, and its node's port is full before the others'.`,
  ],
  measure: async ({ seed, quick }) => {
    const counts = quick ? [1, 2] : [1, 2, 3, 4],
      keys = quick ? 64 : 2048,
      ns = quick ? 15_000 : 80_000,
      points = new Map<string, { x: number; y: number }[]>(loads.map(([name]) => [name, []]));
    for (const x of counts)
      for (const [name, y] of await throughput(x, { seed, keys, ns })) points.get(name)?.push({ x, y });
    const perNode = 1000 / kvLineNs;
    const series: Series[] = [...points].map(([name, p]) => ({ name, standing: "calibrated", points: p }));
    return {
      plots: [
        {
          title: `${keys} entries of 1 KB, ${clients * threads} threads`,
          kind: "lines",
          x: { label: "number of memory nodes", scale: "linear" },
          y: { label: "operations", unit: "millions/s", scale: "linear" },
          series: [...series, { name: room, standing: "calibrated", points: counts.map(x => ({ x, y: x * perNode })) }],
        },
      ],
      claims: [
        ...counts.map(
          x =>
            [
              `uniform gets, ${x} ${x === 1 ? "node" : "nodes"}: 85 % of what the ports have room for, or more`,
              {
                kind: "within",
                series: loads[0][0],
                from: x,
                to: x,
                least: 0.85 * x * perNode,
                most: 1.05 * x * perNode,
              },
            ] as const,
        ),
        ...loads.map(
          ([name]) => [`${name}: more nodes, more operations`, { kind: "rising", series: name, slack: 0 }] as const,
        ),
        [
          "under contention: half of them sets, there are more than of gets alone",
          { kind: "above", series: loads[2][0], base: loads[1][0], least: 0, most: 2 * (counts.at(-1) ?? 1) * perNode },
        ],
      ],
    };
  },
};
