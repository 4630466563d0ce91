/**
 * A slot played by hand, for things that happen in one and the same cycle, or just before one another. Each bench tries
 * every distance of them that there is.
 */
import { expect } from "vitest";
import type { OffloadSlot, SlotParameters } from "../../../../../designs/clio/offload/index.ts";
import { opcode } from "../../../../../designs/clio/wire/index.ts";
import { type Bench, never, StreamSink, StreamSource } from "../../../../../sim/index.ts";
import { allBack } from "../../../../support/all-back.ts";

export type SlotPorts = ReturnType<typeof OffloadSlot>["ports"];
export const size: SlotParameters = {
  beatBytes: 16,
  contexts: 4,
  maxData: 200,
  outstanding: 4,
  replyBeats: 32,
  maxBody: 240,
};

/** Bytes of accesses that fill all room for replies, when as many are under way as may be. */
const quarterOfRoom = (size.replyBeats * size.beatBytes) / size.outstanding;

/** The streams of a slot, and what stands still of them. */
export class ByHand {
  readonly asked;
  readonly askedData;
  readonly reply;
  readonly replyData;
  readonly memory;
  readonly memoryData;
  readonly came;
  readonly cameData;
  readonly request;
  readonly requestData;
  readonly answer;
  readonly answerData;
  readonly access;
  readonly accessData;
  readonly memoryReply;
  readonly memoryReplyData;
  readonly #b: Bench<SlotPorts>;

  constructor(b: Bench<SlotPorts>) {
    this.#b = b;
    const { io, sim } = b;
    this.asked = new StreamSource(sim, io.asked);
    this.askedData = new StreamSource(sim, io.askedData);
    this.reply = new StreamSource(sim, io.reply);
    this.replyData = new StreamSource(sim, io.replyData);
    this.memory = new StreamSource(sim, io.memory);
    this.memoryData = new StreamSource(sim, io.memoryData);
    this.came = new StreamSource(sim, io.came);
    this.cameData = new StreamSource(sim, io.cameData);
    this.request = new StreamSink(sim, io.request);
    this.requestData = new StreamSink(sim, io.requestData);
    this.answer = new StreamSink(sim, io.answer);
    this.answerData = new StreamSink(sim, io.answerData);
    this.access = new StreamSink(sim, io.access);
    this.accessData = new StreamSink(sim, io.accessData);
    this.memoryReply = new StreamSink(sim, io.memoryReply);
    this.memoryReplyData = new StreamSink(sim, io.memoryReplyData);
    io.pid.value = 0xff02;
    io.control.patience.value = 0xff_ffff;
  }

