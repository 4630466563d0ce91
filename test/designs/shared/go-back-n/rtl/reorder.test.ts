import { beforeEach, describe, expect, test } from "vitest";
import { GbnReorder, type GbnReorderParameters } from "../../../../../designs/shared/go-back-n/rtl/reorder.ts";
import {
  AxisSink,
  AxisSource,
  type Bench,
  bernoulli,
  type Dut,
  never,
  type Pause,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../../sim/index.ts";
import { namedEvery } from "../../../../../designs/shared/go-back-n/rtl/types.ts";
import { bench } from "../../../../bench.ts";
import { allBack } from "../../../../support/all-back.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const parameterSets: readonly GbnReorderParameters[] = [
  {
    sessions: 8,
    metaBits: 24,
    beatBytes: 8,
    frameBytes: 64,
    waiting: 8,
    first: 0xfffe,
    patience: 4096,
  },
  {
    sessions: 16,
    metaBits: 20,
    beatBytes: 16,
    frameBytes: 128,
    waiting: 8,
    first: 3,
    patience: 8192,
  },
];
/** The set at hand. */
let p = parameterSets[0] as GbnReorderParameters;
type Ports = ReturnType<typeof GbnReorder>["ports"];
const TICKETS = 2 ** 16;

interface Item {
  readonly session: number;
  readonly ticket: number;
  readonly ordered: boolean;
  readonly life: number;
  readonly meta: number;
  readonly bytes: number;
}

