import { Random } from "../../../designs/clio/workload/index.ts";
import { CheckFailed } from "../../usage-error.ts";
import type { Definition } from "../form/definition.ts";
import { withClients } from "../measure/clients.ts";
import { network } from "../measure/given.ts";
import { Zipf } from "../measure/zipf.ts";

/** YCSB's core workloads by share of sets. */
const workloads = [["C: 100 % get", 0], ["B: 5 % set", 0.05], ["A: 50 % set", 0.5]] as const;
const theta = 0.99, valueBytes = 1024, clients = 2, threads = 8;

const keyOf = (i: number): bigint => BigInt(i) << 20n | 1n;

const nameOf = (kind: "get" | "set", used: number): string => `${kind}, ${used} thread${used === 1 ? "" : "s"} a client`;

/** Clio-KV under YCSB. */
export const figure418: Definition = {
  number: "4.18", title: "Clio-KV, YCSB latency",
  paper: [["4.7.2", "We run two CNs and 8 threads per CN. We use 100K key-value entries and run 100K operations per test, with YCSB's default key-value size of 1 KB."],
    ["4.7.2", "Clio-KV performs the best."]],
  given: network,
  notes: ["Keys by Zipf's distribution, theta 0.99; values are checked. Fewer entries and operations than the paper's 100K; Clover, HERD and HERD-BF are not modelled.",
    `With ${threads} threads a client there are more requests at once than Clio-KV takes (8), and as many bytes as the port: those that find no place are answered BUSY, and CLib sends them again after a pause.`],
  measure: async ({ seed, quick }) => {
    const keys = quick ? 96 : 10_000, operations = quick ? 32 : 480, series = new Map<string, { x: string; y: number }[]>();
    const add = (name: string, x: string, times: readonly number[]): void => {
      if (times.length > 0) series.set(name, [...series.get(name) ?? [], { x, y: times.reduce((sum, v) => sum + v, 0) / times.length / 1000 }]);
    };
    await withClients("YCSB", { seed, clients, offloads: "all" }, async (rig) => {
      const value = (i: number): Uint8Array => new Uint8Array(valueBytes).fill(i % 251);
      const { pid } = await (rig.clients[0] as NonNullable<typeof rig.clients[0]>).createProcess(rig.address);
      // The first thread of each client, then the second of each, ...
      const all = Array.from({ length: threads }, () => rig.clients.map((c) => c.process(pid, rig.address).thread())).flat();
      await Promise.all(all.slice(0, 4).map(async (t, k) => {
        for (let i = k; i < keys; i += 4) if (!await t.kv.create(keyOf(i), value(i))) throw new CheckFailed("the node does not take the keys of figure 4.18");
      }));
      for (const used of [1, threads]) for (const [x, sets] of workloads) {
        const found = { get: [] as number[], set: [] as number[] }, mine = all.slice(0, used * clients);
        await Promise.all(mine.map(async (t, k) => {
          const random = new Random(seed * 100 + k), zipf = new Zipf(keys, theta, random);
          for (let i = 0; i < operations / mine.length; i++) {
            const key = zipf.next(), kind = random.fraction() < sets ? "set" as const : "get" as const;
            found[kind].push(await rig.timed(async () => {
              if (kind === "set") { if (!await t.kv.update(keyOf(key), value(key))) throw new CheckFailed(`key ${key} is gone`); return; }
              const got = await t.kv.read(keyOf(key));
              if (got?.length !== valueBytes || got.some((b) => b !== key % 251)) throw new CheckFailed(`a get of key ${key} gives another value`);
            }));
          }
        }));
        for (const kind of ["get", "set"] as const) add(nameOf(kind, used), x, found[kind]);
      }
    });
    return {
      plots: [{ title: `${keys} entries of 1 KB, ${clients} clients`, kind: "bars", x: { label: "workload", scale: "category" }, y: { label: "µs, mean", scale: "linear" },
        series: [...series].map(([name, points]) => ({ name, standing: "calibrated", points })) }],
      claims: [["get, one thread a client: the same in each workload, within 10 %", { kind: "flat", series: nameOf("get", 1), within: 0.1 }],
        ["set, one thread a client: as long as a get, within 1 µs", { kind: "above", series: nameOf("set", 1), base: nameOf("get", 1), least: -1, most: 1 }]],
      notes: [`${operations} operations of each workload.`],
    };
  },
};
