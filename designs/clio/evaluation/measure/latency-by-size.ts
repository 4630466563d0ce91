import type { Definition, Series } from "../../../shared/evaluation/index.ts";
import { type Access, boardNs, measureAtBoard, measureEndToEnd } from "./access-latency.ts";
import { network } from "./given.ts";

/** Latency by size, at the node and end to end: figures 4.10 and 4.11. */
export function latencyBySize(access: Access): Pick<Definition, "given" | "measure"> {
  return {
    given: network,
    measure: async ({ seed, quick }) => {
      const single = quick ? [16, 1024] : [4, 16, 64, 128, 256, 512, 1024, 1444],
        sizes = quick ? single : [...single, 2048, 4096];
      const board = await measureAtBoard({ seed, sizes: single, rounds: quick ? 1 : 4 }),
        ends = await measureEndToEnd({ seed, sizes, rounds: quick ? 1 : 4, states: ["TLB hit"] });
      const points = (all: readonly number[], of: (n: number) => number): Series["points"] =>
        all.map(n => ({ x: n, y: of(n) }));
      const atBoard = `${access} at the node`,
        endToEnd = `${access} end to end`;
      return {
        plots: [
          {
            title: "TLB hits, one operation at a time",
            kind: "lines",
            x: { label: "data", unit: "bytes", scale: "log2" },
            y: { label: "latency", unit: "ns", scale: "linear" },
            series: [
              { name: endToEnd, standing: "calibrated", points: points(sizes, n => ends(access, "TLB hit", n)) },
              {
                name: atBoard,
                standing: "predicted",
                points: points(single, n => boardNs(board, access, "TLB hit", n)),
              },
            ],
          },
        ],
        claims: [
          [`${endToEnd}: never shorter for more bytes`, { kind: "rising", series: endToEnd, slack: 0 }],
          [`${atBoard}: never shorter for more bytes`, { kind: "rising", series: atBoard, slack: 0 }],
          [
            "one packet: the network and CLib take longer than the node",
            { kind: "above", series: endToEnd, base: atBoard, least: 1000, most: 5000 },
          ],
        ],
      };
    },
  };
}
