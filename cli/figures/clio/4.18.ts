import { Random } from "../../../designs/clio/workload/index.ts";
import { CheckFailed } from "../../usage-error.ts";
import type { Definition } from "../form/definition.ts";
import { withClients } from "../measure/clients.ts";
import { crossing, crossingNs, network } from "../measure/given.ts";
import { Zipf } from "../measure/zipf.ts";

/** YCSB's core workloads by share of sets. */
const workloads = [["C: 100 % get", 0], ["B: 5 % set", 0.05], ["A: 50 % set", 0.5]] as const;
const theta = 0.99, valueBytes = 1024, clients = 2, threads = 8;

const keyOf = (i: number): bigint => BigInt(i) << 20n | 1n;

/** Clio-KV under YCSB. */
export const figure418: Definition = {
  number: "4.18", title: "Clio-KV, YCSB latency",
  paper: [["4.7.2", "We run two CNs and 8 threads per CN. We use 100K key-value entries and run 100K operations per test, with YCSB's default key-value size of 1 KB."],
    ["4.7.2", "Clio-KV performs the best."]],
  given: [...network, crossing],
  notes: ["Clio-KV is software on the slow path here, not hardware: every operation crosses to the processor, whose own work takes no simulated time. The latency is that way, the network and the node; it is no prediction of Clio-KV in hardware.",
    "Keys by Zipf's distribution, theta 0.99; values are checked. Fewer operations than the paper's 100K; Clover, HERD and HERD-BF are not modelled."],
  measure: async ({ seed, quick }) => {
    const keys = quick ? 500 : 100_000, operations = quick ? 32 : 480, means: { x: string; get?: number; set?: number }[] = [];
    await withClients("YCSB", { seed, clients, slowPathLatency: crossingNs }, async (rig) => {
      const value = (i: number): Uint8Array => new Uint8Array(valueBytes).fill(i % 251);
      for (let i = 0; i < keys; i++) if (!await rig.node.slowPath.kv.create(keyOf(i), value(i))) throw new CheckFailed("the node has no memory for the keys of figure 4.18");
      const { pid } = await (rig.clients[0] as NonNullable<typeof rig.clients[0]>).createProcess(rig.address);
      const all = rig.clients.flatMap((c) => Array.from({ length: threads }, () => c.process(pid, rig.address).thread()));
      // Makes each client known to the node's software, which costs its first set a round trip.
      for (let c = 0; c < clients; c++) await all[c * threads]?.kv.update(keyOf(0), value(0));
      for (const [x, sets] of workloads) {
        const found = { get: [] as number[], set: [] as number[] };
        await Promise.all(all.map(async (t, k) => {
          const random = new Random(seed * 100 + k), zipf = new Zipf(keys, theta, random);
          for (let i = 0; i < operations / all.length; i++) {
            const key = zipf.next(), kind = random.fraction() < sets ? "set" as const : "get" as const;
            found[kind].push(await rig.timed(async () => {
              if (kind === "set") { if (!await t.kv.update(keyOf(key), value(key))) throw new CheckFailed(`key ${key} is gone`); return; }
              const got = await t.kv.read(keyOf(key));
              if (got?.length !== valueBytes || got.some((b) => b !== key % 251)) throw new CheckFailed(`a get of key ${key} gives another value`);
            }));
          }
        }));
        const mean = (a: readonly number[]): number => a.reduce((s, v) => s + v, 0) / a.length / 1000;
        means.push({ x, ...(found.get.length > 0 && { get: mean(found.get) }), ...(found.set.length > 0 && { set: mean(found.set) }) });
      }
    });
    const points = (kind: "get" | "set"): { x: string; y: number }[] => means.flatMap((m) => { const y = m[kind]; return y === undefined ? [] : [{ x: m.x, y }]; });
    return {
      plots: [{ title: `${keys} entries of 1 KB, ${clients} clients with ${threads} threads`, kind: "bars", x: { label: "workload", scale: "category" }, y: { label: "µs, mean", scale: "linear" },
        series: (["get", "set"] as const).map((k) => ({ name: k, standing: "calibrated", points: points(k) })) }],
      claims: [["get: the same in each workload, within 10 %", { kind: "flat", series: "get", within: 0.1 }],
        ["set: as long as a get, within 5 µs", { kind: "above", series: "set", base: "get", least: -5, most: 5 }]],
      notes: [`${operations} operations of each workload.`],
    };
  },
};
