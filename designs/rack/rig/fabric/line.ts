import { Link, type LinkOptions, type LinkStatistics, type Random } from "../../../../sim/index.ts";
import { Crossing } from "./crossing.ts";
import type { Jack } from "./jack.ts";

/** What a line does between its two ends, the same in both directions. */
export type LineOptions = LinkOptions & { readonly latencyNs: number };

/** Where a frame was seen: put on the line by the first or second end, or come out at it. */
export const tapPoints = ["first sends", "second receives", "second sends", "first receives"] as const;
/** Told of each frame at each end. `point`: of `tapPoints`. */
export type Tap = (point: number, timeNs: number, frame: Uint8Array) => void;

/** A direction of a line. */
interface Way {
  readonly from: Jack;
  readonly to: Jack;
  readonly link: Link;
}

/**
 * A cable with a direction each way: bandwidth with a bounded queue, latency, faults (`Link`). A frame that is put on
 * it leaves its end a frame's time later, and arrives `latencyNs` behind that.
 */
export class Line {
  readonly name: string;
  readonly ends: readonly [Jack, Jack];
  readonly latencyNs: number;
  /** From the first end, and from the second. */
  readonly #ways: readonly Way[];
  readonly #tap: Tap | undefined;

  constructor(
    ends: readonly [Jack, Jack],
    { random, tap }: { readonly random: Random; readonly tap?: Tap },
    options: LineOptions,
  ) {
    const [first, second] = ends,
      both = [
        { from: first, to: second, called: "there" },
        { from: second, to: first, called: "back" },
      ];
    this.name = `${first.name} - ${second.name}`;
    this.ends = ends;
    this.latencyNs = options.latencyNs;
    this.#tap = tap;
    this.#ways = both.map(({ from, to, called }) => {
      const crossing = new Crossing(from.time, to.time),
        own = random.fork(`${this.name} ${called}`);
      return { from, to, link: new Link(`${this.name}, ${called}`, crossing, own, options) };
    });
    const { gbps = 100 } = options;
    for (const [i, way] of this.#ways.entries())
      way.from.plug(frame => this.#carry(2 * i, way, frame), { gbps, freeAt: () => way.link.freeAt });
  }
  get ways(): readonly { readonly from: Jack; readonly to: Jack; readonly statistics: Readonly<LinkStatistics> }[] {
    return this.#ways.map(({ from, to, link }) => ({ from, to, statistics: link.statistics }));
  }
  /** Frames between the ends. */
  get inside(): number {
    return this.ways.reduce(
      (n, { statistics: s }) => n + s.sent + s.duplicated - s.lost - s.overflowed - s.delivered - s.droppedDamaged,
      0,
    );
  }

  #carry(point: number, { from, to, link }: Way, frame: Uint8Array): void {
    this.#tap?.(point, from.time.now(), frame);
    link.send(frame, false, (bytes, damaged) => {
      this.#tap?.(point + 1, to.time.now(), bytes);
      to.arrive(bytes, damaged);
    });
  }
}
