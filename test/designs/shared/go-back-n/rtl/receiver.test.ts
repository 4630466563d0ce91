import { describe, expect, test } from "vitest";
import {
  gbnFirst,
  gbnVerdict,
  type GbnVerdict,
  gbnWindow,
} from "../../../../../designs/shared/go-back-n/wire/index.ts";
import { type GbnAnswer, GbnReceiverModel } from "../../../../../designs/shared/go-back-n/software/index.ts";
import { GbnReceiver, type GbnReceiverParameters } from "../../../../../designs/shared/go-back-n/rtl/receiver.ts";
import {
  type Bench,
  bernoulli,
  bursts,
  type Dut,
  never,
  type Pause,
  runBench,
  StreamSource,
} from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const parameterSets: readonly Partial<GbnReceiverParameters>[] = [
  {},
  { first: 0xffff_fff0 },
  { sessions: 256, window: 32, identityBits: 20, addressBits: 33, ackEvery: 12, ackCycles: 1024, first: 77 },
];
const parameters = (o: Partial<GbnReceiverParameters> = {}): GbnReceiverParameters => ({
  sessions: 1024,
  sequenceBits: 32,
  window: gbnWindow,
  identityBits: 58,
  addressBits: 64,
  ackEvery: 100,
  ackCycles: 4096,
  first: gbnFirst,
  ...o,
});
type Ports = ReturnType<typeof GbnReceiver>["ports"];
interface Packet {
  readonly session: number;
  readonly sequence: number;
  readonly control: boolean;
  readonly identity: bigint;
  readonly address: bigint;
}
interface Operation {
  readonly packet?: Packet;
  readonly control?: { readonly session: number; readonly open: boolean };
}
interface Given {
  readonly cycle: number;
  readonly session: number;
  readonly nack: boolean;
  readonly sequence: number;
}
const names = Object.fromEntries(Object.entries(gbnVerdict).map(([n, v]) => [v, n])) as Record<number, GbnVerdict>;

/**
 * Holds every verdict and every answer against the model, cycle by cycle. Answers of the timer must be wanted, and
 * come in time.
 */
class Rig {
  readonly model = new Map<number, GbnReceiverModel>();
  readonly verdicts: { readonly cycle: number; readonly verdict: GbnVerdict }[] = [];
  /** The most openings of a session. */
  get lives(): number {
    return Math.max(...[...this.model.values()].map(m => m.life));
  }
  readonly answers: Given[] = [];
  readonly taken: number[] = [];
  timers = 0;
  /** Packets accepted with number 0. */
  wrapped = 0;
  readonly packets: StreamSource<Ports["packet"]["shape"]>;
  readonly control: StreamSource<Ports["control"]["shape"]>;
  readonly #b: Bench<Ports>;
  readonly #p: GbnReceiverParameters;
  readonly #sent: Packet[] = [];
  readonly #controls: { readonly session: number; readonly open: boolean }[] = [];
  readonly #peers = new Map<number, Packet>();
  #last: Operation | undefined;
  #expected:
    | {
        readonly verdict?: GbnVerdict;
        readonly life?: number;
        readonly answer?: GbnAnswer & { readonly session: number };
        readonly timer: boolean;
        readonly room: boolean;
      }
    | undefined;

