import type { AxisIn, AxisOut } from "../bus/axis-ports.ts";
import { AxisSink, type Frame } from "../bus/axis-sink.ts";
import { AxisSource, type SentFrame } from "../bus/axis-source.ts";
import { never, type Pause } from "../bus/pause.ts";
import { SimulationError } from "../errors.ts";
import type { Simulation } from "../simulation.ts";

/** Bytes that a line carries around each frame: preamble and start (8), check sequence (4), least gap (12). */
export const LINE_OVERHEAD = 24;
/** Shortest frame on a line, without its check sequence; a MAC pads shorter ones. */
export const LEAST_FRAME = 60;

/** Speed, padding and pauses of a line. */
export interface MacOptions {
  /**
   * Gbit/s of the line. Frames then take as long as there: their bytes and `LINE_OVERHEAD`. Default none: the beats
   * follow back to back, as fast as the bus takes them.
   */
  readonly gbps?: number;
  /** Whether frames to the design are padded to `LEAST_FRAME` bytes. Default no: a capture holds what it holds. */
  readonly pad?: boolean;
  /** Pauses of the frames to the design. */
  readonly pauseRx?: Pause;
  /** Back-pressure on those from it. */
  readonly pauseTx?: Pause;
  /** Clock domain; the default one. */
  readonly domain?: string;
}

/**
 * An Ethernet MAC as a design sees it: frames without preamble and check sequence, as AXI-Stream
 * `{ data, keep, last, user }`. A set tuser on the last beat marks a frame damaged on the line.
 */
export class EthernetMac {
  readonly #source: AxisSource;
  readonly #sink: AxisSink;
  readonly #sim: Simulation;
  readonly #cyclesPerByte: number;
  readonly #pad: boolean;
  readonly #domain: string | undefined;

  /** @param rx port on which the design receives. @param tx port on which it sends. */
  constructor(sim: Simulation, rx: AxisIn, tx: AxisOut, options: MacOptions = {}) {
    this.#sim = sim;
    this.#pad = options.pad ?? false;
    this.#domain = options.domain;
    if (options.gbps !== undefined && !(options.gbps > 0)) {
      throw new SimulationError(`Ethernet MAC: the line rate is ${options.gbps} Gbit/s; give a number above 0`);
    }
    const periodNs = sim.domain(options.domain).periodPs / 1000;
    this.#cyclesPerByte = options.gbps === undefined ? 0 : 8 / options.gbps / periodNs;
    const domain = options.domain === undefined ? {} : { domain: options.domain };
    this.#source = new AxisSource(sim, rx, { pause: options.pauseRx ?? never, ...domain });
    this.#sink = new AxisSink(sim, tx, { pause: options.pauseTx ?? never, ...domain });
  }

  /**
   * Queues a frame for the design.
   * @param at edge before which it does not begin. @param damaged whether tuser marks it at its end.
   */
  send(
    frame: Uint8Array,
    { at = 0, damaged = false }: { readonly at?: number; readonly damaged?: boolean } = {},
  ): SentFrame {
    const bytes = this.#pad && frame.length < LEAST_FRAME ? padded(frame) : frame;
    const start = Math.max(at, this.#source.lineFree);
    this.#source.lineFree =
      Math.max(start, this.#sim.domain(this.#domain).cycle) + (bytes.length + LINE_OVERHEAD) * this.#cyclesPerByte;
    return this.#source.send(bytes, {
      notBefore: this.#cyclesPerByte === 0 ? at : Math.ceil(start),
      user: damaged ? 1 : 0,
      userAtEnd: true,
    });
  }
  /** Frames not wholly received by the design yet. */
  get pending(): number {
    return this.#source.pending;
  }
  /** Frames that the design sent and that have not been taken yet. */
  get received(): readonly Frame[] {
    return this.#sink.frames;
  }
  /** The oldest of them, if any. */
  take(): Frame | undefined {
    return this.#sink.take();
  }
  /** Waits for a frame from the design. */
  recv(): Promise<Frame> {
    return this.#sink.recv();
  }
  /** Waits until the design has received all that was sent. */
  drained(): Promise<void> {
    return this.#source.drained();
  }
}

function padded(frame: Uint8Array): Uint8Array {
  const out = new Uint8Array(LEAST_FRAME);
  out.set(frame);
  return out;
}
