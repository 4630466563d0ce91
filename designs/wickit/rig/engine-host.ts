import {
  type Bench,
  bernoulli,
  HangError,
  type Io,
  never,
  ProtocolError,
  StreamSink,
  StreamSource,
} from "../../../sim/index.ts";
import { interpret, type WicCall } from "../model/index.ts";
import type { Call, EngineCall, EngineHostOptions, EnginePorts, EngineStream } from "./engine-call.ts";
import { EngineMemory } from "./engine-memory.ts";
import { shown } from "./words-text.ts";

const tags = 256;
/**
 * Plays requests and memory for an engine, and compares it with the interpreter: every access in every field, every
 * reply. It knows each request's context, as contexts are given out first all in order and then in the order of their
 * return. An access is done at a random moment before its answer, so that accesses overtake one another.
 */
export class EngineHost {
  readonly #b: Bench<EnginePorts>;
  readonly #o: EngineHostOptions;
  readonly #request;
  readonly #requestData;
  readonly #reply;
  readonly #replyData;
  readonly #memory: EngineMemory;
  #waiting: Call[] = [];
  #handed: Call[] = [];
  #byContext = new Map<number, Call>();
  #byTag = new Map<number, Call>();
  #free: number[] = [];
  #replying:
    { readonly call: Call; readonly status: number; readonly words: bigint[]; readonly count: number } | undefined;
  #heads: { readonly tag: number; readonly status: number; readonly words: number; readonly cycle: number }[] = [];
  #words: bigint[] = [];
  #moved = 0;
  #inReset = false;
  #tag = 0;
  /** The most requests inside at once. */
  mostInside = 0;