  constructor(
    b: Bench<Ports>,
    p: GbnReceiverParameters,
    o: { readonly packet?: Pause; readonly control?: Pause; readonly room?: () => boolean } = {},
  ) {
    this.#b = b;
    this.#p = p;
    this.packets = new StreamSource(b.sim, b.io.packet, { pause: o.packet ?? never });
    this.control = new StreamSource(b.sim, b.io.control, { pause: o.control ?? never });
    b.io.answerRoom.value = 1;
    b.onEdge({
      sample: c => this.#sample(c),
      drive: () => {
        b.io.answerRoom.value = o.room === undefined || o.room() ? 1 : 0;
      },
    });
  }
  session(n: number): GbnReceiverModel {
    let m = this.model.get(n);
    if (m === undefined)
      this.model.set(n, (m = new GbnReceiverModel({ ackEvery: this.#p.ackEvery, first: this.#p.first })));
    return m;
  }
  send(packet: Partial<Packet> & Pick<Packet, "session" | "sequence">): void {
    const full = { control: false, identity: BigInt(packet.session) + 7n, address: 5n, ...packet };
    this.#sent.push(full);
    this.packets.send({
      session: full.session,
      sequence: full.sequence >>> 0,
      control: full.control ? 1 : 0,
      peer: { identity: full.identity, address: full.address },
    });
  }
  open(session: number, open: boolean): void {
    this.#controls.push({ session, open });
    this.control.send({ session, open: open ? 1 : 0 });
  }
  /** Until all is judged. */
  async finish(): Promise<void> {
    await this.#b.until(() => this.#sent.length === 0 && this.#controls.length === 0);
    await this.#b.cycles(4);
  }

  #sample(cycle: number): void {
    const io = this.#b.io;
    // Result of the operation of two cycles ago.
    const e = this.#expected,
      where = `cycle ${cycle}`;
    const seen =
      io.answer.valid.value === 1
        ? {
            cycle,
            session: Number(io.answer.answer.session.value),
            nack: io.answer.answer.nack.value === 1,
            sequence: Number(io.answer.answer.sequence.big),
          }
        : undefined;
    expect(io.verdict.valid.value === 1 ? names[io.verdict.what.value] : undefined, where).toBe(e?.verdict);
    if (e?.verdict !== undefined) {
      this.verdicts.push({ cycle, verdict: e.verdict });
      expect(io.verdict.life.value, `${where}: the session's life`).toBe(e.life);
    }
    if (seen !== undefined && e?.timer === true) {
      expect(e.room, `${where}: an answer without room`).toBe(true);
      const { session, nack, sequence } = seen;
      expect({ nack, sequence }, `${where}: the timer's ACK for session ${session}`).toEqual(
        this.session(session).timer(),
      );
      this.timers++;
    } else
      expect(
        seen === undefined ? undefined : { nack: seen.nack, sequence: seen.sequence, session: seen.session },
        where,
      ).toEqual(e?.answer);
    if (seen !== undefined) {
      const peer = this.#peers.get(seen.session) as Packet;
      expect([io.answer.answer.peer.identity.big, io.answer.answer.peer.address.big], `${where}: peer`).toEqual([
        peer.identity,
        peer.address,
      ]);
      this.answers.push(seen);
    }
    // The operation of the last cycle meets the room of this one.
    this.#expected = this.#judge(this.#last, io.answerRoom.value === 1);
    const packet = io.packet.valid.value === 1 && io.packet.ready.value === 1 ? this.#sent.shift() : undefined;
    const control = io.control.valid.value === 1 && io.control.ready.value === 1 ? this.#controls.shift() : undefined;
    if (packet !== undefined) this.taken.push(cycle);
    this.#last = packet !== undefined ? { packet } : control !== undefined ? { control } : undefined;
  }
  #judge(o: Operation | undefined, room: boolean) {
    if (o?.control !== undefined) {
      this.session(o.control.session).start(o.control.open);
      return { timer: false, room };
    }
    if (o?.packet === undefined) return { timer: true, room };
    const { session, sequence, identity, control } = o.packet;
    const { verdict, answer } = this.session(session).receive(sequence >>> 0, String(identity), { control, room });
    if (verdict === "accepted" && !control) this.#peers.set(session, o.packet);
    if (verdict === "accepted" && !control && sequence >>> 0 === 0) this.wrapped++;
    const { life } = this.session(session);
    return { verdict, life, timer: false, room, ...(answer === undefined ? {} : { answer: { ...answer, session } }) };
  }
}

/** Sessions that each have a sender over a channel that loses, repeats and reorders. */
async function channel(
  b: Bench<Ports>,
  p: GbnReceiverParameters,
  packets: number,
  o: ConstructorParameters<typeof Rig>[2] & { readonly sessions?: number } = {},
): Promise<Rig> {
  const rig = new Rig(b, p, o),
    n = o.sessions ?? p.sessions - 1;
  for (let i = 0; i < packets;) {
    // A burst, from where the sessions stand now.
    const next = new Map<number, number>();
    for (const end = i + b.random.between(1, 64); i < end; i++) {
      const session = 1 + (b.random.chance(0.5) ? i % n : b.random.between(0, n - 1));
      const at = next.get(session) ?? rig.session(session).expected;
      const step = b.random.chance(0.75)
        ? 0
        : b.random.pick([
            1,
            2,
            b.random.between(1, p.window - 1),
            -1,
            -2,
            -b.random.between(1, p.window),
            0x7fff_ffff,
            -0x8000_0000,
          ]);
      const stranger = b.random.chance(0.03),
        control = b.random.chance(0.1);
      rig.send({
        session,
        sequence: at + step,
        control,
        ...(stranger ? { identity: b.random.bits(p.identityBits) } : {}),
        address: b.random.bits(p.addressBits),
      });
      if (step === 0 && !stranger && !control) next.set(session, at + 1);
    }
    if (b.random.chance(0.3)) rig.open(1 + b.random.between(0, n - 1), b.random.chance(0.9));
    await rig.finish();
  }
  return rig;
}

/**
 * The timer, to the cycle: it looks at one session after the other, as often as it says when nobody else wants the
 * table, 64 cycles later under packets in every cycle, and not at all while sessions are opened.
 */
async function timers(b: Bench<Ports>, p: GbnReceiverParameters): Promise<void> {
  const rig = new Rig(b, p),
    interval = p.ackCycles / p.sessions,
    all = Array.from({ length: p.sessions }, (_, s) => s),
    next = all.map(() => p.first),
    busy = 4;
  const packet = (session: number): void => {
    rig.send({ session, sequence: next[session] as number });
    next[session] = (next[session] as number) + 1;
  };
  const looks = (from: number): readonly Given[] => rig.answers.slice(from);
  const inTurn = (given: readonly Given[], cycles: number, left: (session: number) => boolean): void => {
    const [first] = given as [Given],
      seen = all.map(i => (first.session + i) % p.sessions).filter(left);
    expect(given.map(g => g.session)).toEqual(seen);
    expect(given.map(g => g.cycle - first.cycle)).toEqual(
      seen.map(s => ((s - first.session + p.sessions) % p.sessions) * cycles),
    );
  };
  await b.cycles(p.sessions + 4);
  for (const s of all) packet(s);
  await rig.finish();
  const alone = rig.answers.length;
  await b.cycles(p.ackCycles + 8);
  // One may have been looked at between its packet and the last one.
  inTurn(
    looks(0).slice(alone === 0 ? 0 : alone),
    interval,
    s =>
      !looks(0)
        .slice(0, alone)
        .some(g => g.session === s),
  );

  const before = rig.answers.length;
  for (const s of all) if (s !== busy) packet(s);
  for (let i = 0; i < 2 * (p.ackCycles + 64 * p.sessions); i++)
    rig.send({ session: busy, sequence: next[busy] as number, control: true });
  await rig.finish();
  inTurn(looks(before), interval + 64, s => s !== busy);

  const then = rig.answers.length;
  for (const s of all) packet(s);
  for (let i = 0; i < 4 * interval; i++) rig.open(busy, true);
  next[busy] = p.first;
  await rig.finish();
  // Beside the packets there may have been some.
  expect(rig.answers.length - then).toBeLessThanOrEqual(1 + Math.ceil(p.sessions / (interval + 64)));
  for (const s of all) packet(s);
  await rig.finish();
  expect(rig.verdicts.slice(-p.sessions).map(v => v.verdict)).toEqual(all.map(() => "accepted"));
  await b.cycles(p.ackCycles + 8);
  expect([...rig.model.values()].filter(m => m.unacked > 0)).toEqual([]);
}

/** Packets in order are unacknowledged, and for some rounds no answer fits: in the round after each is acknowledged. */
async function roundsWithoutRoom(b: Bench<Ports>, p: GbnReceiverParameters): Promise<void> {
  let open = true;
  const rig = new Rig(b, p, { room: () => open }),
    next = Array.from({ length: p.sessions }, () => p.first);
  await b.cycles(p.sessions + 4);
  for (let round = 0; round < 4; round++) {
    open = false;
    await b.cycles(2);
    for (let session = 1; session < p.sessions; session += 2) rig.send({ session, sequence: next[session]!++ });
    await rig.finish();
    const before = rig.answers.length;
    await b.cycles((1 + round) * p.ackCycles);
    expect(rig.answers.length, "answers without room").toBe(before);
    open = true;
    await b.cycles(p.ackCycles + 8);
    expect(
      [...rig.model.values()].filter(m => m.unacked > 0),
      "a round later",
    ).toEqual([]);
  }
}

describe("GbnReceiver", () => {
  for (const set of parameterSets) {
    const p = parameters(set);
    bench(
      `${p.sessions} sessions from number ${p.first}, window ${p.window}: loss, duplication, reordering, strangers, openings, no room now and then`,
      GbnReceiver(p),
      { seed: 3 },
      async b => {
        let room = 0;
        const rig = await channel(b, p, 5000, {
          packet: bursts({ go: 40, pause: 8 }, 5),
          control: bernoulli(0.5, 6),
          room: () => (room = (room + 1) % 97) > 20,
        });
        const kinds = new Set(rig.verdicts.map(v => v.verdict));
        expect([...kinds].sort()).toEqual(["accepted", "ahead", "duplicate", "refused", "stranger"]);
        expect(rig.model.size).toBeGreaterThan(0.97 * p.sessions);
      },
    );
  }
  const few = parameters({ sessions: 8, ackEvery: 7, ackCycles: 512, first: 0xffff_ff80 });
  bench(
    "few sessions, numbers that wrap: many packets of one session in neighbouring cycles",
    GbnReceiver(few),
    { seed: 4 },
    async b => {
      const rig = await channel(b, few, 5000, { sessions: 3 });
      expect(rig.wrapped).toBeGreaterThan(0);
      expect(rig.lives).toBeGreaterThan(8);
    },
  );
  bench(
    "one packet per cycle, of one session and of many, judged two cycles later",
    GbnReceiver(parameters()),
    {},
    async b => {
      const p = parameters(),
        rig = new Rig(b, p);
      await b.cycles(p.sessions + 8);
      for (let i = 0; i < 60; i++) rig.send({ session: 5, sequence: 1 + i });
      await rig.finish();
      for (let i = 0; i < 60; i++) rig.send({ session: 10 + i, sequence: 1 });
      await rig.finish();
      for (let k = 0; k < 120; k++) {
        if (k % 60 !== 0) expect(rig.taken[k], `packet ${k}`).toBe((rig.taken[k - 1] as number) + 1);
        expect(rig.verdicts[k]).toEqual({ cycle: (rig.taken[k] as number) + 2, verdict: "accepted" });
      }
    },
  );
  bench(
    "the ACK of the 100th packet, and the timer's for the rest, within a round; a NACK once",
    GbnReceiver(parameters()),
    {},
    async b => {
      const p = parameters(),
        rig = new Rig(b, p);
      for (let i = 0; i < 250; i++) rig.send({ session: 9, sequence: 1 + i });
      await rig.finish();
      const end = rig.taken.at(-1) as number;
      await b.until(() => rig.answers.some(a => a.sequence === 250));
      expect((rig.answers.at(-1) as Given).cycle - end).toBeLessThanOrEqual(p.ackCycles + 8);
      for (const sequence of [253, 254, 253, 260, 251, 253]) rig.send({ session: 9, sequence });
      await rig.finish();
      const nacks = rig.answers.filter(a => a.nack).map(a => a.sequence);
      expect(nacks).toEqual([250, 251]);
      // Nothing more is to be said.
      const before = rig.timers;
      await b.cycles(3 * p.ackCycles);
      expect(rig.timers - before).toBeLessThanOrEqual(1);
      expect([...rig.model.values()].filter(m => m.unacked > 0)).toEqual([]);
    },
  );
  // More sessions than cycles that a look can wait: with fewer, a place that moved on meanwhile could be the same one.
  const many = parameters({ ...few, sessions: 128 });
  for (const p of [few, many])
    bench(
      `${p.sessions} sessions: the timer's looks, to the cycle: alone, under packets in every cycle, beside openings`,
      GbnReceiver(p),
      { seed: 9 },
      b => timers(b, p),
    );
  bench("the timer comes by under packets in every cycle", GbnReceiver(few), {}, async b => {
    const rig = new Rig(b, few);
    rig.send({ session: 3, sequence: few.first });
    for (let i = 0; i < 3000; i++) rig.send({ session: 4, sequence: few.first + 1, control: true });
    await rig.finish();
    expect(rig.timers).toBeGreaterThan(0);
  });
  bench(
    "no room for answers, for rounds: what the timer could not say is said a round later",
    GbnReceiver(few),
    {},
    b => roundsWithoutRoom(b, few),
  );
  bench("a reset forgets every session", GbnReceiver(few), { seed: 8 }, async b => {
    const rig = new Rig(b, few);
    for (let i = 0; i < 5; i++) rig.send({ session: 2, sequence: few.first + i });
    // Every life of a session, and the first again.
    for (let i = 0; i < 18; i++) {
      if (i % 3 === 0) rig.open(2, false);
      rig.open(2, true);
      rig.send({ session: 2, sequence: few.first });
      await rig.finish();
    }
    expect(rig.session(2).life).toBe(2);
    b.sim.reset();
    rig.model.clear();
    for (let i = 0; i < 5; i++) rig.send({ session: 2, sequence: few.first + i, identity: 99n });
    await rig.finish();
    expect(rig.verdicts.slice(-5).map(v => v.verdict)).toEqual(Array.from({ length: 5 }, () => "accepted"));
  });

  testOfResets(GbnReceiver(few), {}, b => channel(b, few, 2000, { sessions: 3, room: () => b.random.chance(0.7) }));

  describe("a planted fault is found", () => {
    const run = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, hangCycles: 3000, limitCycles: 60_000, seed: 2 }, async b => {
        let room = 0;
        const rig = await channel(b, few, 1500, { sessions: 3, room: () => (room = (room + 1) % 97) > 20 });
        await b.cycles(3 * few.ackCycles);
        expect([...rig.model.values()].filter(m => m.unacked > 0)).toEqual([]);
      });
    test("and nothing without one", async () => {
      await run("no fault", GbnReceiver(few));
    });
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a word that is being written is read as it was", "was = was_hit ? was_fwd : was_rd", "was = was_rd"],
      ["a NACK for every packet", "ahead & ~was_nacked", "ahead"],
      ["a duplicate accepted", "in_order = data & next &", "in_order = data & (next | behind) &"],
      ["strangers believed", /known =\s*was_open\s*&[^;]*;/, "known = was_open;"],
      ["a closed session served", /known =\s*was_open\s*&/, "known ="],
      ["numbers of 31 bits", /behind = gap\[31\]/, "behind = gap[30]"],
      ["an ACK one number further", "32'd1;", "32'd0;"],
      ["the timer forgets", "wanting = |", "wanting = &"],
      ["the timer's ACK is not remembered", /\(op_start \| answers\) \?/, "(op_start | (answers & ~op_timer)) ?"],
      ["an ACK for a duplicate leaves the count", /\(op_start \| answers\) \?/, "(op_start | (answers & ~again)) ?"],
      ["opening leaves the count", /\(op_start \| answers\) \?/, "answers ?"],
      ["opening leaves the peer", /~op_start & \(was_bound \| in_order\)/, "(was_bound | in_order)"],
      ["after reset sessions are as control says", /op_open <= starting \| /, "op_open <= "],
      ["closing counts as a life", /op_start & op_open\}/, "op_start}"],
      ["a reset does not begin the lives", /op_reset <= starting/, "op_reset <= 1'b0"],
      [
        "a NACK without room counts as sent",
        /changes = op_start \| in_order \| answers/,
        "changes = op_start | in_order | answers | asks",
      ],
      ["the ACK of a full count needs no room", /\(~full_count \| answer_room\)/, "1'b1"],
      ["a reset leaves the timer's place", /if \(rst\) cursor <= 3'd0/, "if (rst) cursor <= cursor"],
      ["a life that stays", /\+ \{3'd0, [^}]*\}/, ""],
      ["an answer without room", "(answer_room & (again", "((again"],
    ];
    for (const [name, from, to] of faults)
      test(name, async () => {
        await findsFault(run(name, plant(GbnReceiver(few), from, to)));
      });

    const timed = (name: string, design: Dut<Ports>, p = few): Promise<unknown> =>
      runBench(name, design, { wave: false, hangCycles: 3000, limitCycles: 20_000, seed: 2 }, b => timers(b, p));
    test("the timer's ACK for which there is no room is forgotten", () =>
      findsFault(
        runBench(
          "forgotten",
          plant(GbnReceiver(few), /(op_start \|(?: in_order \|)? answers)(?=;|\) \?)/, "$1 | timed"),
          { wave: false, hangCycles: 3000 },
          b => roundsWithoutRoom(b, few),
        ),
        /a round later/,
      ));
    test("the timer's place moves on while a look waits", async () => {
      await findsFault(
        timed("moves on", plant(GbnReceiver(many), /(?<=if \()starting \| looks(?=\) cursor)/, "starting | due"), many),
      );
    });
    const ofTimers: typeof faults = [
      ["the timer passes a session over", /cursor <= cursor \+ 3'd1/, "cursor <= cursor + 1 + (looks & cursor == 2)"],
      ["the timer looks a cycle late", /(?<=due = \(wait_ >= \d+'d)(\d+)/, "$1 + 1"],
      ["the timer looks a cycle early", /(?<=due = \(wait_ >= \d+'d)(\d+)/, "$1 - 1"],
      ["the timer does not look beside packets", /\(~packet_valid \| urgent\)/, "~packet_valid"],
      ["the timer looks at once beside packets", /\(~packet_valid \| urgent\)/, "1'b1"],
      ["the timer's patience is a cycle more", /(?<=urgent = wait_ == \d+'d)(\d+)/, "$1 + 1"],
      ["the timer looks beside an opening", /due & ~asked &/, "due &"],
    ];
    for (const [name, from, to] of ofTimers)
      test(name, async () => {
        await findsFault(timed(name, plant(GbnReceiver(few), from, to)));
      });
  });
});
