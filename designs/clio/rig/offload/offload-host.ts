import type { OffloadMemory } from "../../model/index.ts";
import { type OffloadParameters, offloadPid } from "../../offload/index.ts";
import { accessBody } from "../../wire/index.ts";
import {
  bernoulli,
  HangError,
  type Io,
  never,
  type Pause,
  ProtocolError,
  type Random,
  type Simulation,
} from "../../../../sim/index.ts";
import { Calls, type OffloadCall, type OffloadCallRequest } from "./calls.ts";
import { MemorySide, type MemoryTrace } from "./memory-side.ts";
import type { OffloadPorts, OffloadStream } from "./surroundings.ts";

export type { OffloadPorts, OffloadStream } from "./surroundings.ts";

export interface OffloadHostOptions {
  /** Parameters of the offload. */
  readonly parameters: OffloadParameters;
  /** The virtual memory of all processes; a `ModelMemory`. */
  readonly memory: OffloadMemory;
  /** The offload's own process. Default that of slot 0. */
  readonly pid?: number;
  /** Cycles from the last beat of a memory request to its reply at the earliest (1 or more). Default 20. */
  readonly latency?: number;
  /** A reply comes up to so many cycles later, at random: replies overtake each other. Default 0. */
  readonly jitter?: number;
  /** In place of `latency` for ALLOC and FREE, which the slow path does. Default 200. */
  readonly slowLatency?: number;
  /** Memory requests in flight before `memory.ready` is 0. Default 8. */
  readonly atOnce?: number;
  /** Probability that a stream pauses in a cycle, for all eight; or a pause for each. Default: none pauses. */
  readonly pause?: number | ((stream: OffloadStream) => Pause);
  /**
   * Whether the beats of a reply or of a memory request wait until their header has been taken, as a host may do.
   * Default: when there are pauses. Otherwise they are taken whenever they come.
   */
  readonly hold?: boolean;
  /** Cycles in which a request may go unanswered while nothing moves and memory owes nothing. Default 2,000. */
  readonly patience?: number;
  /** Answer bad memory requests with MALFORMED, as the node does, instead of failing. Default false. */
  readonly tolerant?: boolean;
}
/** Ports of a bench that it needs: a `Bench` of an offload, which may have more ports. */
export interface OffloadBench {
  readonly sim: Simulation;
  readonly io: Io<OffloadPorts>;
  readonly random: Random;
}

/** Cycles without anything under way after which nothing more is expected. */
const quietCycles = 8;

/**
 * Plays the node for one offload: requests under contexts, virtual memory with permissions, latency and replies out of
 * order, pauses on all eight streams. Checks the rules of designs/clio/offload as it goes (a `ProtocolError` names the
 * stream, the value and the cycle). Replies go only to contexts that have a request, beats and `last` fit lengths,
 * memory requests are well formed, and nothing is left over. Every request is answered (`HangError`).
 */
export class OffloadHost {
  readonly #sim: Simulation;
  readonly #calls: Calls;
  readonly #memory: MemorySide;
  readonly #patience: number;
  #moved = 0;
  #inReset = false;

  constructor(b: OffloadBench, o: OffloadHostOptions) {
    const random = b.random.fork("offload host"),
      { pause = 0 } = o;
    this.#sim = b.sim;
    this.#patience = o.patience ?? 2000;
    const pauseOf = (s: OffloadStream): Pause =>
      typeof pause === "function" ? pause(s) : pause === 0 ? never : bernoulli(pause, random.fork(s).word());
    const surroundings = {
      sim: b.sim,
      io: b.io,
      random,
      pause: pauseOf,
      hold: o.hold ?? pause !== 0,
      mostReply: o.parameters.maxData + accessBody.bytes,
    };
    this.#calls = new Calls(surroundings, o.parameters);
    this.#memory = new MemorySide(
      surroundings,
      o.parameters,
      {
        memory: o.memory,
        pid: o.pid ?? offloadPid(0),
        latency: o.latency ?? 20,
        jitter: o.jitter ?? 0,
        slowLatency: o.slowLatency ?? 200,
        atOnce: o.atOnce ?? 8,
        tolerant: o.tolerant ?? false,
      },
      context => this.#calls.active(context)?.pid,
    );
    b.sim.onEdge({ sample: cycle => this.#sample(cycle) });
  }

  /** Every memory request so far, in order. */
  get trace(): readonly MemoryTrace[] {
    return this.#memory.trace;
  }
  /** The most memory requests that were in flight at a time. */
  get mostInFlight(): number {
    return this.#memory.mostInFlight;
  }

  /** Queues a request; it goes in as soon as a context is free. The returned object fills up as the offload answers. */
  request(request: OffloadCallRequest): OffloadCall {
    return this.#calls.ask(request);
  }
  /** Queues a request and waits for its last reply. */
  async call(request: OffloadCallRequest): Promise<OffloadCall> {
    const call = this.request(request);
    await this.#sim.until(() => call.done !== undefined);
    return call;
  }
  /**
   * Waits until all requests are answered and memory owes nothing. @throws ProtocolError when beats are left that
   * belong to nothing
   */
  async drained(): Promise<void> {
    const still = (): boolean => this.#calls.open === 0 && this.#memory.inFlight === 0;
    const quiet = async (): Promise<void> => {
      for (let from = Number.NaN; !(this.#sim.cycle >= from + quietCycles);) {
        await this.#sim.until(still);
        from = this.#sim.cycle;
        await this.#sim.until(() => !still() || this.#sim.cycle >= from + quietCycles);
      }
    };
    await quiet();
    // A beat may be offered a moment before its header, for work that follows the last reply.
    if (this.#memory.stray > 0) await quiet();
    for (const [stream, n] of [
      ["reply_data", this.#calls.stray],
      ["memory_data", this.#memory.stray],
    ] as const) {
      if (n > 0)
        throw new ProtocolError(
          `${stream}: ${n === 1 ? "a beat is" : `${n} beats are`} left that belong${n === 1 ? "s" : ""} to no header`,
        );
    }
  }
  /** Resets the design and drops all that was under way; pending requests stay unanswered. */
  reset(): void {
    this.#inReset = true;
    this.#forget();
    this.#sim.reset();
    this.#forget();
    this.#inReset = false;
    this.#moved = this.#sim.cycle;
  }

  #forget(): void {
    this.#calls.forget();
    this.#memory.forget();
  }

  #sample(cycle: number): void {
    if (this.#inReset) return;
    const called = this.#calls.sample(cycle),
      accessed = this.#memory.sample(cycle);
    if (called || accessed || this.#calls.taken.length === 0) {
      this.#moved = cycle;
      return;
    }
    if (cycle - this.#moved <= this.#patience) return;
    const owed = this.#calls.taken.map(
      c => `context ${c.context} (opcode 0x${c.opcode.toString(16)}, taken at cycle ${c.taken})`,
    );
    throw new HangError(
      `nothing has moved for ${this.#patience} cycles and memory owes nothing, but the offload has not answered ${owed.join(", ")}`,
    );
  }
}
