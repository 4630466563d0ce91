import { must, type Packet, type Setup, type Task } from "./setup.ts";

/** A packet inside, with the branches of its stage that are not back yet. */
export interface Inside {
  readonly packet: Packet;
  readonly user: number;
  readonly entered: number;
  stage: number;
  pending: number;
  dropped: boolean;
}
/** A packet on its way through one branch. */
export interface Entry {
  readonly inside: Inside;
  readonly stage: number;
  readonly branch: number;
  readonly region: number;
  /** Slots that it has yet to go through, in order; of them `reserved` in this pass. */
  remaining: readonly number[];
  reserved: number[];
  /** When it came to be first of its queue. */
  since: number | undefined;
  /** This pass ends before the last of the remaining slots. */
  short: boolean;
}
interface Timed {
  readonly entry: Entry;
  readonly at: number;
}

/** A slot: the task's FIFO, the task, and the way past it. What came first leaves first, else packets overtake. */
class Slot {
  readonly fifo: Timed[] = [];
  readonly out: Timed[] = [];
  readonly past: Timed[] = [];
  /** What the FIFO held at the end of the cycles before, newest first. */
  readonly held: number[] = [];
  stalledUntil = 0;
  private nextTake = 0;
  private linkFree = 0;
  private readonly task: Task;
  private readonly fault: Setup["fault"];

  constructor(task: Task, fault: Setup["fault"]) {
    this.task = task;
    this.fault = fault;
  }

  /** What the link behind the slot takes in this cycle. */
  leave(now: number): Entry | undefined {
    if (now < this.linkFree) return undefined;
    const task = this.out[0]?.at ?? Infinity,
      past = this.past[0]?.at ?? Infinity,
      pastFirst = this.pastFirst(task, past, now),
      entry = Math.min(task, past) <= now ? (pastFirst ? this.past : this.out).shift()?.entry : undefined;
    if (entry) this.linkFree = now + entry.inside.packet.beats;
    return entry;
  }
  private pastFirst(task: number, past: number, now: number): boolean {
    if (this.fault === "the bypass waits for the task") return task > now;
    return this.fault === "the way past is always first" ? past <= now : past <= task;
  }
  /** What the task takes in this cycle: its credit is free. At most two that it has done may wait. */
  take(now: number): Entry | undefined {
    const done = this.out.filter(o => o.at <= now).length,
      first = this.fifo[0];
    if (first === undefined || first.at > now || now < Math.max(this.nextTake, this.stalledUntil) || done >= 2)
      return undefined;
    this.fifo.shift();
    this.nextTake = now + Math.max(this.task.interval, first.entry.inside.packet.beats);
    this.out.push({ entry: first.entry, at: now + this.task.latency });
    return first.entry;
  }
  sample(now: number): void {
    this.held.unshift(this.fifo.filter(f => f.at <= now).length);
    this.held.length = Math.min(this.held.length, 4);
  }
}

/** What a cycle of a region gives. */
export interface Given {
  readonly left: Entry[];
  /** Slots whose task took a packet, and slots behind a drop. */
  readonly taken: number[];
  readonly refunded: number[];
}

/** A region: the slots of its chain in a row. */
export class Region {
  readonly slots: readonly Slot[];
  private readonly keepsCredits: boolean;

  constructor(tasks: readonly Task[], fault: Setup["fault"]) {
    this.slots = tasks.map(t => new Slot(t, fault));
    this.keepsCredits = fault === "a drop keeps the credits behind it";
  }
  /** An entry comes to a slot, to its task or to the way past it. */
  arrive(entry: Entry, slot: number, at: number): void {
    const s = must(this.slots, slot);
    (entry.reserved[0] === slot ? s.fifo : s.past).push({ entry, at });
  }
  step(now: number): Given {
    const given: Given = { left: [], taken: [], refunded: [] };
    for (let k = this.slots.length - 1; k >= 0; k--) {
      const slot = must(this.slots, k),
        taken = slot.take(now),
        left = slot.leave(now);
      if (taken) given.taken.push(k);
      if (left && left.reserved[0] === k) this.done(left, k, given);
      if (left && k + 1 < this.slots.length) this.arrive(left, k + 1, now + 1);
      else if (left) given.left.push(left);
      slot.sample(now);
    }
    return given;
  }
  /** A task has done its part. After a drop nothing follows, and what was reserved is free at once. */
  private done(entry: Entry, slot: number, given: Given): void {
    entry.reserved.shift();
    entry.remaining = entry.remaining.slice(1);
    const { drops } = entry.inside.packet;
    if (drops?.stage !== entry.stage || drops.slot !== slot) return;
    entry.inside.dropped = true;
    if (!this.keepsCredits) given.refunded.push(...entry.reserved);
    entry.reserved = [];
    entry.remaining = [];
  }
}
