import { type Bench, type Pause, ProtocolError, type Sent, StreamSink, StreamSource } from "../../../sim/index.ts";
import type { Access } from "../model/index.ts";
import type { Call, EngineHostOptions, EnginePorts, EngineStream } from "./engine-call.ts";
import { shown } from "./words-text.ts";

interface Flight {
  readonly call: Call;
  readonly access: Access & { sent: bigint[] };
  readonly trace: { answered: number | undefined };
  readonly expects: number;
  due: number;
}
/** Words that an access brings with it, by the model's own rule. */
const sentWords = ({ kind, words }: Omit<Access, "sent">): number =>
  ({ load: 0, store: words, tas: 0, cas: 2, faa: 1, put: 1 })[kind];

/**
 * The memory of an engine: accesses as the interpreter has them, each done at its time, answers in the order of their
 * times.
 */
export class EngineMemory {
  readonly #b: Bench<EnginePorts>;
  readonly #o: EngineHostOptions;
  readonly #callOf: (context: number) => Call | undefined;
  readonly #memory;
  readonly #memoryData;
  readonly #answer;
  readonly #answerData;
  #collecting: Flight[] = [];
  #flights: Flight[] = [];
  #answering: { readonly flight: Flight; readonly header: Sent<unknown>; readonly last: Sent<unknown> | undefined }[] =
    [];
  /** The most accesses under way at once. */
  mostInFlight = 0;

  constructor(
    b: Bench<EnginePorts>,
    o: EngineHostOptions,
    pauseOf: (stream: EngineStream) => { readonly pause: Pause },
    callOf: (context: number) => Call | undefined,
  ) {
    const { sim, io } = b;
    this.#b = b;
    this.#o = o;
    this.#callOf = callOf;
    this.#memory = new StreamSink(sim, io.memory, pauseOf("memory"));
    this.#memoryData = new StreamSink(sim, io.memoryData, pauseOf("memoryData"));
    this.#answer = new StreamSource(sim, io.memoryReply, pauseOf("memoryReply"));
    this.#answerData = new StreamSource(sim, io.memoryReplyData, pauseOf("memoryReplyData"));
  }

  /** Accesses are under way: memory is to answer. */
  get owes(): boolean {
    return this.#flights.length + this.#answering.length > 0;
  }
  /** @returns whether anything moved */
  sample(cycle: number): boolean {
    let moved = false;
    for (let m = this.#memory.take(); m; m = this.#memory.take(), moved = true) this.#access(m.value, cycle);
    for (let w = this.#memoryData.take(); w; w = this.#memoryData.take(), moved = true) this.#sent(w.value, cycle);
    this.#answers(cycle);
    return moved;
  }
  forget(): void {
    for (const s of [this.#answer, this.#answerData]) s.forget();
    for (const s of [this.#memory, this.#memoryData]) s.received.length = 0;
    this.#collecting = [];
    this.#flights = [];
    this.#answering = [];
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
    const call = this.#callOf(Number(v.context));
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
}
