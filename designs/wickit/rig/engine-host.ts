import {
  type Bench,
  bernoulli,
  HangError,
  type Io,
  never,
  type Pause,
  ProtocolError,
  type Sent,
  StreamSink,
  StreamSource,
} from "../../../sim/index.ts";
import type { EngineParameters } from "../config/index.ts";
import {
  type Access,
  type AccessAnswer,
  interpret,
  type WicCall,
  type WicMachine,
  type WicOutcome,
} from "../model/index.ts";
import type { enginePorts } from "../rtl/index.ts";

export type EnginePorts = ReturnType<typeof enginePorts>;
export type EngineStream = Exclude<keyof EnginePorts, "base" | "state">;

export interface EngineHostOptions {
  readonly parameters: EngineParameters;
  readonly machine: WicMachine;
  /** What memory does, one access after the other. */
  readonly memory: (access: Access) => AccessAnswer;
  /** Cycles from an access (its last word) to its answer, and so many more at random. Default 10 and 0. */
  readonly latency?: number;
  readonly jitter?: number;
  /** Probability that a stream pauses in a cycle; or a pause for each. */
  readonly pause?: number | ((stream: EngineStream) => Pause);
  /** Cycles without progress after which an unanswered request is a hang. Default 2,000. */
  readonly patience?: number;
}

/** A request on its way. Cycles are those of the headers' edges, `end` that of the reply's last word. */
export interface EngineCall extends WicCall {
  readonly tag: number;
  readonly taken: number | undefined;
  readonly replied: number | undefined;
  readonly end: number | undefined;
  readonly outcome: WicOutcome | undefined;
  readonly accesses: readonly AccessTrace[];
}
export interface AccessTrace extends Access {
  readonly taken: number;
  readonly answered: number | undefined;
}
interface Flight {
  readonly call: Call;
  readonly access: Access & { sent: bigint[] };
  readonly trace: { answered: number | undefined };
  readonly expects: number;
  due: number;
}
interface Call extends WicCall {
  readonly tag: number;
  taken: number | undefined;
  replied: number | undefined;
  end: number | undefined;
  outcome: WicOutcome | undefined;
  readonly accesses: (AccessTrace & { answered: number | undefined })[];
  header: Sent<unknown> | undefined;
  context: number;
  run: Generator<Access, WicOutcome, AccessAnswer> | undefined;
  next: IteratorResult<Access, WicOutcome> | undefined;
}

const tags = 256;
/** Words that an access brings with it, by the model's own rule. */
const sentWords = ({ kind, words }: Omit<Access, "sent">): number =>
  ({ load: 0, store: words, tas: 0, cas: 2, faa: 1, put: 1 })[kind];
