import { type Choice, Deciding } from "./decide.ts";
import { Flows } from "./flows.ts";
import { Queue } from "./queue.ts";
import { type Entry, type Inside, Region } from "./region.ts";
import { type Branch, must, type Packet, type Setup } from "./setup.ts";

/** Things that arrive at a later cycle, in the order of their times. */
class Later<T> {
  private readonly at = new Map<number, T[]>();
  add(when: number, what: T): void {
    this.at.set(when, [...(this.at.get(when) ?? []), what]);
  }
  due(now: number): T[] {
    const list = this.at.get(now) ?? [];
    this.at.delete(now);
    return list;
  }
  all(): T[] {
    return [...this.at.values()].flat();
  }
}

/** What wants the enqueue port: a branch of a packet, or a packet that stopped short. */
interface Wanting {
  readonly inside: Inside;
  readonly branch: number;
  readonly stopped?: Entry;
}

/** What a cycle did, for those who watch. */
export interface Events {
  readonly started: { readonly entry: Entry; readonly user: number; readonly run: readonly number[] }[];
  readonly returned: Entry[];
  readonly ended: Inside[];
}

/**
 * Merge, contexts, scheduler and regions, a cycle at a time (supernic.md, section 3; variant T2 of its scheduler page).
 * A decision a cycle, in `timing.decide` stages; one enqueue a cycle, returns first.
 */
export class SchedulerModel {
  now = 0;
  readonly inside = new Set<Inside>();
  readonly regions: readonly Region[];
  readonly deciding: Deciding;
  readonly flows: Flows;
  readonly setup: Setup;
  private active: readonly number[];
  private readonly held: number[];
  /** Wanting the enqueue port: returns that stopped short or begin the next stage, and new ones. */
  private readonly returns: Wanting[] = [];
  private readonly arrivals: Wanting[] = [];
  private readonly coming = new Later<Inside>();
  private readonly toReturn = new Later<Entry>();
  private readonly toRegion = new Later<Entry>();
  private readonly toCredit = new Later<{ readonly region: number; readonly slot: number }>();
  private readonly toEnd = new Later<Inside>();
  private readonly pushed = new Later<Inside>();
  private readonly refused = new Later<Inside>();
  private readonly underWay: (Choice | undefined)[] = [];

  constructor(setup: Setup) {
    this.setup = setup;
    const { prefetch, refill } = setup.timing;
    this.regions = setup.regions.map(chain => new Region(must(setup.chains, chain), setup.fault));
    this.flows = new Flows(setup.regions.length, setup.fault === "a scale-out moves flows at once");
    const queues = Array.from({ length: setup.users }, () =>
      setup.regions.map(() => [new Queue(prefetch, refill), new Queue(prefetch, refill)]),
    );
    this.deciding = new Deciding(setup, this.regions, queues);
    this.active = setup.regions.map((_, i) => i);
    this.held = Array.from({ length: setup.users }, () => 0);
  }

  /** Regions in use. A change marks the flows. Each chain keeps one region at least. */
  use(regions: readonly number[]): void {
    this.active = regions;
    this.flows.mark();
  }
  stall(region: number, slot: number, cycles: number): void {
    must(must(this.regions, region).slots, slot).stalledUntil = this.now + cycles;
  }
  /** Is there a context for the user? Each has an equal share of them. */
  room(user: number): boolean {
    return (this.held[user] ?? 0) < Math.max(1, Math.floor(this.setup.contexts / this.setup.users));
  }
  offer(packet: Packet): void {
    const { user } = must(this.setup.dags, packet.dag),
      inside = { packet, user, entered: this.now, stage: 0, pending: 0, dropped: false };
    this.held[user] = (this.held[user] ?? 0) + 1;
    this.inside.add(inside);
    this.coming.add(this.now + this.setup.timing.intake + this.setup.timing.lookUp, inside);
  }

  step(): Events {
    const events: Events = { started: [], returned: [], ended: [] };
    this.land(events);
    this.enqueue();
    this.deciding.note(this.now);
    this.decide(events);
    this.runRegions(events);
    this.now++;
    return events;
  }

