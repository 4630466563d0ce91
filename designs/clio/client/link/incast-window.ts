/**
 * iwnd (paper §4.4.4): bytes of replies that a client may expect at a time, of all nodes together. A request is sent
 * only when its reply fits. A request without room waits in line, so that small replies never keep a large one out for
 * ever. State: two numbers, and one place in line per node.
 */
export class IncastWindow<W> {
  readonly limit: number;
  private used = 0;
  private highest = 0;
  private readonly line = new Set<W>();

  /** @param limit bytes; at least the longest reply, or it could never be requested */
  constructor(limit: number) {
    this.limit = limit;
  }

  /** Bytes of replies expected now, and the most there ever were. */
  get expected(): number {
    return this.used;
  }
  get mostExpected(): number {
    return this.highest;
  }
  /** The first request in line. */
  get first(): W | undefined {
    return this.line.values().next().value;
  }

  /** Whether a reply of so many bytes may be requested now; a request without room is in line afterwards. */
  admits(who: W, bytes: number): boolean {
    if ((this.line.size === 0 || this.first === who) && this.used + bytes <= this.limit) return true;
    this.line.add(who);
    return false;
  }
  /** Has nothing to ask for (at present). @returns whether it stood in line */
  leave(who: W): boolean {
    return this.line.delete(who);
  }

  take(bytes: number): void {
    this.used += bytes;
    this.highest = Math.max(this.highest, this.used);
  }
  release(bytes: number): void {
    this.used -= bytes;
  }
}
