import { radixImage, RadixTree, ReadingTreeMemory, RemoteTreeMemory } from "../../applications/index.ts";
import { CheckFailed } from "../../../shared/command-line/index.ts";
import type { Definition } from "../../../shared/evaluation/index.ts";
import { type Rig, withClients } from "../measure/clients.ts";
import { clibNs, network } from "../measure/given.ts";
import { BackDoor } from "../measure/page-table.ts";
import { mulberry32, Random } from "../../../../hdl-dsl/index.ts";

const pid = 1,
  symbolBits = 4;
const ways = ["POINTER_CHASE", "a READ for each node"] as const;

/** Puts the bytes of a tree into pages of the process by the back door. */
function store(rig: Rig, table: BackDoor, base: bigint, image: Uint8Array): void {
  const { pageSize } = rig.node.config;
  for (let at = 0; at < image.length; at += pageSize) {
    table.map(pid, (base + BigInt(at)) / BigInt(pageSize));
    rig.node.ram.write(table.frameOf(table.count - 1), image.subarray(at, at + pageSize));
  }
}

/** Searching a radix tree, by its size. */
export const figure417: Definition = {
  number: "4.17",
  title: "Radix tree search latency",
  paper: [
    ["4.7.2", "A level of the tree is one pointer chase, and takes one RTT."],
    ["4.7.2", "RDMA is slower, with several RTTs for the same walk."],
  ],
  given: network,
  notes: [
    `Keys of 64 bits, random, ${symbolBits} bits a layer: nodes of a layer are a list of at most ${2 ** symbolBits}. A key has as many layers as it needs to differ from all others. One thread searches keys that are there, one after another; values are checked.`,
    "RDMA is not modelled. Beside POINTER_CHASE stands the same search on the same node with a READ for each node of the lists, as one-sided reads must do it.",
  ],
  measure: async ({ seed, quick }) => {
    const sizes = quick ? [64, 512] : [256, 1024, 4096, 16_384, 65_536],
      searches = quick ? 6 : 40;
    const series = new Map<string, { x: number; y: number }[]>(),
      add = (name: string, x: number, y: number): void => {
        series.set(name, [...(series.get(name) ?? []), { x, y }]);
      };
    await withClients("radix tree", { seed, clients: 1, offloads: "all" }, async rig => {
      const table = new BackDoor(rig.node),
        random = new Random(seed, mulberry32),
        client = rig.clients[0] as NonNullable<(typeof rig.clients)[0]>,
        thread = client.process(pid, rig.address).thread();
      for (const [i, size] of sizes.entries()) {
        const entries = new Map(
            Array.from(
              { length: size },
              (_, k) => [(BigInt(random.below(2 ** 32)) << 32n) | BigInt(random.below(2 ** 32)), BigInt(k)] as const,
            ),
          ),
          keys = [...entries.keys()];
        const base = BigInt(i + 1) << 30n,
          nodes = 2 * size + 64,
          image = await radixImage(base, entries, { nodes, symbolBits });
        store(rig, table, base, image.image);
        const local = new RadixTree(image, symbolBits),
          sample = Array.from({ length: searches }, () => keys[random.below(keys.length)] as bigint);
        let layers = 0;
        for (const key of sample) layers += (await local.find(key)).layers;
        add("layers of a key", size, layers / searches);
        for (const way of ways) {
          const tree = new RadixTree(
            new (way === "POINTER_CHASE" ? RemoteTreeMemory : ReadingTreeMemory)(thread, base, nodes),
            symbolBits,
          );
          // The pages' entries are in the TLB from here on, where they fit.
          await tree.find(sample[0] as bigint);
          let ns = 0,
            trips = 0;
          for (const key of sample) {
            const before = client.statistics.sent;
            ns += await rig.timed(async () => {
              if ((await tree.find(key)).value !== entries.get(key))
                throw new CheckFailed(`the tree of figure 4.17 gives another value for key ${key}`);
            });
            trips += client.statistics.sent - before;
          }
          // CLib's time is that of every call; `timed` has counted one for each search.
          add(way, size, (ns + (trips - searches) * clibNs) / searches / 1000);
          add(`round trips, ${way}`, size, trips / searches);
        }
      }
    });
    const of = (
      name: string,
      standing: "predicted" | "calibrated",
    ): { name: string; standing: "predicted" | "calibrated"; points: { x: number; y: number }[] } => ({
      name,
      standing,
      points: series.get(name) ?? [],
    });
    const x = { label: "number of entries", scale: "log2" } as const;
    return {
      plots: [
        {
          title: "A search",
          kind: "lines",
          x,
          y: { label: "search, mean", unit: "µs", scale: "linear" },
          series: ways.map(w => of(w, "calibrated")),
        },
        {
          title: "Round trips of a search",
          kind: "lines",
          x,
          y: { label: "number of round trips, mean", scale: "linear" },
          series: [...ways.map(w => of(`round trips, ${w}`, "predicted")), of("layers of a key", "predicted")],
        },
      ],
      claims: [
        [
          "one round trip for each layer",
          { kind: "above", series: "round trips, POINTER_CHASE", base: "layers of a key", least: 0, most: 0 },
        ],
        [
          "READs take longer at every size, and more round trips",
          { kind: "above", series: "a READ for each node", base: "POINTER_CHASE", least: 0, most: 1000 },
        ],
        [
          "more entries, more layers: the latency never falls by more than 10 %",
          { kind: "rising", series: "POINTER_CHASE", slack: 0.1 },
        ],
      ],
      notes: [`${searches} searches of each tree.`],
    };
  },
};
