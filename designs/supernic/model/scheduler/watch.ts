import type { Entry } from "./region.ts";
import { SchedulerModel } from "./scheduler.ts";
import { must, type Packet, type Setup } from "./setup.ts";

/** What a run brings in: packets and their users' patience, stalls, changes of the regions in use. */
export interface Traffic {
  readonly packets: readonly { readonly at: number; readonly packet: Packet }[];
  readonly stalls: readonly {
    readonly at: number;
    readonly region: number;
    readonly slot: number;
    readonly cycles: number;
  }[];
  readonly uses: readonly { readonly at: number; readonly regions: readonly number[] }[];
}
/** What a run came to. `wrong` is the first broken promise. */
export interface Outcome {
  readonly wrong: string | undefined;
  readonly cycles: number;
  readonly out: readonly { readonly at: number; readonly packet: Packet; readonly entered: number }[];
  readonly dropped: number;
}

/** Packets that must keep their order: by place, the last that was seen there. */
class Orders {
  private readonly last = new Map<string, number>();
  check(place: string, packet: Packet): string | undefined {
    const key = `${place} of flow ${packet.flow}`,
      before = this.last.get(key) ?? -1;
    this.last.set(key, packet.id);
    return packet.id > before ? undefined : `packet ${packet.id} is behind ${before} at ${key}`;
  }
}
/** How often each candidate past its patience saw others start at the slot that it waits for. */
class Waiting {
  private readonly passed = new Map<Entry, number>();
  private readonly bound: number;
  private readonly model: SchedulerModel;
  constructor(model: SchedulerModel) {
    this.model = model;
    this.bound = waitingBound(model.setup);
  }
  check(entry: Entry, user: number, slot: number): string | undefined {
    this.passed.delete(entry);
    const { patience } = this.model.setup;
    for (const c of this.model.deciding.waiting(entry.region, slot, user)) {
      if (this.model.now - (c.entry.since ?? this.model.now) <= patience) continue;
      const n = (this.passed.get(c.entry) ?? 0) + 1;
      this.passed.set(c.entry, n);
      if (n > this.bound) return `user ${c.user} saw ${n} others start at region ${entry.region}, slot ${slot}`;
    }
    return undefined;
  }
}
/** Others that may start at a slot before a candidate whose patience is over: a round of the users' two kinds. */
export const waitingBound = ({ users, timing }: Setup): number => 2 * users * timing.decide;

/** Cycles without any event after which nothing more will happen. */
const silence = 3_000;

/** Runs the traffic until all of it has left, and watches every promise in every cycle. */
export function watch(setup: Setup, traffic: Traffic): Outcome {
  const model = new SchedulerModel(setup),
    orders = new Orders(),
    waiting = new Waiting(model),
    out: { at: number; packet: Packet; entered: number }[] = [];
  const packets = [...traffic.packets],
    userOf = (p: Packet): number => must(setup.dags, p.dag).user;
  const queued: Packet[][] = Array.from({ length: setup.users }, () => []);
  let dropped = 0,
    offered = 0,
    quietSince = 0,
    turn = 0,
    wrong: string | undefined;
  const left = (): boolean => packets.length > 0 || queued.some(q => q.length > 0) || model.inside.size > 0;
  while (left() && wrong === undefined) {
    while (packets[0] !== undefined && packets[0].at <= model.now) {
      const { packet } = must(packets.splice(0, 1), 0);
      must(queued, userOf(packet)).push(packet);
    }
    for (const s of traffic.stalls) if (s.at === model.now) model.stall(s.region, s.slot, s.cycles);
    for (const u of traffic.uses) if (u.at === model.now) model.use(u.regions);
    const user = queued.findIndex((_, i) => {
      const u = (turn + i) % setup.users;
      return must(queued, u).length > 0 && model.room(u);
    });
    if (user >= 0) {
      const u = (turn + user) % setup.users,
        packet = must(queued, u).shift();
      turn = (u + 1) % setup.users;
      if (packet) model.offer(packet);
      offered++;
    }
    const events = model.step();
    for (const { entry, user: by, run } of events.started) wrong ??= waiting.check(entry, by, must(run, 0));
    for (const e of events.returned) {
      // What is dropped goes past the tasks behind it, and so past earlier packets: it has no order any more.
      if (!e.inside.dropped) wrong ??= orders.check(`stage ${e.stage}, branch ${e.branch}`, e.inside.packet);
    }
    for (const i of events.ended) {
      if (i.dropped) dropped++;
      else {
        wrong ??= orders.check("the way out", i.packet);
        out.push({ at: model.now - 1, packet: i.packet, entered: i.entered });
      }
      if (i.pending !== 0) wrong ??= `packet ${i.packet.id} left before its branches`;
    }
    wrong ??= credits(model) ?? (offered === out.length + dropped + model.inside.size ? undefined : "a packet is lost");
    if (events.started.length + events.ended.length + events.returned.length > 0) quietSince = model.now;
    const stalled = traffic.stalls.some(s => s.at <= model.now && model.now < s.at + s.cycles);
    if (!stalled && model.inside.size > 0 && model.now - quietSince > silence) wrong ??= "nothing moves any more";
  }
  for (let i = 0; i < 16 && wrong === undefined; i++) model.step();
  return { wrong: wrong ?? rest(model), cycles: model.now, out, dropped };
}

/** Credits that are free and those that are held make up the limit. */
function credits(model: SchedulerModel): string | undefined {
  const out = model.creditsOut();
  for (const [region, places] of model.deciding.places.entries())
    for (const [slot, { free, limit }] of places.entries()) {
      const held = must(must(out, region), slot);
      if (free + held !== limit || free < 0)
        return `region ${region}, slot ${slot}: ${free} credits free, ${held} held, the limit is ${limit}`;
    }
  return undefined;
}
/** At the end everything is back. */
function rest(model: SchedulerModel): string | undefined {
  for (const places of model.deciding.places)
    for (const { free, limit } of places) if (free !== limit) return `${limit - free} credits are not back`;
  if (model.deciding.queues.flat(2).some(q => q.hold || q.length > 0)) return "a queue is held or not empty";
  if (model.flows.inside !== 0 || model.flows.load.some(n => n !== 0)) return "the flow table still counts packets";
  return undefined;
}
