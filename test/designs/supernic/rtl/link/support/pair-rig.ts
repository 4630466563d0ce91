/** Two ends in hardware and the line between them; what one end was given comes to the other, in order and once. */
import { type Bench, bernoulli, bursts, type Random } from "../../../../../../sim/index.ts";
import { type EndBench, type EndIo, HardwareEnd, plainFrame } from "./hardware-end.ts";
import { Line, type LineFaults } from "./line.ts";
import { LinkPair, type ParameterSet, parameterSets, sideOf } from "./link-end.ts";

export const pair = (set: ParameterSet) => LinkPair(parameterSets[set]);
export type PairBench = Bench<ReturnType<typeof pair>["ports"]>;

export interface PairOptions {
  readonly faults: LineFaults;
  readonly paused?: boolean;
  /** How often a frame finds no room. */
  readonly lacks?: number;
}

export class PairRig {
  readonly b: PairBench;
  readonly ends: readonly [HardwareEnd, HardwareEnd];
  readonly lines: readonly [Line, Line];
  readonly #r: Random;
  readonly #longest: number;

  constructor(b: PairBench, set: ParameterSet, { faults, paused = false, lacks = 0 }: PairOptions) {
    this.b = b;
    this.#r = b.random;
    this.#longest = parameterSets[set].frameBytes;
    const end = (side: "a" | "b"): HardwareEnd =>
      new HardwareEnd(b as unknown as EndBench, sideOf<EndIo>(b.io, side), {
        reliable: true,
        p: parameterSets[set],
        room: () => !this.#r.chance(lacks),
        ...(paused && {
          lanes: () => bernoulli(0.3, this.#r.word()),
          mac: bursts({ go: 12, pause: 6 }, this.#r.word()),
        }),
      });
    this.ends = [end("a"), end("b")];
    const [x, y] = this.ends;
    for (const e of this.ends) e.needsRoom = () => this.#r.chance(0.9);
    this.lines = [new Line(this.#r, x, y, faults), new Line(this.#r, y, x, faults)];
  }
  /** A length: often one that grows over a beat, or one that is padded. */
  length(): number {
    const r = this.#r;
    if (r.chance(0.3)) return r.pick([14, 51, 52, 53, 56, 57, 59, 60, 63, 64, 65, 120, 121, 127, 128]);
    return r.chance(0.9) ? r.between(14, 150) : r.between(150, this.#longest);
  }
  give(from: 0 | 1, count: number): void {
    const r = this.#r;
    for (let i = 0; i < count; i++) {
      const marked = r.chance(0.03),
        long = r.chance(0.02);
      const bytes = plainFrame(r, long ? this.#longest + 64 + r.between(1, 200) : this.length());
      this.ends[from].give(r.chance(0.5) ? 0 : 1, { bytes, class: r.between(0, 7), marked });
    }
  }
  reset(): void {
    const [x, y] = this.ends;
    x.reset([y]);
  }
  async end(): Promise<void> {
    await this.b.until(() => this.ends.every(e => e.idle && e.coming === 0));
    await this.b.cycles(5);
    this.check();
  }
  /** What each end has taken is what the other was given. */
  check(): void {
    for (const [i, e] of this.ends.entries()) {
      const other = this.ends[1 - i];
      e.check();
      if (!other) continue;
      if (other.taken.length !== e.numbered.length)
        throw new Error(`${other.taken.length} frames have come, of ${e.numbered.length}`);
      for (const [k, f] of e.numbered.entries()) {
        const came = other.taken[k] as Uint8Array;
        const whole = came.length >= f.bytes.length && Buffer.compare(came.slice(0, f.bytes.length), f.bytes) === 0;
        if (!whole || came.slice(f.bytes.length).some(v => v !== 0)) throw new Error(`frame ${k} is another`);
      }
    }
  }
  /** Software begins the link anew, at both ends. */
  async restart(ends: readonly HardwareEnd[] = this.ends): Promise<void> {
    for (const e of ends) e.io.restart.value = 1;
    await this.b.cycles(1);
    for (const e of ends) e.io.restart.value = 0;
    await this.b.cycles(3);
    for (const e of ends) e.taken.splice(0);
  }
}
