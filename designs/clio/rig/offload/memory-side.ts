import { malformation, type MemoryAnswer, type OffloadMemory } from "../../model/index.ts";
import type { OffloadParameters } from "../../offload/index.ts";
import { opcode } from "../../wire/index.ts";
import { ProtocolError, type Sent, StreamSink, StreamSource } from "../../../../sim/index.ts";
import { beatsOfBody, BodyCollector } from "./bodies.ts";
import type { Surroundings } from "./surroundings.ts";

/** One access to memory, for observers of an offload. */
export interface MemoryTrace {
  readonly tag: number;
  readonly opcode: number;
  /** PID of the address space. */
  readonly pid: number;
  readonly va: bigint;
  readonly length: number;
  readonly data: Uint8Array;
  /** Edges at which the request's header, and the reply's, were taken. */
  readonly taken: number;
  readonly answered: number | undefined;
  readonly status: number | undefined;
}
export interface MemorySettings {
  readonly memory: OffloadMemory;
  readonly pid: number;
  readonly latency: number;
  readonly jitter: number;
  readonly slowLatency: number;
  readonly atOnce: number;
  readonly tolerant: boolean;
}

interface Flight {
  readonly tag: number;
  readonly opcode: number;
  readonly pid: number;
  readonly va: bigint;
  readonly length: number;
  data: Uint8Array;
  readonly taken: number;
  answered: number | undefined;
  status: number | undefined;
  /** Edges at which memory does it, and at which the reply is sent off; known once all of it is there. */
  acts: number;
  due: number;
  answer: MemoryAnswer | undefined;
}
interface Returning {
  readonly flight: Flight;
  readonly header: Sent<unknown>;
  readonly lastBeat: Sent<unknown> | undefined;
}

/**
 * The side of an offload that sees virtual memory: replies after a latency, in any order, a bounded number of
 * requests at once.
 */
export class MemorySide {
  readonly trace: MemoryTrace[] = [];
  readonly #p: OffloadParameters;
  readonly #s: Surroundings;
  readonly #settings: MemorySettings;
  readonly #processOf: (context: number) => number | undefined;
  readonly #memory;
  readonly #memoryData;
  readonly #reply;
  readonly #replyData;
  readonly #bodies: BodyCollector<Flight>;
  #flights: Flight[] = [];
  #returning: Returning[] = [];
  /** Requests whose reply has not been taken altogether. */
  inFlight = 0;
  /** The most there ever were. */
  mostInFlight = 0;
  #cycle = 0;

