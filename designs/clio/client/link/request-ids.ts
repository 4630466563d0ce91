const space = 2 ** 32;

/**
 * Request IDs of one client: 32-bit serial numbers (RFC 1982) from a random start, so that those of an earlier run are
 * not met again.
 */
export class RequestIds {
  private readonly first: number;
  private count = 0;

  /** @param random 0 <= x < 1 */
  constructor(random: () => number) {
    this.first = Math.floor(random() * space);
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
