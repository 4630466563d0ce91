/** The sending shim by itself; gbn-shims.test.ts has both shims between a network and a node. */
import { describe, expect, test } from "vitest";
import { GbnTx } from "../../../../../designs/clio/rtl/transport/gbn-tx.ts";
import { frameSpace } from "../../../../../designs/shared/go-back-n/rtl/index.ts";
import { type Bench, bernoulli, type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type Behaviour, p, type Ports, Rig, wide } from "./support/gbn-tx-rig.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const limits = { hangCycles: 6000, limitCycles: 200_000 };
const dut = GbnTx(p);
const pause = (seed: number) => bernoulli(0.25, seed);

/** Requests of all sessions, answered in any order, with frames of all other kinds between. */
async function traffic(b: Bench<Ports>, rounds: number, o: Behaviour = {}, rig?: Rig): Promise<Rig> {
  const r = b.random,
    all = rig ?? new Rig(b, o);
  if (rig === undefined) await all.writeContexts();
  for (let round = 0; round < rounds; round++) {
    const asked: (() => void)[] = [];
    for (let n = r.between(1, 4); n > 0; n--) {
      const session = r.pick(Array.from({ length: p.sessions - 1 }, (_, i) => i + 1).filter(i => !all.deaf.has(i))),
        ticket = all.ask(session);
      if (r.chance(0.15)) asked.push(() => all.hush(session, ticket));
      else
        asked.push(() => {
          const parts = r.chance(0.2) ? 2 : 0;
          for (let i = 0; i < parts; i++) all.reply(session, ticket, r.between(16, 120), { part: true });
          all.reply(session, ticket, r.chance(0.1) ? p.frameBytes - 50 : r.between(16, 130));
        });
    }
    while (asked.length > 0) (asked.splice(r.between(0, asked.length - 1), 1)[0] as () => void)();
    if (r.chance(0.2)) all.other(r.pick(["management", "loose", "raw", "icmp"]), r.between(16, 200));
    if (r.chance(0.1)) all.broken(r.chance(0.5));
    if (r.chance(0.3)) all.answer(r.between(14, 100));
    await b.until(() => all.rx.pending < 3 && all.named.pending === 0);
  }
  await all.settle();
  return all;
}
const quiet = { timeouts: 0, failed: 0, closed: 0, memoryErrors: 0, skipped: 0, stale: 0 };

/** Sessions begin anew and are closed while others go on; what belongs to earlier lives is dropped and counted. */
async function lives(b: Bench<Ports>): Promise<void> {
  const rig = await traffic(b, 30, { pause });
  let stale = 0,
    closed = 0;
  for (let i = 0; i < 20; i++) {
    const session = b.random.between(1, p.sessions - 1),
      { life } = rig.peers[session] as { life: number };
    rig.open(session, 1);
    await b.until(() => rig.control.pending === 0);
    rig.reply(session, b.random.between(0, 0xffff), 30, { life });
    stale++;
    rig.reply(session, rig.ask(session));
    await traffic(b, 3, {}, rig);
  }
  const session = 3;
  rig.open(session, 0);
  await b.until(() => rig.control.pending === 0);
  const before = rig.came.fresh;
  rig.deaf.add(session);
  rig.peers.forEach((_, i) => {
    if (i > 0) rig.reply(i, rig.ask(i));
  });
  closed++;
  await b.until(() => rig.events.closed === closed);
  rig.forget(session);
  rig.deaf.delete(session);
  rig.open(session, 1);
  await b.until(() => rig.control.pending === 0);
  await traffic(b, 20, {}, rig);
  expect(rig.came.fresh - before).toBeGreaterThan(p.sessions - 2);
  expect(rig.events).toMatchObject({ ...quiet, stale, closed });
}

/** A peer falls silent: its replies are sent again after each timeout, then the session is given up. */
async function silence(b: Bench<Ports>): Promise<void> {
  const rig = new Rig(b, { pause });
  await rig.writeContexts();
  for (const session of [2, 5]) {
    rig.deaf.add(session);
    const { again } = rig.came;
    for (let i = 0; i < p.window; i++) rig.reply(session, rig.ask(session));
    await traffic(b, 3, {}, rig);
    await b.until(() => rig.failed.received.length > 0);
    expect(rig.failed.take()?.value).toBe(session);
    expect(rig.came.again - again, "all again, after each timeout").toBe(p.tries * p.window);
    const { closed } = rig.events;
    rig.reply(session, rig.ask(session));
    await b.until(() => rig.events.closed === closed + 1);
    rig.forget(session);
    rig.deaf.delete(session);
    rig.open(session, 1);
    await b.until(() => rig.control.pending === 0);
    await traffic(b, 10, {}, rig);
  }
  expect(rig.events).toMatchObject({ ...quiet, timeouts: 2 * p.tries, failed: 2, closed: 2 });
}

