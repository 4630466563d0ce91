/** Plays frames through the device, and has the scoreboard judge all that comes out. */
import type { CapturedFrame, SentFrame } from "../../../../sim/index.ts";
import type { RunOptions } from "../../../shared/command-line/index.ts";
import { clockPeriod } from "../../config/index.ts";
import { type DeviceScoreboard, type Entered } from "../../model/index.ts";
import type { AllCounts } from "./counters.ts";
import { framesInside, type Inside, unaccounted } from "./ledger.ts";
import { isOwn } from "./own-frames.ts";
import type { SimulatedSuperNic } from "./simulated-device.ts";

/** A frame that is to come in at a port. */
export interface PlayFrame extends Pick<CapturedFrame, "timeNs" | "bytes"> {
  readonly port: number;
  readonly damaged?: boolean;
}
/** What became of a frame that went in. Times are cycles since the run began. */
export interface Played {
  readonly port: number;
  readonly length: number;
  readonly start: number;
  readonly end: number;
  readonly entered: Entered;
  /** From its last beat in to the first beat of the first frame that left for it. */
  latency: number | undefined;
  /** Its way in words, told at the end. */
  outcome: string;
  /** Users' DAGs that it went through. */
  dags: readonly string[];
}
/** A frame that came out. */
export interface PlayedOut {
  readonly timeNs: bigint;
  readonly bytes: Uint8Array;
  readonly port: number;
}
export interface PlayResult {
  readonly played: readonly Played[];
  readonly out: readonly PlayedOut[];
  readonly cycles: number;
  /** How many of them were left out, because nothing was under way. */
  readonly skipped: number;
  readonly problems: readonly string[];
  readonly comparedBytes: number;
  readonly counters: AllCounts;
}
export interface PlayOptions {
  readonly pace: RunOptions["pace"];
  readonly scoreboard: DeviceScoreboard;
  /** Where frames are put as they come, so that they are there also when the run breaks off. */
  readonly out?: PlayedOut[];
  /** Cycles without anything in or out after which what is due counts as lost; 50,000 by default. */
  readonly timeoutCycles?: number;
  readonly progress?: (done: number, all: number) => void;
}

/** Cycles that are quiet before a run ends: what is between two places arrives, and counters show it. */
const settled = 200;
/**
 * Cycles of an idle stretch that are simulated; the rest of it is left out. Two epochs: the meters are full again, and
 * a pause has ended.
 */
const idle = 20_000;

export const play = (device: SimulatedSuperNic, frames: readonly PlayFrame[], o: PlayOptions): Promise<PlayResult> =>
  new Player(device, frames, o).run();

class Player {
  readonly #device: SimulatedSuperNic;
  readonly #frames: readonly PlayFrame[];
  readonly #o: PlayOptions;
  /** The cycle in which the run began, as if nothing had been left out. */
  #origin: number;
  #skipped = 0;
  readonly #entering: { readonly frame: PlayFrame; readonly sent: SentFrame }[] = [];
  readonly #played: Played[] = [];
  readonly #of = new Map<Entered, Played>();
  readonly #out: PlayedOut[];
  #last: number;
  /** The last cycle in which a frame came in, or one left that the device has not made: it repeats pauses for ever. */
  #moved: number;

