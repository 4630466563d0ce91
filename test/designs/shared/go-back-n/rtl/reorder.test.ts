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
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";

const parameterSets: readonly GbnReorderParameters[] = [
  {
    sessions: 8,
    metaBits: 24,
    beatBytes: 8,
    frameBytes: 64,
    waiting: 8,
    first: 0xfffe,
    patience: 1024,
  },
  {
    sessions: 16,
    metaBits: 20,
    beatBytes: 16,
    frameBytes: 128,
    waiting: 8,
    first: 3,
    patience: 512,
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
  readonly meta: number;
  readonly bytes: number;
}

/** A node that answers requests in any order, and what its clients must see. */
class Rig {
  readonly replies: StreamSource<Ports["reply"]["shape"]>;
  readonly beats: AxisSource;
  readonly silent: StreamSource<Ports["silent"]["shape"]>;
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
    this.silent = new StreamSource(b.sim, b.io.silent, { pause: pause(3) });
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
  reply(session: number, ticket: number, bytes: number, ordered = true): Item {
    const item = { session, ticket: ticket % TICKETS, ordered, meta: this.sent.length, bytes };
    this.sent.push(item);
    this.replies.send({ ordered: ordered ? 1 : 0, turn: { session, ticket: item.ticket }, meta: item.meta });
    this.beats.send(bytesOf(item));
    return item;
  }
  async settle(frames: number): Promise<void> {
    await this.#b.until(() => this.came.length >= frames && this.replies.pending === 0 && this.silent.pending === 0);
    await this.#b.cycles(30);
    expect([this.came.length, this.out.received.length]).toEqual([frames, 0]);
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
      if (never) rig.silent.send({ session, ticket: ticket % TICKETS });
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
    if (rig.replies.pending > 4 || rig.silent.pending > 4)
      await b.until(() => rig.replies.pending <= 2 && rig.silent.pending <= 2);
  }
  await rig.settle(singles + answered);
  for (let s = 0; s < p.sessions; s++)
    expect(
      rig.came.filter(c => c.item.ordered && c.item.session === s).map(c => c.item.ticket),
      `session ${s}`,
    ).toEqual(due[s]);
  expect(rig.counts.skipped + rig.counts.stale).toBe(0);
  return rig;
}
const limits = { hangCycles: 5000, limitCycles: 200_000 };

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
    },
  );
  bench("1,023 ahead waits, 1,024 ahead is none", GbnReorder(set), { seed: 9, ...limits }, async b => {
    const rig = new Rig(b);
    await b.cycles(20);
    rig.reply(1, p.first + 1023, 21);
    rig.reply(1, p.first + 1024, 22);
    rig.reply(1, p.first, 23);
    await b.cycles(50);
    expect(rig.counts).toEqual({ waited: 1, skipped: 0, stale: 1 });
    for (let i = 1; i < 1023; i++) rig.reply(1, p.first + i, 8);
    await rig.settle(1024);
    expect(rig.came.map(c => (c.item.ticket - p.first + TICKETS) % TICKETS)).toEqual(
      Array.from({ length: 1024 }, (_, i) => i),
    );
  });
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
      rig.silent.send({ session: 2, ticket: p.first });
      await rig.settle(9);
      expect(rig.came.map(c => c.item.meta)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
      expect(b.io.crowded.value).toBe(0);
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
      const after = rig.came.slice(1).map(c => c.cycle - from);
      expect(after[0]).toBeGreaterThan(p.patience);
      expect((after[1] as number) - (after[0] as number)).toBeGreaterThan(p.patience);
      expect(rig.counts.skipped).toBe(2);
      rig.reply(5, p.first, 12);
      await rig.settle(4);
      // The next one is due as if nothing had been.
      rig.reply(5, p.first + 4, 12);
      await rig.settle(5);
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
      rig.control.send({ session: 4, open: 1 });
      await b.cycles(20);
      rig.reply(4, p.first + 5000, 16);
      rig.reply(4, p.first + 1, 16);
      rig.reply(4, p.first, 16);
      rig.reply(7, p.first, 16);
      await rig.settle(5);
      expect(rig.came.map(c => c.item.meta)).toEqual([2, 5, 4, 6, 1]);
      expect(rig.counts).toEqual({ waited: 3, skipped: 0, stale: 1 });
    },
  );
  bench("a reset leaves nothing behind", GbnReorder(set), { seed: 7, ...limits }, async b => {
    b.io.reply.valid.value = 1;
    await b.cycles(30);
    b.io.reply.valid.value = 0;
    b.sim.reset();
    await traffic(b, 100, { inside: 6 });
  });

  describe("a planted fault is found", () => {
    const run = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, ...limits, seed: 4 }, b => traffic(b, 300, { inside: 8 }));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["every reply is behind", /behind = gap/, "behind = 1'b1 | gap"],
      ["of what waited only the first is released", /further = found &/, "further = 1'b0 &"],
      ["a hint is believed", /matches_ <= slot_taken &/, "matches_ <= 1'b1 |"],
      ["each that waits has a lane of its own", /lane_now = .*;/, "lane_now = lanes_pop_payload;"],
      ["a silent request is waited for", /silent_ready = /, "silent_ready = 1'b0 & "],
    ];
    for (const [name, from, to] of faults)
      test(name, async () => {
        await findsFault(run(name, plant(GbnReorder(set), from, to)));
      });
  });
});
