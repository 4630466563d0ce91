import { describe, expect, test } from "vitest";
import { offloadPid, OffloadSlot, type SlotParameters } from "../../../../designs/clio/offload/index.ts";
import { opcode, status } from "../../../../designs/clio/wire/index.ts";
import {
  type Bench,
  bernoulli,
  type Dut,
  never,
  type Pause,
  poke,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../sim/index.ts";
import { bench } from "../../../bench.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { slotIsBack } from "./support/slot-moments.ts";
import { testOfResets } from "../../../support/reset-any-time.ts";

const p: SlotParameters = { beatBytes: 16, contexts: 4, maxData: 200, outstanding: 4, replyBeats: 32, maxBody: 240 };
const ownPid = offloadPid(2);
const dut = OffloadSlot(p);
type Ports = typeof dut.ports;
const beatsFor = (bytes: number): number => Math.ceil(bytes / p.beatBytes);
const beatsOf = (b: Bench<Ports>, bytes: number) =>
  Array.from({ length: beatsFor(bytes) }, (_, i) => ({
    data: b.random.bits(p.beatBytes * 8),
    last: i === beatsFor(bytes) - 1 ? 1 : 0,
  }));

/** Mostly a length that may be; now and then a longer one, which is cut. */
const atMost = (b: Bench<Ports>, most: number): number =>
  b.random.chance(0.1) ? b.random.between(most + 1, 2 ** 14 - 1) : b.random.between(0, most);
/**
 * All sides of a slot at random: requests while there is room, an offload that answers and accesses memory, replies of
 * memory in any order.
 */
async function run(b: Bench<Ports>, requests: number, [give, take]: readonly [Pause, Pause] = [never, never]) {
  b.io.pid.value = ownPid;
  const io = b.io,
    source = <S>(s: S, pause = give) => new StreamSource(b.sim, s as never, { pause });
  const asked = source(io.asked, never),
    askedData = source(io.askedData, never),
    reply = source(io.reply),
    replyData = source(io.replyData);
  const memory = source(io.memory),
    memoryData = source(io.memoryData),
    came = source(io.came, never),
    cameData = source(io.cameData, never);
  const sink = <S>(s: S) => new StreamSink(b.sim, s as never, { pause: take });
  const request = sink(io.request),
    requestData = sink(io.requestData),
    answer = sink(io.answer),
    answerData = sink(io.answerData);
  const access = sink(io.access),
    accessData = sink(io.accessData),
    memoryReply = sink(io.memoryReply),
    memoryReplyData = sink(io.memoryReplyData);
  const send = (s: StreamSource<never>, v: object) => s.send(v as never);
  const expected = {
    requests: [] as object[],
    requestData: [] as object[],
    answers: [] as object[],
    answerData: [] as object[],
    accesses: [] as object[],
    accessData: [] as object[],
    replies: [] as object[],
    replyData: [] as object[],
  };
  /** Contexts in the offload, and the pid of each. */
  const inside = new Map<number, number>();
  let begun = 0,
    seenAccesses = 0,
    tag = 0,
    owed = 0,
    stray = 0;
  const under: { tag: number; cost: number; data: number }[] = [];
  const events = { requests: 0, replies: 0, accesses: 0, refused: 0, stray: 0 };
  let strangers = false,
    burst = 12;
  b.onEdge({
    sample: () => {
      for (const k of Object.keys(events) as (keyof typeof events)[]) events[k] += io.events[k].value;
    },
  });
  const guard = { refused: 0 };
  // Memory answers in any order, with as many bytes as were reserved or fewer.
  const memoryTask = b.spawn(async () => {
    for (;;) {
      for (; seenAccesses < access.received.length; seenAccesses++) {
        const { tag: t, cost } = access.received[seenAccesses]!.value as unknown as { tag: number; cost: number };
        under.push({ tag: t, cost, data: b.random.chance(0.3) ? 0 : b.random.between(0, cost * p.beatBytes) });
      }
      expect(under.length, "requests under way").toBeLessThanOrEqual(p.outstanding);
      // Now and then so slowly that as many are under way as may be.
      const one = b.random.chance((b.cycle & 512) === 0 ? 0.3 : 0.03)
        ? under.splice(b.random.between(0, under.length), 1)[0]
        : undefined;
      if (one !== undefined) {
        const { tag: t, cost, data } = one,
          head = { tag: t, status: data === 0 ? status.INVALID : status.OK, va: b.random.bits(64), length: data, data },
          beats = beatsOf(b, data);
        const sent = [...beats.map(d => send(cameData, { ...d, epoch: 0 })), send(came, { ...head, cost, epoch: 0 })];
        expected.replies.push(head);
        expected.replyData.push(...beats);
        await b.until(() => sent.every(x => x.cycle !== undefined));
        owed--;
      } else await b.risingEdge();
    }
  });
  while (begun < requests || inside.size > 0 || under.length > 0 || owed > 0) {
    // One request at a time is on its way in, as the host does it.
    if (owed === 0) strangers = false;
    if (begun < requests && io.room.value === 1 && !strangers && b.random.chance(0.5)) {
      const context = Number(io.nextContext.value),
        pid = b.random.between(1, 0xfeff),
        length = b.random.between(0, p.maxBody);
      expect(inside.has(context), `context ${context} is free`).toBe(false);
      const head = { context, opcode: b.random.between(0, 255), pid, length },
        data = beatsOf(b, length);
      const last = [...data.map(d => send(askedData, d)), send(asked, head)];
      expected.requests.push(head);
      expected.requestData.push(...data);
      await b.until(() => last.every(s => s.cycle !== undefined));
      inside.set(context, pid);
      begun++;
    }
    // The offload: memory requests of every kind, for itself and for clients, known or not.
    if (owed === 0 && b.random.chance(0.3)) burst = b.random.between(0, 12);
    if (burst > 0 && b.random.chance(0.8)) {
      burst--;
      const contexts = [...inside.keys()],
        client = b.random.chance(0.5),
        context =
          contexts.length > 0 && b.random.chance(0.8) ? b.random.pick(contexts) : b.random.between(0, p.contexts - 1);
      const code = b.random.pick([
        opcode.READ,
        opcode.WRITE,
        opcode.ATOMIC_CAS,
        opcode.DEREF_READ,
        opcode.ALLOC,
        opcode.WRITE_NOREPLY,
        opcode.FREE_PROC,
      ]);
      const legal = code !== opcode.WRITE_NOREPLY && code !== opcode.FREE_PROC && (!client || inside.has(context));
      const length = b.random.chance(0.1) ? b.random.between(p.maxData + 1, 100_000) : b.random.between(0, p.maxData),
        data = atMost(b, p.maxData),
        va = b.random.bits(64);
      // The owner of the context must not change before the slot has taken it.
      const beats = beatsOf(b, Math.min(data, p.maxData)),
        head = { tag, opcode: code, client: client ? 1 : 0, context, va, length, data };
      const sent = [...beats.map(d => send(memoryData, d)), send(memory, head)];
      if (client && !inside.has(context)) strangers = true;
      const cost = beatsFor((code === opcode.READ || code === opcode.DEREF_READ) && length <= p.maxData ? length : 16);
      expected.accesses.push({
        tag,
        opcode: legal ? code : 0,
        pid: client ? (inside.get(context) ?? "any") : ownPid,
        va,
        length,
        data: Math.min(data, p.maxData),
        cost,
        epoch: 0,
      });
      expected.accessData.push(...beats);
      if (!legal) guard.refused++;
      tag = (tag + 1) & 255;
      owed++;
      await b.until(() => sent.every(s => s.cycle !== undefined));
    }
    // The offload answers; sometimes in several frames, sometimes for nobody.
    if (inside.size > 0 && owed === 0 && b.random.chance(0.5)) {
      const nobody = Array.from({ length: p.contexts }, (_, i) => i).filter(i => !inside.has(i)),
        wrong = nobody.length > 0 && b.random.chance(0.6) && begun === requests;
      const context = wrong ? b.random.pick(nobody) : b.random.pick([...inside.keys()]),
        length = atMost(b, p.maxBody),
        more = !wrong && b.random.chance(0.3) ? 1 : 0;
      const head = { context, status: b.random.between(0, 15), opcode: b.random.between(0, 255), length, more },
        data = beatsOf(b, Math.min(length, p.maxBody));
      const sent = [...data.map(d => send(replyData, d)), send(reply, head)];
      if (wrong) stray++;
      else {
        expected.answers.push({ ...head, length: Math.min(length, p.maxBody) });
        expected.answerData.push(...data);
      }
      const due = expected.answers.length,
        strays = stray;
      await b.until(
        () => sent.every(s => s.cycle !== undefined) && answer.received.length === due && events.stray === strays,
      );
      if (!wrong && more === 0) inside.delete(context);
    }
    await b.risingEdge();
  }
  await b.until(
    () =>
      memoryReply.received.length === expected.replies.length &&
      memoryReplyData.received.length === expected.replyData.length &&
      answerData.received.length === expected.answerData.length &&
      request.received.length === expected.requests.length &&
      requestData.received.length === expected.requestData.length,
  );
  await b.cycles(10);
  const values = (s: StreamSink<never>) => s.received.map(r => r.value as object);
  expect(values(request)).toEqual(expected.requests);
  expect(values(requestData)).toEqual(expected.requestData);
  expect(values(answer)).toEqual(expected.answers);
  expect(values(answerData)).toEqual(expected.answerData);
  expect(
    values(access).map((v, i) => ((expected.accesses[i] as { pid: unknown }).pid === "any" ? { ...v, pid: "any" } : v)),
  ).toEqual(expected.accesses);
  expect(values(accessData)).toEqual(expected.accessData);
  expect(values(memoryReply)).toEqual(expected.replies);
  expect(values(memoryReplyData)).toEqual(expected.replyData);
  expect(stray, "replies for nobody").toBeGreaterThan(0);
  expect(events).toEqual({
    requests,
    replies: expected.answers.length,
    accesses: expected.accesses.length,
    refused: guard.refused,
    stray,
  });
  memoryTask.cancel();
  await slotIsBack(b, { access, answer, asked, came, cameData, memory, memoryReplyData, reply });
}

/**
 * A reply without a request, of many beats. While it is discarded its context becomes a new request's, which is
 * then answered too.
 */
async function strayMeanwhile(b: Bench<Ports>, length: number) {
  const io = b.io,
    s = byHand(b),
    { asked, reply, answer } = s,
    replyData = new StreamSource(b.sim, io.replyData, { pause: never }),
    answerData = new StreamSink(b.sim, io.answerData, { pause: never });
  io.requestData.ready.value = 1;
  const beats = beatsOf(b, length),
    head = { context: 0, status: 0, opcode: 1, length, more: 0 };
  const give = (data: readonly object[]) => {
    for (const d of data) replyData.send(d as never);
    reply.send(head);
  };
  give(beats);
  await b.until(() => io.events.stray.value === 1);
  await b.risingEdge();
  asked.send({ context: 0, opcode: 1, pid: 5, length: 0 });
  await b.cycles(2 * beats.length + 4);
  expect([answer.received.length, answerData.received.length], "nobody has answered yet").toEqual([0, 0]);
  const wanted = beatsOf(b, length);
  give(wanted);
  await b.until(() => answer.received.length === 1 && answerData.received.length === wanted.length);
  expect(answerData.received.map(r => r.value)).toEqual(wanted);
  await slotIsBack(b, s);
}

describe("OffloadSlot", () => {
  bench(
    "a reply for nobody is thrown away to its end, though its context is taken meanwhile",
    dut,
    { seed: 7, limitCycles: 1000 },
    b => strayMeanwhile(b, p.maxBody),
  );
  bench(
    "requests, replies and memory requests of an offload that does everything, under random back-pressure",
    dut,
    { seed: 3, limitCycles: 200_000 },
    async b => {
      await run(b, 120, [bernoulli(0.3, 1), bernoulli(0.4, 2)]);
    },
  );
  bench("the same without a pause", dut, { seed: 4, limitCycles: 200_000 }, async b => {
    await run(b, 60);
  });
  bench(
    "a memory request leaves 3 cycles after it came, a reply 2; a request is there a cycle later",
    dut,
    {},
    async b => {
      const at: Record<string, number> = {};
      b.onEdge({
        sample: cycle => {
          for (const n of ["asked", "request", "answer", "access"] as const)
            if (b.io[n].valid.value === 1) at[n] ??= cycle;
        },
      });
      poke(b.io.asked.payload, { context: 0, opcode: 1, pid: 5, length: 0 });
      poke(b.io.memory.payload, { tag: 1, opcode: opcode.READ, client: 0, context: 0, va: 0n, length: 8, data: 0 });
      poke(b.io.reply.payload, { context: 0, status: 0, opcode: 1, length: 0, more: 0 });
      for (const n of ["request", "answer", "access"] as const) b.io[n].ready.value = 1;
      b.io.asked.valid.value = 1;
      b.io.memory.valid.value = 1;
      b.io.reply.valid.value = 1;
      await b.risingEdge();
      b.io.asked.valid.value = 0;
      b.io.memory.valid.value = 0;
      b.io.reply.valid.value = 0;
      await b.cycles(8);
      const after = (n: string): number => at[n]! - at["asked"]!;
      expect([after("request"), after("access"), after("answer")]).toEqual([1, 3, 2]);
      const s = byHand(b);
      s.came.send({ tag: 1, status: 0, va: 0n, length: 0, data: 0, cost: 1, epoch: 0 });
      await slotIsBack(b, s);
    },
  );
  bench("a reset leaves nothing of what was under way", dut, { seed: 16, limitCycles: 100_000 }, async b => {
    poke(b.io.asked.payload, { context: 0, opcode: 1, pid: 5, length: 0 });
    poke(b.io.memory.payload, { tag: 1, opcode: opcode.WRITE, client: 0, context: 0, va: 0n, length: 8, data: 100 });
    b.io.asked.valid.value = 1;
    b.io.memory.valid.value = 1;
    await b.cycles(3);
    b.io.asked.valid.value = 0;
    b.io.memory.valid.value = 0;
    b.sim.reset();
    await run(b, 20);
  });
});

/** The streams of a slot whose offload and memory are played by hand. */
function byHand(b: Bench<Ports>) {
  const { io } = b,
    source = <S>(s: S) => new StreamSource(b.sim, s as never, { pause: never }),
    sink = <S>(s: S) => new StreamSink(b.sim, s as never, { pause: never });
  io.pid.value = ownPid;
  io.control.patience.value = 100;
  return {
    asked: source(io.asked),
    reply: source(io.reply),
    memory: source(io.memory),
    came: source(io.came),
    cameData: source(io.cameData),
    request: sink(io.request),
    answer: sink(io.answer),
    access: sink(io.access),
    memoryReply: sink(io.memoryReply),
    memoryReplyData: sink(io.memoryReplyData),
  };
}
/** One more request of a client, if it may. @returns its context */
async function enter(b: Bench<Ports>, s: ReturnType<typeof byHand>, client: bigint): Promise<number | undefined> {
  b.io.client.value = client;
  await b.cycles(3);
  if (b.io.room.value === 0 || b.io.fits.value === 0) return undefined;
  const context = Number(b.io.nextContext.value),
    sent = s.asked.send({ context, opcode: 1, pid: 5, length: 0 });
  await b.until(() => sent.cycle !== undefined);
  await b.cycles(1);
  return context;
}
const replyTo = (context: number) => ({ context, status: 0, opcode: 2, length: 0, more: 0 }) as never;

/** How many contexts each of the clients gets that take all they can, one after another; and whether they come back. */
async function turns(b: Bench<Ports>): Promise<void> {
  const s = byHand(b),
    has = new Map<bigint, number[]>();
  const takeAll = async (client: bigint): Promise<number> => {
    for (let c = await enter(b, s, client); c !== undefined; c = await enter(b, s, client))
      has.set(client, [...(has.get(client) ?? []), c]);
    return has.get(client)?.length ?? 0;
  };
  // Not in the low bits alone, nor in the high ones.
  const [first, second, third] = [0x7f00_0001_1000n, 0x7f00_0001_1001n, 0x7f01_0001_1000n] as const;
  expect(await takeAll(first), "half of 4 contexts, no more and no fewer").toBe(2);
  expect(await takeAll(second), "one for the next").toBe(1);
  expect(await takeAll(first), "none more for the first").toBe(2);
  expect(await takeAll(third), "and the last for one who has none").toBe(1);
  const context = has.get(second)?.[0] as number;
  s.reply.send(replyTo(context));
  await b.until(() => s.answer.received.length === 1);
  await b.cycles(2);
  expect(await takeAll(first), "what is free again is not for who has two").toBe(2);
  expect(await takeAll(third), "nor for who has one").toBe(1);
  has.delete(second);
  expect(await takeAll(second), "but for who has none").toBe(1);
  for (const contexts of has.values()) for (const c of contexts) s.reply.send(replyTo(c));
  await b.until(() => s.answer.received.length === 5);
  await b.cycles(4);
  await slotIsBack(b, s);
}

/** Clients that come and go at random. Each has one more request inside while it has fewer than contexts are left. */
async function turnsAtRandom(b: Bench<Ports>, contexts: number): Promise<void> {
  const s = byHand(b),
    clients = Array.from({ length: contexts }, () => b.random.bits(48)),
    inside = new Map<number, bigint>();
  let full = 0,
    answered = 0;
  for (let n = 0; n < 400; n++) {
    const client = b.random.pick(clients),
      own = [...inside.values()].filter(c => c === client).length,
      left = contexts - inside.size,
      context = await enter(b, s, client);
    expect(context !== undefined, `step ${n}: ${own} inside, ${left} left`).toBe(own < left);
    if (context !== undefined) inside.set(context, client);
    full += Number(inside.size === contexts);
    if (!b.random.chance(Math.floor(n / 50) % 2 === 0 ? 0.1 : 0.7) || inside.size === 0) continue;
    const gone = b.random.pick([...inside.keys()]);
    s.reply.send(replyTo(gone));
    answered++;
    await b.until(() => s.answer.received.length === answered);
    await b.cycles(2);
    inside.delete(gone);
  }
  expect(full, "steps with all contexts in use").toBeGreaterThan(5);
}

const impatient = OffloadSlot({ ...p, sinceUnit: 16 });
/** An offload that reads memory without end and answers nothing: it moves, and is stuck all the same. */
async function restless(b: Bench<Ports>): Promise<void> {
  const s = byHand(b);
  b.io.control.limit.value = 10;
  let moves = true;
  b.spawn(async () => {
    for (let tag = 0; moves; tag = (tag + 1) & 255) {
      s.memory.send({ tag, opcode: opcode.WRITE, client: 0, context: 0, va: 0n, length: 8, data: 0 });
      await b.until(() => s.access.received.length > 0);
      const { cost } = s.access.received.shift()?.value as unknown as { cost: number };
      s.came.send({ tag, status: 0, va: 0n, length: 0, data: 0, cost, epoch: 0 });
      await b.cycles(5);
    }
  });
  const context = (await enter(b, s, 1n)) as number,
    other = (await enter(b, s, 2n)) as number;
  const began = b.cycle;
  await b.cycles(120);
  s.reply.send(replyTo(other));
  await b.cycles(60);
  expect(b.io.state.stuck.value, "180 cycles, and a reply between").toBe(0);
  expect(b.io.state.since.value).toBeLessThan(5);
  await b.until(() => b.io.state.stuck.value === 1);
  const after = b.cycle - began - 120;
  expect(after, "10 units of 16 cycles since the reply, not earlier").toBeGreaterThanOrEqual(160);
  expect(after, "and not later").toBeLessThanOrEqual(160 + 16 + 6);
  s.reply.send(replyTo(context));
  await b.cycles(8);
  expect([b.io.state.stuck.value, b.io.state.since.value, b.io.state.active.value], "it has nothing to do").toEqual([
    0, 0, 0,
  ]);
  moves = false;
  await b.cycles(20);
  await slotIsBack(b, s);
}

/** Memory that never answers: the reset ends all the same, and what comes late is for nobody. */
async function unanswered(b: Bench<Ports>, late: number): Promise<void> {
  const s = byHand(b);
  const access = { tag: 9, opcode: opcode.READ, client: 0, context: 0, va: 0n, length: 40, data: 0 },
    replyOf = (epoch: number, data: number) => {
      for (const d of beatsOf(b, data)) s.cameData.send({ ...d, epoch });
      s.came.send({ tag: 9, status: 0, va: 0n, length: data, data, cost: 3, epoch });
    };
  const epochs = (): readonly number[] => s.access.received.map(a => (a.value as unknown as { epoch: number }).epoch);
  await enter(b, s, 1n);
  for (let i = 0; i < p.outstanding; i++) s.memory.send(access);
  await b.until(() => s.access.received.length === p.outstanding);
  b.io.control.hold.value = 1;
  const began = b.cycle;
  // All but one are answered, the last one when it is too late, or just not.
  for (let i = 1; i < p.outstanding; i++) replyOf(0, 40);
  await b.cycles(late);
  expect(b.io.state.held.value, "one is waited for").toBe(late > 1650 ? 1 : 0);
  replyOf(0, 33);
  await b.until(() => b.io.state.held.value === 1);
  await b.cycles(30);
  expect(s.answer.received.length, "the request has been answered").toBe(1);
  if (late > 1650) expect(b.cycle - began).toBeGreaterThan(1600);
  b.io.control.hold.value = 0;
  await b.until(() => b.io.state.held.value === 0);
  await enter(b, s, 1n);
  for (let i = 0; i < p.outstanding; i++) s.memory.send(access);
  await b.until(() => s.access.received.length === 2 * p.outstanding);
  const epoch = late > 1650 ? 1 : 0;
  expect(epochs().slice(p.outstanding), "the epoch").toEqual(Array.from({ length: p.outstanding }, () => epoch));
  // One of long ago may come in the middle of these.
  if (epoch === 1) replyOf(0, 16);
  for (let i = 0; i < p.outstanding; i++) replyOf(epoch, 40);
  await b.cycles(60);
  expect([s.memoryReply.received.length, s.memoryReplyData.received.length], "replies for the new offload").toEqual([
    p.outstanding,
    3 * p.outstanding,
  ]);
  s.reply.send(replyTo(0));
  await b.cycles(20);
  await slotIsBack(b, s);
}

describe("an offload that does not come to an end", () => {
  bench("turns: half of the contexts for one client, a place for each of four", dut, { seed: 1 }, turns);
  for (const contexts of [4, 16])
    bench(`turns at random, ${contexts} contexts`, OffloadSlot({ ...p, contexts }), { seed: 1 }, b =>
      turnsAtRandom(b, contexts),
    );
  bench("no reply for the limit counts as stuck, whatever moves", impatient, { seed: 1 }, restless);
  for (const late of [1500, 1800])
    bench(
      `a reply of memory ${late} cycles after the reset began, the limit is 1,600`,
      dut,
      { seed: 1, limitCycles: 20_000 },
      b => unanswered(b, late),
    );
  const faults: readonly (readonly [string, Dut<Ports>, RegExp, string, (b: Bench<Ports>) => Promise<void>])[] = [
    ["a client may take all contexts", dut, /client_fits <= [^;]*;/, "client_fits <= 1'b1;", turns],
    [
      "clients are told apart by their address alone",
      dut,
      /client_1 == client/,
      "client_1[47:16] == client[47:16]",
      turns,
    ],
    ["a reply does not begin the time anew", impatient, /since_units <= 24'd0/, "since_units <= since_units", restless],
    ["no reply is no reason", impatient, /silent <= [^;]*;/, "silent <= 1'b0;", restless],
    ["replies are waited for without end", dut, /gives_up = [^;]*;/, "gives_up = 1'b0;", b => unanswered(b, 1800)],
    [
      "they are given up at once",
      dut,
      /waited_enough <= (?!1'b0)[^;]*;/,
      "waited_enough <= 1'b1;",
      b => unanswered(b, 1500),
    ],
    ["a late reply counts", dut, /wire came_in_time = [^;]*;/, "wire came_in_time = 1'b1;", b => unanswered(b, 1800)],
    [
      "data of a late reply count",
      dut,
      /wire came_data_in_time = [^;]*;/,
      "wire came_data_in_time = 1'b1;",
      b => unanswered(b, 1800),
    ],
  ];
  for (const [name, design, from, to, body] of faults)
    test(`planted: ${name}`, () =>
      findsFault(
        runBench(name, plant(design, from, to), { wave: false, seed: 1, hangCycles: 3000, limitCycles: 20_000 }, body),
      ));
});

testOfResets(dut, { most: 1500, beside: { fits: "" } }, b => run(b, 100, [bernoulli(0.3, 1), bernoulli(0.4, 2)]));

describe("a planted fault is found", () => {
  const check = (name: string, design: Dut<Ports>): Promise<unknown> =>
    runBench(name, design, { wave: false, seed: 5, hangCycles: 500, limitCycles: 100_000 }, b =>
      run(b, 40, [bernoulli(0.2, 1), bernoulli(0.4, 2)]),
    );
  test("and nothing without one", async () => {
    await check("no fault", dut);
  });
  const faults: readonly (readonly [string, string | RegExp, string])[] = [
    ["an access for a client is made in the offload's own space", "accesses_heads_pop_payload_client ?", "1'b0 ?"],
    ["any opcode goes to memory", /wire allowed =[^;]*;/, "wire allowed = 1'b1;"],
    ["more under way than there is room for", /assign may =[^;]*;/, "assign may = 1'b1;"],
    ["a reply for nobody goes out", /wire current =[^;]*;/, "wire current = 1'b1;"],
    [
      "a reply that is cut still says its old length",
      "replies_held_length <= replies_bytes",
      "replies_held_length <= reply_payload_length",
    ],
    ["a context is free before its last reply", "& ~answer_payload_more", "& 1'b1"],
  ];
  for (const [name, from, to] of faults)
    test(name, async () => {
      await findsFault(check(name, plant(dut, from, to)));
    });
  test("the last beat of room does not come back when it leaves alone", () =>
    findsFault(
      check(
        "a beat is lost",
        plant(
          dut,
          "memory_reply_beats_pop_valid & memory_reply_beats_pop_ready}",
          "memory_reply_beats_pop_valid & memory_reply_beats_pop_ready & (beats_free != 6'd31)}",
        ),
      ),
      /memory requests under way that can be had at the end/,
    ));
  test("a reply for nobody goes on as the answer to who has come meanwhile", async () => {
    const design = plant(dut, /discarding <= (?!1'b0)[^;]*;/, "discarding <= 1'b0;");
    await findsFault(
      runBench("stray meanwhile", design, { wave: false, seed: 7, hangCycles: 200, limitCycles: 1000 }, b =>
        strayMeanwhile(b, p.maxBody),
      ),
    );
  });
});
