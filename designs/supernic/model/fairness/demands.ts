import type { FairEvents, FairSaid, FairSizes } from "./events.ts";

const largest = 2 ** 24 - 1;
interface InletCounts {
  offered: number;
  /** The port has brought frames in this epoch. */
  some: boolean;
}
/** What each user asks for at the end of an epoch (docs/supernic/monitors.md). */
export class DemandModel {
  readonly #p: FairSizes;
  readonly #backlog: number[];
  readonly #taken: number[];
  /** By user and inlet. */
  #now: InletCounts[][];
  /** By user, its ports. */
  readonly #ports: Set<number>[];
  #paused: number[];
  #dry = 0;

  constructor(p: FairSizes) {
    this.#p = p;
    this.#backlog = Array.from({ length: p.users }, () => 0);
    this.#taken = [...this.#backlog];
    this.#now = this.#fresh();
    this.#ports = this.#backlog.map(() => new Set());
    this.#paused = Array.from({ length: p.ports }, () => 0);
  }
  #fresh(): InletCounts[][] {
    return Array.from({ length: this.#p.users }, () =>
      Array.from({ length: this.#p.ports + 1 }, () => ({ offered: 0, some: false })),
    );
  }
  reset(): void {
    this.#backlog.fill(0);
    this.#taken.fill(0);
    this.#now = this.#fresh();
    for (const ports of this.#ports) ports.clear();
    this.#paused.fill(0);
    this.#dry = 0;
  }
  count({ offered = [], taken, paused = [], dry = 0 }: FairEvents): void {
    for (const [i, o] of offered.entries()) {
      const counts = o && this.#now[o.user]?.[i];
      if (!o || !counts) continue;
      counts.offered = Math.min(largest, counts.offered + o.bytes);
      counts.some = true;
      if (o.kept) this.#backlog[o.user] = (this.#backlog[o.user] ?? 0) + o.bytes;
    }
    if (taken) {
      this.#backlog[taken.user] = (this.#backlog[taken.user] ?? 0) - taken.bytes;
      this.#taken[taken.user] = (this.#taken[taken.user] ?? 0) + taken.bytes;
    }
    this.#paused = this.#paused.map((classes, i) => classes | (paused[i] ?? 0));
    this.#dry |= dry;
  }
  /** Bytes of each user, and what was taken of it. */
  end({ classes, portBytes }: FairSaid): { readonly asked: number; readonly taken: number }[] {
    const demands = this.#now.map((inlets, u) => {
      const ports = this.#ports[u] ?? new Set<number>(),
        isPaused = (i: number): boolean => (((this.#paused[i] ?? 0) >> (classes[u] ?? 0)) & 1) === 1,
        isDry = ((this.#dry >> u) & 1) === 1;
      const brought = inlets.map(({ offered, some }, i) => {
        const hidden = i < this.#p.ports && isDry && isPaused(i) && (some || ports.has(i));
        return hidden ? Math.max(portBytes, offered) : offered;
      });
      for (const [i, { some }] of inlets.entries())
        if (some) ports.add(i);
        else if (!isPaused(i)) ports.delete(i);
      const all = brought.reduce((a, b) => a + b, 0) + (this.#backlog[u] ?? 0);
      return { asked: Math.min(largest, all), taken: (this.#taken[u] ?? 0) % (largest + 1) };
    });
    this.#now = this.#fresh();
    this.#taken.fill(0);
    this.#paused.fill(0);
    this.#dry = 0;
    return demands;
  }
}
