import { clockPeriod } from "../../designs/clio/config/index.ts";
import { classify, frameName, type Scoreboard } from "../../designs/clio/model/index.ts";
import type { SentFrame } from "../bus/axis-source.ts";
import type { Frame } from "../bus/axis-sink.ts";
import type { SimulatedNode } from "./simulated-node.ts";

/** When frames go in: at their capture times; back to back; each once the one before has been answered or has timed out. */
export type Pace = "capture" | "line-rate" | "closed-loop";
export interface PlayFrame { readonly timeNs: bigint; readonly bytes: Uint8Array; /** The MAC marks its FCS bad. */ readonly damaged?: boolean }

/** What became of a frame that went in. Times are cycles since the run began, idle stretches that were skipped included. */
export interface Played {
  readonly name: string;
  /** Its first and last beat were taken at these. */
  readonly start: number; readonly end: number;
  /** Status code of the reply; undefined when none came. */
  status: number | undefined;
  /** Why there is none: the node's drop reason, `unanswered` (none is due), or `lost`. */
  silence: string | undefined;
  /** From its last beat in to the reply's first beat out. */
  latency: number | undefined;
}
export interface PlayResult {
  readonly requests: readonly Played[];
  /** What came out, with simulated time; the first input frame's time is the origin. */
  readonly replies: readonly { readonly timeNs: bigint; readonly bytes: Uint8Array }[];
  /** Cycles from the first frame to the last reply, and how many of them were skipped because nothing was under way. */
  readonly cycles: number; readonly skipped: number;
  /** What the reference model found wrong. */
  readonly problems: readonly string[];
  /** Bytes of read data compared with the model. */
  readonly checkedBytes: number;
}
export interface PlayOptions {
  readonly pace: Pace;
  /** The model that judges the run: it must have been the slow path's observer from the start. */
  readonly scoreboard: Scoreboard;
  /** Cycles after which a reply counts as lost; default 250,000 (1 ms). */
  readonly timeoutCycles?: number;
  readonly progress?: (done: number, all: number) => void;
}

/** Plays frames into a node and matches what comes out. */
export async function play(node: SimulatedNode, frames: readonly PlayFrame[], o: PlayOptions): Promise<PlayResult> {
  return new Player(node, frames, o).run();
}

class Player {
  readonly #node: SimulatedNode;
  readonly #frames: readonly PlayFrame[];
  readonly #o: PlayOptions;
  readonly #timeout: number;
  readonly #origin: number;
  #skipped = 0;
  readonly #entering: { readonly frame: PlayFrame; readonly sent: SentFrame }[] = [];
  readonly #requests: Played[] = [];
  readonly #waiting = new Map<number, Played[]>();
  readonly #replies: { timeNs: bigint; bytes: Uint8Array }[] = [];
  #last = 0;

  constructor(node: SimulatedNode, frames: readonly PlayFrame[], o: PlayOptions) {
    this.#node = node; this.#frames = frames; this.#o = o;
    this.#timeout = o.timeoutCycles ?? 250_000;
    this.#origin = node.bench.cycle + 1;
  }

  get #cycle(): number { return this.#node.bench.cycle; }

  async run(): Promise<PlayResult> {
    const remove = this.#node.bench.onEdge({ sample: () => { this.#watch(); } });
    const { pace } = this.#o, first = this.#frames[0]?.timeNs ?? 0n;
    for (const [i, frame] of this.#frames.entries()) {
      if (pace === "capture") await this.#waitFor(Number((frame.timeNs - first) / BigInt(clockPeriod)));
      this.#entering.push({ frame, sent: this.#node.send(frame.bytes, { damaged: frame.damaged ?? false }) });
      if (pace === "closed-loop") await this.#answered();
      // A long capture need not sit in the MAC's queue whole.
      else if (this.#entering.length > 256) await this.#node.bench.until(() => this.#entering.length < 128);
      if (i % 64 === 0) this.#o.progress?.(i, this.#frames.length);
    }
    await this.#answered();
    await this.#settle();
    remove();
    this.#o.scoreboard.quiesce(this.#cycle);
    for (const left of this.#waiting.values()) for (const r of left) r.silence = "lost";
    return {
      requests: this.#requests, replies: this.#replies, cycles: Math.max(0, this.#last - this.#origin + 1), skipped: this.#skipped,
      problems: this.#o.scoreboard.finish(), checkedBytes: this.#o.scoreboard.checkedBytes,
    };
  }

  /** Until the cycle of the run at which a frame is due; nothing under way means that the time between can be left out. */
  async #waitFor(due: number): Promise<void> {
    const at = (): number => this.#origin + due - this.#skipped;
    let quietSince = this.#cycle;
    await this.#node.bench.until(() => {
      if (!this.#node.idle || this.#entering.length > 0) quietSince = this.#cycle;
      return this.#cycle + 1 >= at() || this.#cycle - quietSince >= 64;
    });
    if (at() > this.#cycle + 1) this.#skipped += at() - this.#cycle - 1;
  }

  /** Until every frame is in and every reply that is due is out, or too late. */
  async #answered(): Promise<void> {
    const from = this.#cycle;
    await this.#node.bench.until(() => this.#entering.length === 0 && (this.#o.scoreboard.outstanding === 0 || this.#cycle - Math.max(from, this.#last) > this.#timeout));
  }
  async #settle(): Promise<void> {
    const from = this.#cycle;
    let quietSince = from;
    await this.#node.bench.until(() => {
      if (!this.#node.idle) quietSince = this.#cycle;
      return this.#cycle - quietSince >= 64 || this.#cycle - from > this.#timeout;
    });
  }

  #watch(): void {
    // Replies first: one of a frame that went in with this very edge cannot be out yet.
    for (let f = this.#node.take(); f !== undefined; f = this.#node.take()) this.#reply(f);
    for (let e = this.#entering[0]; e?.sent.end !== undefined; e = this.#entering[0]) {
      this.#entering.shift();
      this.#entered(e.frame, e.sent);
    }
  }

  #entered({ bytes, damaged = false }: PlayFrame, { start, end }: SentFrame): void {
    const { scoreboard } = this.#o, issued = end as number;
    const due = scoreboard.issue(bytes, issued, damaged);
    const verdict = classify(bytes, scoreboard.filter);
    const silence = due ? undefined : damaged && verdict.kind !== "request" ? "dropFcs" : verdict.kind === "drop" ? verdict.reason : "unanswered";
    const played: Played = { name: frameName(bytes), start: (start as number) + this.#skipped - this.#origin, end: issued + this.#skipped - this.#origin, status: undefined, silence, latency: undefined };
    this.#requests.push(played);
    if (due) this.#waiting.set(issued, [...(this.#waiting.get(issued) ?? []), played]);
    this.#last = Math.max(this.#last, issued + this.#skipped);
  }

  #reply(frame: Frame): void {
    const first = this.#frames[0]?.timeNs ?? 0n;
    this.#replies.push({ timeNs: first + BigInt(frame.end + this.#skipped - this.#origin) * BigInt(clockPeriod), bytes: frame.bytes });
    this.#last = Math.max(this.#last, frame.end + this.#skipped);
    const done = this.#o.scoreboard.reply(frame.bytes, frame.end);
    if (done === undefined) return;
    const played = this.#waiting.get(done.issued)?.shift();
    if (played === undefined) return;
    if (this.#waiting.get(done.issued)?.length === 0) this.#waiting.delete(done.issued);
    played.status = done.status;
    played.latency = frame.start - done.issued;
  }
}
