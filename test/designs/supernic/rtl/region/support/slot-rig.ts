/** A wrapper around a task that the bench plays itself, well or badly, and a scoreboard for all that comes and goes. */
import {
  chainOf,
  ChainPacket,
  Slot,
  SlotControl,
  type SlotParameters,
  SlotState,
} from "../../../../../../designs/supernic/rtl/region/index.ts";
import { TaskAnswer, TaskPacket } from "../../../../../../designs/supernic/rtl/tasks/index.ts";
import { type Declared, headerBytesFrom } from "../../../../../../designs/supernic/wire/index.ts";
import {
  bit,
  connect,
  input,
  instance,
  module,
  output,
  sink,
  source,
  stage,
  struct,
} from "../../../../../../hdl-dsl/index.ts";
import { type Bench, never, type Pause, StreamSink, StreamSource } from "../../../../../../sim/index.ts";
import { wide } from "../../tasks/support/task-rig.ts";

export const declared: Declared = {
  name: "played",
  reads: headerBytesFrom(0, 40),
  writes: headerBytesFrom(14, 20) | headerBytesFrom(50, 3),
  growth: 50,
  leavesOut: 14,
  latency: 1,
  interval: 1,
  holds: 5,
  state: "none",
};
const everyByte = headerBytesFrom(0, 64),
  /** In front and behind: with these every part of a packet is carried past the slot. */
  writesAll: Declared = { ...declared, name: "writes_all", writes: everyByte, growth: 64, leavesOut: 64 },
  readsAll: Declared = { ...declared, name: "reads_all", reads: everyByte };
export const parameters: SlotParameters = {
  contexts: 256,
  places: 6,
  chain: [writesAll, declared, readsAll],
  slot: 1,
};
const ownBit = 1 << parameters.slot;

/** The wrapper with a register behind it, as the last slot of a region has one; the task's ports are the bench's. */
export const SlotUnderTest = module(
  "SlotUnderTest",
  (p: SlotParameters) => ({
    enter: sink(ChainPacket(chainOf(p))),
    leave: source(ChainPacket(chainOf(p))),
    packet: output(struct({ valid: bit, ...TaskPacket.fields })),
    takes: input(bit),
    answer: input(struct({ valid: bit, ...TaskAnswer.fields })),
    answerTaken: output(bit),
    taskReset: output(bit),
    taskQuiesce: output(bit),
    taskQuiet: input(bit),
    control: input(SlotControl(chainOf(p))),
    state: output(SlotState(chainOf(p))),
    give: output(bit),
  }),
  (io, p) => {
    const slot = instance("slot", Slot(p));
    connect(io.enter, slot.enter);
    connect(stage(slot.leave, "forward", { name: "staged" }), io.leave);
    io.packet.set({ valid: slot.packet.valid, ...slot.packet.payload });
    slot.packet.ready.set(io.takes);
    const { valid, ...answer } = io.answer;
    slot.answer.valid.set(valid);
    slot.answer.payload.set(answer);
    io.answerTaken.set(slot.answer.ready);
    io.taskReset.set(slot.taskReset);
    io.taskQuiesce.set(slot.taskQuiesce);
    slot.taskQuiet.set(io.taskQuiet);
    slot.control.set(io.control);
    io.state.set(slot.state);
    io.give.set(slot.give);
  },
);
export const dut = () => SlotUnderTest(parameters);
export type Ports = ReturnType<typeof dut>["ports"];
export type B = Bench<Ports>;

export interface Packet {
  readonly ctx: number;
  readonly header: bigint;
  readonly run: number;
  readonly mask: bigint;
  readonly prepend: number;
  readonly dropFront: number;
  readonly headBytes: number;
  readonly payloadBytes: number;
  readonly sent: { readonly cycle: number | undefined };
}
export interface Answer {
  tag: number;
  verdict: "forward" | "drop" | "reply";
  header: bigint;
  mask: bigint;
  prepend: number;
  frontBytes: number;
  dropFront: number;
}
/** What the played task does wrong; `right`: nothing. */
export const misdeeds = [
  "never takes",
  "never answers",
  "answers twice",
  "answers what it was not asked",
  "answers in another order",
  "grows",
  "reaches outside",
  "withdraws answers",
] as const;
export type Misdeed = (typeof misdeeds)[number];
const empty: Answer = { tag: 0, verdict: "forward", header: 0n, mask: 0n, prepend: 0, frontBytes: 0, dropFront: 0 };

