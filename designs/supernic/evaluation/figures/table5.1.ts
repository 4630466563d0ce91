import { readFileSync } from "node:fs";
import type { Definition } from "../../../shared/evaluation/index.ts";

/** The paper's board (VU9P): Table 5.1 is in shares of it. */
const board = { lut: 1_182_240, bram: 2_160 } as const;
type Resource = keyof typeof board;
/** Table 5.1's rows, in percent of the board. */
const published = { core: { lut: 4.36, bram: 4.74 }, store: { lut: 0.91, bram: 9.17 } } as const;
const baseline = new URL("../../../../constraints/baseline/supernic/xcup.json", import.meta.url);

/** How often each block stands in a core of two ports; judge and match also stand at the loop port. */
const coreOfTwoPorts: Readonly<Record<string, number>> = {
  ...{ Judge: 3, Match: 3, ClassQueues: 3, LinkReceive: 2, TxPort: 2, Merge: 1, HeaderStore: 1 },
  ...{ Enqueue: 1, Queues: 1, Decision: 1, Join: 1, Dispatch: 1, Return: 1, Descriptors: 1 },
  ...{ Destination: 1, Lists: 1, Fetch: 1, Pauses: 1, Releases: 1, Deparser: 1, SwitchLane: 1, Control: 1 },
};
export interface AreaBeside {
  readonly what: string;
  readonly resource: Resource;
  readonly here: number;
  readonly paper: number;
}
export interface Table51 {
  readonly rows: readonly AreaBeside[];
  /** Blocks that have not been measured, and so are missing in the sum. */
  readonly missing: readonly string[];
}
export function table51(): Table51 {
  const { units } = JSON.parse(readFileSync(baseline, "utf8")) as {
    readonly units: Readonly<Partial<Record<string, Record<Resource, number>>>>;
  };
  const sum = (of: Readonly<Record<string, number>>, resource: Resource): number =>
    Object.entries(of).reduce((n, [name, times]) => n + times * (units[name]?.[resource] ?? 0), 0);
  const parts = [
    ["core, 2 ports, what is measured of it", "core", coreOfTwoPorts],
    ["packet store", "store", { PacketStore: 1 }],
  ] as const;
  return {
    rows: parts.flatMap(([what, key, of]) =>
      (["lut", "bram"] as const).map(resource => ({
        what,
        resource,
        here: sum(of, resource),
        paper: Math.round((published[key][resource] / 100) * board[resource]),
      })),
    ),
    missing: Object.keys(coreOfTwoPorts).filter(name => units[name] === undefined),
  };
}

/** Area of the core and of the packet store. */
export const figureTable51: Definition = {
  number: "table5.1",
  title: "Area of the core and of the packet store",
  paper: [
    [
      "5.7, Table 5.1",
      "The core takes 4.36 % of the LUTs and 4.74 % of the BRAM of a VU9P, the packet store 0.91 % and 9.17 %.",
    ],
  ],
  notes: [
    "By synthesis of each block by itself (constraints/baseline/supernic/xcup.json), not by simulation. The goal is half of the paper's.",
  ],
  measure: () => {
    const { rows, missing } = table51(),
      plot = (resource: Resource, label: string) => {
        const of = rows.filter(r => r.resource === resource);
        return {
          title: label,
          kind: "bars" as const,
          x: { label: "part", scale: "category" as const },
          y: { label, unit: "number", scale: "linear" as const },
          series: [
            { name: `${label} here`, standing: "predicted" as const, points: of.map(r => ({ x: r.what, y: r.here })) },
            {
              name: `${label}, half of the paper's`,
              standing: "predicted" as const,
              points: of.map(r => ({ x: r.what, y: r.paper / 2 })),
            },
          ],
        };
      };
    return Promise.resolve({
      plots: [plot("lut", "LUTs"), plot("bram", "BRAM36")],
      claims: [],
      notes: [
        missing.length === 0
          ? "All blocks of the core are measured."
          : `Not measured yet, and so missing in the core's sum: ${missing.join(", ")}.`,
      ],
    });
  },
};
