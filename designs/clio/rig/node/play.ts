import { clockPeriod } from "../../config/index.ts";
import { classify, frameName, type Scoreboard } from "../../model/index.ts";
import { defaultAction, dissect } from "../../wire/index.ts";
import type { Frame, SentFrame } from "../../../../sim/index.ts";
import type { SimulatedNode } from "./simulated-node.ts";
import type { Station } from "./station.ts";

/**
 * When frames go in: at their capture times; back to back; each once the one before has been answered or has timed out.
 */
export type Pace = "capture" | "line-rate" | "closed-loop";
export interface PlayFrame {
  readonly timeNs: bigint;
  readonly bytes: Uint8Array;
  /** The MAC marks its FCS bad. */ readonly damaged?: boolean;
}

/** Outcome of a frame that went in. Times are cycles since the run began, idle stretches that were skipped included. */
export interface Played {
  readonly name: string;
  /** Bytes, without FCS. */
  readonly length: number;
  /** Its first and last beat were taken at these. */
  readonly start: number;
  readonly end: number;
  /** Status code of the reply; undefined when none came. */
  status: number | undefined;
  /** Why there is none: the node's drop reason, `unanswered` (none is due), or `lost`. */
  silence: string | undefined;
  /** From its last beat in to the reply's first beat out. */
  latency: number | undefined;
}
/** A frame that came out, with simulated time; the first input frame's time is the origin. */
export interface PlayedReply {
  readonly timeNs: bigint;
  readonly bytes: Uint8Array;
}
export interface PlayResult {
  readonly requests: readonly Played[];
  readonly replies: readonly PlayedReply[];
  /** Cycles from the first frame to the last reply, and how many of them were skipped because nothing was under way. */
  readonly cycles: number;
  readonly skipped: number;
  /** Faults that the reference model found. */
  readonly problems: readonly string[];
  /** Bytes of replies compared with the model, whole frames. */
  readonly comparedBytes: number;
}
export interface PlayOptions {
  readonly pace: Pace;
  /** The model that judges the run: it must have been the slow path's observer from the start. */
  readonly scoreboard: Scoreboard;
  /** Cycles after which a reply counts as lost; default 250,000 (1 ms). */
  readonly timeoutCycles?: number;
  /** A station beside the node, which answers the frames that are for it. */
  readonly station?: Station;
  /** Where replies are put as they come, so that they are there also when the run breaks off. */
  readonly replies?: PlayedReply[];
  readonly progress?: (done: number, all: number) => void;
}

/** Plays frames into a node and matches what comes out. */
export async function play(node: SimulatedNode, frames: readonly PlayFrame[], o: PlayOptions): Promise<PlayResult> {
  return new Player(node, frames, o).run();
}

/** Where a frame that is going in comes from and goes to: capture to node, capture to station, station to node. */
type Way = "played" | "aside" | "relayed";
interface Entering {
  readonly frame: PlayFrame;
  readonly sent: SentFrame;
  readonly way: Way;
}

class Player {
  readonly #node: SimulatedNode;
  readonly #frames: readonly PlayFrame[];
  readonly #o: PlayOptions;
  readonly #timeout: number;
  readonly #origin: number;
  #skipped = 0;
  readonly #entering: Entering[] = [];
  /** Frames at the station, until it answers. */
  readonly #aside: { readonly due: number; readonly bytes: Uint8Array; readonly played: Played }[] = [];
  readonly #requests: Played[] = [];
  readonly #waiting = new Map<number, Played[]>();
  readonly #replies: PlayedReply[];
  /** Requests out at the slow path. */
  #slow = 0;
  /** When something last went in or came out: as the run counts, and as the simulation does. */
  #last = 0;
  #lastCycle = 0;

  constructor(node: SimulatedNode, frames: readonly PlayFrame[], o: PlayOptions) {
    this.#node = node;
    this.#frames = frames;
    this.#o = o;
    this.#timeout = o.timeoutCycles ?? 250_000;
    this.#replies = o.replies ?? [];
    this.#origin = node.bench.cycle + 1;
  }

