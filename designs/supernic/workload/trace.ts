/** Requests as a server of the memcached pool has them, recorded once and played as fast as is wanted. */
import type { Random } from "../../../hdl-dsl/index.ts";
import { kvGaps, kvRequest } from "./memcached.ts";

/** MACs, IPv4, UDP and the sNIC shim of a frame; a request and its answer are one frame each. */
const frameHeaders = 50,
  frames = 2;

export class KvTrace {
  /** Of the request that comes next: what was before it, in nanoseconds and bytes. */
  readonly #ends: Float64Array;
  readonly #bytes: Float64Array;
  /** Nanoseconds and bytes of the whole recording. */
  readonly #period: number;
  readonly #total: number;
  #round = 0;
  #at = 0;
  #time = 0;

  /** @param requests after so many it begins anew */
  constructor(requests: number, random: Random) {
    this.#ends = new Float64Array(requests);
    this.#bytes = new Float64Array(requests);
    const gap = kvGaps(random);
    let time = 0,
      bytes = 0;
    for (let i = 0; i < requests; i++) {
      const { keyBytes, valueBytes } = kvRequest(random);
      time += gap();
      bytes += keyBytes + valueBytes + frames * frameHeaders;
      this.#ends[i] = time;
      this.#bytes[i] = bytes;
    }
    this.#period = time;
    this.#total = bytes;
  }
  /** Bytes an nanosecond, of the whole recording. */
  get mean(): number {
    return this.#total / this.#period;
  }
  /** Plays so many nanoseconds of it. @returns bytes of the requests that came */
  play(ns: number): number {
    const before = this.#sum();
    this.#time += ns;
    while (this.#round * this.#period + (this.#ends[this.#at] ?? 0) <= this.#time) {
      this.#at++;
      if (this.#at < this.#ends.length) continue;
      this.#at = 0;
      this.#round++;
    }
    return this.#sum() - before;
  }
  /** Bytes of all requests before the next one. */
  #sum(): number {
    return this.#round * this.#total + (this.#at === 0 ? 0 : (this.#bytes[this.#at - 1] ?? 0));
  }
}