  /** Beats of data that count up from `first`. */
  beats(to: ByHand["askedData"], bytes: number, first: number): void {
    const count = Math.ceil(bytes / size.beatBytes);
    for (let i = 0; i < count; i++) to.send({ data: BigInt(first + i), last: i === count - 1 ? 1 : 0 });
  }
  /** A request when there is room. @returns its context */
  enter(length = 0, first = 0): Promise<number> {
    return enterSlot(this.#b, this, length, () => this.beats(this.askedData, length, first));
  }
  accesses(tag: number, o: { readonly data?: number; readonly length?: number } = {}): void {
    this.memory.send(accessOf(tag, o));
  }
  /** Memory's answer, with `length` bytes of data, to an access that had `cost` beats reserved. */
  answers(tag: number, length: number, epoch: number, cost?: number): void {
    answerOf(this, tag, length, epoch, cost);
  }
  replies(context: number, length = 0): void {
    this.reply.send({ context, status: 0, opcode: 2, length, more: 0 });
  }
  async reset(): Promise<void> {
    this.#b.io.control.hold.value = 1;
    await this.#b.until(() => this.#b.io.state.held.value === 1);
    this.#b.io.control.hold.value = 0;
    await this.#b.until(() => this.#b.io.inReset.value === 0);
  }
  allBack(): Promise<void> {
    return slotIsBack(this.#b, this);
  }
}

/** All contexts can be had, all accesses be under way, each with its beats; then all of them come back. */
export async function slotIsBack(
  b: Bench<SlotPorts>,
  s: Pick<ByHand, "access" | "answer" | "asked" | "came" | "cameData" | "memory" | "memoryReplyData" | "reply">,
): Promise<void> {
  const { io } = b,
    contexts = new Set<number>();
  const answered = s.answer.received.length,
    left = s.access.received.length,
    beats = s.memoryReplyData.received.length,
    had = (): number => s.access.received.length - left,
    asks = (tag: number, length: number): void => void s.memory.send(accessOf(tag, { length }));
  const answers = (tag: number, length: number, epoch: number, cost?: number): void =>
    answerOf(s, tag, length, epoch, cost);
  for (let i = 0; i < size.contexts; i++) {
    contexts.add(await enterSlot(b, s));
    await b.cycles(1);
  }
  expect([contexts.size, io.room.value], "every context can be had, once").toEqual([size.contexts, 0]);
  for (let tag = 0; tag < size.outstanding; tag++) asks(tag, quarterOfRoom);
  asks(size.outstanding, 0);
  await allBack(b, { what: "memory requests under way", count: size.outstanding, had, patience: 200 });
  const { epoch } = s.access.received.at(-1)?.value as { epoch: number };
  for (let tag = 0; tag < size.outstanding; tag++) answers(tag, quarterOfRoom, epoch);
  const begun = size.outstanding + 1;
  await b.until(() => had() === begun);
  answers(size.outstanding, 0, epoch, 0);
  // There is no room for more than that.
  const large = Math.floor((size.replyBeats * size.beatBytes) / size.maxData);
  await b.until(() => s.memoryReplyData.received.length - beats >= size.replyBeats);
  await b.cycles(10);
  for (let tag = 0; tag < size.outstanding; tag++) asks(tag, size.maxData);
  await allBack(b, { what: "accesses for whose replies there is room", count: large, had: () => had() - begun });
  for (let tag = 0; tag < size.outstanding; tag++) {
    await b.until(() => had() > begun + tag);
    answers(tag, 0, epoch, Math.ceil(size.maxData / size.beatBytes));
  }
  for (const context of contexts) s.reply.send({ context, status: 0, opcode: 2, length: 0, more: 0 });
  await b.until(() => s.answer.received.length === answered + size.contexts);
  await b.cycles(50);
  expect([io.state.active.value, io.state.since.num, io.state.stuck.value], "nothing to do").toEqual([0, 0, 0]);
}

/** A request when there is room, whose data are sent by `also`. @returns its context */
async function enterSlot(
  b: Bench<SlotPorts>,
  { asked }: Pick<ByHand, "asked">,
  length = 0,
  also?: () => void,
): Promise<number> {
  await b.until(() => b.io.room.value === 1);
  const context = b.io.nextContext.num,
    sent = asked.send({ context, opcode: 1, pid: 5, length });
  also?.();
  await b.until(() => sent.cycle !== undefined);
  return context;
}
/** An access of the offload itself: a WRITE when it brings data. */
const accessOf = (tag: number, o: { readonly data?: number; readonly length?: number } = {}) => {
  const { data = 0, length = 16 } = o;
  return { tag, opcode: data > 0 ? opcode.WRITE : opcode.READ, client: 0, context: 0, va: 0n, length, data };
};
/** Memory's answer, with `length` bytes of data, to an access that had `cost` beats reserved. */
function answerOf(
  s: Pick<ByHand, "came" | "cameData">,
  tag: number,
  length: number,
  epoch: number,
  cost = quarterOfRoom / size.beatBytes,
): void {
  const beats = Math.ceil(length / size.beatBytes);
  for (let i = 0; i < beats; i++) s.cameData.send({ data: BigInt(i), last: i === beats - 1 ? 1 : 0, epoch });
  s.came.send({ tag, status: 0, va: 0n, length, data: length, cost, epoch });
}

/** Cycles from the last move to `stuck`, beside the patience itself. */
const patience = 40,
  slack = 4;

/** Counts to `stuck` from the moves of each kind: not earlier than the patience, and not much later. */
export async function stuckInTime(b: Bench<SlotPorts>): Promise<void> {
  const s = new ByHand(b),
    { io } = b;
  io.control.patience.value = patience;
  s.request.pause = s.requestData.pause = s.memoryReply.pause = s.memoryReplyData.pause = () => true;
  const context = await s.enter(48);
  let since = b.cycle;
  /** Still for almost the patience; then the move; from when on it counts anew. */
  const moves = async (what: string, move: () => void, done: () => boolean): Promise<void> => {
    while (b.cycle < since + patience - 4) {
      expect(io.state.stuck.value, `before ${what}: cycle ${b.cycle - since}`).toBe(0);
      await b.cycles(1);
    }
    move();
    await b.until(done);
    since = b.cycle;
  };
  /** It waits for others: no time counts. */
  const waits = async (what: string, begins: () => void, ends: () => void, done: () => boolean): Promise<void> => {
    begins();
    await b.cycles(4);
    for (let i = 0; i < 3 * patience; i++) {
      expect(io.state.stuck.value, `${what} has to act: cycle ${i}`).toBe(0);
      await b.cycles(1);
    }
    ends();
    await b.until(done);
    since = b.cycle;
  };
  const once = (sink: { readonly received: readonly unknown[]; pause: () => boolean }) => {
    const n = sink.received.length;
    return [
      () => {
        sink.pause = () => sink.received.length > n;
      },
      () => sink.received.length === n + 1,
    ] as const;
  };
  await moves("it takes a request", ...once(s.request));
  for (let i = 0; i < 3; i++) await moves("it takes a beat of a request", ...once(s.requestData));
  // A request of two beats of data, which come one by one: an access that is not whole is no reason to wait.
  await waits(
    "memory, which does not take an access,",
    () => {
      s.access.pause = () => true;
      s.accesses(1, { length: 32 });
    },
    () => (s.access.pause = never),
    () => s.access.received.length === 1,
  );
  await waits(
    "memory, which does not answer,",
    () => undefined,
    () => s.answers(1, 32, 0, 2),
    () => io.came.valid.value === 1,
  );
  await moves("it takes a reply of memory", ...once(s.memoryReply));
  for (let i = 0; i < 2; i++) await moves("it takes a beat of memory", ...once(s.memoryReplyData));
  await waits(
    "the host, which does not take an answer,",
    () => {
      s.answer.pause = () => true;
      s.reply.send({ context, status: 0, opcode: 2, length: 0, more: 1 });
    },
    () => (s.answer.pause = never),
    () => s.answer.received.length === 1,
  );
  await b.until(() => io.state.stuck.value === 1);
  const after = b.cycle - since;
  expect(after, "cycles to stuck").toBeGreaterThanOrEqual(patience);
  expect(after, "cycles to stuck").toBeLessThanOrEqual(patience + slack);
  for (let i = 0; i < 3 * patience; i++) {
    expect(io.state.stuck.value, "it stays so").toBe(1);
    await b.cycles(1);
  }
  // What moves takes it back at once, also the head alone of a reply with data.
  s.replies(context, 16);
  await b.cycles(3);
  expect(io.state.stuck.value, "it moves").toBe(0);
  s.beats(s.replyData, 16, 7);
  await b.until(() => s.answer.received.length === 2);
  await b.cycles(3 * patience);
  expect([io.state.stuck.value, io.state.active.value], "it has nothing to do").toEqual([0, 0]);
  s.memoryReply.pause = s.memoryReplyData.pause = s.request.pause = s.requestData.pause = never;
  await s.allBack();
}

/**
 * Every room for replies is full of the new life's, when those of the life before come, which had been given up: they
 * are taken at once, and forgotten.
 */
export async function lateBesideFull(b: Bench<SlotPorts>): Promise<void> {
  const s = new ByHand(b),
    { io } = b;
  io.control.patience.value = 10;
  await s.enter();
  for (let tag = 0; tag < size.outstanding; tag++) s.accesses(tag, { length: quarterOfRoom });
  await b.until(() => s.access.received.length === size.outstanding);
  await s.reset();
  expect(s.answer.received.length, "lost").toBe(1);
  io.control.patience.value = 0xff_ffff;
  s.memoryReply.pause = s.memoryReplyData.pause = () => true;
  await s.enter();
  for (let tag = 0; tag < size.outstanding; tag++) s.accesses(tag, { length: quarterOfRoom });
  await b.until(() => s.access.received.length === 2 * size.outstanding);
  for (let tag = 0; tag < size.outstanding; tag++) s.answers(tag, quarterOfRoom, 1);
  await b.until(() => s.came.pending + s.cameData.pending === 0);
  for (let tag = 0; tag < size.outstanding; tag++) s.answers(tag + 64, tag % 2 === 0 ? quarterOfRoom : 0, 0);
  const began = b.cycle;
  await b.until(() => s.came.pending + s.cameData.pending === 0 || b.cycle > began + 100);
  expect(b.cycle - began, "cycles in which all that is late is taken").toBeLessThan(40);
  s.memoryReply.pause = s.memoryReplyData.pause = never;
  await b.cycles(100);
  expect(s.memoryReply.received.map(r => (r.value as { tag: number }).tag)).toEqual([0, 1, 2, 3]);
  expect(s.memoryReplyData.received.length).toBe(32);
  s.replies(0);
  await b.until(() => s.answer.received.length === 2);
  await s.allBack();
}

/**
 * A reset of 1 to 12 cycles, and a request that had found room: it comes 0 to 6 cycles later, the beats of its body up
 * to 12 cycles behind one another. It is answered once, by the offload or as lost; the next one gets its own body.
 */
export async function askedAsItCloses(b: Bench<SlotPorts>): Promise<void> {
  const s = new ByHand(b),
    { io, random } = b;
  let given = 0,
    lost = 0,
    opened = 0;
  b.onEdge({
    sample: cycle => {
      if (io.inReset.value === 1) opened = cycle + 1;
    },
  });
  for (let hold = 1; hold <= 12; hold++)
    for (let asks = 0; asks <= 6; asks++)
      for (const apart of [0, 1, 4, 12]) {
        await b.until(() => io.room.value === 1 && io.inReset.value === 0);
        const context = io.nextContext.num,
          bytes = apart === 0 ? 0 : 48,
          answered = s.answer.received.length,
          requests = s.request.received.length;
        b.spawn(async () => {
          io.control.hold.value = 1;
          await b.cycles(hold);
          io.control.hold.value = 0;
        });
        await b.cycles(asks);
        s.asked.send({ context, opcode: 1, pid: 5, length: bytes });
        for (let i = 0; i < bytes / 16; i++) {
          await b.cycles(apart);
          s.askedData.send({ data: 1000n + BigInt(i), last: i === 2 ? 1 : 0 });
        }
        await b.cycles(hold + 30);
        const at = `reset of ${hold} cycles, a request ${asks} cycles after it began, its beats ${apart} apart`;
        expect(io.inReset.value, `${at}: it is over`).toBe(0);
        if (s.answer.received.length === answered) {
          given++;
          expect(s.request.received.length, `${at}: the offload has it`).toBe(requests + 1);
          s.replies(context);
          await b.until(() => s.answer.received.length > answered);
        } else {
          lost++;
          expect(
            s.requestData.received.filter(r => r.cycle >= opened).length,
            `${at}: beats of a request that was lost, after the reset`,
          ).toBe(0);
        }
        s.requestData.received.length = 0;
        const next = await s.enter(32, 50);
        await b.cycles(6);
        expect(
          s.requestData.received.map(r => (r.value as { data: bigint }).data),
          `${at}: the body of the next request`,
        ).toEqual([50n, 51n]);
        s.replies(next);
        await b.until(() => s.answer.received.length === answered + 2);
        await b.cycles(random.between(2, 4));
        expect(io.state.active.value, `${at}: all contexts are back`).toBe(0);
      }
  expect(Math.min(given, lost), "both happen").toBeGreaterThan(10);
  await s.allBack();
}

/** Cycles of a unit of `since` in this bench. */
export const unit = 16;
/** `since` is to the cycle: units since the reply before, or since the offload had nothing to do. */
export async function sinceToTheCycle(b: Bench<SlotPorts>): Promise<void> {
  const s = new ByHand(b),
    { io } = b;
  for (const idle of [100, 7, unit, 3 * unit - 1]) {
    await b.cycles(idle);
    expect(io.state.since.num, "without a request").toBe(0);
    const context = await s.enter();
    let began = b.cycle;
    const units = async (cycles: number): Promise<void> => {
      for (let i = 0; i < cycles; i++) {
        const least = Math.floor((b.cycle - began - 2) / unit),
          most = Math.floor((b.cycle - began + 1) / unit);
        expect(io.state.since.num, `cycle ${b.cycle - began} since it had nothing to do`).toBeGreaterThanOrEqual(least);
        expect(io.state.since.num, `cycle ${b.cycle - began} since it had nothing to do`).toBeLessThanOrEqual(most);
        await b.cycles(1);
      }
    };
    await units(5 * unit + 9);
    const { length } = s.answer.received;
    s.reply.send({ context, status: 0, opcode: 2, length: 0, more: 1 });
    await b.until(() => s.answer.received.length > length);
    began = s.answer.received.at(-1)?.cycle as number;
    await b.cycles(1);
    await units(4 * unit + 3);
    s.replies(context);
    await b.until(() => io.state.active.value === 0);
  }
  await s.allBack();
}

/**
 * The client is looked at 2 cycles before a request and as it comes, at no other time: another's is shown right behind,
 * and all sorts of them between.
 */
export async function clientsBetween(b: Bench<SlotPorts>): Promise<void> {
  const s = new ByHand(b),
    { io, random } = b;
  const held = new Map<number, number>();
  const may = async (client: number): Promise<boolean> => {
    io.client.value = BigInt(client);
    await b.cycles(3);
    return io.room.value === 1 && io.fits.value === 1;
  };
  for (let n = 0; n < 400; n++) {
    const client = random.between(1, 4),
      has = [...held.values()].filter(c => c === client).length,
      free = size.contexts - held.size;
    const fits = await may(client);
    expect(fits, `client ${client} with ${has} requests, ${free} contexts free`).toBe(free > 0 && has < free);
    if (fits && random.chance(0.7)) {
      const context = io.nextContext.num,
        sent = s.asked.send({ context, opcode: 1, pid: 5, length: 0 });
      await b.until(() => sent.cycle !== undefined);
      held.set(context, client);
    } else if (held.size > 0) {
      const context = random.pick([...held.keys()]),
        { length } = s.answer.received;
      s.replies(context);
      await b.until(() => s.answer.received.length > length);
      held.delete(context);
    }
    // Nobody asks now.
    for (let i = random.between(0, 3); i >= 0; i--) {
      io.client.value = BigInt(random.between(1, 4));
      await b.cycles(1);
    }
  }
  for (const context of held.keys()) s.replies(context);
  await b.until(() => io.state.active.value === 0);
}

/**
 * How long a reset waits for memory that is quiet: an answer within 16 x patience ends it. Without one it ends then,
 * not earlier and not later, the second time as the first.
 */
export async function waitsForMemory(b: Bench<SlotPorts>): Promise<void> {
  const s = new ByHand(b),
    { io } = b,
    few = 6,
    limit = 16 * few;
  io.control.patience.value = few;
  let epoch = 0;
  for (const after of [1, 2, 20, limit - 8, Infinity, 1, Infinity, Infinity, limit - 8]) {
    const { length } = s.access.received;
    await s.enter();
    s.accesses(1);
    await b.until(() => s.access.received.length > length);
    expect(s.access.received.at(-1)?.value, "the epoch").toMatchObject({ epoch });
    await b.cycles(30);
    io.control.hold.value = 1;
    const began = b.cycle;
    if (after < Infinity) {
      while (b.cycle < began + after) {
        expect(io.state.held.value, `cycle ${b.cycle - began} of a reset, an answer after ${after}`).toBe(0);
        await b.cycles(1);
      }
      s.answers(1, 16, epoch, 1);
    }
    await b.until(() => io.state.held.value === 1);
    const took = b.cycle - began,
      least = after < Infinity ? after : limit;
    expect(took, `cycles of a reset, an answer after ${after}`).toBeGreaterThanOrEqual(least);
    expect(took, `cycles of a reset, an answer after ${after}`).toBeLessThanOrEqual(least + 24);
    if (after === Infinity) epoch++;
    io.control.hold.value = 0;
    await b.until(() => io.inReset.value === 0);
  }
  io.control.patience.value = 0xff_ffff;
  await s.allBack();
}