  /** Credits that are somewhere between being taken and coming back, by region and slot. */
  creditsOut(): readonly (readonly number[])[] {
    const out = this.regions.map(r => r.slots.map(() => 0));
    const count = (region: number, slot: number): void => {
      const of = must(out, region);
      of[slot] = (of[slot] ?? 0) + 1;
    };
    for (const e of this.toRegion.all()) for (const slot of e.reserved) count(e.region, slot);
    for (const c of this.toCredit.all()) count(c.region, c.slot);
    for (const [region, r] of this.regions.entries()) {
      // What a task has taken holds that task's credit no longer.
      for (const [slot, s] of r.slots.entries())
        for (const { entry } of s.out) for (const k of entry.reserved) if (k !== slot) count(region, k);
      for (const s of r.slots)
        for (const { entry } of [...s.fifo, ...s.past]) for (const k of entry.reserved) count(region, k);
    }
    return out;
  }

  /** What arrives in this cycle: credits, packets at regions, returns, ends, new packets. */
  private land(events: Events): void {
    for (const c of this.toCredit.due(this.now)) must(must(this.deciding.places, c.region), c.slot).free++;
    for (const e of this.toRegion.due(this.now)) must(this.regions, e.region).arrive(e, 0, this.now);
    for (const e of this.toReturn.due(this.now)) this.comeBack(e, events);
    for (const i of this.pushed.due(this.now)) this.arrivePushed(i);
    for (const i of this.refused.due(this.now)) this.returns.push({ inside: i, branch: 0 });
    for (const i of this.toEnd.due(this.now)) this.end(i, events);
    for (const i of this.coming.due(this.now))
      this.branches(i).forEach((_, branch) => this.arrivals.push({ inside: i, branch }));
  }
  private branches(inside: Inside): readonly Branch[] {
    const list = must(must(this.setup.dags, inside.packet.dag).stages, inside.stage);
    if (inside.pending === 0) inside.pending = list.length;
    return list;
  }
  private comeBack(entry: Entry, events: Events): void {
    const { inside } = entry,
      { packet, user } = inside,
      dag = must(this.setup.dags, packet.dag),
      queue = this.deciding.queue(user, entry.region, dag.slow ? 1 : 0);
    if (entry.remaining.length > 0) {
      this.returns.push({ inside, branch: entry.branch, stopped: entry });
      return;
    }
    if (entry.short) queue.hold = false;
    events.returned.push(entry);
    this.flows.leave(must(must(dag.stages, entry.stage), entry.branch).chain, packet.flow, entry.region);
    if (--inside.pending > 0) return;
    inside.stage++;
    if (inside.dropped || inside.stage === dag.stages.length)
      this.toEnd.add(this.now + this.setup.timing.egress, inside);
    else this.branches(inside).forEach((_, branch) => this.returns.push({ inside, branch }));
  }
  /** Whether what leaves a region goes on past the scheduler. */
  private pushes({ inside, remaining, stage }: Entry): boolean {
    const { stages } = must(this.setup.dags, inside.packet.dag),
      isAlone = (s: number): boolean => stages[s]?.length === 1;
    return (
      this.setup.push !== undefined && remaining.length === 0 && !inside.dropped && isAlone(stage) && isAlone(stage + 1)
    );
  }
  /** It is done with a stage, and on its way to the next. */
  private push(entry: Entry, events: Events): void {
    const { inside } = entry,
      { packet } = inside,
      dag = must(this.setup.dags, packet.dag);
    if (entry.short) this.queueOf(entry).hold = false;
    events.returned.push(entry);
    this.flows.leave(must(must(dag.stages, entry.stage), entry.branch).chain, packet.flow, entry.region);
    inside.stage++;
    inside.pending = 1;
    this.pushed.add(this.now + 1 + (this.setup.push ?? 0), inside);
  }
  /** At its next region: taken when each task of its run has a credit, else sent to the scheduler. */
  private arrivePushed(inside: Inside): void {
    const { packet, stage } = inside,
      { back, lookUp } = this.setup.timing,
      { chain, run } = must(must(must(this.setup.dags, packet.dag).stages, stage), 0);
    const region = this.flows.enter(
      chain,
      packet.flow,
      this.active.filter(r => this.setup.regions[r] === chain),
    );
    const places = region === undefined ? [] : must(this.deciding.places, region),
      taken = region !== undefined && run.every(slot => must(places, slot).free > 0);
    if (region !== undefined && !taken) this.flows.leave(chain, packet.flow, region);
    if (region === undefined || !taken) {
      this.refused.add(this.now + back + lookUp, inside);
      return;
    }
    for (const slot of run) must(places, slot).free--;
    const entry = {
      inside,
      stage,
      branch: 0,
      region,
      remaining: run,
      reserved: [...run],
      since: undefined,
      short: false,
    };
    must(this.regions, region).arrive(entry, 0, this.now);
  }
  private end(inside: Inside, events: Events): void {
    this.inside.delete(inside);
    this.held[inside.user] = (this.held[inside.user] ?? 0) - 1;
    events.ended.push(inside);
  }