  constructor(b: Bench<EnginePorts>, o: EngineHostOptions) {
    this.#b = b;
    this.#o = o;
    const random = b.random.fork("engine host"),
      { pause = 0 } = o,
      { sim } = b,
      io: Io<EnginePorts> = b.io;
    const of = (s: EngineStream) => ({
      pause: typeof pause === "function" ? pause(s) : pause === 0 ? never : bernoulli(pause, random.fork(s).word()),
    });
    this.#request = new StreamSource(sim, io.request, of("request"));
    this.#requestData = new StreamSource(sim, io.requestData, of("requestData"));
    this.#reply = new StreamSink(sim, io.reply, of("reply"));
    this.#replyData = new StreamSink(sim, io.replyData, of("replyData"));
    this.#memory = new EngineMemory(b, o, of, context => this.#byContext.get(context));
    this.#forget();
    io.base.value = o.machine.base;
    sim.onEdge({ sample: cycle => this.#sample(cycle) });
  }

  /** The most accesses under way at once. */
  get mostInFlight(): number {
    return this.#memory.mostInFlight;
  }

  ask(call: WicCall): EngineCall {
    const c: Call = {
      ...call,
      tag: -1,
      taken: undefined,
      replied: undefined,
      end: undefined,
      outcome: undefined,
      accesses: [],
      header: undefined,
      context: -1,
      run: undefined,
      next: undefined,
    };
    this.#waiting.push(c);
    return c;
  }
  async call(call: WicCall): Promise<EngineCall> {
    const c = this.ask(call);
    await this.#b.until(() => c.end !== undefined);
    return c;
  }
  /** Until all is answered and every context is free; then nothing is left over. */
  async drained(): Promise<void> {
    await this.#b.until(() => this.#open === 0);
    await this.#b.cycles(8);
    const { free, inFlight } = this.#b.io.state;
    if (Number(free.value) !== this.#o.parameters.contexts || Number(inFlight.value) !== 0)
      throw new ProtocolError(`${free.value} contexts are free and ${inFlight.value} accesses under way at the end`);
    if (this.#words.length > 0) throw new ProtocolError("words are left that belong to no reply");
  }
  /** Resets the engine beside whatever is under way, and forgets it. */
  reset(): void {
    this.#inReset = true;
    this.#drop();
    this.#b.sim.reset();
    this.#drop();
    this.#inReset = false;
    this.#moved = this.#b.cycle;
  }

  get #open(): number {
    return this.#waiting.length + this.#handed.length + this.#byContext.size;
  }
  #drop(): void {
    for (const s of [this.#request, this.#requestData]) s.forget();
    for (const s of [this.#reply, this.#replyData]) s.received.length = 0;
    this.#memory.forget();
    this.#forget();
  }
  #forget(): void {
    this.#waiting = [];
    this.#handed = [];
    this.#byContext = new Map();
    this.#byTag = new Map();
    this.#free = Array.from({ length: this.#o.parameters.contexts }, (_, i) => i);
    this.#replying = undefined;
    this.#heads = [];
    this.#words = [];
  }

  #sample(cycle: number): void {
    if (this.#inReset) return;
    let moved = false;
    for (let r = this.#reply.take(); r; r = this.#reply.take(), moved = true) {
      const v = r.value;
      this.#heads.push({ tag: v.tag, status: v.status, words: v.words, cycle });
    }
    for (let w = this.#replyData.take(); w; w = this.#replyData.take(), moved = true) this.#words.push(w.value);
    this.#replies(cycle);
    moved = this.#requests() || moved;
    moved = this.#memory.sample(cycle) || moved;
    if (moved || this.#memory.owes || this.#byContext.size === 0) this.#moved = cycle;
    else if (cycle - this.#moved > (this.#o.patience ?? 2000))
      throw new HangError(
        `nothing has moved for ${cycle - this.#moved} cycles and ${this.#byContext.size} requests wait`,
      );
  }

  #requests(): boolean {
    let moved = false;
    while (this.#handed[0]?.header?.cycle !== undefined) {
      const call = this.#handed.shift() as Call,
        context = this.#free.shift();
      if (context === undefined) throw new ProtocolError("a request was taken and no context is free");
      call.taken = call.header?.cycle;
      call.context = context;
      call.run = interpret(this.#o.machine, call);
      call.next = call.run.next();
      this.#byContext.set(context, call);
      this.mostInside = Math.max(this.mostInside, this.#byContext.size);
      moved = true;
    }
    while (this.#waiting.length > 0 && this.#handed.length < 2 && this.#byTag.size < tags) {
      while (this.#byTag.has(this.#tag)) this.#tag = (this.#tag + 1) % tags;
      const call = this.#waiting.shift() as Call,
        tag = this.#tag;
      this.#tag = (tag + 1) % tags;
      Object.assign(call, { tag });
      this.#byTag.set(tag, call);
      call.header = this.#request.send({ tag, program: call.program, words: call.words.length });
      for (const w of call.words) this.#requestData.send(w);
      this.#handed.push(call);
    }
    return moved;
  }

  #replies(cycle: number): void {
    for (;;) {
      if (!this.#replying) {
        const head = this.#heads.shift();
        if (!head) return;
        const call = this.#byTag.get(head.tag);
        if (call?.taken === undefined)
          throw new ProtocolError(`a reply at cycle ${head.cycle} with tag ${head.tag}, which no request inside has`);
        call.replied = head.cycle;
        this.#replying = { call, status: head.status, words: [], count: head.words };
      }
      const r = this.#replying;
      while (r.words.length < r.count && this.#words.length > 0) r.words.push(this.#words.shift() as bigint);
      if (r.words.length < r.count) return;
      this.#replying = undefined;
      this.#compare(r, cycle);
    }
  }
  #compare(
    r: { readonly call: Call; readonly status: number; readonly words: readonly bigint[] },
    cycle: number,
  ): void {
    const { call } = r,
      expected = call.next?.done === true ? call.next.value : undefined;
    if (!expected) throw new ProtocolError(`request ${call.tag} is answered; the model still has an access to do`);
    if (expected.status !== r.status || shown(expected.words) !== shown(r.words))
      throw new ProtocolError(
        `request ${call.tag} (program ${call.program}) is answered ${r.status} ${shown(r.words)}; the model ${expected.status} ${shown(expected.words)}`,
      );
    call.outcome = expected;
    call.end = cycle;
    this.#byTag.delete(call.tag);
    this.#byContext.delete(call.context);
    this.#free.push(call.context);
  }
}
