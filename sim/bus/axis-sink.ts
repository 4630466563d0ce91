import type { OutSignal } from "../dut/types.ts";
import { ProtocolError } from "../errors.ts";
import type { Simulation } from "../simulation.ts";
import { type AxisAny, axisBytes, type AxisOut } from "./axis-ports.ts";
import { never, type Pause, pauseState } from "./pause.ts";
import { watchStreams } from "./stream-watch.ts";

/**
 * A frame as received. `start` and `end` are the edges of its first and last beat; tuser, tid and tdest are those of
 * its last beat.
 */
export interface Frame {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly user: number | bigint;
  readonly id: number | bigint;
  readonly dest: number | bigint;
}

/** Clock domain of a monitor, and what it takes as legal. */
export interface AxisMonitorOptions {
  /** Clock domain; the default one. */
  readonly domain?: string;
  /** Whether tkeep may have holes, or be partial before the last beat. Default no: that is a protocol error. */
  readonly sparseKeep?: boolean;
}

/**
 * Puts the beats of an AXI-Stream together to frames, for any driver. Bytes without their tkeep bit are
 * never looked at.
 */
export class AxisMonitor {
  readonly beatBytes: number;
  readonly #port: AxisAny;
  readonly #seen: (frame: Frame) => void;
  readonly #sparse: boolean;
  #buffer = new Uint8Array(2048);
  #length = 0;
  #start = -1;

  constructor(sim: Simulation, port: AxisAny, seen: (frame: Frame) => void, options: AxisMonitorOptions = {}) {
    this.#port = port;
    this.#seen = seen;
    this.#sparse = options.sparseKeep ?? false;
    this.beatBytes = axisBytes(port);
    watchStreams(sim, options.domain);
    sim.onEdge(this, options.domain);
  }

  /** Whether a frame has begun and not ended. */
  get inFrame(): boolean {
    return this.#start >= 0;
  }

  save(): unknown {
    return { begun: this.#buffer.slice(0, this.#length), start: this.#start };
  }
  restore(state: unknown): void {
    const { begun, start } = state as { readonly begun: Uint8Array; readonly start: number };
    while (this.#buffer.length < begun.length) this.#grow();
    this.#buffer.set(begun);
    this.#length = begun.length;
    this.#start = start;
  }

  sample(cycle: number): void {
    if (this.#port.valid.value === 0 || this.#port.ready.value === 0) return;
    const p = this.#port.payload,
      last = p.last.value !== 0;
    if (this.#start < 0) this.#start = cycle;
    if (this.#length + this.beatBytes > this.#buffer.length) this.#grow();
    this.#take(p.data.bytes, p.keep, last, cycle);
    if (!last) return;
    this.#seen({
      bytes: this.#buffer.slice(0, this.#length),
      start: this.#start,
      end: cycle,
      user: p.user?.value ?? 0,
      id: p.id?.value ?? 0,
      dest: p.dest?.value ?? 0,
    });
    this.#length = 0;
    this.#start = -1;
  }

  #take(data: Uint8Array, keep: OutSignal | undefined, last: boolean, cycle: number): void {
    const mask = keep?.bytes;
    if (mask === undefined || full(mask, data.length)) {
      this.#buffer.set(data, this.#length);
      this.#length += data.length;
      return;
    }
    let ended = false;
    for (let i = 0; i < data.length; i++) {
      if ((((mask[i >> 3] as number) >> (i & 7)) & 1) === 0) {
        ended = true;
        continue;
      }
      if (ended && !this.#sparse) throw this.#broken(keep, "has a hole", cycle);
      this.#buffer[this.#length++] = data[i] as number;
    }
    if (ended && !last && !this.#sparse) throw this.#broken(keep, "is partial before the last beat", cycle);
  }

  #broken(keep: OutSignal | undefined, what: string, cycle: number): ProtocolError {
    return new ProtocolError(`${keep?.name ?? "tkeep"} ${what} at cycle ${cycle} (0x${keep?.big.toString(16) ?? ""})`);
  }

  #grow(): void {
    const bigger = new Uint8Array(this.#buffer.length * 2);
    bigger.set(this.#buffer);
    this.#buffer = bigger;
  }
}

/** Whether all of `n` keep bits are set. */
function full(mask: Uint8Array, n: number): boolean {
  for (let i = 0; i < mask.length; i++) if (mask[i] !== (n >= 8 * i + 8 ? 0xff : (1 << (n - 8 * i)) - 1)) return false;
  return true;
}

/** As the monitor's, and back-pressure. */
export interface AxisSinkOptions extends AxisMonitorOptions {
  /** Back-pressure; none by default. */
  readonly pause?: Pause;
}

/** Takes the frames that the design produces. */
export class AxisSink {
  /** Received and not yet taken, oldest first. */
  readonly frames: Frame[] = [];
  readonly monitor: AxisMonitor;
  readonly #sim: Simulation;
  readonly #port: AxisOut;
  readonly #domain: string | undefined;
  pause: Pause;

  constructor(sim: Simulation, port: AxisOut, options: AxisSinkOptions = {}) {
    this.#sim = sim;
    this.#port = port;
    this.#domain = options.domain;
    this.pause = options.pause ?? never;
    this.monitor = new AxisMonitor(
      sim,
      port,
      f => {
        this.frames.push(f);
      },
      options,
    );
    sim.onEdge(this, options.domain);
  }

  /** The oldest frame received, if any. */
  take(): Frame | undefined {
    return this.frames.shift();
  }
  /** Waits for a frame. */
  async recv(): Promise<Frame> {
    for (;;) {
      const f = this.take();
      if (f) return f;
      await this.#sim.until(() => this.frames.length > 0, this.#domain);
    }
  }

  save(): unknown {
    return { frames: [...this.frames], pause: pauseState(this.pause, this.#port.ready.name).get() };
  }
  restore(state: unknown): void {
    const s = state as { readonly frames: readonly Frame[]; readonly pause: readonly number[] };
    this.frames.splice(0, this.frames.length, ...s.frames);
    pauseState(this.pause, this.#port.ready.name).set(s.pause);
  }

  drive(): void {
    this.#port.ready.value = this.pause() ? 0 : 1;
  }
}
