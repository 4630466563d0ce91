/** Nanoseconds for which nobody's last session is taken: a client that lost its own opens another one. */
export const sessionTenureNs = 1_000_000_000;

/**
 * Who has which session, by IPv4 address. A client that dies gives nothing back, and nobody can tell a dead one from a
 * silent one. So sessions are shared out: when none is left, the client with most of them loses its oldest. When all
 * have their share, the session that was opened first goes, once it has been open for its tenure.
 */
export class SessionOwners {
  /** When each was opened, the one opened first in front. */
  private readonly opened = new Map<number, number>();
  /** Sessions of each address, the one opened first in front. */
  private readonly sessions = new Map<number, Set<number>>();
  private readonly tenureNs: number;

  constructor(tenureNs = sessionTenureNs) {
    this.tenureNs = tenureNs;
  }

  /** @param now nanoseconds */
  add(session: number, ip: number, now: number): void {
    this.opened.delete(session);
    this.opened.set(session, now);
    const of = this.sessions.get(ip) ?? new Set();
    this.sessions.set(ip, of.add(session));
  }
  remove(session: number): void {
    this.opened.delete(session);
    for (const [ip, of] of this.sessions) if (of.delete(session) && of.size === 0) this.sessions.delete(ip);
  }
  has(session: number, ip: number): boolean {
    return this.sessions.get(ip)?.has(session) === true;
  }

  /**
   * The oldest session of the address that has most, if that is more than `ip` would have with one more; undefined when
   * all have their share. So nobody's last is taken.
   */
  surplus(ip: number): number | undefined {
    const most = [...this.sessions.values()].reduce<ReadonlySet<number>>(
        (a, b) => (b.size > a.size ? b : a),
        new Set(),
      ),
      wanted = (this.sessions.get(ip)?.size ?? 0) + 1;
    if (most.size <= wanted) return undefined;
    return most.values().next().value;
  }

  /** The session that was opened first, if it has had its time; undefined before that. */
  expired(now: number): number | undefined {
    const [first] = this.opened.keys();
    return this.waitNs(now) === 0 ? first : undefined;
  }
  /** Nanoseconds until the session that was opened first has had its time; undefined when there is none. */
  waitNs(now: number): number | undefined {
    const [since] = this.opened.values();
    return since === undefined ? undefined : Math.max(0, since + this.tenureNs - now);
  }
}