  constructor(device: SimulatedSuperNic, frames: readonly PlayFrame[], o: PlayOptions) {
    this.#device = device;
    this.#frames = frames;
    this.#o = o;
    this.#out = o.out ?? [];
    this.#origin = device.bench.cycle + 1;
    this.#last = this.#origin;
    this.#moved = this.#origin;
    device.onSoftware = ({ bytes }) => void o.scoreboard.toSoftware(bytes);
    device.onSent = ({ frame, ports }) => o.scoreboard.sent(frame, ports);
  }
  get #cycle(): number {
    return this.#device.bench.cycle;
  }
  async run(): Promise<PlayResult> {
    const { bench } = this.#device,
      { pace, scoreboard } = this.#o,
      first = this.#frames[0]?.timeNs ?? 0n;
    const remove = bench.onEdge({ sample: () => this.#watch() });
    for (const [i, frame] of this.#frames.entries()) {
      if (pace === "capture") await this.#waitUntil(Number((frame.timeNs - first) / BigInt(clockPeriod)));
      this.#entering.push({
        frame,
        sent: this.#device.send(frame.port, frame.bytes, { damaged: frame.damaged === true }),
      });
      if (pace === "closed-loop") await this.#answered();
      else if (this.#entering.length > 256) await bench.until(() => this.#entering.length < 128);
      if (i % 64 === 0) this.#o.progress?.(i, this.#frames.length);
    }
    await this.#answered();
    const inside = await this.#rest();
    await bench.cycles(settled);
    const counters = await this.#device.counters(),
      counts = await this.#device.counts(counters);
    remove();
    const problems = [
      ...scoreboard.finish(counts),
      ...unaccounted(counters, inside, this.#device.setup),
      ...(this.#device.busy ? ["frames wait in front of the device at the end, and it takes none"] : []),
    ];
    for (const p of this.#played) this.#tell(p);
    return {
      played: this.#played,
      out: this.#out,
      cycles: this.#last - this.#origin + 1,
      skipped: this.#skipped,
      problems,
      comparedBytes: scoreboard.comparedBytes,
      counters,
    };
  }
  /** The cycle before the one that is so far from the run's beginning. */
  async #waitUntil(due: number): Promise<void> {
    const left = (): number => this.#origin + due - this.#cycle - 1;
    for (const from = this.#cycle; left() > idle;) {
      await this.#device.bench.cycles(idle);
      if (!this.#quiet(from)) continue;
      const skipped = Math.max(0, left());
      this.#origin -= skipped;
      this.#skipped += skipped;
    }
    if (left() > 0) await this.#device.bench.cycles(left());
  }
  /** All is in, and all that is due is out; or nothing has moved for long since this cycle. */
  #quiet(from: number): boolean {
    const { timeoutCycles = 50_000, scoreboard } = this.#o,
      isIn = this.#entering.length === 0 && !this.#device.busy;
    return (isIn && scoreboard.outstanding === 0) || this.#cycle - Math.max(from, this.#moved) > timeoutCycles;
  }
  async #answered(): Promise<void> {
    const from = this.#cycle;
    await this.#device.bench.until(() => this.#quiet(from));
  }
  /** Until nothing is inside: what is dropped far in is due nowhere. */
  async #rest(): Promise<Inside> {
    const { timeoutCycles = 50_000 } = this.#o,
      from = this.#cycle;
    for (;;) {
      const inside = await this.#device.inside();
      if (framesInside(inside) + inside.cells === 0 || this.#cycle - Math.max(from, this.#moved) > timeoutCycles)
        return inside;
    }
  }
  #watch(): void {
    for (let left = this.#device.take(); left; left = this.#device.take()) {
      const { port, frame } = left;
      this.#last = Math.max(this.#last, frame.end);
      this.#out.push({ timeNs: this.#timeOf(frame.end), bytes: frame.bytes, port });
      if (isOwn(frame.bytes)) continue;
      this.#moved = this.#last;
      const entered = this.#o.scoreboard.leave(port, frame.bytes),
        played = entered && this.#of.get(entered);
      if (played) played.latency ??= frame.start - this.#origin - played.end;
    }
    // In the order of their last beats: two ports may end in one cycle.
    const ready = this.#entering.filter(e => e.sent.end !== undefined && e.sent.end <= this.#cycle);
    for (const e of ready.sort((a, b) => (a.sent.end ?? 0) - (b.sent.end ?? 0))) {
      this.#entering.splice(this.#entering.indexOf(e), 1);
      const { port, bytes, damaged = false } = e.frame,
        entered = this.#o.scoreboard.enter(port, bytes, damaged),
        start = (e.sent.start ?? 0) - this.#origin,
        end = (e.sent.end ?? 0) - this.#origin;
      const played: Played = {
        port,
        length: bytes.length,
        start,
        end,
        entered,
        latency: undefined,
        outcome: "",
        dags: [],
      };
      this.#played.push(played);
      this.#of.set(entered, played);
      this.#last = Math.max(this.#last, e.sent.end ?? 0);
      this.#moved = this.#last;
    }
  }
  #timeOf(cycle: number): bigint {
    return (this.#frames[0]?.timeNs ?? 0n) + BigInt(cycle - this.#origin) * BigInt(clockPeriod);
  }
  #tell(played: Played): void {
    const { entered } = played,
      fate = entered.fate ?? this.#o.scoreboard.ways(entered);
    const way = fate.steps.join(" > ");
    played.outcome = entered.lost ? `LOST: ${way}` : way;
    played.dags = fate.passes.map(p => this.#device.setup.dags.find(d => d.number === p.dag)?.name ?? String(p.dag));
  }
}
