/**
 * Holds the egress to what a port's room promises. When a packet is chosen is seen by its header, which is read then.
 * That of a packet which may pass the lists is read before it is known whether it does: that shows when its frame
 * begins, and is checked for all the time since.
 */

interface Promised<K> {
  readonly packet: K;
  readonly beats: number;
  /** Since when it may have been chosen, and the most that was promised beside it; of packets that may have passed. */
  readonly from: number | undefined;
  peak: number;
}

/** Frames of one port that were chosen, or may have been, and have not begun there. */
export class Promises<K> {
  #all: Promised<K>[] = [];
  readonly #longest: number;
  readonly #what: string;
  constructor(what: string, longest: number) {
    this.#what = what;
    this.#longest = longest;
  }
  #check(beats: number): void {
    if (beats > this.#longest)
      throw new Error(
        `${this.#what}: ${beats} beats are promised and have not begun, and a longest frame has ${this.#longest}`,
      );
  }
  get #sum(): number {
    return this.#all.reduce((sum, x) => sum + (x.from === undefined ? x.beats : 0), 0);
  }
  /** A packet has been chosen; with `from`, it may be from that cycle on. */
  chosen(packet: K, beats: number, from?: number): void {
    this.#all = this.#all.filter(x => x.packet !== packet);
    this.#all.push({ packet, beats, from, peak: 0 });
    this.#check(this.#sum);
  }
  /** At each cycle. */
  sample(cycle: number): void {
    for (const x of this.#all) if (x.from !== undefined && x.from <= cycle) x.peak = Math.max(x.peak, this.#sum);
  }
  /** A frame begins: of the first packet that was chosen, or of one before it that it is. */
  begun(is: (packet: K) => boolean): K {
    const at = this.#all.findIndex(x => x.from === undefined || is(x.packet)),
      [first] = this.#all.splice(0, at + 1).slice(-1);
    if (first === undefined) throw new Error(`${this.#what}: a frame begins that was not chosen`);
    if (first.from !== undefined) {
      this.#check(first.peak + first.beats);
      for (const x of this.#all) x.peak += first.beats;
    }
    return first.packet;
  }
  clear(): void {
    this.#all = [];
  }
}
