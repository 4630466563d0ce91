import type { Queue } from "./queue.ts";
import type { Entry, Region } from "./region.ts";
import { must, type Setup } from "./setup.ts";

/** A slot of a region, as the scheduler knows it. */
interface Place {
  free: number;
  readonly limit: number;
  /** Packets in the FIFO from which on the task counts as busy. */
  readonly busyFrom: number;
  /** The user whose turn it is. */
  turn: number;
}
/** A choice on its way from pick to reserve. */
export interface Choice {
  readonly user: number;
  readonly region: number;
  readonly kind: number;
  /** The first slot of its run, whose turn it had. */
  readonly slot: number;
  readonly entry: Entry;
}

/** Credits, turns and queues, and the two rules over them: which candidate may start, and with which run. */
export class Deciding {
  readonly places: readonly (readonly Place[])[];
  /** By user, region and kind of DAG. */
  readonly queues: readonly (readonly (readonly Queue[])[])[];
  private readonly setup: Setup;
  private readonly regions: readonly Region[];
  /** Turn of the slots of all regions, and of a user's two kinds in a region. */
  private next = 0;
  private readonly all: readonly { readonly region: number; readonly slot: number }[];
  private readonly kindTurn: number[];
  /** Of this cycle: users that wait, by region and slot, and for no busy task. */
  private readonly waits = new Map<string, Choice[]>();

  constructor(setup: Setup, regions: readonly Region[], queues: Deciding["queues"]) {
    this.setup = setup;
    this.regions = regions;
    this.queues = queues;
    this.kindTurn = Array.from({ length: setup.users * setup.regions.length }, () => 0);
    this.places = setup.regions.map(chain => {
      const { carry, creditBack } = setup.timing;
      let loop = carry + creditBack;
      return must(setup.chains, chain).map(({ interval, latency }, slot) => {
        const busyFrom = interval === 1 ? 3 : Math.max(3, Math.ceil(loop / interval)),
          limit = must(must(setup.credits, chain), slot);
        loop += latency + 1;
        return { free: limit, limit, busyFrom, turn: 0 };
      });
    });
    this.all = this.places.flatMap((r, region) => r.map((_, slot) => ({ region, slot })));
  }

  /** The slots with which the entry may start now: all that remain or, after its patience, those in front of a lack. */
  run(user: number, entry: Entry, now: number): readonly number[] {
    if (entry.remaining.some(s => this.busy(entry.region, s))) return [];
    const lack = entry.remaining.findIndex(
      (s, i) => must(must(this.places, entry.region), s).free <= 0 || (i > 0 && this.othersTurn(entry.region, s, user)),
    );
    if (lack < 0) return entry.remaining;
    const patient = now - (entry.since ?? now) < this.setup.patience;
    return patient ? [] : entry.remaining.slice(0, lack);
  }

  /** Round robin over the slots, then over the users by the slot's own turn. */
  pick(underWay: readonly Choice[], now: number): Choice | undefined {
    const { all } = this;
    for (let i = 0; i < all.length; i++) {
      const at = (this.next + i) % all.length,
        choice = this.pickUser(must(all, at).region, must(all, at).slot, underWay, now);
      if (!choice) continue;
      this.next = (at + 1) % all.length;
      return choice;
    }
    return undefined;
  }

  /** Credits are taken, and the turn goes on where somebody else waits. */
  reserve({ user, region, kind, entry }: Choice, run: readonly number[]): void {
    run.forEach((slot, i) => {
      const place = must(must(this.places, region), slot);
      place.free--;
      if (i === 0 || this.waiting(region, slot, user).length > 0) place.turn = (user + 1) % this.setup.users;
    });
    this.kindTurn[user * this.places.length + region] = 1 - kind;
    entry.reserved = [...run];
  }

  /** Who waits in this cycle. The first of each queue counts its patience from when it came to be first. */
  note(now: number): void {
    const first = this.candidates(0, now);
    for (const c of first) c.entry.since ??= now;
    this.waits.clear();
    for (const c of first) {
      if (c.entry.remaining.some(s => this.busy(c.region, s))) continue;
      const key = `${c.region} ${must(c.entry.remaining, 0)}`;
      this.waits.set(key, [...(this.waits.get(key) ?? []), c]);
    }
  }
  /** Candidates of users but `user` that wait for the slot first, and for no busy task. */
  waiting(region: number, slot: number, user: number): readonly Choice[] {
    return (this.waits.get(`${region} ${slot}`) ?? []).filter(c => c.user !== user);
  }
  busy(region: number, slot: number): boolean {
    const held = must(must(this.regions, region).slots, slot).held;
    return (held[this.setup.timing.busyDelay] ?? 0) >= must(must(this.places, region), slot).busyFrom;
  }

  private pickUser(region: number, slot: number, underWay: readonly Choice[], now: number): Choice | undefined {
    if (!this.waits.has(`${region} ${slot}`) && underWay.length === 0) return undefined;
    const { users, fault } = this.setup,
      // The turn goes on from who was chosen, and only stays there if that one starts.
      before = underWay.findLast(c => c.region === region && c.slot === slot),
      due = before === undefined ? must(must(this.places, region), slot).turn : (before.user + 1) % users,
      turn = fault === "users have no turn" ? 0 : due;
    for (let i = 0; i < users; i++) {
      const user = (turn + i) % users,
        first = this.kindTurn[user * this.places.length + region] ?? 0;
      for (const kind of [first, 1 - first]) {
        const ahead = underWay.filter(c => c.user === user && c.region === region && c.kind === kind).length,
          entry = this.queue(user, region, kind).candidate(ahead, now);
        if (entry && entry.remaining[0] === slot && this.run(user, entry, now).length > 0)
          return { user, region, kind, slot, entry };
      }
    }
    return undefined;
  }
  private othersTurn(region: number, slot: number, user: number): boolean {
    if (this.setup.fault === "users have no turn") return false;
    const { users } = this.setup,
      { turn } = must(must(this.places, region), slot),
      distance = (u: number): number => (u - turn + users) % users;
    return this.waiting(region, slot, user).some(c => distance(c.user) < distance(user));
  }
  queue(user: number, region: number, kind: number): Queue {
    return must(must(must(this.queues, user), region), kind);
  }
  candidates(ahead: number, now: number): Choice[] {
    return this.queues.flatMap((regions, user) =>
      regions.flatMap((kinds, region) =>
        kinds.flatMap((queue, kind) => {
          const entry = queue.length === 0 ? undefined : queue.candidate(ahead, now);
          return entry ? [{ user, region, kind, slot: must(entry.remaining, 0), entry }] : [];
        }),
      ),
    );
  }
}
