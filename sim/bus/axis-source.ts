import { Fifo } from "../fifo.ts";
import type { Simulation } from "../simulation.ts";
import { axisBytes, type AxisIn } from "./axis-ports.ts";
import { never, type Pause, pauseState } from "./pause.ts";
import { watchStreams } from "./stream-watch.ts";

/** A frame on its way: `start` and `end` are the edges at which its first and last beat were taken. */
export interface SentFrame {
  readonly bytes: Uint8Array;
  start: number | undefined;
  end: number | undefined;
}

/** When a frame is sent, and its side signals. */
export interface FrameOptions {
  /** Edge before which the first beat is not offered. */
  readonly notBefore?: number;
  /** tuser of every beat (of the last only, when `userAtEnd`), tid and tdest; default 0. */
  readonly user?: number | bigint;
  /** `user` stands on the last beat only. */
  readonly userAtEnd?: boolean;
  /** tid of every beat. */
  readonly id?: number | bigint;
  /** tdest of every beat. */
  readonly dest?: number | bigint;
}

interface Job {
  readonly frame: SentFrame;
  readonly options: FrameOptions;
}

/** Pauses, gaps and side signals of a source of frames. */
export interface AxisSourceOptions {
  /** Cycles in which nothing is offered; none by default. */
  readonly pause?: Pause;
  /** Clock domain; the default one. */
  readonly domain?: string;
  /**
   * Edges to leave free after a frame of so many bytes, e.g. for preamble and gap of a line; default none:
   * back to back.
   */
  readonly gapAfter?: (bytes: number) => number;
  /** What stands on the lanes behind a frame's end; 0 by default. */
  readonly behindEnd?: number;
}

/** A source's part of a checkpoint. */
interface SourceState {
  readonly queue: readonly Job[];
  readonly job: Job | undefined;
  readonly at: number;
  readonly offered: boolean;
  readonly free: number;
  readonly lineFree: number;
  readonly pause: readonly number[];
}

/**
 * Sends frames of bytes as AXI-Stream beats: low byte first, tkeep on the last beat, tlast; back to back unless paused.
 */
export class AxisSource {
  readonly beatBytes: number;
  readonly #sim: Simulation;
  readonly #port: AxisIn;
  readonly #domain: string | undefined;
  readonly #gapAfter: ((bytes: number) => number) | undefined;
  readonly #queue = new Fifo<Job>();
  #job: Job | undefined;
  #at = 0;
  #offered = false;
  #free = 0;
  readonly #behindEnd: number;
  pause: Pause;
  /** Edge, as a fraction, at which the line of a MAC before it is free again: kept here, with the frames. */
  lineFree = 0;

  constructor(sim: Simulation, port: AxisIn, options: AxisSourceOptions = {}) {
    this.#sim = sim;
    this.#port = port;
    this.#domain = options.domain;
    this.beatBytes = axisBytes(port);
    this.#behindEnd = options.behindEnd ?? 0;
    this.pause = options.pause ?? never;
    this.#gapAfter = options.gapAfter;
    watchStreams(sim, options.domain);
    sim.onEdge(this, options.domain);
  }

  /** Queues a frame of one byte or more. */
  send(bytes: Uint8Array, options: FrameOptions = {}): SentFrame {
    if (bytes.length === 0) throw new RangeError("a frame of no bytes cannot be sent; give one byte or more");
    const frame: SentFrame = { bytes, start: undefined, end: undefined };
    this.#queue.push({ frame, options });
    return frame;
  }
  /** Frames not wholly taken yet. */
  get pending(): number {
    return this.#queue.length + (this.#job ? 1 : 0);
  }
  /** Waits until all frames have been taken. */
  drained(): Promise<void> {
    return this.#sim.until(() => this.pending === 0, this.#domain);
  }
  /** Drops all that was not taken yet, also the frame under way: only while the design is in reset. */
  forget(): void {
    while (this.#queue.shift());
    this.#job = undefined;
    this.#offered = false;
  }

  /** The handles that `send` gave are not those of what is restored. */
  save(): unknown {
    const state: SourceState = {
      queue: this.#queue.list().map(j => ({ ...j, frame: { ...j.frame } })),
      job: this.#job === undefined ? undefined : { ...this.#job, frame: { ...this.#job.frame } },
      at: this.#at,
      offered: this.#offered,
      free: this.#free,
      lineFree: this.lineFree,
      pause: pauseState(this.pause, this.#port.valid.name).get(),
    };
    return state;
  }
  restore(state: unknown): void {
    const s = state as SourceState;
    while (this.#queue.shift());
    for (const job of s.queue) this.#queue.push(job);
    this.#job = s.job;
    this.#at = s.at;
    this.#offered = s.offered;
    this.#free = s.free;
    this.lineFree = s.lineFree;
    pauseState(this.pause, this.#port.valid.name).set(s.pause);
  }

  sample(cycle: number): void {
    const job = this.#job;
    if (!job || !this.#offered || this.#port.ready.value === 0) return;
    this.#offered = false;
    if (this.#at === 0) job.frame.start = cycle;
    this.#at += this.beatBytes;
    if (this.#at < job.frame.bytes.length) return;
    job.frame.end = cycle;
    this.#job = undefined;
    this.#free = cycle + (this.#gapAfter?.(job.frame.bytes.length) ?? 0);
  }

  drive(cycle: number): void {
    if (this.#offered) return;
    const paused = this.pause();
    this.#job ??= this.#next(cycle);
    this.#offered = !paused && this.#job !== undefined;
    this.#port.valid.value = this.#offered ? 1 : 0;
    if (this.#offered && this.#job) this.#offer(this.#job);
  }

  #next(cycle: number): Job | undefined {
    const job = this.#queue.first;
    // A value driven now is seen at the coming edge, `cycle + 1`.
    if (!job || cycle < this.#free || cycle + 1 < (job.options.notBefore ?? 0)) return undefined;
    this.#queue.shift();
    this.#at = 0;
    return job;
  }

  #offer({ frame, options }: Job): void {
    const p = this.#port.payload,
      n = Math.min(this.beatBytes, frame.bytes.length - this.#at);
    const last = this.#at + n === frame.bytes.length;
    const data = p.data.bytes;
    for (let i = 0; i < n; i++) data[i] = frame.bytes[this.#at + i] as number;
    data.fill(this.#behindEnd, n);
    const keep = p.keep?.bytes;
    if (keep)
      for (let i = 0; i < keep.length; i++) keep[i] = n >= 8 * i + 8 ? 0xff : n <= 8 * i ? 0 : (1 << (n - 8 * i)) - 1;
    p.last.value = last ? 1 : 0;
    if (p.user) p.user.value = options.userAtEnd && !last ? 0 : (options.user ?? 0);
    if (p.id) p.id.value = options.id ?? 0;
    if (p.dest) p.dest.value = options.dest ?? 0;
  }
}
