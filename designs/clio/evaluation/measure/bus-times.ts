import type { SimulatedNode } from "../../rig/index.ts";

/** Edges at which things happened on a node's memory bus since the last `take`; undefined: not. */
export interface BusTimes {
  /** A table bucket asked for, and its beat; data asked for (read or write address), and the first and last beat of data, or the write's response. */
  readonly tableAsked: number | undefined; readonly tableGiven: number | undefined;
  readonly dataAsked: number | undefined; readonly dataFirst: number | undefined; readonly dataLast: number | undefined;
}

/** ID of data on the node's memory bus; the others are the page table's (docs/clio-node.md). */
const dataId = 0;

/** Watches a node's memory bus. One request must be under way at a time. */
export class BusWatch {
  private seen: { -readonly [K in keyof BusTimes]: BusTimes[K] } = BusWatch.nothing();
  private readonly remove: () => void;

  constructor({ bench }: SimulatedNode) {
    const { mem_ar, mem_r, mem_aw, mem_b } = bench.io;
    this.remove = bench.onEdge({ sample: (cycle) => {
      const s = this.seen;
      if (mem_ar.valid.value === 1 && mem_ar.ready.value === 1) { if (Number(mem_ar.payload.id.value) === dataId) s.dataAsked ??= cycle; else s.tableAsked ??= cycle; }
      if (mem_aw.valid.value === 1 && mem_aw.ready.value === 1 && Number(mem_aw.payload.id.value) === dataId) s.dataAsked ??= cycle;
      if (mem_r.valid.value === 1 && mem_r.ready.value === 1) { if (Number(mem_r.payload.id.value) === dataId) { s.dataFirst ??= cycle; s.dataLast = cycle; } else s.tableGiven ??= cycle; }
      if (mem_b.valid.value === 1 && mem_b.ready.value === 1 && Number(mem_b.payload.id.value) === dataId) { s.dataFirst ??= cycle; s.dataLast = cycle; }
    } });
  }
  private static nothing(): BusTimes { return { tableAsked: undefined, tableGiven: undefined, dataAsked: undefined, dataFirst: undefined, dataLast: undefined }; }

  /** What has happened since the last call. */
  take(): BusTimes {
    const { seen } = this;
    this.seen = BusWatch.nothing();
    return seen;
  }
  close(): void { this.remove(); }
}
