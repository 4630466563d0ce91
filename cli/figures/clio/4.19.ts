import type { Thread } from "../../../designs/clio/client/index.ts";
import { Random } from "../../../designs/clio/workload/index.ts";
import { CheckFailed } from "../../usage-error.ts";
import type { Definition } from "../form/definition.ts";
import { withClients } from "../measure/clients.ts";
import { network } from "../measure/given.ts";
import { Zipf } from "../measure/zipf.ts";

const theta = 0.99, valueBytes = 16;
const spreads = ["uniform", "Zipf"] as const;
const kinds = ["read", "write"] as const;

/** A value that tells its object and a number. */
function valueOf(object: number, n: number): Uint8Array {
  const bytes = new Uint8Array(valueBytes), view = new DataView(bytes.buffer);
  view.setUint32(0, object, true); view.setUint32(4, n, true); view.setUint32(8, object ^ n, true);
  return bytes;
}
const isValueOf = (object: number, bytes: Uint8Array | undefined): boolean => {
  if (bytes?.length !== valueBytes) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return view.getUint32(0, true) === object && view.getUint32(8, true) === (object ^ view.getUint32(4, true));
};

/** Clio-MV by clients. */
export const figure419: Definition = {
  number: "4.19", title: "Clio-MV object read and write latency",
  paper: [["4.7.2", "We evaluate Clio-MV by varying the number of CNs that concurrently access data objects (of 16 B) on an MN using workloads of 50% read (of different versions) and 50% write under uniform and Zipf distribution of objects"],
    ["4.7.2", "Clio-MV's read and write have the same performance, and reading any version has the same performance"]],
  given: network,
  notes: [`One thread for each client; a read is of a random version of its object, a write appends one. Zipf: theta ${theta}. Values are checked.`],
  measure: async ({ seed, quick }) => {
    const counts = quick ? [1, 2] : [1, 2, 4, 8], objectCount = quick ? 16 : 256, operations = quick ? 16 : 120, first = quick ? 4 : 8;
    const series = new Map<string, { x: number; y: number }[]>(), add = (name: string, x: number, y: number): void => { series.set(name, [...series.get(name) ?? [], { x, y }]); };
    const mean = (a: readonly number[]): number => a.reduce((s, v) => s + v, 0) / a.length / 1000;
    await withClients("Clio-MV", { seed, clients: counts.at(-1) as number, offloads: "all" }, async (rig) => {
      const { pid } = await (rig.clients[0] as NonNullable<typeof rig.clients[0]>).createProcess(rig.address), threads = rig.clients.map((c) => c.process(pid, rig.address).thread());
      const own = threads[0] as Thread, objects: number[] = [], versions = new Map<number, number>();
      const append = async (t: Thread, object: number, n: number): Promise<void> => {
        const version = await t.mv.append(object, valueOf(object, n));
        if (version === undefined) throw new CheckFailed("an object of figure 4.19 takes no more versions");
        versions.set(object, Math.max(versions.get(object) ?? 0, version));
      };
      const look = async (t: Thread, object: number, version: number): Promise<void> => { if (!isValueOf(object, await t.mv.read(object, version))) throw new CheckFailed(`version ${version} of an object of figure 4.19 reads wrong`); };
      for (let i = 0; i < objectCount; i++) {
        const object = await own.mv.create(valueBytes);
        objects.push(object);
        for (let v = 0; v < first; v++) await append(own, object, v);
      }
      // Each client's first change makes it known.
      for (const t of threads) await append(t, objects[0] as number, first);
      for (let v = 1; v <= first; v++) {
        const times: number[] = [];
        for (let i = 0; i < operations; i++) times.push(await rig.timed(() => look(own, objects[i % objectCount] as number, v)));
        add("one client, a version", v, mean(times));
      }
      for (const spread of spreads) for (const count of counts) {
        const found = { read: [] as number[], write: [] as number[] };
        await Promise.all(threads.slice(0, count).map(async (t, k) => {
          const random = new Random(seed * 100 + k), zipf = new Zipf(objectCount, theta, random);
          for (let i = 0; i < operations; i++) {
            const object = objects[spread === "Zipf" ? zipf.next() : random.below(objectCount)] as number, kind = kinds[i % 2] as typeof kinds[number];
            const version = random.between(1, versions.get(object) ?? 1);
            found[kind].push(await rig.timed(() => (kind === "read" ? look(t, object, version) : append(t, object, i))));
          }
        }));
        for (const kind of kinds) add(`${kind}, ${spread}`, count, mean(found[kind]));
      }
    });
    const of = (name: string): { name: string; standing: "calibrated"; points: { x: number; y: number }[] } => ({ name, standing: "calibrated", points: series.get(name) ?? [] });
    return {
      plots: [
        { title: `${objectCount} objects of ${valueBytes} bytes, half reads, half writes`, kind: "lines", x: { label: "clients", scale: "log2" }, y: { label: "µs, mean", scale: "linear" }, series: spreads.flatMap((s) => kinds.map((k) => of(`${k}, ${s}`))) },
        { title: "Reading each version, one client", kind: "lines", x: { label: "version", scale: "linear" }, y: { label: "µs, mean", scale: "linear" }, series: [of("one client, a version")] },
      ],
      claims: [...spreads.map((s) => [`read and write have the same performance, within 1.5 µs: ${s}`, { kind: "above", series: `write, ${s}`, base: `read, ${s}`, least: -1.5, most: 1.5 }] as const),
        ["reading any version has the same performance, within 5 %", { kind: "flat", series: "one client, a version", within: 0.05 }]],
      notes: [`${operations} operations of each client at each point.`],
    };
  },
};
