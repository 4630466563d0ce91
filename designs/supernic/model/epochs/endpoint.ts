/**
 * Who sends. What an endpoint wants to send is laid out in its own time. When the device lets less of it in, PFC holds
 * the endpoint, so its own time goes more slowly and all its later work is late: nothing queues up and nothing is lost.
 */
export interface EndpointOptions {
  /** Bytes in an epoch that it wants to send, one after the other. */
  readonly loads: readonly number[];
  /** Epochs, of its own time, of each load. */
  readonly each: number;
}

export class Endpoint {
  readonly #o: EndpointOptions;
  #at = 0;
  /** Epochs of the load at `#at` that are over. */
  #over = 0;

  constructor(o: EndpointOptions) {
    if (!(o.each > 0)) throw new RangeError(`Endpoint: each = ${o.each} epochs: must be more than 0`);
    if (o.loads.some(l => !(l >= 0))) throw new RangeError("Endpoint: a load is not 0 or more bytes");
    this.#o = o;
  }
  get done(): boolean {
    return this.#at >= this.#o.loads.length;
  }
  /** Bytes in an epoch that it wants to send now. */
  get demand(): number {
    return this.#o.loads[this.#at] ?? 0;
  }
  /** All that it ever sends. */
  get total(): number {
    return this.#o.loads.reduce((n, l) => n + l * this.#o.each, 0);
  }
  /** Epochs that it takes when nothing holds it. */
  get length(): number {
    return this.#o.loads.length * this.#o.each;
  }
  /** An epoch in which it may send at this rate. @returns bytes that it sent */
  pass(rate: number): number {
    let left = 1,
      sent = 0;
    while (left > 0 && !this.done) {
      const wanted = this.demand,
        speed = wanted <= rate ? 1 : rate / wanted,
        rest = this.#o.each - this.#over,
        step = Math.min(rest, left * speed);
      if (speed === 0) return sent;
      sent += step * wanted;
      if (rest <= left * speed) {
        left -= rest / speed;
        this.#at++;
        this.#over = 0;
      } else {
        this.#over += step;
        left = 0;
      }
    }
    return sent;
  }
}