  /** @param processOf the process whose request has a context */
  constructor(
    s: Surroundings,
    parameters: OffloadParameters,
    settings: MemorySettings,
    processOf: (context: number) => number | undefined,
  ) {
    this.#p = parameters;
    this.#s = s;
    this.#settings = settings;
    this.#processOf = processOf;
    this.#bodies = new BodyCollector("memory_data", parameters.beatBytes, (flight, data) => this.#start(flight, data));
    const { sim, io, pause, hold } = s,
      paused = pause("memory"),
      dataPaused = pause("memoryData");
    this.#memory = new StreamSink(sim, io.memory, { pause: () => paused() || this.inFlight >= settings.atOnce });
    this.#memoryData = new StreamSink(sim, io.memoryData, {
      pause: () => dataPaused() || (hold && !this.#bodies.owes),
    });
    this.#reply = new StreamSource(sim, io.memoryReply, { pause: pause("memoryReply") });
    this.#replyData = new StreamSource(sim, io.memoryReplyData, { pause: pause("memoryReplyData") });
  }

  /** Beats on memory_data that belong to no request. */
  get stray(): number {
    return this.#bodies.early + (this.#s.io.memoryData.valid.value !== 0 && !this.#bodies.owes ? 1 : 0);
  }

  /** @returns whether anything moved */
  sample(cycle: number): boolean {
    this.#cycle = cycle;
    let moved = false;
    for (let seen = this.#memory.take(); seen; seen = this.#memory.take(), moved = true)
      this.#request(seen.value, cycle);
    for (let seen = this.#memoryData.take(); seen; seen = this.#memoryData.take(), moved = true) {
      this.#bodies.beat({ data: BigInt(seen.value.data), last: seen.value.last });
    }
    for (const f of this.#flights) if (f.acts <= cycle) f.answer ??= this.#settings.memory.access(f);
    const due = this.#flights.filter(f => f.due <= cycle);
    if (due.length > 0) {
      this.#flights = this.#flights.filter(f => f.due > cycle);
      for (const f of due) this.#answer(f);
    }
    this.#settle();
    return moved || this.inFlight > 0;
  }

  forget(): void {
    this.#reply.forget();
    this.#replyData.forget();
    this.#bodies.forget();
    this.#memory.received.length = this.#memoryData.received.length = 0;
    this.#flights = [];
    this.#returning = [];
    this.inFlight = 0;
  }

  #request(
    m: Readonly<Record<"tag" | "opcode" | "client" | "context" | "va" | "length" | "data", number | bigint>>,
    cycle: number,
  ): void {
    const context = Number(m.context),
      pid = Number(m.client) === 0 ? this.#settings.pid : this.#processOf(context);
    const tag = Number(m.tag),
      code = Number(m.opcode),
      va = BigInt(m.va),
      length = Number(m.length),
      bytes = Number(m.data);
    if (pid === undefined) {
      throw new ProtocolError(
        `memory: a request in the address space of context ${context} at cycle ${cycle}, which has no request; ` +
          "client = 1 is for requests that have not had their last reply",
      );
    }
    const wrong = malformation({ opcode: code, va, length, data: new Uint8Array(bytes) }, this.#p.maxData);
    if (wrong !== undefined && !this.#settings.tolerant)
      throw new ProtocolError(`memory: ${wrong} (tag ${tag}, cycle ${cycle})`);
    const flight: Flight = {
      tag,
      opcode: code,
      pid,
      va,
      length,
      data: new Uint8Array(),
      taken: cycle,
      answered: undefined,
      status: undefined,
      acts: Number.POSITIVE_INFINITY,
      due: Number.POSITIVE_INFINITY,
      answer: undefined,
    };
    this.trace.push(flight);
    this.#flights.push(flight);
    this.inFlight++;
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    this.#bodies.header(flight, bytes);
  }

  #start(flight: Flight, data: Uint8Array): void {
    const { latency, jitter, slowLatency } = this.#settings,
      slow = flight.opcode === opcode.ALLOC || flight.opcode === opcode.FREE;
    flight.data = data;
    // A source offers in the cycle after it was given something, which is its handshake at the earliest.
    flight.due = this.#cycle + (slow ? slowLatency : latency) - 1 + this.#s.random.between(0, jitter);
    flight.acts = jitter === 0 ? flight.due : this.#s.random.between(this.#cycle, flight.due);
  }

  #answer(flight: Flight): void {
    const { status, va, length, data } = (flight.answer ??= this.#settings.memory.access(flight));
    flight.status = status;
    const header = this.#reply.send({ tag: flight.tag, status, va, length, data: data.length });
    const beats = beatsOfBody(data, this.#p.beatBytes, this.#s.random).map(beat => this.#replyData.send(beat));
    this.#returning.push({ flight, header, lastBeat: beats.at(-1) });
  }

  /** Replies that have been taken altogether make room. */
  #settle(): void {
    for (const { flight, header } of this.#returning) flight.answered ??= header.cycle;
    const gone = ({ header, lastBeat }: Returning): boolean =>
      header.cycle !== undefined && (lastBeat === undefined || lastBeat.cycle !== undefined);
    const left = this.#returning.filter(r => !gone(r));
    this.inFlight -= this.#returning.length - left.length;
    this.#returning = left;
  }
}
