import type { SimulatedNode } from "../../rig/index.ts";

/** Edges at which things happened on a node's memory bus since the last `take`; undefined: not. */
export interface BusTimes {
  /**
   * Times on the bus: the address of a table bucket, and its beat; the address of the data (read or write). Then come
   * the first and last beat of data, or the write's response.
   */
  readonly tableAsked: number | undefined;
  readonly tableGiven: number | undefined;
  readonly dataAsked: number | undefined;
  readonly dataFirst: number | undefined;
  readonly dataLast: number | undefined;
}

/** ID of data on the node's memory bus; the others are the page table's (docs/clio/node.md). */
const dataId = 0;

/** Watches a node's memory bus. One request must be under way at a time. */
export class BusWatch {
  private seen: { -readonly [K in keyof BusTimes]: BusTimes[K] } = BusWatch.nothing();
  private readonly remove: () => void;

  constructor({ bench }: SimulatedNode) {
    const { memAr, memR, memAw, memB } = bench.io;
    this.remove = bench.onEdge({
      sample: cycle => {
        const s = this.seen;
        if (memAr.valid.value === 1 && memAr.ready.value === 1) {
          if (Number(memAr.payload.id.value) === dataId) s.dataAsked ??= cycle;
          else s.tableAsked ??= cycle;
        }
        if (memAw.valid.value === 1 && memAw.ready.value === 1 && Number(memAw.payload.id.value) === dataId)
          s.dataAsked ??= cycle;
        if (memR.valid.value === 1 && memR.ready.value === 1) {
          if (Number(memR.payload.id.value) === dataId) {
            s.dataFirst ??= cycle;
            s.dataLast = cycle;
          } else s.tableGiven ??= cycle;
        }
        if (memB.valid.value === 1 && memB.ready.value === 1 && Number(memB.payload.id.value) === dataId) {
          s.dataFirst ??= cycle;
          s.dataLast = cycle;
        }
      },
    });
  }
  private static nothing(): BusTimes {
    return {
      tableAsked: undefined,
      tableGiven: undefined,
      dataAsked: undefined,
      dataFirst: undefined,
      dataLast: undefined,
    };
  }

  /** Events since the last call. */
  take(): BusTimes {
    const { seen } = this;
    this.seen = BusWatch.nothing();
    return seen;
  }
  close(): void {
    this.remove();
  }
}
