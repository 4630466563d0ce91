import { expect } from "vitest";
import type { FrameCounter } from "../../../examples/frame-counter/frame-counter.ts";
import type { Bench } from "../../../sim/index.ts";

export type CounterBench = Bench<ReturnType<typeof FrameCounter>["ports"]>;

/** Beat that passed at an edge. */
interface Beat {
  readonly edge: number;
  readonly bytes: number;
  readonly last: boolean;
}

/**
 * Listens to the streams and says what a read must give. A register's answer stands one edge after it was taken; a beat
 * at an edge is in the counts after it.
 */
export class Watch {
  readonly #beats: Beat[] = [];
  /** Edges that begin a count: the last one of a reset, which does not count, and those of clears, which do. */
  readonly #begins: { readonly edge: number; readonly counts: boolean }[] = [{ edge: 0, counts: false }];
  /** Clears in whose cycle a frame ended. */
  clearsBesideEnd = 0;
  asked: "frames" | "bytes" = "frames";
  reads = 0;

  constructor(b: CounterBench) {
    const { tx, sB, sR } = b.io;
    b.onEdge({
      sample: edge => {
        if (tx.valid.value !== 0 && tx.ready.value !== 0) {
          const ones = Number(tx.payload.keep.value).toString(2).replaceAll("0", "").length;
          this.#beats.push({ edge, bytes: ones, last: tx.payload.last.value !== 0 });
        }
        if (sB.valid.value !== 0) {
          this.#begins.push({ edge: edge - 1, counts: true });
          if (this.#beats.some(p => p.edge === edge - 1 && p.last)) this.clearsBesideEnd++;
        }
        if (sR.valid.value === 0) return;
        this.reads++;
        expect(sR.payload.data.value, `${this.asked} read at edge ${edge}`).toBe(this.#expected(edge - 2));
      },
    });
  }

  /** After a reset that ended at this edge. */
  reset(edge: number): void {
    this.#begins.push({ edge, counts: false });
  }

  /** The count that stands after an edge. */
  #expected(edge: number): number {
    const from = this.#begins.filter(c => c.edge <= edge).at(-1) ?? { edge: 0, counts: false };
    const counted = this.#beats.filter(
      p => p.edge <= edge && (p.edge > from.edge || (from.counts && p.edge === from.edge)),
    );
    return this.asked === "frames" ? counted.filter(p => p.last).length : counted.reduce((n, p) => n + p.bytes, 0);
  }
}