/** A node that answers requests in any order, and what its clients must see. */
class Rig {
  readonly replies: StreamSource<Ports["reply"]["shape"]>;
  readonly beats: AxisSource;
  readonly named: StreamSource<Ports["named"]["shape"]>;
  /** Of each session. */
  readonly lives = new Map<number, number>();
  readonly control: StreamSource<Ports["control"]["shape"]>;
  readonly out: StreamSink<Ports["out"]["shape"]>;
  readonly frames: AxisSink;
  readonly counts = { waited: 0, skipped: 0, stale: 0 };
  /** Output, in order. */
  readonly came: { readonly item: Item; readonly cycle: number }[] = [];
  readonly sent: Item[] = [];
  readonly #b: Bench<Ports>;
  readonly #left: { readonly bytes: Uint8Array; readonly cycle: number }[] = [];
  constructor(b: Bench<Ports>, pause: (seed: number) => Pause = () => never) {
    this.#b = b;
    this.replies = new StreamSource(b.sim, b.io.reply, { pause: pause(1) });
    this.beats = new AxisSource(b.sim, b.io.beats, { pause: pause(2) });
    this.named = new StreamSource(b.sim, b.io.named, { pause: pause(3) });
    this.control = new StreamSource(b.sim, b.io.control, { pause: pause(4) });
    this.out = new StreamSink(b.sim, b.io.out, { pause: pause(5) });
    this.frames = new AxisSink(b.sim, b.io.outBeats, { pause: pause(6) });
    b.onEdge({
      sample: () => {
        for (const name of ["waited", "skipped", "stale"] as const) this.counts[name] += b.io.events[name].value;
        for (let f = this.frames.take(); f !== undefined; f = this.frames.take())
          this.#left.push({ bytes: f.bytes, cycle: f.end });
        while (this.#left.length > 0 && this.out.received.length > 0) {
          const f = this.#left.shift() as { readonly bytes: Uint8Array; readonly cycle: number },
            meta = this.out.take() as { readonly value: number | bigint };
          const item = this.sent[Number(meta.value)];
          if (item === undefined) throw new Error(`what goes with a frame is ${String(meta.value)}, which nobody sent`);
          expect(Buffer.from(f.bytes).equals(bytesOf(item)), `the bytes of frame ${String(meta.value)}`).toBe(true);
          this.came.push({ item, cycle: f.cycle });
        }
      },
    });
  }
  life(session: number): number {
    return this.lives.get(session) ?? 0;
  }
  /** @param life of the request's session when it came, default the present one */
  reply(session: number, ticket: number, bytes: number, ordered = true, life = this.life(session)): Item {
    const item = { session, ticket: ticket % TICKETS, ordered, life, meta: this.sent.length, bytes };
    this.sent.push(item);
    this.replies.send({ ordered: ordered ? 1 : 0, turn: { session, life, ticket: item.ticket }, meta: item.meta });
    this.beats.send(bytesOf(item));
    return item;
  }
  /** A request that is never answered, or one that is only named. */
  name(session: number, ticket: number, silent = true, life = this.life(session)): void {
    this.named.send({ turn: { session, life, ticket: ticket % TICKETS }, silent: silent ? 1 : 0 });
  }
  open(session: number, open = true): void {
    this.control.send({ session, open: open ? 1 : 0 });
    if (open) this.lives.set(session, (this.life(session) + 1) % 16);
  }
  async settle(frames: number): Promise<void> {
    await this.#b.until(() => this.came.length >= frames && this.replies.pending === 0 && this.named.pending === 0);
    await this.#b.cycles(30);
    expect([this.came.length, this.out.received.length]).toEqual([frames, 0]);
  }
  /** A reset: what was on its way out is lost. */
  reset(): void {
    this.#b.sim.reset();
    this.lives.clear();
    this.#left.length = 0;
    while (this.out.take() !== undefined);
    while (this.frames.take() !== undefined);
  }
  /** Every slot and every lane is free: as many wait for one session, and for as many sessions, as there are. */
  async allBack(): Promise<void> {
    const before = { ...this.counts },
      came = this.came.length;
    await this.#b.until(() => this.replies.pending === 0 && this.named.pending === 0);
    this.open(0);
    await this.#b.cycles(40);
    // One more than there are slots; then the one that is due, by another way, turns out to be silent.
    for (let i = p.waiting + 1; i > 0; i--) this.reply(0, p.first + i, 9);
    await allBack(this.#b, { what: "slots", count: p.waiting, had: () => this.counts.waited - before.waited });
    this.name(0, p.first);
    await this.settle(came + p.waiting + 1);
    const sessions = Array.from({ length: Math.min(p.sessions, p.waiting) }, (_, s) => s),
      { waited } = this.counts;
    for (const s of sessions) this.open(s);
    await this.#b.cycles(40 + 6 * p.waiting);
    for (const s of sessions) this.reply(s, p.first + 1, 9);
    await allBack(this.#b, { what: "lanes", count: sessions.length, had: () => this.counts.waited - waited });
    for (const s of sessions) this.reply(s, p.first, 9);
    await this.settle(came + p.waiting + 1 + 2 * sessions.length);
    expect(
      this.came.slice(came).map(({ item }) => [item.session, (item.ticket - p.first + TICKETS) % TICKETS]),
    ).toEqual([
      ...Array.from({ length: p.waiting + 1 }, (_, i) => [0, i + 1]),
      ...sessions.flatMap(s => [0, 1].map(i => [s, i])),
    ]);
    expect(this.counts).toEqual({ ...before, waited: before.waited + p.waiting + sessions.length });
    expect(this.#b.io.crowded.value).toBe(0);
  }
}
const bytesOf = (i: Item): Uint8Array => Uint8Array.from({ length: i.bytes }, (_, k) => (i.meta * 31 + k * 7) & 0xff);

/** Requests of all sessions go in; each is answered at some time, or never; single frames come between. */
async function traffic(
  b: Bench<Ports>,
  requests: number,
  o: { readonly pause?: (seed: number) => Pause; readonly inside: number },
): Promise<Rig> {
  const rig = new Rig(b, o.pause),
    r = b.random,
    next = Array.from({ length: p.sessions }, () => p.first),
    inside: { readonly session: number; readonly ticket: number }[] = [];
  const due: number[][] = next.map(() => []);
  // Requests whose turn has not passed yet: no more than can wait.
  const open: { readonly ticket: number; done: boolean }[][] = next.map(() => []);
  let seen = 0;
  const outstanding = (): number => {
    for (const { item } of rig.came.slice(seen))
      for (const t of open[item.session] ?? []) if (item.ordered && t.ticket % TICKETS === item.ticket) t.done = true;
    seen = rig.came.length;
    for (const of of open) while (of[0]?.done === true) of.shift();
    return open.reduce((n, of) => n + of.length, 0);
  };
  let singles = 0,
    given = 0,
    answered = 0;
  while (given < requests || inside.length > 0) {
    if (given < requests && outstanding() < o.inside && r.chance(0.6)) {
      const session = r.chance(0.5) ? 1 : r.between(0, p.sessions - 1),
        ticket = next[session] as number;
      next[session] = ticket + 1;
      given++;
      const never = r.chance(0.15);
      open[session]?.push({ ticket, done: never });
      if (never) rig.name(session, ticket);
      else {
        inside.push({ session, ticket });
        due[session]?.push(ticket % TICKETS);
      }
    } else if (r.chance(0.1)) {
      rig.reply(r.between(0, p.sessions - 1), r.between(0, TICKETS - 1), r.between(1, 56), false);
      singles++;
    } else {
      const [i] = inside.splice(r.between(0, Math.min(inside.length, 6) - 1), 1);
      if (i !== undefined) {
        rig.reply(i.session, i.ticket, r.between(1, 56));
        answered++;
      }
    }
    if (given < requests && inside.length === 0) await b.cycles(3);
    if (rig.replies.pending > 4 || rig.named.pending > 4)
      await b.until(() => rig.replies.pending <= 2 && rig.named.pending <= 2);
  }
  await rig.settle(singles + answered);
  for (let s = 0; s < p.sessions; s++)
    expect(
      rig.came.filter(c => c.item.ordered && c.item.session === s).map(c => c.item.ticket),
      `session ${s}`,
    ).toEqual(due[s]);
  expect(rig.counts.skipped + rig.counts.stale).toBe(0);
  await rig.allBack();
  return rig;
}

/**
 * Requests of which none is answered for as long as one likes, then some that are answered in any order, and once more,
 * in several sessions at once; sessions begin anew, and what their requests before are answered comes late. Every reply
 * of a session's life comes, in order; none of an earlier life does.
 */
async function dropped(b: Bench<Ports>, rounds: number, longest: number): Promise<Rig> {
  const rig = new Rig(b),
    r = b.random,
    sessions = [0, 1, 2, 3],
    next = sessions.map(() => p.first),
    most = p.waiting / sessions.length / 2;
  await b.cycles(40);
  let old: { readonly session: number; readonly ticket: number; readonly life: number }[] = [];
  const begin = async (session: number): Promise<void> => {
    rig.open(session);
    next[session] = p.first;
    await b.until(() => rig.control.pending === 0);
    await b.cycles(80);
    // What is still named or answered of the life before.
    for (const o of old.filter(o => o.session === session && o.life !== rig.life(session)).slice(-2)) {
      rig.name(session, o.ticket, r.chance(0.5), o.life);
      rig.reply(session, o.ticket, 11, true, o.life);
    }
  };
  /** @returns the tickets that are answered, in order */
  const requests = async (session: number): Promise<readonly number[]> => {
    const from = next[session] as number,
      gone = r.pick([0, 1, 2, 900, 1022, 1023, 1024, 1025, 1100, 2048, 5000, r.between(0, longest), longest]),
      answered = Array.from({ length: r.between(1, most) }, (_, i) => from + gone + i),
      end = from + gone + answered.length;
    for (let t = from; t < end; t++) if (t % namedEvery === 0) rig.name(session, t, false);
    next[session] = end;
    await b.until(() => rig.named.pending === 0);
    for (const t of r.shuffle(answered)) {
      rig.reply(session, t, r.between(1, 40));
      old.push({ session, ticket: t, life: rig.life(session) });
    }
    await b.until(() => rig.replies.pending === 0);
    return answered;
  };
  for (let round = 0; round < rounds; round++) {
    for (const s of sessions) if (r.chance(0.15)) await begin(s);
    const came = rig.came.length,
      due = sessions.map((): number[] => []),
      from = b.cycle;
    for (const s of [...sessions, ...r.shuffle(sessions)]) due[s]?.push(...(await requests(s)));
    const all = came + due.flat().length;
    await b.until(() => rig.came.length >= all);
    // Seen twice, and the steps to it.
    expect(b.cycle - from).toBeLessThan(2.2 * p.patience + 8 * 4 * 1024);
    await rig.settle(all);
    for (const s of sessions)
      expect(
        rig.came
          .slice(came)
          .filter(c => c.item.session === s)
          .map(c => [c.item.life, c.item.ticket]),
        `round ${round}, session ${s}`,
      ).toEqual((due[s] as number[]).map(t => [rig.life(s), t % TICKETS]));
    old = old.slice(-200);
  }
  await rig.allBack();
  return rig;
}

/**
 * Who waits is not forgotten while another session's replies come without end, nor given up too early: not in a slot
 * that others had before, whenever they came.
 */
async function ageing(b: Bench<Ports>, rounds: number): Promise<Rig> {
  const rig = new Rig(b);
  await b.cycles(40);
  for (let round = 0; round < rounds; round++) {
    // Short waits, for longer than the patience.
    const begun = b.cycle,
      before = rig.came.length;
    let short = 0;
    for (; b.cycle - begun < 2.5 * p.patience; short += 2) {
      rig.reply(7, p.first + short + 1, 8);
      await b.cycles(b.random.between(50, p.patience / 4));
      rig.reply(7, p.first + short, 8);
    }
    await rig.settle(before + short);
    expect(rig.counts.skipped).toBe(3 * round);

    const session = 2 + (round % 4),
      came = rig.came.length,
      from = b.cycle;
    rig.reply(session, p.first + 3, 10);
    let other = 0,
      looked = came,
      left: number | undefined;
    await b.until(() => {
      if (rig.replies.pending < 3) rig.reply(1, p.first + other++, 8);
      if (rig.control.pending === 0 && b.random.chance(0.1)) rig.open(6);
      for (; looked < rig.came.length; looked++)
        if (rig.came[looked]?.item.session === session) left = rig.came[looked]?.cycle;
      return left !== undefined || b.cycle - from > 4 * p.patience;
    });
    const waited = (left ?? Infinity) - from;
    expect(waited).toBeGreaterThan(p.patience);
    expect(waited).toBeLessThan(2.1 * p.patience);
    await b.until(() => rig.replies.pending === 0);
    for (const s of [1, session, 7]) rig.open(s);
    await b.cycles(60);
  }
  await rig.allBack();
  return rig;
}
/**
 * Sessions begin anew (or are closed, and opened later) while replies and silent requests wait, all slots taken or not:
 * what waited is dropped, of that session only, and the others go on.
 */
async function anew(b: Bench<Ports>, rounds: number): Promise<Rig> {
  const rig = new Rig(b),
    r = b.random,
    sessions = [0, 1, 2, 3],
    next = sessions.map(() => p.first);
  await b.cycles(40);
  for (let round = 0; round < rounds; round++) {
    const ahead = sessions.map(s => {
      const first = next[s] as number;
      return Array.from({ length: r.between(0, p.waiting / 4) }, (_, i) => ({
        ticket: first + 1 + i,
        silent: r.chance(0.3),
      }));
    });
    for (const s of sessions)
      for (const { ticket, silent } of r.shuffle(ahead[s] ?? []))
        if (silent) rig.name(s, ticket);
        else rig.reply(s, ticket, r.between(1, 40));
    await b.until(() => rig.named.pending === 0 && rig.replies.pending === 0);
    for (const s of sessions)
      if (r.chance(0.4)) {
        const life = rig.life(s),
          opened = r.chance(0.8);
        if (!opened || r.chance(0.3)) rig.open(s, false);
        if (opened) rig.open(s);
        await b.until(() => rig.control.pending === 0);
        for (const { ticket } of ahead[s] ?? []) if (opened && r.chance(0.5)) rig.reply(s, ticket, 9, true, life);
        ahead[s] = [];
        next[s] = p.first;
      }
    const came = rig.came.length,
      due = sessions.map(s => [next[s] as number, ...(ahead[s] ?? []).filter(a => !a.silent).map(a => a.ticket)]);
    for (const s of r.shuffle(sessions)) rig.reply(s, next[s] as number, r.between(1, 40));
    await rig.settle(came + due.flat().length);
    for (const s of sessions) {
      expect(
        rig.came
          .slice(came)
          .filter(c => c.item.session === s)
          .map(c => c.item.ticket),
        `round ${round}, session ${s}`,
      ).toEqual((due[s] as number[]).map(t => t % TICKETS));
      next[s] = (next[s] as number) + 1 + (ahead[s]?.length ?? 0);
    }
  }
  expect(rig.counts.skipped).toBe(0);
  await rig.allBack();
  return rig;
}
const limits = { hangCycles: 60_000, limitCycles: 2_000_000 };

describe.each(parameterSets)("GbnReorder, $sessions sessions, beats of $beatBytes bytes", set => {
  beforeEach(() => {
    p = set;
  });
  bench(
    "any order of completion, silent requests, single frames, back-pressure: each session's replies in the order of its requests",
    GbnReorder(set),
    { seed: 4, ...limits },
    async b => {
      const rig = await traffic(b, 1200, { inside: 8, pause: seed => bernoulli(0.2, seed) });
      expect(rig.counts.waited).toBeGreaterThan(150);
    },
  );
  bench(
    "back to back: a frame of 2 beats every 2 cycles, of 1 beat every 2 cycles; 2 cycles from the entry to the way out",
    GbnReorder(set),
    { seed: 1, ...limits },
    async b => {
      const rig = new Rig(b);
      await b.cycles(20);
      for (const [bytes, cycles] of [
        [16, 2],
        [8, 2],
      ] as const) {
        const from = rig.came.length,
          begun = b.cycle,
          base = rig.sent.filter(i => i.ordered).length;
        for (let i = 0; i < 40; i++) rig.reply(3, p.first + base + i, bytes);
        let first = 0;
        b.onEdge({
          sample: cycle => {
            if (first === 0 && b.io.outBeats.valid.value === 1) first = cycle;
          },
        });
        await rig.settle(from + 40);
        const times = rig.came.slice(from).map(c => c.cycle);
        expect((times.at(-1) as number) - (times[0] as number), `${bytes} bytes`).toBe(39 * cycles);
        // Chosen, done, and then the beat a cycle later through the register at the end.
        expect(first - begun, `${bytes} bytes`).toBeLessThanOrEqual(5);
      }
      await rig.allBack();
    },
  );
  bench(
    "while others of the session wait: a frame every 5 cycles; of another session every 2; a frame that has waited every 6",
    GbnReorder(set),
    { seed: 5, ...limits },
    async b => {
      const rig = new Rig(b),
        gaps = (from: number): number[] =>
          rig.came
            .slice(from)
            .map((c, i, all) => c.cycle - (all[i - 1]?.cycle ?? c.cycle))
            .slice(1);
      await b.cycles(20);
      rig.reply(3, p.first + 20, 8);
      for (let i = 0; i < 19; i++) rig.reply(3, p.first + i, 8);
      await rig.settle(19);
      expect(gaps(0)).toEqual(Array.from({ length: 18 }, () => 5));
      for (let i = 0; i < 20; i++) rig.reply(2, p.first + i, 8);
      await rig.settle(39);
      expect(gaps(19)).toEqual(Array.from({ length: 19 }, () => 2));
      for (let i = 1; i <= 6; i++) rig.reply(5, p.first + i, 8);
      rig.reply(5, p.first, 8);
      await rig.settle(46);
      expect(gaps(39).slice(1)).toEqual(Array.from({ length: 5 }, () => 6));
      // The one that has waited from the start is due behind the one that lacked.
      rig.reply(3, p.first + 19, 8);
      await rig.settle(48);
      await rig.allBack();
    },
  );
  bench(
    "several frames of one reply that is ahead: all wait, and all leave in its turn",
    GbnReorder(set),
    { seed: 8, ...limits },
    async b => {
      const rig = new Rig(b);
      await b.cycles(20);
      // Entries of an earlier round in the table lead to slots that are taken again.
      for (let round = 0; round < 6; round++) {
        const from = p.first + 3 * round,
          before = rig.came.length;
        for (let i = 0; i < 3; i++) rig.reply(2, from + 1, 20 + i);
        rig.reply(6, from, 9);
        rig.reply(2, from + 2, 30);
        rig.reply(2, from + 2, 31);
        rig.reply(6, from + 2, 9);
        await b.cycles(80);
        expect(rig.came.length).toBe(before + 1);
        rig.reply(2, from, 12);
        rig.reply(6, from + 1, 12);
        await rig.settle(before + 9);
        for (const session of [2, 6]) {
          const tickets = rig.came
            .slice(before)
            .filter(c => c.item.session === session)
            .map(c => (c.item.ticket - from + TICKETS) % TICKETS);
          expect(tickets).toEqual(session === 2 ? [0, 1, 1, 1, 2, 2] : [0, 1, 2]);
        }
      }
      expect(rig.counts).toEqual({ waited: 36, skipped: 0, stale: 0 });
      await rig.allBack();
    },
  );
  bench(
    "1,023 ahead waits; for 1,024 ahead one is given up, not more",
    GbnReorder({ ...set, patience: 65536 }),
    { seed: 9, ...limits },
    async b => {
      const rig = new Rig(b);
      await b.cycles(20);
      rig.reply(1, p.first + 1023, 21);
      await b.cycles(50);
      expect(rig.counts).toEqual({ waited: 1, skipped: 0, stale: 0 });
      rig.reply(1, p.first + 1024, 22);
      await b.cycles(50);
      expect([rig.counts, rig.came.length]).toEqual([{ waited: 2, skipped: 1, stale: 0 }, 0]);
      for (let i = 1; i < 1023; i++) rig.reply(1, p.first + i, 8);
      rig.reply(1, p.first, 23);
      await rig.settle(1025);
      expect(rig.came.map(c => (c.item.ticket - p.first + TICKETS) % TICKETS)).toEqual([
        ...Array.from({ length: 1024 }, (_, i) => i + 1),
        0,
      ]);
      await rig.allBack();
    },
  );
  bench(
    "far ahead of some that wait: they leave first and in order, and only what is too far behind is given up",
    GbnReorder({ ...set, patience: 65536 }),
    { seed: 10, ...limits },
    async b => {
      const rig = new Rig(b),
        t = (...n: readonly number[]): number[] => n.map(i => (p.first + i) % TICKETS);
      await b.cycles(20);
      for (const i of [4, 2, 900, 3, 1000]) rig.reply(2, p.first + i, 20);
      rig.reply(2, p.first + 1700, 20);
      await b.until(() => rig.came.length === 3);
      // Three cycles for each that is given up.
      await b.cycles(3 * 677 + 60);
      expect([rig.counts.waited, rig.replies.pending]).toEqual([6, 0]);
      await b.cycles(2000);
      expect(rig.came.map(c => c.item.ticket)).toEqual(t(2, 3, 4));
      // 677 is due now, and everything from there on comes in order.
      for (let i = 677; i < 1700; i++) if (i !== 900 && i !== 1000) rig.reply(2, p.first + i, 8);
      await rig.settle(3 + 1024);
      expect(rig.came.slice(3).map(c => c.item.ticket)).toEqual(t(...Array.from({ length: 1024 }, (_, i) => i + 677)));
      await rig.allBack();
    },
  );
  bench(
    "dropped in a row, up to 60,000, in several sessions that begin anew now and then: all that is answered comes, in order",
    GbnReorder({ ...set, waiting: 32 }),
    { seed: 11, ...limits },
    async b => {
      p = { ...set, waiting: 32 };
      const rig = await dropped(b, 20, 60_000);
      expect(rig.counts.stale).toBeGreaterThan(5);
      expect(rig.counts.skipped).toBeGreaterThan(1000);
    },
  );
  bench(
    "of an earlier life: replies are dropped, names are forgotten, whatever their tickets are",
    GbnReorder(set),
    { seed: 12, ...limits },
    async b => {
      const rig = new Rig(b);
      await b.cycles(20);
      const ages = [0, 1, 2, 1023, 1024, 5000, 32767, 32768, 65535];
      for (let life = 0; life < 17; life++) {
        for (const i of ages)
          for (const before of [1, 15]) {
            const of = (rig.life(3) + 16 - before) % 16;
            rig.name(3, p.first + i, true, of);
            rig.name(3, p.first + i, false, of);
            rig.reply(3, p.first + i, 10, true, of);
          }
        await b.until(() => rig.replies.pending === 0 && rig.named.pending === 0);
        await b.cycles(20);
        expect(rig.counts).toEqual({ waited: life, skipped: 0, stale: 2 * ages.length * (life + 1) });
        // The first is due still; a closed session has the life that it had.
        rig.reply(3, p.first + 1, 10);
        rig.reply(3, p.first, 10);
        await rig.settle(2 * (life + 1));
        rig.open(3, false);
        rig.open(3);
        await b.until(() => rig.control.pending === 0);
      }
      await rig.allBack();
    },
  );
  bench(
    "a name brings back what is due when a reply of very long ago has led it away",
    GbnReorder(set),
    { seed: 13, ...limits },
    async b => {
      const rig = new Rig(b);
      await b.cycles(20);
      for (let i = 0; i < 3; i++) rig.reply(1, p.first + i, 10);
      await rig.settle(3);
      // 40,000 requests ago, or 25,536 ahead.
      rig.reply(1, p.first + 3 - 40_000 + TICKETS, 10);
      rig.reply(1, p.first + 3, 10);
      await b.cycles(30);
      expect(rig.came.map(c => c.item.meta)).toEqual([0, 1, 2, 4]);
      rig.name(1, p.first + 5, false);
      await b.cycles(3 * 1024 + 50);
      // Who waits has gone, and order is kept again.
      expect(rig.came.map(c => c.item.meta)).toEqual([0, 1, 2, 4, 3]);
      for (const i of [6, 4, 5]) rig.reply(1, p.first + i, 10);
      await rig.settle(8);
      expect(rig.came.slice(5).map(c => c.item.ticket)).toEqual([4, 5, 6].map(i => (p.first + i) % TICKETS));
      await rig.allBack();
    },
  );
  bench(
    "who waits is not forgotten while another session's replies come without end, nor given up too early",
    GbnReorder(set),
    { seed: 14, ...limits },
    async b => {
      await ageing(b, 4);
    },
  );
  bench(
    "full: the entry waits for the reply that is due, which then comes by another way; half full is crowded",
    GbnReorder(set),
    { seed: 2, ...limits },
    async b => {
      const rig = new Rig(b);
      await b.cycles(20);
      expect(b.io.crowded.value).toBe(0);
      for (let i = 1; i <= 8; i++) rig.reply(2, p.first + i, 20);
      await b.cycles(100);
      expect([rig.came.length, rig.counts.waited, b.io.crowded.value]).toEqual([0, 8, 1]);
      rig.reply(2, p.first + 9, 20);
      await b.cycles(50);
      expect(rig.replies.pending).toBe(1);
      // Request 0 turns out to be one without a reply.
      rig.name(2, p.first);
      await rig.settle(9);
      expect(rig.came.map(c => c.item.meta)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
      expect(b.io.crowded.value).toBe(0);
      await rig.allBack();
    },
  );
  bench(
    "a reply that never comes is given up after the patience, and passes when it comes after all",
    GbnReorder(set),
    { seed: 3, ...limits },
    async b => {
      const rig = new Rig(b);
      await b.cycles(20);
      rig.reply(5, p.first + 1, 30);
      rig.reply(5, p.first + 3, 30);
      rig.reply(6, p.first, 10);
      const from = b.cycle;
      await b.until(() => rig.came.length === 3);
      expect(rig.came.map(c => c.item.meta)).toEqual([2, 0, 1]);
      for (const c of rig.came.slice(1)) {
        expect(c.cycle - from).toBeGreaterThan(p.patience);
        expect(c.cycle - from).toBeLessThan(2.1 * p.patience);
      }
      expect(rig.counts.skipped).toBe(2);
      rig.reply(5, p.first, 12);
      await rig.settle(4);
      // The next one is due as if nothing had been.
      rig.reply(5, p.first + 4, 12);
      await rig.settle(5);
      await rig.allBack();
    },
  );
  bench(
    "a session begins anew: what waited is dropped, and a reply to a request of long before",
    GbnReorder(set),
    { seed: 6, ...limits },
    async b => {
      const rig = new Rig(b);
      await b.cycles(20);
      rig.reply(4, p.first + 2, 30);
      rig.reply(7, p.first + 1, 30);
      rig.reply(4, p.first, 8);
      await rig.settle(1);
      rig.open(4);
      await b.cycles(20);
      rig.reply(4, p.first + 1, 16, true, 0);
      rig.reply(4, p.first + 1, 16);
      rig.reply(4, p.first, 16);
      rig.reply(7, p.first, 16);
      await rig.settle(5);
      expect(rig.came.map(c => c.item.meta)).toEqual([2, 5, 4, 6, 1]);
      expect(rig.counts).toEqual({ waited: 3, skipped: 0, stale: 1 });
      await rig.allBack();
    },
  );
  bench(
    "sessions begin anew while replies and silent requests wait: all slots and lanes come back",
    GbnReorder(set),
    { seed: 15, ...limits },
    async b => {
      const rig = await anew(b, 60);
      expect(rig.counts.stale).toBeGreaterThan(10);
    },
  );
  bench(
    "a reset at any moment of a release: nothing comes after it",
    GbnReorder(set),
    { seed: 17, ...limits },
    async b => {
      const rig = new Rig(b);
      for (let moment = 0; moment < 24; moment++) {
        await b.cycles(60);
        for (let i = 1; i <= 6; i++) rig.reply(2, p.first + i, 8);
        await b.until(() => rig.replies.pending === 0);
        await b.cycles(10);
        rig.name(2, p.first);
        await b.until(() => rig.named.pending === 0);
        await b.cycles(moment);
        rig.reset();
        const came = rig.came.length;
        await b.cycles(60);
        expect([rig.came.length - came, rig.out.received.length], `${moment} cycles after the turn`).toEqual([0, 0]);
        await rig.allBack();
        rig.reset();
      }
    },
  );
  bench(
    "no slot is free, and the next name must wait for one: the reply that is due passes it",
    GbnReorder(set),
    { seed: 16, ...limits },
    async b => {
      const rig = new Rig(b);
      await b.cycles(20);
      expect(b.io.crowded.value).toBe(0);
      for (let i = 1; i <= p.waiting; i++) {
        rig.reply(2, p.first + i, 20);
        await b.until(() => rig.replies.pending === 0);
        await b.cycles(10);
        expect(b.io.crowded.value, `${i} wait`).toBe(i >= p.waiting / 2 ? 1 : 0);
      }
      rig.name(2, p.first + p.waiting + 1);
      await b.cycles(50);
      expect([rig.came.length, rig.named.pending]).toEqual([0, 1]);
      rig.reply(2, p.first, 20);
      await rig.settle(p.waiting + 1);
      rig.reply(2, p.first + p.waiting + 2, 20);
      await rig.settle(p.waiting + 2);
      await rig.allBack();
    },
  );
  bench("a reset leaves nothing behind", GbnReorder(set), { seed: 7, ...limits }, async b => {
    b.io.reply.valid.value = 1;
    await b.cycles(30);
    b.io.reply.valid.value = 0;
    b.sim.reset();
    // Many wait, of lives after the first, and what is due has moved.
    const rig = new Rig(b);
    await b.cycles(40);
    for (const s of [1, 2, 3]) {
      rig.open(s);
      for (const i of [0, 1, 3, 5]) rig.reply(s, p.first + i, 10);
    }
    await rig.settle(6);
    b.sim.reset();
    rig.lives.clear();
    await b.cycles(40);
    for (const s of [1, 2, 3]) {
      rig.reply(s, p.first, 10);
      await rig.settle(6 + s);
    }
    await rig.allBack();
  });

  testOfResets(GbnReorder(set), {}, b => traffic(b, 300, { inside: 8, pause: seed => bernoulli(0.2, seed) }));

  describe("a planted fault is found", () => {
    const limited = { wave: false, hangCycles: 20_000, seed: 4 };
    const run = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { ...limited, limitCycles: 200_000 }, b => traffic(b, 300, { inside: 8 }));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["every reply is behind", /behind = now & gap/, "behind = now | gap"],
      ["of what waited only the first is released", /further = found &/, "further = 1'b0 &"],
      ["a hint is believed", /matches_ <= slot_taken &/, "matches_ <= 1'b1 |"],
      ["each that waits has a lane of its own", /lane_now = .*;/, "lane_now = lanes_pop_payload;"],
      ["a silent request is waited for", /named_ready = /, "named_ready = 1'b0 & "],
      ["a lane does not come back", /closes_lane <= listed [^;]*;/, "closes_lane <= listed;"],
      [
        "a slot that was silent does not come back",
        /freed = release_ & \(sends \| quiet\)/,
        "freed = release_ & sends & ~quiet",
      ],
    ];
    for (const [name, from, to] of faults)
      test(name, async () => {
        await findsFault(run(name, plant(GbnReorder(set), from, to)));
      });

    const many = { ...set, waiting: 32 };
    const gaps = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { ...limited, limitCycles: 1_000_000 }, b => {
        p = many;
        return dropped(b, 12, 60_000);
      });
    test("and nothing without one", async () => {
      await gaps("no fault", GbnReorder(many));
    });
    const ofGaps: readonly (readonly [string, string | RegExp, string])[] = [
      [
        "far ahead is of an earlier life",
        /stale = reply_payload_ordered & ~now;/,
        "stale = reply_payload_ordered & (~now | far);",
      ],
      ["what is due does not leap", /leaps = catches & alone/, "leaps = 1'b0"],
      ["it leaps over those that wait", /leaps = catches & alone/, "leaps = catches"],
      ["it leaps to the reply itself", /leap = turn_ticket - 16'd\d+/, "leap = turn_ticket"],
      ["an earlier life's are taken for this one's", /now = turn_life == was_life/, "now = 1'b1"],
      ["the life is written back as it was", /& op_open/, "& 1'b0"],
      ["names of how far a session is are forgotten", /\(\(far \| lost\) & passed\)/, "1'b0"],
      ["such a name is a turn", /op_silent <= [^;]*;/, "op_silent <= plain & named_first;"],
    ];
    for (const [name, from, to] of ofGaps)
      test(name, async () => {
        await findsFault(gaps(name, plant(GbnReorder(many), from, to)));
      });

    const begins = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { ...limited, limitCycles: 60_000 }, b => anew(b, 30));
    const ofBegins: typeof faults = [
      ["a slot whose session begins anew does not come back", /listed \| freed \| flushed_1/, "listed | freed"],
      ["nor does its lane", /\| \(restarts & ~alone\)/, ""],
      ["the last slot is not looked at", /if \(&slot\)/, "if (&slot[$bits(slot)-1:1])"],
      ["every session's slots are dropped", /drops <= slot_taken &[^;]*;/, "drops <= slot_taken;"],
      ["a closed session has a new life", /restarts & op_open/, "restarts"],
      [
        "a session that is closed goes on",
        /restarts = decide & op_control/,
        "restarts = decide & op_control & op_open",
      ],
    ];
    for (const [name, from, to] of ofBegins)
      test(name, async () => {
        await findsFault(begins(name, plant(GbnReorder(set), from, to)));
      });
    test("one slot is lost when its session begins anew beside a reply that comes", async () => {
      // The others nearly always suffice, so only who takes them all at the end sees it.
      const few = { ...limited, limitCycles: 30_000 },
        lost = "frees <= listed | freed | (flushed_1 & ~(reply_valid & slot == 3'd5))";
      await findsFault(
        runBench("a slot is lost", plant(GbnReorder(set), /frees <= listed \| freed \| flushed_1/, lost), few, b =>
          anew(b, 30),
        ),
        /slots that can be had at the end/,
      );
    });
    const ages = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { ...limited, limitCycles: 300_000 }, b => ageing(b, 2));
    const ofAges: typeof faults = [
      ["nobody grows old", /impatient <= [^;]*;/, "impatient <= 1'b0;"],
      ["what waits is old at once", /old = probed & seen\[probe\]/, "old = probed"],
      ["a slot's age is not forgotten", /if \(visits \| keeping\) seen/, "if (visits) seen"],
      ["one slot is never looked at", /visits & ~old\)/, "visits & ~old & ~&probe)"],
      [
        "the clock stands while others go on",
        /clock <= clock \+ 16'd1|clock <= clock \+ \d+'d1/,
        "clock <= (steps | freed) ? 0 : clock + 1",
      ],
    ];
    for (const [name, from, to] of ofAges)
      test(name, async () => {
        await findsFault(ages(name, plant(GbnReorder(set), from, to)));
      });
  });
});