export class SlotRig {
  readonly b: B;
  readonly enter;
  readonly leave;
  misdeed: Misdeed | undefined;
  /** Chances of the played task, each cycle. */
  takes = 0.7;
  answers = 0.7;
  /** Packets that the task was given and has not answered, with what it will say. */
  readonly #task: { readonly packet: Packet; readonly tag: number; readonly answer: Answer }[] = [];
  /** Packets for the task that it was not given yet. */
  readonly #waiting: Packet[] = [];
  readonly #past: Packet[] = [];
  /** In the order in which they must leave. */
  readonly #due: { readonly packet: Packet; readonly is: ReturnType<typeof expected> | undefined }[] = [];
  #offer: { readonly answer: Answer; readonly stray: boolean } | undefined;
  #extra: Answer[] = [];
  #entered: Packet[] = [];
  #free = Array.from({ length: 256 }, (_, i) => i);
  #resetting = false;
  #takenQuiet = 0;
  #lastTag = 255;
  #withdrawn = false;
  credits = parameters.places;
  held = 0;
  /** Headers are so short that a task may leave out all of them. */
  shortHeads = false;
  readonly seen = { took: 0, skipped: 0, dropped: 0, killed: 0, strays: 0, outside: 0, grown: 0 };
  readonly waits: number[] = [];
  /** Cycles from entering to leaving of packets that skipped, and the longest wait of an answer. */
  readonly pasts: number[] = [];
  #answerSince: number | undefined;

