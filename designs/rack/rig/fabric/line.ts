import { Link, type LinkOptions, type LinkStatistics, type Random } from "../../../../sim/index.ts";
import { Crossing } from "./crossing.ts";
import type { Jack } from "./jack.ts";

/** What a line does between its two ends, the same in both directions. */
export type LineOptions = LinkOptions & { readonly latencyNs: number };

/** Where a frame was seen: put on the line by the first or second end, or come out at it. */
export const tapPoints = ["first sends", "second receives", "second sends", "first receives"] as const;
/** Told of each frame at each end. `point`: of `tapPoints`. */
export type Tap = (point: number, timeNs: number, frame: Uint8Array) => void;

/**
 * A cable with a direction each way: bandwidth with a bounded queue, latency, faults (`Link`). A frame that is put on it
 * leaves its end a frame's time later, and arrives `latencyNs` behind that.
 */
export class Line {
  readonly name: string;
  readonly ends: readonly [Jack, Jack];
  readonly latencyNs: number;
  readonly #ways: readonly [Link, Link];
  readonly #tap: Tap | undefined;

  constructor(
    ends: readonly [Jack, Jack],
    { random, tap }: { readonly random: Random; readonly tap?: Tap },
    options: LineOptions,
  ) {
    const [first, second] = ends;
    this.name = `${first.name} - ${second.name}`;
    this.ends = ends;
    this.latencyNs = options.latencyNs;
    this.#tap = tap;
    this.#ways = [
      new Link(
        `${this.name}, there`,
        new Crossing(first.time, second.time),
        random.fork(`${this.name} there`),
        options,
      ),
      new Link(`${this.name}, back`, new Crossing(second.time, first.time), random.fork(`${this.name} back`), options),
    ];
    first.plug(frame => this.#carry(0, frame));
    second.plug(frame => this.#carry(1, frame));
  }
  /** By direction: from the first end, from the second. */
  get statistics(): readonly [Readonly<LinkStatistics>, Readonly<LinkStatistics>] {
    return [this.#ways[0].statistics, this.#ways[1].statistics];
  }
  /** Frames between the ends. */
  get inside(): number {
    return this.statistics.reduce(
      (n, s) => n + s.sent + s.duplicated - s.lost - s.overflowed - s.delivered - s.droppedDamaged,
      0,
    );
  }

  #carry(way: 0 | 1, frame: Uint8Array): void {
    const to = this.ends[1 - way] as Jack;
    this.#tap?.(2 * way, this.ends[way].time.now(), frame);
    this.#ways[way].send(frame, false, (bytes, damaged) => {
      this.#tap?.(2 * way + 1, to.time.now(), bytes);
      to.arrive(bytes, damaged);
    });
  }
}
