/** The queues alone, beside lists: who is first, who may start where, who waits for how long, in every cycle. */
import { Queues } from "../../../../../../designs/supernic/rtl/scheduler/index.ts";
import { type Bench, poke } from "../../../../../../sim/index.ts";

const others = { ports: 2, cells: 64, credits: 4, rules: 4, macs: 4, frameBytes: 600 } as const;
export const sizes = {
  small: { ...others, contexts: 8, branches: 2, regions: 2, slots: 3, users: 3 },
  full: { ...others, contexts: 256, branches: 2, regions: 4, slots: 4, users: 16 },
  one: { ...others, contexts: 4, branches: 2, regions: 1, slots: 1, users: 2 },
} as const;
export type Size = keyof typeof sizes;
export const dut = (size: Size) => Queues(sizes[size]);
export type Ports = ReturnType<typeof dut>["ports"];
export type B = Bench<Ports>;

interface Entry {
  readonly id: number;
  /** Slots, a bit each. */
  readonly run: number;
}
interface Queue {
  readonly region: number;
  readonly user: number;
  readonly slow: number;
  list: Entry[];
  /** The first one has stopped short, and is on its way. */
  away: boolean;
  /** Looks that have found the first one waiting. */
  age: number;
  /** As it was a cycle ago: it might have stopped short, and waited for no busy task. */
  mayStop: boolean;
  waitedAt: number | undefined;
  /** Cycles until the one that is away is back, or is dropped. */
  back: number;
}
/** What becomes of a queue a cycle after a start, or at the end of the way of who is freed. */
interface Change {
  readonly queue: Queue;
  readonly slots: number;
  readonly short: boolean;
  readonly freed: boolean;
}
interface Choice {
  readonly region: number;
  readonly user: number;
}
export interface Pace {
  readonly push: number;
  readonly choose: number;
  readonly start: number;
  readonly short: number;
  /** Chance of a slot to be busy, and to lack a credit. */
  readonly busy: number;
  readonly lacks: number;
  readonly back: number;
}

/** Cycles between two looks; looks that end a candidate's patience. */
const lookEvery = 16,
  looks = 3,
  /** Cycles from `free` until nobody is ready, until it is looked up, and until it is due. */
  freeMasks = 1,
  freeLooked = 4,
  freeDue = 5,
  /** Cycles until the number of a branch that has gone may come again. */
  idsRest = 8;
const lowest = (run: number): number => Math.log2(run & -run);

export class QueuesRig {
  readonly b: B;
  readonly #p: (typeof sizes)[Size];
  #queues: Queue[] = [];
  #ids: number[] = [];
  #resting: { readonly id: number; readonly from: number }[] = [];
  #cycle = 0;
  #due: Choice | undefined;
  /** Candidates of the two queues that are due, as they were found, and behind a start just before. */
  #found: { readonly run: number; readonly over: boolean; readonly next: number }[] = [];
  #began: Change | undefined;
  /** Who is freed, by the cycle in which that was said. */
  #freed: { readonly queue: Queue; readonly at: number }[] = [];
  readonly #behind = new Set<number>();
  readonly #patient = new Set<number>();
  readonly met = { whole: 0, short: 0, freed: 0, over: 0, again: 0 };

