import { expect } from "vitest";
import { OffloadSlot, type SlotParameters } from "../../../../../designs/clio/offload/index.ts";
import { opcode } from "../../../../../designs/clio/wire/index.ts";
import { type Bench, type Design, designOf, StreamSink, StreamSource } from "../../../../../sim/index.ts";

export type SlotPorts = ReturnType<typeof OffloadSlot>["ports"];

/** The slot for these benches: the streams of an offload that is reset in the middle keep no rules. */
export function slotInReset(p: SlotParameters): Design<SlotPorts> {
  const design = designOf(OffloadSlot(p)),
    kept = new Set(["asked", "asked_data", "answer", "answer_data", "access"]),
    streams = design.emitted.streams.filter(s => kept.has(s.name));
  return { ...design, emitted: { ...design.emitted, streams } };
}

type Data = readonly bigint[];
/** Something with data that the slot has begun to take from the offload. */
interface Item<H> {
  readonly head: H;
  readonly beats: number;
  readonly data: bigint[];
}
interface Access {
  readonly tag: number;
  readonly opcode: number;
  readonly client: number;
  readonly context: number;
  readonly va: bigint;
  readonly length: number;
  readonly data: number;
}
interface Reply {
  readonly context: number;
  readonly status: number;
  readonly opcode: number;
  readonly length: number;
  readonly more: number;
}
/** An access that has left: what is still to leave of its data, and whether memory has answered it. */
interface Under {
  readonly tag: number;
  readonly cost: number;
  readonly epoch: number;
  readonly data: bigint[];
}

const patience = 20;

/**
 * A slot whose offload is reset at any time, beside everything else: requests come, it answers and accesses memory, in
 * pieces, and memory is slow or does not answer at all. Held against what holds whatever the moment: a request is
 * answered once, by the offload or as lost; what was complete when the reset began leaves, nothing else does; the
 * offload's next life sees nothing of the one before; when the slot is held nothing is left of it.
 */
export class SlotResets {
  readonly seen = { lost: 0, answered: 0, accesses: 0, givenUp: 0, late: 0, asksInReset: 0, cutShort: 0 };
  /** Memory does not answer; it takes no data of a request that it has taken. */
  mute = false;
  deaf = false;
  /** The host takes no answers, or no data of answers; it asks seldom. */
  busy: "answers" | "data" | undefined;
  seldom = false;
  readonly #b: Bench<SlotPorts>;
  readonly #p: SlotParameters;
  readonly #asked;
  readonly #askedData;
  readonly #reply;
  readonly #replyData;
  readonly #memory;
  readonly #memoryData;
  readonly #came;
  readonly #cameData;
  readonly #out;
  readonly #inside = new Map<number, number>();
  /** What the offload is to get in this life. */
  #requests: number[] = [];
  #bodies: bigint[] = [];
  #told: number[] = [];
  #toldData: bigint[] = [];
  /** What the slot has begun to take, and what is to leave of it. */
  #replies: Item<Reply>[] = [];
  #accesses: Item<Access>[] = [];
  #answerOwed: bigint[] = [];
  readonly #under: Under[] = [];
  #asking: number | undefined;
  #body: Data = [];
  #closed = false;
  #tag = 0;