const shown = (words: readonly bigint[]): string => words.map(w => `0x${w.toString(16)}`).join(" ");

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
  readonly #memory;
  readonly #memoryData;
  readonly #answer;
  readonly #answerData;
  #waiting: Call[] = [];
  #handed: Call[] = [];
  #byContext = new Map<number, Call>();
  #byTag = new Map<number, Call>();
  #free: number[] = [];
  #collecting: Flight[] = [];
  #flights: Flight[] = [];
  #answering: { readonly flight: Flight; readonly header: Sent<unknown>; readonly last: Sent<unknown> | undefined }[] =
    [];
  #replying:
    { readonly call: Call; readonly status: number; readonly words: bigint[]; readonly count: number } | undefined;
  #heads: { readonly tag: number; readonly status: number; readonly words: number; readonly cycle: number }[] = [];
  #words: bigint[] = [];
  #moved = 0;
  #inReset = false;
  #tag = 0;
  /** The most accesses under way at once, and requests inside. */
  mostInFlight = 0;
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
    this.#memory = new StreamSink(sim, io.memory, of("memory"));
    this.#memoryData = new StreamSink(sim, io.memoryData, of("memoryData"));
    this.#answer = new StreamSource(sim, io.memoryReply, of("memoryReply"));
    this.#answerData = new StreamSource(sim, io.memoryReplyData, of("memoryReplyData"));
    this.#forget();
    io.base.value = o.machine.base;
    sim.onEdge({ sample: cycle => this.#sample(cycle) });
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
    for (const s of [this.#request, this.#requestData, this.#answer, this.#answerData]) s.forget();
    for (const s of [this.#reply, this.#replyData, this.#memory, this.#memoryData]) s.received.length = 0;
    this.#forget();
  }
  #forget(): void {
    this.#waiting = [];
    this.#handed = [];
    this.#byContext = new Map();
    this.#byTag = new Map();
    this.#free = Array.from({ length: this.#o.parameters.contexts }, (_, i) => i);
    this.#collecting = [];
    this.#flights = [];
    this.#answering = [];
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
    for (let m = this.#memory.take(); m; m = this.#memory.take(), moved = true) this.#access(m.value, cycle);
    for (let w = this.#memoryData.take(); w; w = this.#memoryData.take(), moved = true) this.#sent(w.value, cycle);
    this.#answers(cycle);
    const owed = this.#flights.length + this.#answering.length > 0;
    if (moved || owed || this.#byContext.size === 0) this.#moved = cycle;
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

  #access(
    v: {
      readonly context: number | bigint;
      readonly tag: number | bigint;
      readonly kind: string;
      readonly va: number | bigint;
      readonly words: number | bigint;
    },
    cycle: number,
  ): void {
    const call = this.#byContext.get(Number(v.context));
    if (!call) throw new ProtocolError(`an access of context ${v.context} at cycle ${cycle}, which has no request`);
    const access = { kind: v.kind as Access["kind"], va: BigInt(v.va), words: Number(v.words), sent: [] as bigint[] },
      expected = call.next?.done === false ? call.next.value : undefined;
    if (!expected || access.kind !== expected.kind || access.va !== expected.va || access.words !== expected.words)
      throw new ProtocolError(
        `request ${call.tag} (program ${call.program}) does ${access.kind} 0x${access.va.toString(16)} ${access.words}; the model ${
          expected ? `${expected.kind} 0x${expected.va.toString(16)} ${expected.words}` : "has ended"
        }`,
      );
    if (Number(v.tag) !== call.tag) throw new ProtocolError(`an access of request ${call.tag} has tag ${v.tag}`);
    const trace = { ...expected, taken: cycle, answered: undefined };
    call.accesses.push(trace);
    const flight: Flight = { call, access, trace, expects: sentWords(access), due: Number.POSITIVE_INFINITY };
    this.#collecting.push(flight);
    if (this.#collecting.length === 1) this.#settle(cycle);
    const under = this.#collecting.length + this.#flights.length + this.#answering.length;
    this.mostInFlight = Math.max(this.mostInFlight, under);
    if (under > this.#o.parameters.maxInFlight) throw new ProtocolError(`${under} accesses are under way`);
  }
  #sent(word: bigint, cycle: number): void {
    const [flight] = this.#collecting;
    if (!flight || flight.access.sent.length === flight.expects)
      throw new ProtocolError(`a word for memory at cycle ${cycle} that belongs to no access`);
    flight.access.sent.push(word);
    this.#settle(cycle);
  }
  /** Accesses whose words are all there go to memory. */
  #settle(cycle: number): void {
    for (let [f] = this.#collecting; f && f.access.sent.length === f.expects; [f] = this.#collecting) {
      this.#collecting.shift();
      const expected = f.call.next?.done === false ? f.call.next.value.sent : [];
      if (expected.some((w, i) => w !== f.access.sent[i]))
        throw new ProtocolError(`request ${f.call.tag} sends ${shown(f.access.sent)}; the model ${shown(expected)}`);
      f.due = cycle + (this.#o.latency ?? 10) - 1 + this.#b.random.between(0, this.#o.jitter ?? 0);
      this.#flights.push(f);
    }
  }

  #answers(cycle: number): void {
    const due = this.#flights.filter(f => f.due <= cycle);
    this.#flights = this.#flights.filter(f => f.due > cycle);
    for (const f of due) {
      const answer = this.#o.memory(f.access);
      f.call.next = f.call.run?.next(answer);
      const header = this.#answer.send({ context: f.call.context, status: answer.status, words: answer.words.length }),
        last = answer.words.map(w => this.#answerData.send(w)).at(-1);
      this.#answering.push({ flight: f, header, last });
    }
    for (const a of this.#answering) a.flight.trace.answered ??= a.header.cycle;
    this.#answering = this.#answering.filter(
      a => a.header.cycle === undefined || (a.last && a.last.cycle === undefined),
    );
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
