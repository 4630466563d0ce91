import { clockPeriod } from "../../config/index.ts";
import type { Definition, Series } from "../../../shared/evaluation/index.ts";
import { boardNs, measureAtBoard, measureEndToEnd, pageStates } from "../measure/access-latency.ts";
import { dramCycles, network } from "../measure/given.ts";

const bytes = 16,
  accesses = ["read", "write"] as const,
  asicPeriod = 0.5;

/** TLB hit, miss and first access. */
export const figure46: Definition = {
  number: "4.6",
  title: "TLB hit, TLB miss and page fault, 16 B",
  paper: [
    ["4.7.1", "A TLB miss adds little, and a page fault adds nothing to the miss."],
    ["4.4.3", "The page-fault handler takes three cycles, always."],
    ["4.7.1", "For the ASIC, the cycles of the FPGA are counted at 2 GHz."],
  ],
  given: [
    ...network,
    {
      what: "ASIC",
      value: "2 GHz instead of 250 MHz; memory as slow as before",
      source: 'paper 4.7.1: "2 GHz"; the server\'s DDR time is not in the text',
    },
  ],
  notes: [
    "RDMA (page faults of 16.8 ms, says the text) and MR misses are not modelled.",
    "The ASIC's hit is the node's cycles without its one memory access, at 2 GHz, and the ns of that access here.",
  ],
  measure: async ({ seed, quick }) => {
    const rounds = quick ? 2 : 12,
      board = await measureAtBoard({ seed, sizes: [bytes], rounds }),
      ends = await measureEndToEnd({ seed, sizes: [bytes], rounds: quick ? 2 : 8, states: pageStates });
    const series = (
      prefix: string,
      standing: Series["standing"],
      of: (a: "read" | "write", s: (typeof pageStates)[number]) => number,
    ): Series[] =>
      pageStates.map(s => ({ name: `${prefix}${s}`, standing, points: accesses.map(a => ({ x: a, y: of(a, s) })) }));
    const onBoard = series("", "predicted", (a, s) => boardNs(board, a, s, bytes)),
      dramNs = dramCycles * clockPeriod;
    const asic: Series = {
      name: "ASIC, TLB hit",
      standing: "calibrated",
      points: accesses.map(a => ({
        x: a,
        y: (boardNs(board, a, "TLB hit", bytes) / clockPeriod - dramCycles) * asicPeriod + dramNs,
      })),
    };
    const x = { label: "access", scale: "category" } as const;
    return {
      plots: [
        {
          title: "At the node's ports",
          kind: "bars",
          x,
          y: { label: "latency", unit: "ns", scale: "linear" },
          series: [...onBoard, asic],
        },
        {
          title: "End to end, CLib's synchronous calls",
          kind: "bars",
          x,
          y: { label: "latency", unit: "ns", scale: "linear" },
          series: series("end to end, ", "calibrated", (a, s) => ends(a, s, bytes)),
        },
      ],
      claims: [
        [
          `a miss is a hit, one memory access (${dramCycles} cycles) and at most 4 cycles`,
          { kind: "above", series: "TLB miss", base: "TLB hit", least: dramNs, most: dramNs + 4 * clockPeriod },
        ],
        [
          "a page fault is a miss and at most 3 cycles",
          { kind: "above", series: "page fault", base: "TLB miss", least: 0, most: 3 * clockPeriod },
        ],
        [
          "end to end a page fault costs at most 3 cycles and the rounding of a clock more than a miss",
          {
            kind: "above",
            series: "end to end, page fault",
            base: "end to end, TLB miss",
            least: -clockPeriod,
            most: 4 * clockPeriod,
          },
        ],
      ],
    };
  },
};