  get #cycle(): number {
    return this.#node.bench.cycle;
  }
  get #idle(): boolean {
    return this.#node.idle && this.#aside.length === 0;
  }

  async run(): Promise<PlayResult> {
    const remove = this.#node.bench.onEdge({ sample: () => this.#watch() });
    const { pace } = this.#o,
      first = this.#frames[0]?.timeNs ?? 0n;
    for (const [i, frame] of this.#frames.entries()) {
      if (pace === "capture") await this.#waitFor(Number((frame.timeNs - first) / BigInt(clockPeriod)));
      this.#enter(frame);
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
      requests: this.#requests,
      replies: this.#replies,
      cycles: Math.max(0, this.#last - this.#origin + 1),
      skipped: this.#skipped,
      problems: this.#o.scoreboard.finish(),
      comparedBytes: this.#o.scoreboard.comparedBytes,
    };
  }

  #enter(frame: PlayFrame): void {
    const { bytes, damaged = false } = frame,
      now = this.#cycle + 1;
    if (this.#o.station?.owns(bytes) === true)
      this.#entering.push({ frame, sent: { bytes, start: now, end: now }, way: "aside" });
    else this.#entering.push({ frame, sent: this.#node.send(bytes, { damaged }), way: "played" });
  }

  /**
   * Until the cycle of the run at which a frame is due; nothing under way means that the time between can be left out.
   */
  async #waitFor(due: number): Promise<void> {
    const at = (): number => this.#origin + due - this.#skipped;
    let quietSince = this.#cycle;
    await this.#node.bench.until(() => {
      if (!this.#idle || this.#entering.length > 0) quietSince = this.#cycle;
      return this.#cycle + 1 >= at() || this.#cycle - quietSince >= 64;
    });
    if (at() > this.#cycle + 1) this.#skipped += at() - this.#cycle - 1;
  }

  /** Until every frame is in and every reply that is due is out, or too late. */
  async #answered(): Promise<void> {
    const from = this.#cycle;
    await this.#node.bench.until(
      () =>
        this.#entering.length === 0 &&
        this.#aside.length === 0 &&
        (this.#o.scoreboard.outstanding === 0 || this.#cycle - Math.max(from, this.#lastCycle) > this.#timeout),
    );
  }
  async #settle(): Promise<void> {
    const from = this.#cycle;
    let quietSince = from;
    await this.#node.bench.until(() => {
      if (!this.#idle) quietSince = this.#cycle;
      return this.#cycle - quietSince >= 64 || this.#cycle - from > this.#timeout;
    });
  }

  #watch(): void {
    // The model cannot know whether pages can have run out.
    if (this.#node.slowPath.pool.free === 0) this.#o.scoreboard.mayRunOutOfMemory = true;
    // Replies first: one of a frame that went in with this very edge cannot be out yet.
    for (let f = this.#node.take(); f !== undefined; f = this.#node.take()) this.#reply(f);
    for (let a = this.#aside[0]; a !== undefined && a.due <= this.#cycle; a = this.#aside[0]) {
      this.#aside.shift();
      this.#answerAside(a.bytes, a.played);
    }
    for (let e = this.#entering[0]; e?.sent.end !== undefined && e.sent.end <= this.#cycle; e = this.#entering[0]) {
      this.#entering.shift();
      this.#entered(e);
    }
  }

  #entered({ frame: { bytes, damaged = false }, sent: { start, end }, way }: Entering): void {
    const { scoreboard, station } = this.#o,
      issued = end as number;
    const played: Played = {
      name: frameName(bytes),
      length: bytes.length,
      start: (start as number) + this.#skipped - this.#origin,
      end: issued + this.#skipped - this.#origin,
      status: undefined,
      silence: undefined,
      latency: undefined,
    };
    if (way !== "relayed") this.#requests.push(played);
    this.#moved(issued);
    if (way === "aside") {
      this.#aside.push({ due: issued + (station?.latencyCycles ?? 0), bytes, played });
      return;
    }
    if (scoreboard.issue(bytes, issued, damaged)) {
      // The match-and-action table lets a quarter of the slots out to the slow path; an offload takes what there is
      // room for in its slot.
      const room = this.#node.config.offloads === "none" ? this.#node.config.requestSlots / 4 : 1;
      if (isSlow(bytes) && ++this.#slow >= room) scoreboard.mayBeBusy = true;
      this.#waiting.set(issued, [...(this.#waiting.get(issued) ?? []), played]);
      return;
    }
    const verdict = classify(bytes, scoreboard.filter);
    played.silence =
      damaged && verdict.kind !== "request" ? "dropFcs" : verdict.kind === "drop" ? verdict.reason : "unanswered";
  }

  /** The station's answers: those to the node go in there, the others come out. */
  #answerAside(bytes: Uint8Array, played: Played): void {
    const answers = this.#o.station?.receive(bytes) ?? [];
    for (const a of answers) {
      if (dissect(a).ipv4?.dst === this.#node.runtime.ip)
        this.#entering.push({ frame: { timeNs: 0n, bytes: a }, sent: this.#node.send(a), way: "relayed" });
      else this.#out(a, this.#cycle);
    }
    const last = answers.at(-1);
    if (last === undefined) {
      played.silence = "unanswered";
      return;
    }
    played.status = dissect(last).clio?.status ?? 0;
    played.latency = this.#cycle + this.#skipped - this.#origin - played.end;
  }

  #reply(frame: Frame): void {
    this.#moved(frame.end);
    if (this.#o.station?.owns(frame.bytes) !== true) this.#out(frame.bytes, frame.end);
    if (isSlow(frame.bytes)) this.#slow--;
    const done = this.#o.scoreboard.reply(frame.bytes, frame.end);
    if (done === undefined) return;
    const played = this.#waiting.get(done.issued)?.shift();
    if (played === undefined) return;
    if (this.#waiting.get(done.issued)?.length === 0) this.#waiting.delete(done.issued);
    played.status = done.status;
    played.latency = frame.start - done.issued;
  }

  #out(bytes: Uint8Array, cycle: number): void {
    this.#replies.push({
      timeNs: (this.#frames[0]?.timeNs ?? 0n) + BigInt(cycle + this.#skipped - this.#origin) * BigInt(clockPeriod),
      bytes,
    });
  }
  #moved(cycle: number): void {
    this.#lastCycle = Math.max(this.#lastCycle, cycle);
    this.#last = Math.max(this.#last, cycle + this.#skipped);
  }
}

/** Whether a request, or the reply to one, passes by the slow path; about right is enough. */
function isSlow(frame: Uint8Array): boolean {
  const code = dissect(frame).clio?.opcode;
  return code !== undefined && (defaultAction(code) === "slow" || defaultAction(code) === "extend");
}
