import { readFileSync } from "node:fs";
import type { Definition } from "../../../shared/evaluation/index.ts";
import { twoPortBlocks, twoPortEnding } from "../../build/index.ts";

/** The paper's board (VU9P): Table 5.1 is in shares of it. */
const board = { lut: 1_182_240, bram: 2_160 } as const;
type Resource = keyof typeof board;
/** Table 5.1's rows, in percent of the board. */
const published = { core: { lut: 4.36, bram: 4.74 }, store: { lut: 0.91, bram: 9.17 } } as const;
const baseline = new URL("../../../../constraints/baseline/supernic/xcup.json", import.meta.url);

/** How often each block stands somewhere; a block that is taken out of another one, less than never. */
type Blocks = Readonly<Record<string, number>>;
/** A chain of tasks that do nothing: its slots' wrappers. */
const wrappers = "Region_dummy_dummy_dummy_dummy_c1024_f24",
  regions = 4;
/**
 * A core of two ports without tasks. What stands at a port stands at the loop port too. A wrapper goes with its task:
 * the paper attaches it when the task's bitstream is made (section 5.4), so here it is a row of its own, and what of
 * the regions is counted are the ways into the chains and out of them. A wrapper keeps what its chain needs: around
 * dummies that is least.
 */
export const coreOfTwoPorts: Blocks = {
  ...Object.fromEntries(twoPortBlocks.map(name => [`${name}${twoPortEnding}`, name === "RxPort" ? 3 : 1])),
  ...{ LinkReceive: 2, TxPort: 2, HeaderStore: 1, Scheduler: 1, Dispatch: 1, Return: 1, Descriptors: 1, Releases: 1 },
  ...Object.fromEntries([
    ["Counters_n45_w65", 2],
    ["Counters_n30_w30", 1],
    ["Counters_n16_w32", 1],
  ]),
  ...{ Regions: 1, [wrappers]: -regions },
};
export interface AreaBeside {
  readonly what: string;
  readonly resource: Resource;
  readonly here: number;
  /** Not all of its blocks have been measured. */
  readonly partly: boolean;
  /** Absent: the paper does not tell. */
  readonly paper?: number;
}
export interface Table51 {
  readonly rows: readonly AreaBeside[];
  /** Blocks that have not been measured, and so are missing in the sum. */
  readonly missing: readonly string[];
  /** Blocks of which only a build of more ports has been measured: the sum is an upper bound. */
  readonly larger: readonly string[];
}
export function table51(): Table51 {
  const { units } = JSON.parse(readFileSync(baseline, "utf8")) as {
    readonly units: Readonly<Partial<Record<string, Record<Resource, number>>>>;
  };
  const measured = (name: string): Record<Resource, number> | undefined =>
      units[name] ?? units[name.replace(new RegExp(`${twoPortEnding}$`), "")],
    sum = (of: Blocks, resource: Resource): number =>
      Object.entries(of).reduce((n, [name, times]) => n + times * (measured(name)?.[resource] ?? 0), 0);
  const lacking = (of: Blocks): readonly string[] => Object.keys(of).filter(name => measured(name) === undefined);
  const parts: readonly (readonly [string, keyof typeof published | undefined, Blocks])[] = [
    ["core, 2 ports, no tasks", "core", coreOfTwoPorts],
    ["packet store", "store", { PacketStore: 1 }],
    [`wrappers of ${4 * regions} dummies`, undefined, { [wrappers]: regions }],
  ];
  return {
    rows: parts.flatMap(([what, key, of]) =>
      (["lut", "bram"] as const).map(resource => ({
        what,
        resource,
        here: sum(of, resource),
        partly: lacking(of).length > 0,
        ...(key !== undefined && { paper: Math.round((published[key][resource] / 100) * board[resource]) }),
      })),
    ),
    missing: lacking(coreOfTwoPorts),
    larger: Object.keys(coreOfTwoPorts).filter(name => units[name] === undefined && measured(name) !== undefined),
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
        const of = rows.filter(r => r.resource === resource && r.paper !== undefined);
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
              points: of.map(r => ({ x: r.what, y: (r.paper ?? NaN) / 2 })),
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