  constructor(b: Bench<SlotPorts>, p: SlotParameters) {
    this.#b = b;
    this.#p = p;
    const { io, random } = b,
      some = (chance: number) => () => random.chance(chance),
      awake = (chance: number) => () => this.#closed || random.chance(chance);
    io.pid.value = 0xff02;
    io.control.patience.value = patience;
    this.#asked = new StreamSource(b.sim, io.asked);
    this.#askedData = new StreamSource(b.sim, io.askedData, { pause: some(0.4) });
    this.#reply = new StreamSource(b.sim, io.reply, { pause: some(0.2) });
    this.#replyData = new StreamSource(b.sim, io.replyData, { pause: some(0.4) });
    this.#memory = new StreamSource(b.sim, io.memory, { pause: some(0.2) });
    this.#memoryData = new StreamSource(b.sim, io.memoryData, { pause: some(0.4) });
    this.#came = new StreamSource(b.sim, io.came);
    this.#cameData = new StreamSource(b.sim, io.cameData);
    this.#out = {
      request: new StreamSink(b.sim, io.request, { pause: awake(0.5) }),
      requestData: new StreamSink(b.sim, io.requestData, { pause: awake(0.3) }),
      answer: new StreamSink(b.sim, io.answer, { pause: () => this.busy === "answers" || random.chance() }),
      answerData: new StreamSink(b.sim, io.answerData, { pause: () => this.busy !== undefined || random.chance() }),
      access: new StreamSink(b.sim, io.access, { pause: some(0.3) }),
      // Memory takes data of requests that it has taken.
      accessData: new StreamSink(b.sim, io.accessData, { pause: () => true }),
      memoryReply: new StreamSink(b.sim, io.memoryReply, { pause: awake(0.5) }),
      memoryReplyData: new StreamSink(b.sim, io.memoryReplyData, { pause: awake(0.5) }),
    };
    this.#out.accessData.pause = () => this.deaf || !this.#owesData() || random.chance(0.3);
    b.onEdge({ sample: cycle => this.#sample(cycle), drive: () => this.#play() });
  }

  get inside(): number {
    return this.#inside.size;
  }
  #owesData(): boolean {
    return this.#under.some(u => u.data.length > 0);
  }
  #beats(bytes: number): bigint[] {
    const { random } = this.#b;
    return Array.from({ length: Math.ceil(bytes / this.#p.beatBytes) }, () => random.bits(this.#p.beatBytes * 8));
  }
  #send(to: StreamSource<SlotPorts["askedData"]["shape"]>, data: Data): void {
    data.forEach((d, i) => to.send({ data: d, last: i === data.length - 1 ? 1 : 0 }));
  }

  #sample(cycle: number): void {
    const { io } = this.#b,
      fires = (s: { readonly valid: { value: number }; readonly ready: { value: number } }): boolean =>
        s.valid.value === 1 && s.ready.value === 1;
    if (io.state.held.value === 1) this.#checkHeld(cycle);
    const closed = io.inReset.value === 1;
    if (closed && !this.#closed) this.#shut();
    if (!closed && this.#closed) this.#open();
    this.#closed = closed;
    if (fires(io.asked)) {
      const context = io.asked.payload.context.num;
      this.#inside.set(context, io.asked.payload.pid.num);
      this.#requests.push(context);
      this.#asking = undefined;
      this.#send(this.#askedData, this.#body);
      if (closed) this.seen.asksInReset++;
    }
    if (fires(io.askedData)) this.#bodies.push(io.askedData.payload.data.big);
    this.#takeFromOffload(fires);
    this.#checkOffload(cycle, closed);
    this.#checkAnswers(cycle);
    this.#checkAccesses(cycle);
    if (fires(io.cameData) && io.cameData.payload.epoch.num === this.#epoch)
      this.#toldData.push(io.cameData.payload.data.big);
    if (fires(io.came)) {
      if (io.came.payload.epoch.num === this.#epoch) this.#told.push(io.came.payload.tag.num);
      else this.seen.late++;
    }
  }
  /** The epoch in which a request would leave now. */
  get #epoch(): number {
    return this.#b.io.access.payload.epoch.num;
  }

  /** The reset begins: what is not complete will not leave. */
  #shut(): void {
    const cut = <H>(items: Item<H>[]): Item<H>[] => items.filter(i => i.data.length === i.beats);
    this.seen.cutShort += this.#replies.length + this.#accesses.length;
    this.#replies = cut(this.#replies);
    this.#accesses = cut(this.#accesses);
    this.seen.cutShort -= this.#replies.length + this.#accesses.length;
    for (const s of [this.#reply, this.#replyData, this.#memory, this.#memoryData]) s.forget();
    this.#told = [];
    this.#toldData = [];
  }
  /** A new life: the offload has nothing, and gets nothing of before. */
  #open(): void {
    if (this.#asking === undefined)
      expect(this.#askedData.pending, "beats of a body that come after the reset").toBe(0);
    this.#requests = [];
    this.#bodies = [];
    this.#told = [];
    this.#toldData = [];
  }

  #takeFromOffload(
    fires: (s: { readonly valid: { value: number }; readonly ready: { value: number } }) => boolean,
  ): void {
    const { io } = this.#b,
      beats = (bytes: number): number => Math.ceil(bytes / this.#p.beatBytes);
    const open = <H>(items: readonly Item<H>[]): Item<H> => items.find(i => i.data.length < i.beats) as Item<H>;
    if (fires(io.replyData)) open(this.#replies).data.push(io.replyData.payload.data.big);
    if (fires(io.memoryData)) open(this.#accesses).data.push(io.memoryData.payload.data.big);
    const r = io.reply.payload,
      m = io.memory.payload;
    if (fires(io.reply)) {
      const head = {
        context: r.context.num,
        status: r.status.num,
        opcode: r.opcode.num,
        length: r.length.num,
        more: r.more.num,
      };
      this.#replies.push({ head, beats: beats(head.length), data: [] });
    }
    if (fires(io.memory)) {
      const head = {
        tag: m.tag.num,
        opcode: m.opcode.num,
        client: m.client.num,
        context: m.context.num,
        va: m.va.big,
        length: m.length.num,
        data: m.data.num,
      };
      this.#accesses.push({ head, beats: beats(head.data), data: [] });
    }
  }

  /** What the offload gets. While it is in reset nothing of that counts. */
  #checkOffload(cycle: number, closed: boolean): void {
    const { request, requestData, memoryReply, memoryReplyData } = this.#out,
      taken = <T>(of: StreamSink<never>): readonly T[] => of.received.splice(0).map(r => r.value as T);
    const contexts = taken<{ context: number }>(request),
      bodies = taken<{ data: bigint }>(requestData),
      tags = taken<{ tag: number }>(memoryReply),
      beats = taken<{ data: bigint }>(memoryReplyData);
    if (closed) return;
    for (const { context } of contexts)
      expect(context, `the request that the offload gets, cycle ${cycle}`).toBe(this.#requests.shift());
    for (const { data } of bodies)
      expect(data, `a body that the offload gets, cycle ${cycle}`).toBe(this.#bodies.shift());
    for (const { tag } of tags)
      expect(tag, `the reply of memory that the offload gets, cycle ${cycle}`).toBe(this.#told.shift());
    for (const { data } of beats)
      expect(data, `data of memory that the offload gets, cycle ${cycle}`).toBe(this.#toldData.shift());
  }

  #checkAnswers(cycle: number): void {
    const { answer, answerData } = this.#out,
      at = `cycle ${cycle}`;
    for (let d = answerData.take(); d; d = answerData.take())
      expect(d.value.data, `data of an answer, ${at}`).toBe(this.#answerOwed.shift());
    for (let a = answer.take(); a; a = answer.take()) {
      const v = { ...a.value, context: Number(a.value.context) };
      expect(
        this.#inside.has(v.context),
        `context ${v.context} is answered, lost ${this.#b.io.lost.value}, ${at}`,
      ).toBe(true);
      if (this.#b.io.lost.value === 1) {
        expect([v.length, v.more], `the answer to a lost request, ${at}`).toEqual([0, 0]);
        expect([this.#closed, this.#replies.length], `closed, and nothing left to say, ${at}`).toEqual([true, 0]);
        this.seen.lost++;
      } else {
        const r = this.#replies.shift();
        expect(v, `an answer, ${at}`).toEqual(r?.head);
        expect(r?.data.length, `beats of an answer that is complete, ${at}`).toBe(r?.beats);
        this.#answerOwed.push(...(r?.data ?? []));
        this.seen.answered++;
      }
      if (v.more === 0) this.#inside.delete(v.context);
    }
  }

  #checkAccesses(cycle: number): void {
    const { access, accessData } = this.#out,
      at = `cycle ${cycle}`;
    for (let d = accessData.take(); d; d = accessData.take())
      expect(d.value.data, `data of a memory request, ${at}`).toBe(
        this.#under.find(u => u.data.length > 0)?.data.shift(),
      );
    for (let a = access.take(); a; a = access.take()) {
      const v = { ...a.value, cost: Number(a.value.cost) },
        wanted = this.#accesses.shift() as Item<Access>;
      expect([v.tag, v.va, v.data], `a memory request, ${at}`).toEqual([
        wanted.head.tag,
        wanted.head.va,
        wanted.head.data,
      ]);
      expect(wanted.data.length, `beats of a memory request that is complete, ${at}`).toBe(wanted.beats);
      const now = this.#under.filter(u => u.epoch === v.epoch);
      expect(now.length, `memory requests under way, ${at}`).toBeLessThan(this.#p.outstanding);
      expect(
        now.reduce((n, u) => n + u.cost, v.cost),
        `beats of replies reserved, ${at}`,
      ).toBeLessThanOrEqual(this.#p.replyBeats);
      this.#under.push({ tag: v.tag, cost: v.cost, epoch: v.epoch, data: [...wanted.data] });
      this.seen.accesses++;
    }
  }

  /** Nothing is left of the offload, here or on its way. */
  #checkHeld(cycle: number): void {
    const { io } = this.#b,
      left = this.#under.filter(u => u.epoch === this.#epoch).length;
    expect(
      [this.#inside.size, left, this.#replies.length, this.#accesses.length, this.#answerOwed.length],
      `requests, memory requests, replies and accesses that are left, cycle ${cycle}`,
    ).toEqual([0, 0, 0, 0, 0]);
    expect(this.#owesData(), `data on their way to memory, cycle ${cycle}`).toBe(false);
    expect([io.answer.valid.value, io.access.valid.value, io.room.value], `cycle ${cycle}`).toEqual([0, 0, 0]);
  }

  /** Everybody's next move. */
  #play(): void {
    const { io, random } = this.#b,
      p = this.#p;
    if (
      io.room.value === 1 &&
      this.#asking === undefined &&
      this.#askedData.pending === 0 &&
      random.chance(this.seldom ? 0.01 : 0.15)
    ) {
      this.#asking = io.nextContext.num;
      const body = this.#beats(random.pick([0, 0, random.between(1, p.maxBody)])),
        length = body.length * p.beatBytes;
      this.#asked.send({ context: this.#asking, opcode: 1, pid: random.between(1, 100), length });
      this.#body = body;
    }
    if (!this.#closed) this.#offload();
    if (!this.mute && random.chance(0.2)) this.#answerMemory();
  }

  #offload(): void {
    const { random } = this.#b,
      p = this.#p,
      size = (most: number): number => random.pick([0, 0, random.between(1, most / p.beatBytes)]) * p.beatBytes;
    if (this.#memory.pending + this.#memoryData.pending === 0 && random.chance(0.3)) {
      const data = this.#beats(size(p.maxData)),
        [context] = [...this.#inside.keys()];
      this.#tag = (this.#tag + 1) % 256;
      this.#memory.send({
        tag: this.#tag,
        opcode: data.length > 0 ? opcode.WRITE : opcode.READ,
        client: context !== undefined && random.chance() ? 1 : 0,
        context: context ?? 0,
        va: random.bits(64),
        length: random.pick([0, random.between(0, p.maxData)]),
        data: data.length * p.beatBytes,
      });
      this.#send(this.#memoryData, data);
    }
    const idle = this.#reply.pending + this.#replyData.pending + this.#replies.length === 0;
    if (idle && this.#inside.size > 0 && random.chance(0.1)) {
      const data = this.#beats(size(p.maxBody)),
        length = data.length * p.beatBytes;
      const context = random.pick([...this.#inside.keys()]);
      this.#reply.send({ context, status: random.between(0, 9), opcode: 3, length, more: +random.chance(0.2) });
      this.#send(this.#replyData, data);
    }
  }

  /** Memory answers one request, of which it has all data: in any order, with less than was asked for. */
  #answerMemory(): void {
    const { random } = this.#b,
      whole = this.#under.filter(u => u.data.length === 0);
    if (whole.length === 0 || this.#cameData.pending + this.#came.pending > 0) return;
    const u = random.pick(whole);
    this.#under.splice(this.#under.indexOf(u), 1);
    const data = this.#beats(random.between(0, u.cost) * this.#p.beatBytes);
    data.forEach((d, i) => this.#cameData.send({ data: d, last: i === data.length - 1 ? 1 : 0, epoch: u.epoch }));
    const bytes = data.length * this.#p.beatBytes;
    this.#came.send({ tag: u.tag, status: 0, va: 0n, length: bytes, data: bytes, cost: u.cost, epoch: u.epoch });
  }

  /** A reset at a random moment, of a random length; the bound on its end. */
  async reset(): Promise<void> {
    const {
      b: { io, random },
      b,
    } = { b: this.#b };
    const x = random.between(0, 7),
      before = this.#epoch;
    this.mute = x === 0;
    this.deaf = x === 1;
    this.busy = x === 2 ? "answers" : x === 3 ? "data" : undefined;
    this.seldom = x === 4;
    if (this.seldom) await b.cycles(200);
    await b.cycles(random.between(1, random.pick([4, 40, 200])));
    io.control.hold.value = 1;
    const began = b.cycle;
    await b.cycles(random.pick([1, random.between(1, 30)]));
    if (this.busy !== undefined) await b.cycles(60);
    this.busy = undefined;
    if (this.deaf) {
      await b.cycles(16 * patience * 3);
      this.deaf = false;
    }
    if (random.chance()) await b.until(() => io.state.held.value === 1);
    io.control.hold.value = 0;
    await b.until(() => io.inReset.value === 0);
    if (this.#epoch !== before) this.seen.givenUp++;
    expect(b.cycle - began, "cycles of a reset").toBeLessThan(16 * patience * 5 + 600);
    this.mute = this.deaf = this.seldom = false;
  }

  /** At the end all contexts can be taken, and as many memory requests be under way as ever, each with its beats. */
  async allBack(): Promise<void> {
    const { io } = this.#b;
    await this.reset();
    await this.#b.until(() => this.#under.length === 0);
    this.mute = true;
    await this.#b.until(() => io.room.value === 0 && this.#inside.size === this.#p.contexts);
    await this.#b.until(() => this.#under.length === this.#p.outstanding);
  }
}