  /** One a cycle. A packet of a marked flow waits, and those behind it of its flow too; others pass it. */
  private enqueue(): void {
    const blocked = new Set<string>();
    for (const list of [this.returns, this.arrivals]) {
      for (const [i, a] of list.entries()) {
        if (a.stopped) {
          this.queueOf(a.stopped).stopped = a.stopped;
          a.stopped.since = undefined;
        } else if (!this.enter(a.inside, a.branch, blocked)) continue;
        list.splice(i, 1);
        return;
      }
    }
  }
  private enter(inside: Inside, branch: number, blocked: Set<string>): boolean {
    const { packet, stage } = inside,
      { chain, run } = must(must(must(this.setup.dags, packet.dag).stages, stage), branch),
      instances = this.active.filter(r => this.setup.regions[r] === chain),
      key = `${chain} ${packet.flow}`;
    const region = blocked.has(key) ? undefined : this.flows.enter(chain, packet.flow, instances);
    if (region === undefined) {
      blocked.add(key);
      return false;
    }
    const entry: Entry = {
      inside,
      stage,
      branch,
      region,
      remaining: run,
      reserved: [],
      since: undefined,
      short: false,
    };
    this.queueOf(entry).push(entry, this.now);
    return true;
  }
  private queueOf({ inside, region }: Entry): Queue {
    return this.deciding.queue(inside.user, region, must(this.setup.dags, inside.packet.dag).slow ? 1 : 0);
  }

  /** Pick at the front of the pipeline, reserve at its end: what cannot start any more is picked anew. */
  private decide(events: Events): void {
    this.underWay.push(
      this.deciding.pick(
        this.underWay.filter(c => c !== undefined),
        this.now,
      ),
    );
    if (this.underWay.length < this.setup.timing.decide) return;
    const choice = this.underWay.shift();
    if (!choice) return;
    const { user, region, kind, entry } = choice,
      queue = this.deciding.queue(user, region, kind),
      run = queue.candidate(0, this.now) === entry ? this.deciding.run(user, entry, this.now) : [],
      whole = run.length === entry.remaining.length;
    if (run.length > 0) {
      this.deciding.reserve(choice, run);
      queue.pop(this.now);
      queue.hold = !whole && this.setup.fault !== "a stopped packet does not hold its queue";
      entry.short = !whole;
      entry.since = undefined;
      this.toRegion.add(this.now + this.setup.timing.carry, entry);
      events.started.push({ entry, user, run });
    }
    if (run.length === 0 || !whole) this.squash(choice, run.length > 0);
  }
  /**
   * The queue's later choices took for granted that this one starts whole; those of its slot, that it starts: else they
   * would have the turn that is still its own.
   */
  private squash({ user, region, kind, slot }: Choice, started: boolean): void {
    this.underWay.forEach((c, i) => {
      const sameQueue = c?.user === user && c.region === region && c.kind === kind,
        sameSlot = c?.region === region && c.slot === slot;
      if (sameQueue || (sameSlot && !started)) this.underWay[i] = undefined;
    });
  }
  private runRegions(events: Events): void {
    const { back, creditBack, lookUp } = this.setup.timing;
    this.regions.forEach((r, region) => {
      const given = r.step(this.now);
      for (const slot of given.taken) this.toCredit.add(this.now + creditBack, { region, slot });
      for (const slot of given.refunded) this.toCredit.add(this.now + 1, { region, slot });
      for (const e of given.left)
        if (this.pushes(e)) this.push(e, events);
        else this.toReturn.add(this.now + 1 + back + lookUp, e);
    });
  }
}