  constructor(b: B, o: { readonly from?: Pause; readonly to?: Pause } = {}) {
    this.b = b;
    this.enter = new StreamSource(b.sim, b.io.enter, { pause: o.from ?? never });
    this.leave = new StreamSink(b.sim, b.io.leave, { pause: o.to ?? never });
    this.control({});
    b.io.taskQuiet.value = 1;
    b.onEdge({ sample: () => this.#sample(), drive: () => this.#drive() });
  }
  control(c: { readonly quiesce?: boolean; readonly isolate?: boolean; busyAt?: number; patience?: number }): void {
    const { control } = this.b.io;
    control.quiesce.value = c.quiesce === true ? 1 : 0;
    control.isolate.value = c.isolate === true ? 1 : 0;
    control.busyAt.value = c.busyAt ?? 3;
    control.patience.value = c.patience ?? 60;
  }
  /** Whether one more packet for the task has a credit. */
  get hasCredit(): boolean {
    return this.held < this.credits;
  }
  send(forTask: boolean): Packet {
    const { random } = this.b,
      ctx = this.#free.shift();
    if (ctx === undefined) throw new Error("all contexts are out");
    const prepend = random.chance(0.1) ? random.between(1, 255) : 0;
    const value = {
      ctx,
      header: random.bits(512),
      run: (forTask ? ownBit : 0) | (random.chance(0.5) ? 4 : 0),
      mask: random.bits(64),
      prepend,
      frontBytes: prepend === 0 ? 0 : random.between(1, 64),
      dropFront: random.chance(0.1) ? 5 : 0,
      headBytes: this.shortHeads ? random.between(1, 15) : random.chance(0.8) ? 64 : random.between(10, 63),
      payloadBytes: random.chance(0.5) ? 0 : random.between(1, 9000),
    };
    const rest = { uid: 1, user: 2, ingress: 3, flowHash: 4, noL4: 0, arg: 5 };
    if (forTask) this.held++;
    const none = { reply: 0, dropped: 0, killed: 0, refund: 0 };
    const sent = this.enter.send({ ...value, ...rest, ...none });
    const packet = { ...value, sent };
    this.#entered.push(packet);
    return packet;
  }
  get pending(): number {
    return 256 - this.#free.length;
  }

  #sample(): void {
    if (this.#resetting) return;
    const { io } = this.b,
      off = io.state.off.value === 1;
    this.#levels();
    if (io.give.value === 1) this.held--;
    if (this.held < 0) throw new Error("a credit came back that nobody had");
    if (io.packet.valid.value === 1 && io.takes.value === 1) this.#took();
    this.#answered(off);
    this.#arriving = 0;
    for (; this.#entered[0]?.sent.cycle !== undefined; this.#entered.shift()) {
      const packet = this.#entered[0];
      (packet.run & ownBit ? this.#waiting : this.#past).push(packet);
      if (packet.run & ownBit) this.#arriving++;
      // It is there in the next cycle: before an answer that comes then.
      if (!(packet.run & ownBit)) this.#due.push({ packet, is: undefined });
    }
    if (io.taskReset.value === 1) {
      this.#offer = undefined;
      this.#extra = [];
      this.#answerSince = undefined;
    }
    for (let s = this.leave.take(); s; s = this.leave.take()) this.#left(s.cycle, s.value);
    if (io.taskQuiesce.value === 0) this.#takenQuiet = 0;
  }
  /** Until the task has been off: what waits, what is inside, and whether that is busy, in every cycle. */
  #levels(): void {
    const { io } = this.b,
      { state, control } = io;
    if (state.quiet.value === 1 && this.#task.length > 0) throw new Error("it is quiet with packets inside");
    this.#everOff ||= state.off.value === 1;
    if (this.#everOff) return;
    // One that was taken in the last cycle has its place still.
    const waiting = this.#waiting.length - this.#arriving + (io.give.value === 1 ? 1 : 0);
    if (state.waiting.num !== waiting) throw new Error(`${state.waiting.num} wait, not ${waiting}`);
    if (state.inside.num !== this.#task.length) throw new Error(`${state.inside.num} inside, not ${this.#task.length}`);
    if ((state.busy.value === 1) !== this.#busy) throw new Error(`busy is ${state.busy.value} with ${waiting} waiting`);
    this.#busy = waiting >= Number(control.busyAt.value);
  }
  #everOff = false;
  #busy = false;
  /** Packets for the task that came in the last cycle. */
  #arriving = 0;
  #took(): void {
    const { io, random } = this.b,
      packet = this.#waiting.shift();
    if (!packet) throw new Error("the task is given a packet that nobody sent");
    if (this.#task.length >= declared.holds) throw new Error(`the task is given more than ${declared.holds}`);
    // The one that was offered before may still be taken.
    if (io.taskQuiesce.value === 1 && ++this.#takenQuiet > 1)
      throw new Error("a packet is given to a task that is to be quiet");
    if (io.packet.header.value !== (packet.header & wide(declared.reads)))
      throw new Error("the task sees bytes that it did not declare, or others");
    this.seen.took++;
    this.#lastTag = io.packet.tag.num;
    const tag = this.#lastTag,
      right = {
        ...empty,
        tag,
        verdict: random.pick(["forward", "forward", "forward", "drop", "reply"] as const),
        header: random.bits(512),
        mask: random.bits(64) & declared.writes,
      };
    this.#task.push({ packet, tag, answer: { ...right, ...this.#front(packet) } });
  }
  /** Something in front, or left out, that is allowed of this packet; or, of a task that grows, is not. */
  #front(packet: Packet): Partial<Answer> {
    const { random } = this.b;
    if (this.misdeed === "grows" && random.chance(0.7))
      return random.pick([
        { prepend: 7, frontBytes: 51 },
        { prepend: 7, frontBytes: 0 },
        { prepend: 0, frontBytes: 1 },
        { dropFront: 15 },
        { dropFront: packet.headBytes + 1 },
        ...(this.shortHeads ? [{ dropFront: Math.min(14, packet.headBytes) }] : []),
        ...(packet.prepend ? [{ prepend: 9, frontBytes: 20 }] : []),
        ...(packet.dropFront ? [{ dropFront: 1 }] : []),
      ]);
    return {
      ...(random.chance(0.3) && packet.prepend === 0 && { prepend: 3, frontBytes: random.between(1, 50) }),
      ...(random.chance(0.3) && packet.dropFront === 0 && { dropFront: Math.min(14, packet.headBytes - 1) }),
    };
  }
  #answered(off: boolean): void {
    const { io } = this.b;
    if (off || !this.#offer) return;
    const { answer, stray } = this.#offer;
    if (!stray) this.#answerSince ??= this.b.cycle;
    if (io.answerTaken.value === 0) {
      if (this.misdeed === "withdraws answers" && this.b.random.chance(0.5)) {
        this.#offer = undefined;
        this.#withdrawn = true;
        this.#answerSince = undefined;
      }
      return;
    }
    this.#offer = undefined;
    if (stray) {
      this.seen.strays++;
      return;
    }
    const head = this.#task.shift();
    if (head?.tag !== answer.tag) throw new Error("a right answer was none");
    // Ready since then: all that went past and was there has left before.
    this.waits.push(this.b.cycle - (this.#answerSince ?? NaN));
    const is = expected(head.packet, answer);
    if (is.grown) this.seen.grown++;
    if (is.dropped) this.seen.dropped++;
    if (answer.mask & ~declared.writes) this.seen.outside++;
    const behind = this.#due.findIndex(d => (d.packet.sent.cycle ?? NaN) + 1 > (this.#answerSince ?? NaN));
    this.#due.splice(behind < 0 ? this.#due.length : behind, 0, { packet: head.packet, is });
    this.#answerSince = undefined;
    if (this.misdeed === "answers twice") this.#extra.push(answer);
  }
  #left(cycle: number, is: (typeof this.leave)["received"][number]["value"]): void {
    const dead = is.killed === 1 ? (this.#task[0] ?? this.#waiting.map(packet => ({ packet }))[0]) : undefined,
      due = dead ?? this.#due.shift();
    if (!due) throw new Error(`packet ${is.ctx} leaves, and none is due`);
    const { packet } = due;
    if (is.ctx !== packet.ctx) throw new Error(`packet ${is.ctx} leaves in place of ${packet.ctx}`);
    if (dead) {
      (this.#task.length > 0 ? this.#task : this.#waiting).shift();
      this.seen.killed++;
    }
    const gone = dead !== undefined,
      want = "is" in due && due.is ? due.is : { ...untouched(packet), ...(gone && { dropped: true, killed: true }) };
    const same = (what: string, a: unknown, b: unknown): void => {
      if (a !== b) throw new Error(`${what} is ${String(a)}, not ${String(b)}, of packet ${packet.ctx}`);
    };
    const drops = want.dropped;
    same("dropped", is.dropped, drops ? 1 : 0);
    same("killed", is.killed, gone ? 1 : 0);
    same("refund", is.refund, drops ? packet.run & 4 : 0);
    same("run", Number(is.run) & 4, drops ? 0 : packet.run & 4);
    if (!drops) {
      same("header", is.header, want.header);
      same("mask", is.mask, want.mask);
      same("reply", is.reply, want.reply ? 1 : 0);
      same("prepend", is.prepend, want.prepend);
      same("dropFront", is.dropFront, want.dropFront);
    }
    const at = this.#past.indexOf(packet);
    if (at >= 0) {
      this.#past.splice(at, 1);
      this.seen.skipped++;
      this.pasts.push(cycle - (packet.sent.cycle ?? NaN));
    }
    this.#free.push(packet.ctx);
  }
  #drive(): void {
    const { io, random } = this.b;
    io.takes.value = this.misdeed !== "never takes" && random.chance(this.takes) ? 1 : 0;
    if (!this.#offer && !this.#withdrawn && !this.#resetting && random.chance(this.answers)) this.#offer = this.#next();
    this.#withdrawn = false;
    const answer = this.#offer?.answer ?? { ...empty, tag: random.between(0, 255) };
    io.answer.valid.value = this.#offer ? 1 : 0;
    io.answer.tag.value = answer.tag;
    io.answer.verdict.value = answer.verdict;
    io.answer.header.value = answer.header;
    io.answer.mask.value = answer.mask;
    io.answer.prepend.value = answer.prepend;
    io.answer.frontBytes.value = answer.frontBytes;
    io.answer.dropFront.value = answer.dropFront;
  }
  /** The next answer of the played task, if it gives any. */
  #next(): { readonly answer: Answer; readonly stray: boolean } | undefined {
    const { random } = this.b,
      [first, second] = this.#task;
    const again = this.#extra.shift();
    if (again) return { answer: again, stray: true };
    switch (this.misdeed) {
      case "never answers":
        return undefined;
      case "answers what it was not asked":
        // With nothing inside also the tag that comes next.
        if (random.chance(0.5)) {
          const tag = first ? first.tag + random.between(1, 255) : this.#lastTag + random.between(1, 3);
          return { answer: { ...empty, tag: tag & 255 }, stray: true };
        }
        break;
      case "answers in another order":
        if (second) return { answer: second.answer, stray: true };
        break;
      case "reaches outside":
        if (first && random.chance(0.5))
          return { answer: { ...first.answer, mask: first.answer.mask | (1n << 63n) | 1n }, stray: false };
        break;
      default:
    }
    return first && { answer: first.answer, stray: false };
  }
  reset(): void {
    this.enter.forget();
    this.#resetting = true;
    this.#offer = undefined;
    this.#extra = [];
    this.b.io.answer.valid.value = 0;
    this.b.sim.reset(1);
    this.#resetting = false;
    for (const list of [this.#task, this.#waiting, this.#past, this.#due, this.#entered]) list.splice(0);
    this.#free = Array.from({ length: 256 }, (_, i) => i);
    this.#answerSince = undefined;
    this.#busy = false;
    this.#arriving = 0;
    this.held = 0;
    this.leave.received.splice(0);
    for (const k of Object.keys(this.seen)) this.seen[k as keyof typeof this.seen] = 0;
  }
  /** Random packets for some cycles: for the task while there are credits, and past it. */
  async traffic(cycles: number, rate = 0.7): Promise<void> {
    const { random } = this.b;
    for (let i = 0; i < cycles; i++) {
      if (this.#free.length > 200 && random.chance(rate)) this.send(this.hasCredit && random.chance(0.6));
      await this.b.cycles(1);
    }
  }
  /** All has left, all credits are back, and every count is right. */
  async end(): Promise<void> {
    await this.b.until(() => this.#free.length === 256);
    await this.b.cycles(10);
    const { state } = this.b.io;
    if (this.held !== 0) throw new Error(`${this.held} credits are out at the end`);
    if (state.waiting.num !== 0 || state.inside.num !== 0) throw new Error("something is inside at the end");
    this.counts();
  }
  counts(): void {
    const { counts } = this.b.io.state,
      s = this.seen;
    const all = [
      ["took", counts.took.num, s.took + s.killed - this.#killedInside],
      ["skipped", counts.skipped.num, s.skipped],
      ["dropped", counts.dropped.num, s.dropped],
      ["killed", counts.killed.num, s.killed],
      ["strays", counts.strays.num, s.strays],
      ["outside", counts.outside.num, s.outside],
      ["grown", counts.grown.num, s.grown],
    ] as const;
    for (const [name, is, should] of all)
      if (is !== should) throw new Error(`${name} counts ${is}, and there were ${should}`);
  }
  /** Of the killed, those that the task had taken. */
  get #killedInside(): number {
    return this.seen.took - this.#answeredCount;
  }
  get #answeredCount(): number {
    return this.waits.length - this.waitsBefore;
  }
  waitsBefore = 0;
}

const untouched = (p: Packet) => ({ ...p, dropped: false, reply: false, killed: false, grown: false });
/** What becomes of a packet by an answer: docs/supernic/region.md. */
function expected(p: Packet, a: Answer) {
  const growing =
    a.frontBytes > declared.growth ||
    a.prepend > 0 !== a.frontBytes > 0 ||
    (a.prepend > 0 && p.prepend > 0) ||
    a.dropFront > declared.leavesOut ||
    (a.dropFront > 0 && p.dropFront > 0) ||
    a.dropFront > p.headBytes ||
    (a.dropFront === p.headBytes && p.payloadBytes === 0);
  const grown = a.verdict !== "drop" && growing,
    mask = a.mask & declared.writes,
    bits = wide(mask);
  return {
    ...untouched(p),
    header: (p.header & ~bits) | (a.header & bits),
    mask: p.mask | mask,
    prepend: a.prepend || p.prepend,
    dropFront: a.dropFront || p.dropFront,
    reply: a.verdict === "reply",
    dropped: a.verdict === "drop" || grown,
    grown,
  };
}
