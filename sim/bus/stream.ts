import type { Shape } from "../../hdl-dsl/index.ts";
import type { Node } from "../dut/io.ts";
import type { InputOf, InSignal, OutSignal, StreamIo, ValueOf } from "../dut/types.ts";
import { Fifo } from "../fifo.ts";
import type { Simulation } from "../simulation.ts";
import { never, type Pause, pauseState } from "./pause.ts";
import { reader, writer } from "./payload.ts";
import { watchStreams } from "./stream-watch.ts";

/** Pauses and clock domain of a source or a sink. */
export interface StreamOptions {
  /** Back-pressure of this side; none by default. */
  readonly pause?: Pause;
  /** Clock domain; the default one. */
  readonly domain?: string;
}

/** A value on its way through a source: `cycle` is the edge at which it was taken. */
export interface Sent<V> {
  readonly value: V;
  cycle: number | undefined;
}

/** Drives a stream that the design consumes, value by value. A value once offered stays until it is taken. */
export class StreamSource<S extends Shape> {
  readonly #sim: Simulation;
  readonly #domain: string | undefined;
  readonly #valid: InSignal;
  readonly #ready: OutSignal;
  readonly #write: (v: unknown) => void;
  readonly #queue = new Fifo<Sent<InputOf<S>>>();
  #offered: Sent<InputOf<S>> | undefined;
  pause: Pause;

  constructor(sim: Simulation, port: StreamIo<S, "in">, options: StreamOptions = {}) {
    this.#sim = sim;
    this.#domain = options.domain;
    this.#valid = port.valid;
    this.#ready = port.ready;
    this.#write = writer(port.payload as unknown as Node, port.valid.name.replace(/_valid$/, ""));
    this.pause = options.pause ?? never;
    watchStreams(this.#sim, options.domain);
    this.#sim.onEdge(this, options.domain);
  }

  /** Queues a value. */
  send(value: InputOf<S>): Sent<InputOf<S>> {
    const sent: Sent<InputOf<S>> = { value, cycle: undefined };
    this.#queue.push(sent);
    return sent;
  }
  /** Values not taken yet. */
  get pending(): number {
    return this.#queue.length + (this.#offered ? 1 : 0);
  }
  /** Waits until all that was sent has been taken. */
  drained(): Promise<void> {
    return this.#sim.until(() => this.pending === 0, this.#domain);
  }
  /** Drops all that was not taken yet, also what is being offered: only while the design is in reset. */
  forget(): void {
    while (this.#queue.shift());
    this.#offered = undefined;
  }

  /** The handles that `send` gave are not those of what is restored. */
  save(): unknown {
    return {
      offered: this.#offered?.value,
      queue: this.#queue.list().map(s => s.value),
      pause: pauseState(this.pause, this.#valid.name).get(),
    };
  }
  restore(state: unknown): void {
    const s = state as {
      readonly offered: InputOf<S> | undefined;
      readonly queue: readonly InputOf<S>[];
      readonly pause: readonly number[];
    };
    this.forget();
    for (const value of s.queue) this.send(value);
    this.#offered = s.offered === undefined ? undefined : { value: s.offered, cycle: undefined };
    pauseState(this.pause, this.#valid.name).set(s.pause);
  }

  sample(cycle: number): void {
    if (!this.#offered || this.#ready.value === 0) return;
    this.#offered.cycle = cycle;
    this.#offered = undefined;
  }
  drive(): void {
    if (this.#offered) return;
    const paused = this.pause();
    this.#offered = paused ? undefined : this.#queue.shift();
    this.#valid.value = this.#offered ? 1 : 0;
    if (this.#offered) this.#write(this.#offered.value);
  }
}

/** A value seen on a stream, with the edge of its handshake. */
export interface Seen<V> {
  readonly value: V;
  readonly cycle: number;
}

/** Listens to a stream, for any driver. */
export class StreamMonitor<S extends Shape> {
  readonly #valid: OutSignal;
  readonly #ready: OutSignal;
  readonly #read: () => unknown;
  readonly #seen: (seen: Seen<ValueOf<S>>) => void;

  constructor(
    sim: Simulation,
    port: StreamIo<S>,
    seen: (seen: Seen<ValueOf<S>>) => void,
    options: { readonly domain?: string } = {},
  ) {
    this.#valid = port.valid;
    this.#ready = port.ready;
    this.#seen = seen;
    this.#read = reader(port.payload as unknown as Node);
    watchStreams(sim, options.domain);
    sim.onEdge(this, options.domain);
  }
  /** It holds nothing: what it calls belongs to the bench. */
  save(): unknown {
    return undefined;
  }
  restore(): void {
    /* see above */
  }

  sample(cycle: number): void {
    if (this.#valid.value !== 0 && this.#ready.value !== 0) this.#seen({ value: this.#read() as ValueOf<S>, cycle });
  }
}

/** Takes what the design produces on a stream. */
export class StreamSink<S extends Shape> {
  readonly #sim: Simulation;
  readonly #domain: string | undefined;
  readonly #valid: OutSignal;
  readonly #ready: InSignal;
  readonly #read: () => unknown;
  /** Received and not yet taken with `take` or `recv`, oldest first. */
  readonly received: Seen<ValueOf<S>>[] = [];
  pause: Pause;

  constructor(sim: Simulation, port: StreamIo<S, "out">, options: StreamOptions = {}) {
    this.#sim = sim;
    this.#domain = options.domain;
    this.#valid = port.valid;
    this.#ready = port.ready;
    this.#read = reader(port.payload as unknown as Node);
    this.pause = options.pause ?? never;
    watchStreams(this.#sim, options.domain);
    this.#sim.onEdge(this, options.domain);
  }

  /** The oldest value received, if any. */
  take(): Seen<ValueOf<S>> | undefined {
    return this.received.shift();
  }
  /** Waits for a value. */
  async recv(): Promise<ValueOf<S>> {
    for (;;) {
      const seen = this.take();
      if (seen) return seen.value;
      await this.#sim.until(() => this.received.length > 0, this.#domain);
    }
  }

  save(): unknown {
    return { received: [...this.received], pause: pauseState(this.pause, this.#ready.name).get() };
  }
  restore(state: unknown): void {
    const s = state as { readonly received: readonly Seen<ValueOf<S>>[]; readonly pause: readonly number[] };
    this.received.splice(0, this.received.length, ...s.received);
    pauseState(this.pause, this.#ready.name).set(s.pause);
  }

  sample(cycle: number): void {
    if (this.#valid.value !== 0 && this.#ready.value !== 0)
      this.received.push({ value: this.#read() as ValueOf<S>, cycle });
  }
  drive(): void {
    this.#ready.value = this.pause() ? 0 : 1;
  }
}
