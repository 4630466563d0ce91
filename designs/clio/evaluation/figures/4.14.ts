import { clockPeriod } from "../../config/index.ts";
import { LINE_OVERHEAD } from "../../../../sim/index.ts";
import { CheckFailed } from "../../../shared/command-line/index.ts";
import type { Definition, Series } from "../../../shared/evaluation/index.ts";
import { type AccessSample, measureAtBoard } from "../measure/access-latency.ts";
import { type BusTimes, BusWatch } from "../measure/bus-times.ts";
import { boardGbps, dram, ports } from "../measure/given.ts";

const stages = [
  "wire in and out",
  "frame in to memory request",
  "page table (one access)",
  "memory: data",
  "memory to reply",
  "reply out",
] as const;
type Times = Record<(typeof stages)[number], number>;

const sizeOf = (bytes: number): string => (bytes % 1024 === 0 ? `${bytes / 1024} KB` : `${bytes} B`);
/** ns that a frame takes on the board's port. */
const wire = (bytes: number): number => ((bytes + LINE_OVERHEAD) * 8) / boardGbps;

/**
 * Where a request spends its time, ns, by the edges at which it is seen at the node's ports and on its memory bus.
 * Stages that overlap count to the earlier.
 */
function stagesOf({ bytes, access, answer: { in: came, out, frame } }: AccessSample, t: BusTimes): Times {
  const { dataAsked, dataFirst } = t;
  if (dataAsked === undefined || dataFirst === undefined)
    throw new CheckFailed("a request of figure 4.14 is not seen on the memory bus");
  const table = t.tableAsked === undefined || t.tableGiven === undefined ? 0 : t.tableGiven - t.tableAsked,
    ns = (edges: number): number => edges * clockPeriod;
  const request = access === "read" ? frame.length - bytes : frame.length + bytes;
  return {
    "wire in and out": wire(request) + wire(frame.length),
    "frame in to memory request": ns(dataAsked - came.start - table),
    "page table (one access)": ns(table),
    "memory: data": ns(dataFirst - dataAsked),
    "memory to reply": ns(out.start - dataFirst),
    "reply out": ns(out.end - out.start + 1),
  };
}

/** Where the time goes in the node. */
export const figure414: Definition = {
  number: "4.14",
  title: "Latency breakdown at the node",
  paper: [
    ["4.7.1", "Most of a read's latency is DRAM (DDRAccess) and wire (WireDelay), above all for large reads."],
    ["4.7.1", "The other large part is the TLB miss, one read of DRAM."],
  ],
  given: [dram, ports],
  sizes: [{ what: "data of an access", paper: "4 B to 1 KB", here: "4 B to 1 KB" }],
  notes: [
    "From the edges at which a request is seen at the node's ports and on its memory bus. The wire is the length of both frames at the port's rate. A write's data go to memory while it waits for the answer, which counts as memory.",
  ],
  measure: async ({ seed, quick }) => {
    const sizes = quick ? [4, 1024] : [4, 64, 256, 1024],
      found: { readonly access: string; readonly hit: boolean; readonly bytes: number; readonly times: Times }[] = [];
    await measureAtBoard({
      seed,
      sizes,
      rounds: 1,
      watch: node => {
        const bus = new BusWatch(node);
        return s => {
          const t = bus.take();
          if (s.state !== "page fault")
            found.push({ access: s.access, hit: s.state === "TLB hit", bytes: s.bytes, times: stagesOf(s, t) });
        };
      },
    });
    const plot = (access: string): { title: string; series: Series[] } => ({
      title: `${access}, with a TLB hit and a miss`,
      series: stages.map(stage => ({
        name: `${access}, ${stage}`,
        standing: stage === stages[0] ? "calibrated" : "predicted",
        points: found
          .filter(f => f.access === access)
          .sort((a, b) => Number(b.hit) - Number(a.hit) || a.bytes - b.bytes)
          .map(f => ({ x: `${f.hit ? "hit" : "miss"} ${sizeOf(f.bytes)}`, y: f.times[stage] })),
      })),
    });
    const x = { label: "TLB and size of the data", scale: "category" } as const,
      y = { label: "time", unit: "ns", scale: "linear" } as const;
    return {
      plots: ["read", "write"].map(access => ({ ...plot(access), kind: "stacked", x, y })),
      claims: [
        [
          "a read of 1 KB: memory and wire are more than three quarters",
          { kind: "share", series: ["read, memory: data", "read, wire in and out"], at: "hit 1 KB", least: 0.75 },
        ],
        [
          "a read of 4 B: memory and wire are more than half",
          { kind: "share", series: ["read, memory: data", "read, wire in and out"], at: "hit 4 B", least: 0.5 },
        ],
        [
          "a miss of 4 B: the page table is a quarter or more",
          { kind: "share", series: ["read, page table (one access)"], at: "miss 4 B", least: 0.25 },
        ],
      ],
    };
  },
};
