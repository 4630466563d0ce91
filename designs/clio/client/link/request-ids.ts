const space = 2 ** 32,
  perSecond = 16_384;

/** Request IDs of one client: 32-bit serial numbers (RFC 1982). */
export class RequestIds {
  private readonly first: number;
  private count = 0;

  /** @param first whole number, taken modulo 2^32 */
  constructor(first: number) {
    this.first = first % space;
  }

  next(): number {
    return (this.first + this.count++) % space;
  }
  /** Whether this client has given the ID out (among the latest 2^31). */
  given(id: number): boolean {
    const back = (this.first + this.count + space - 1 - id) % space;
    return back < Math.min(this.count, space / 2);
  }
}

/**
 * The first request ID of a program that starts now. A node remembers clients by address and port, and takes older IDs
 * for repetitions that come too late; the system gives a port of an earlier program again. So IDs begin at the time of
 * day: newer than that program's, if it sent fewer than 16,384 requests a second and began within the last 36 hours.
 *
 * @param ms since 1970
 */
export function idAtTimeOfDay(ms: number): number {
  return Math.floor((ms / 1000) * perSecond) % space;
}