  constructor(b: B, size: Size) {
    this.b = b;
    this.#p = sizes[size];
    this.#start();
  }
  #start(): void {
    const { regions, users, contexts } = this.#p;
    this.#queues = Array.from({ length: regions * users * 2 }, (_, i) => ({
      ...{ region: Math.floor(i / (2 * users)), user: Math.floor(i / 2) % users, slow: i % 2 },
      ...{ list: [], away: false, age: 0, mayStop: false, waitedAt: undefined, back: 0 },
    }));
    this.#ids = Array.from({ length: contexts * 2 }, (_, i) => i);
    this.#resting = [];
    this.#freed = [];
    this.#due = this.#began = undefined;
    this.#cycle = 0;
  }
  #of({ region, user }: Choice): readonly [Queue, Queue] {
    const at = (region * this.#p.users + user) * 2;
    return [this.#queues[at]!, this.#queues[at + 1]!];
  }
  #same(what: string, is: unknown, wanted: unknown): void {
    if (JSON.stringify(is) !== JSON.stringify(wanted))
      throw new Error(`cycle ${this.b.cycle}: ${what} is ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`);
  }
  /** What is due may start: the candidates as they were found, or who is behind a start of the cycle before. */
  #startOf(pace: Pace): Change | undefined {
    const due = this.#due,
      { random: r } = this.b;
    if (!due || this.#freedAgo(freeDue) || !r.chance(pace.start)) return undefined;
    const able = this.#of(due).flatMap((queue, k) => {
      const f = this.#found[k]!,
        popped = this.#began?.queue === queue,
        run = popped ? (this.#began?.short === true ? 0 : f.next) : f.run;
      return run === 0 ? [] : [{ queue, run, popped }];
    });
    if (able.length === 0) return undefined;
    const { queue, run, popped } = r.pick(able),
      // It stops in front of its last slot, or of the last two.
      cut = r.chance(pace.short) ? r.between(0, Math.floor(Math.log2(run))) : this.#p.slots,
      front = run & (2 ** cut - 1),
      slots = front === 0 ? run : front;
    if (popped) this.met.again++;
    return { queue, slots, short: slots !== run, freed: false };
  }
  #freedAgo(cycles: number): Queue | undefined {
    return this.#freed.find(f => this.#cycle - f.at === cycles)?.queue;
  }
  async cycle(pace: Pace): Promise<void> {
    const { io, random: r } = this.b,
      p = this.#p,
      word = (chance: number): number =>
        Array.from({ length: p.slots }, () => r.chance(chance)).reduce((w, is, s) => w + (is ? 2 ** s : 0), 0);
    const regions = Array.from({ length: p.regions }, () => ({
      busy: word(pace.busy),
      has: word(0.7),
      lacks: word(pace.lacks),
      open: r.chance(0.9),
    }));
    for (const [i, x] of regions.entries()) {
      io.busy.at(i)!.value = x.busy;
      io.has.at(i)!.value = x.has;
      io.lacks.at(i)!.value = x.lacks;
    }
    io.open.value = regions.reduce((w, x, i) => w + (x.open ? 2 ** i : 0), 0);
    const start = this.#startOf(pace);
    const random = { region: r.below(p.regions), user: r.below(p.users) },
      // Often the one that is due, so that starts of one queue follow each other.
      choice =
        !this.#freedAgo(freeLooked) && r.chance(pace.choose)
          ? this.#due && r.chance(0.5)
            ? this.#due
            : random
          : undefined;
    poke(io.choice as never, { valid: choice ? 1 : 0, ...(choice ?? random), slot: r.below(p.slots) } as never);
    const { region, user } = this.#due ?? random;
    poke(
      io.start as never,
      {
        valid: start ? 1 : 0,
        region,
        user,
        slow: start?.queue.slow ?? r.below(2),
        slots: start?.slots ?? 0,
        short: start ? (start.short ? 1 : 0) : r.below(2),
      } as never,
    );
    const id = r.chance(pace.push) ? this.#ids.splice(r.below(Math.max(1, this.#ids.length)), 1)[0] : undefined,
      // Each in turn, and any beside that.
      turn = this.#queues[this.#cycle % this.#queues.length]!,
      to = turn.list.length > 0 && r.chance(0.3) ? r.pick(this.#queues) : turn,
      run = r.between(1, 2 ** p.slots - 1),
      where = { region: to.region, user: to.user, slow: to.slow };
    const said = id ?? r.below(2 * p.contexts);
    poke(
      io.push as never,
      {
        valid: id === undefined ? 0 : 1,
        ctx: said % p.contexts,
        branch: Math.floor(said / p.contexts),
        ...where,
        run,
        arg: 0,
        group: 0,
      } as never,
    );
    // Who is away comes back, or is dropped.
    const ready = this.#queues.filter(q => q.away && q.back === 0 && !this.#freed.some(f => f.queue === q)),
      back = ready.length > 0 && r.chance(pace.back) ? r.pick(ready) : undefined,
      frees = back !== undefined && r.chance(0.5);
    const queueOf = (q: Queue | undefined) => ({ region: q?.region ?? 0, user: q?.user ?? 0, slow: q?.slow ?? 0 });
    poke(io.stop as never, { valid: back && !frees ? 1 : 0, queue: queueOf(back) } as never);
    poke(io.free as never, { valid: frees ? 1 : 0, queue: queueOf(back) } as never);
    await this.b.cycles(1);
    this.#turn(regions);
    this.#step({
      choice,
      start,
      push: id === undefined ? undefined : { to, entry: { id, run } },
      back: frees ? undefined : back,
      regions,
    });
    if (frees) this.#freed.push({ queue: back, at: this.#cycle - 1 });
  }
  /** What the turn sees: who may start, and who waits. */
  #turn(regions: readonly { readonly busy: number; readonly lacks: number; readonly open: boolean }[]): void {
    const { slots, users } = this.#p,
      { io } = this.b,
      masks = this.#freedAgo(freeMasks) !== undefined;
    const words = { ready: [] as number[], more: [] as number[], waits: [] as number[] };
    for (let i = 0; i < regions.length * slots; i++) for (const w of Object.values(words)) w.push(0);
    const set = (list: number[], q: Queue, slot: number): void => {
      list[q.region * slots + slot]! |= 2 ** q.user;
    };
    for (const q of this.#queues) {
      const [head] = q.list,
        { lacks, open } = regions[q.region]!;
      if (q.waitedAt !== undefined) set(words.waits, q, q.waitedAt);
      if (!head || q.away || !open || masks || ((head.run & lacks) !== 0 && !q.mayStop)) continue;
      set(words.ready, q, lowest(head.run));
      if (q.list.length > 1) set(words.more, q, lowest(head.run));
    }
    for (const name of ["ready", "more", "waits"] as const)
      this.#same(
        `${name} of ${users} users`,
        io[name].map(x => x.num),
        words[name],
      );
  }
  #step(o: {
    readonly choice: Choice | undefined;
    readonly start: Change | undefined;
    readonly push: { readonly to: Queue; readonly entry: Entry } | undefined;
    readonly back: Queue | undefined;
    readonly regions: readonly { readonly busy: number; readonly has: number }[];
  }): void {
    const { io } = this.b,
      freed = this.#freedAgo(freeDue + 1),
      change = this.#began ?? (freed ? { queue: freed, slots: 0, short: false, freed: true } : undefined);
    // What the start of the cycle before does to its queue.
    const before = new Map(this.#queues.map(q => [q, { list: q.list, away: q.away }]));
    const { started } = io,
      [gone] = change ? change.queue.list : [];
    this.#same("a start", started.valid.num, this.#began ? 1 : 0);
    if (change && gone) {
      const { queue, slots, short } = change,
        left = gone.run & ~slots;
      if (!change.freed)
        this.#same(
          "who has started",
          [started.id.num, started.region.num, started.slots.num, started.left.num],
          [gone.id, queue.region, slots, left],
        );
      queue.list = short ? [{ id: gone.id, run: left }, ...queue.list.slice(1)] : queue.list.slice(1);
      queue.away = short;
      if (short) queue.back = 3;
      else this.#resting.push({ id: gone.id, from: this.#cycle });
      this.met[change.freed ? "freed" : short ? "short" : "whole"]++;
    }
    if (freed) this.#freed.shift();
    // Who is found, and who is behind the one that is due.
    const dueNow = this.#due,
      found: { run: number; over: boolean; next: number }[] = [];
    const comesTo = (q: Queue): Entry | undefined => (o.push?.to === q ? o.push.entry : undefined);
    for (const k of [0, 1]) {
      const is = io.found.at(k)!;
      if (o.choice) {
        const q = this.#of(o.choice)[k]!,
          wanted = q.away ? 0 : (q.list[0]?.run ?? 0),
          over = before.get(q)!.list.length > 0 && q.age === looks && change?.queue !== q;
        this.#same("who is found", is.run.num, wanted);
        if (wanted !== 0) this.#same("its patience is over", is.over.num, over ? 1 : 0);
        if (over) this.met.over++;
      }
      // Behind a candidate: one that came beside its look-up was not found.
      const d = dueNow && this.#of(dueNow)[k],
        was = this.#found[k],
        began = this.#began,
        candidate = was && began && began.queue === d ? (began.short ? 0 : was.next) : (was?.run ?? 0);
      if (d && candidate !== 0) this.#same("who is behind", is.next.num, (d.list[1] ?? comesTo(d))?.run ?? 0);
      found.push({ run: is.run.num, over: is.over.num === 1, next: is.next.num });
    }
    // Ages, and what shows a cycle late, are of the queues as they were.
    for (const [i, q] of this.#queues.entries()) {
      const was = before.get(q)!,
        [head] = was.list,
        { busy, has } = o.regions[q.region]!,
        isBusy = head !== undefined && (head.run & busy) !== 0;
      q.mayStop = head !== undefined && q.age === looks && !isBusy && ((has >> lowest(head.run)) & 1) === 1;
      q.waitedAt = head !== undefined && !isBusy && !was.away ? lowest(head.run) : undefined;
      const waits = head !== undefined && !was.away && change?.queue !== q;
      if (!waits) q.age = 0;
      else if (this.#cycle % lookEvery === lookEvery - 1) q.age = Math.min(looks, q.age + 1);
      if (q.back > 0) q.back--;
      if (was.list.length > 1) this.#behind.add(i);
      if (q.mayStop) this.#patient.add(i);
    }
    if (o.push) o.push.to.list = [...o.push.to.list, o.push.entry];
    if (o.back) o.back.away = false;
    this.#found = found;
    this.#due = o.choice;
    this.#began = o.start;
    while (this.#resting[0] && this.#cycle - this.#resting[0].from > idsRest) this.#ids.push(this.#resting.shift()!.id);
    this.#cycle++;
  }
  /** Queues that never had one behind another, or whose first one was never out of patience. */
  get never(): number[] {
    return [...this.#queues.keys()].filter(i => !this.#behind.has(i) || !this.#patient.has(i));
  }
  async run(cycles: number, pace: Pace): Promise<void> {
    for (let i = 0; i < cycles; i++) await this.cycle(pace);
  }
  reset(): void {
    const { io } = this.b;
    for (const port of [io.push, io.start, io.choice, io.free]) port.valid.value = 1;
    io.push.run.value = 1;
    io.stop.valid.value = 0;
    this.b.sim.reset(1);
    this.#start();
  }
}