describe("GbnTx", () => {
  bench("all kinds of frames, replies in any order, pauses everywhere", dut, { seed: 1, ...limits }, async b => {
    const rig = await traffic(b, 250, { pause });
    expect(rig.events).toMatchObject({ ...quiet, resent: 0, nacked: 0 });
    for (const name of ["sent", "management", "passed", "waited"] as const)
      expect(rig.events[name], name).toBeGreaterThan(10);
  });
  bench("a channel that loses frames, and a slow memory", dut, { seed: 2, ...limits }, async b => {
    const rig = await traffic(b, 150, { loss: 0.1, pause, latency: { read: 40, write: 90 } });
    for (const name of ["resent", "nacked"] as const) expect(rig.events[name], name).toBeGreaterThan(10);
    expect([rig.events.failed, rig.events.closed, rig.events.stale]).toEqual([0, 0, 0]);
  });
  bench("frames of one beat", GbnTx(wide), { seed: 11, ...limits }, async b => {
    const rig = await traffic(b, 80, { pause });
    expect(rig.events).toMatchObject({ ...quiet, resent: 0, nacked: 0 });
  });
  bench("a slow line while short frames are sent again", dut, { seed: 12, ...limits }, async b => {
    const rig = new Rig(b, { acks: false, latency: { read: 2, write: 2 } });
    await rig.writeContexts();
    for (const session of [1, 2, 3]) for (let i = 0; i < p.window; i++) rig.reply(session, rig.ask(session), 16);
    await b.until(() => rig.came.fresh === 3 * p.window);
    rig.tx.pause = bernoulli(0.7, 3);
    // Nothing of it has arrived, so they say.
    for (const session of [1, 2, 3]) {
      const peer = rig.peers[session] as { arrived: number };
      peer.arrived = (peer.arrived - p.window) >>> 0;
      rig.nack(session);
    }
    await b.until(() => rig.came.again === 3 * p.window);
    rig.acking = true;
    await rig.settle();
    expect(rig.events).toMatchObject({ ...quiet, resent: 3 * p.window, nacked: 3 });
  });
  bench("sessions begin anew, and are closed", dut, { seed: 3, ...limits }, lives);
  bench("a peer falls silent: given up, told once, and opened anew", dut, { seed: 4, ...limits }, silence);

  bench("latency and rate; turns of the three sources at the line", dut, { seed: 5, ...limits }, async b => {
    const rig = new Rig(b);
    await rig.writeContexts();
    const only = rig.rx.send.bind(rig.rx);
    let last: { readonly end: number | undefined } = { end: undefined };
    rig.rx.send = (bytes, o) => (last = only(bytes, o));
    rig.reply(1, rig.ask(1));
    await b.until(() => rig.came.fresh === 1);
    expect((rig.starts[0]?.start as number) - (last.end as number), "latency").toBe(11);
    await rig.settle();
    // Replies of 3 beats, back to back: nothing is lost between them, as long as no ACK comes between.
    rig.starts.length = 0;
    rig.acking = false;
    for (let i = 0; i < 24; i++) rig.reply(1 + (i % 4), rig.ask(1 + (i % 4)), 46);
    await b.until(() => rig.came.fresh === 25);
    const gaps = rig.starts.slice(1).map((x, i) => x.start - (rig.starts[i] as { end: number }).end);
    expect(gaps, "a reply of 3 beats every 3 cycles").toEqual(gaps.map(() => 1));
    rig.acking = true;
    await rig.settle();
    // Answers, frames again and new ones, all at once: by turns.
    rig.acking = false;
    for (let i = 0; i < p.window; i++) rig.reply(6, rig.ask(6), 400);
    await b.until(() => rig.came.fresh === 25 + p.window);
    rig.starts.length = 0;
    for (let i = 0; i < 40; i++) rig.answer(300);
    for (let i = 0; i < 3 * p.window; i++) rig.reply(1 + (i % 3), rig.ask(1 + (i % 3)), 400);
    const peer = rig.peers[6] as { arrived: number };
    peer.arrived = (peer.arrived - p.window) >>> 0;
    rig.nack(6);
    peer.arrived = (peer.arrived + p.window) >>> 0;
    await b.until(() => rig.came.again === p.window);
    const turns = rig.starts.map(x => x.what),
      from = turns.indexOf("again");
    for (const what of ["answer", "fresh"])
      expect(turns.slice(from, turns.lastIndexOf("again")).filter(x => x === what).length).toBeGreaterThanOrEqual(
        p.window - 1,
      );
    for (let i = 1; i < turns.length && rig.answered.length > 0; i++)
      expect([turns[i - 1], turns[i]], `frame ${i}`).not.toEqual(["fresh", "fresh"]);
    rig.acking = true;
    await rig.settle();
  });

  bench("a full window holds replies up, and an ACK lets them go", dut, { seed: 6, ...limits }, async b => {
    const rig = new Rig(b, { acks: false });
    await rig.writeContexts();
    for (let i = 0; i < p.window + 3; i++) rig.reply(4, rig.ask(4));
    await b.cycles(300);
    expect(rig.came.fresh).toBe(p.window);
    rig.acking = true;
    await rig.settle();
    expect(rig.came.fresh).toBe(p.window + 3);
    expect(rig.events).toMatchObject({ ...quiet, resent: 0 });
  });

  bench(
    "`crowded` with half of the places taken; nothing is lost behind a full shim",
    dut,
    { seed: 7, ...limits },
    async b => {
      const rig = new Rig(b);
      await rig.writeContexts();
      const [first, ...rest] = Array.from({ length: p.waiting / 2 + 1 }, () => rig.ask(2)) as [number, ...number[]];
      rest.slice(1).forEach(t => rig.reply(2, t));
      await b.cycles(100);
      expect([b.io.crowded.value, rig.events.waited]).toEqual([0, p.waiting / 2 - 1]);
      rig.reply(2, rest[0] as number);
      await b.cycles(100);
      expect([b.io.crowded.value, rig.events.waited, rig.came.fresh]).toEqual([1, p.waiting / 2, 0]);
      rig.reply(2, first);
      await rig.settle();
      // The line stands still: the shim fills, then the node waits.
      rig.tx.pause = () => true;
      for (let i = 0; i < 60; i++) rig.reply(1 + (i % 7), rig.ask(1 + (i % 7)), 200);
      await b.cycles(800);
      expect(rig.rx.pending).toBeGreaterThan(0);
      rig.tx.pause = () => false;
      await rig.settle();
    },
  );

  bench(
    "replies that nobody waits for any longer",
    dut,
    { seed: 8, hangCycles: 3 * p.patience, limitCycles: 200_000 },
    async b => {
      const rig = new Rig(b);
      await rig.writeContexts();
      const gone = rig.ask(3);
      rig.reply(3, rig.ask(3));
      await b.until(() => rig.events.skipped === 1);
      (rig.peers[3] as { due: number }).due = (gone + 1) & 0xffff;
      await rig.settle();
      expect(rig.events).toMatchObject({ ...quiet, skipped: 1, waited: 1, sent: 1 });
    },
  );

  bench("errors of the memory are told", dut, { seed: 9, ...limits }, async b => {
    const at = p.base + 4 * p.window * frameSpace(p),
      rig = new Rig(b, { errors: [{ from: at, to: at + p.window * frameSpace(p) }] });
    await rig.writeContexts();
    rig.reply(1, rig.ask(1));
    await rig.settle();
    expect(rig.events.memoryErrors).toBe(0);
    rig.reply(4, rig.ask(4));
    await rig.settle();
    expect(rig.events).toMatchObject({ ...quiet, memoryErrors: 1 });
  });

  testOfResets(dut, { most: 1500 }, b => traffic(b, 150, { loss: 0.1, pause }));
  bench("a reset in the middle of traffic leaves nothing behind", dut, { seed: 10, ...limits }, async b => {
    const rig = new Rig(b, { pause, loss: 0.1 });
    await rig.writeContexts();
    for (let cut = 0; cut < 6; cut++) {
      for (let i = 0; i < 12; i++) rig.reply(1 + (i % 5), rig.ask(1 + (i % 5)), b.random.between(16, 400));
      rig.answer();
      await b.cycles(60 + 17 * cut);
      // The line stands still, and a session is just being opened.
      if (cut % 2 === 1) rig.tx.pause = () => true;
      await b.cycles(40);
      rig.control.send({ session: 6, open: 1 });
      await b.cycles(1 + cut);
      rig.tx.pause = pause(7);
      rig.reset();
      await b.cycles(p.sessions + p.waiting);
      expect(rig.events, "no event of before").toEqual(rig.nothing());
    }
    await traffic(b, 60, {}, rig);
    rig.open(6, 1);
    await b.until(() => rig.control.pending === 0);
    await traffic(b, 30, {}, rig);
  });

  describe("a planted fault is found", () => {
    const run = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, ...limits, seed: 2 }, b => traffic(b, 60, { loss: 0.1, pause }));
    test("and nothing without one", async () => {
      await run("no fault", dut);
    });
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a part waits for its turn", /& ~queue_pop_payload_part/, ""],
      [
        "the header of slot 0 has a number",
        /next_held_of_session \? sender_granted_sequence : 32'd0/,
        "sender_granted_sequence",
      ],
      ["a frame with a wrong FCS gets a number", /\(frames_end_bad \| frames_end_long\)/, "frames_end_long"],
    ];
    for (const [name, from, to] of faults)
      test(name, async () => {
        await findsFault(run(name, plant(dut, from, to)));
      });
  });
});
