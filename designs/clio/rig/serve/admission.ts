import { type NodeConfig, retryWays } from "../../config/index.ts";
import { clioField, operationOf } from "../../wire/index.ts";
import { udpRoute } from "../../../shared/wire/index.ts";

/** Newcomers' requests that wait at a time; of more, BUSY goes out at once. */
const mostWaiting = 64;
/** Frames of a client that is held back; more are lost, as in a network whose queue is full. */
const mostHeld = 64;
/** The latest frames into the node: a request that was refused is looked for among so many. */
const remembered = 256;
/** Clients whose order is known. */
const mostKnown = 4096;
/** Milliseconds for which a request waits here before its client is told BUSY: below the clients' timeouts. */
const patienceMs = 250;
/** Cycles between two askings. */
const askedEvery = 256;

interface Waiting {
  readonly request: string;
  readonly frame: Uint8Array;
  readonly until: number;
  /** It has been sent in again and is not answered yet. */
  inside: boolean;
}

/**
 * Admission of newcomers to a served node. The hardware remembers `retryClients` clients and forgets one only when it
 * has been silent for 3 x TIMEOUT. As many clients that never pause would so keep every newcomer out for ever.
 *
 * A newcomer's first request that was answered BUSY waits here, and is asked again every `askedEvery` cycles, first
 * come, first served. Meanwhile the client that was admitted first is held back: its frames wait until the newcomer is
 * in, or for `holdCycles`. Then it is that client's turn to be a newcomer. To the node and to its clients all this is a
 * network that delays and doubles frames, so nothing is done twice.
 *
 * A client that has been silent for `holdCycles` is passed over: the hardware forgets it by itself, and to hold it back
 * would help nobody. However many clients have come and gone, a newcomer waits only for those that are there.
 *
 * Bounds: each client keeps its place until all those admitted before it have had to give theirs. A newcomer waits for
 * `patienceMs`, then it is told BUSY and asks anew.
 */
export class Admission {
  readonly #holdCycles: number;
  readonly #nativePort: number;
  readonly #latest: (Uint8Array | undefined)[] = Array.from({ length: remembered });
  #next = 0;
  readonly #waiting: Waiting[] = [];
  #askedAt = 0;
  /** Clients with a place, in the order in which they got it, each with the cycle of its latest reply. */
  readonly #admitted = new Map<string, number>();
  #held: { readonly client: string; readonly since: number; readonly frames: Uint8Array[] } | undefined;

  /** Frames that are held back no longer. */
  readonly #freed: Uint8Array[] = [];

  constructor(config: NodeConfig, nativePort: number) {
    // Three times TIMEOUT and the quarters that had begun; the round in which silence is seen; the sweep of the place.
    const silence = 4 * config.retryCycles + 2 * config.retryClients;
    this.#holdCycles = silence + (16 * config.retryEntries) / retryWays;
    this.#nativePort = nativePort;
  }

  /** Somebody waits, so the clock has to run. */
  get waits(): boolean {
    return this.#waiting.length > 0 || this.#held !== undefined || this.#freed.length > 0;
  }

  /** A frame is about to go in. @returns `in`: at once; `later`: it is kept here; `lost`: it has no room here */
  enters(frame: Uint8Array): "in" | "later" | "lost" {
    const held = this.#held;
    if (held !== undefined && sender(frame) === held.client) {
      if (held.frames.length >= mostHeld) return "lost";
      held.frames.push(frame);
      return "later";
    }
    this.#remember(frame);
    return "in";
  }

  /** A reply of the node at this cycle. @returns whether it is kept back, since its request is asked again */
  keeps(reply: Uint8Array, busy: boolean, cycle: number): boolean {
    const route = udpRoute(reply);
    if (route?.srcPort !== this.#nativePort) return false;
    const client = `${route.dst}:${route.dstPort}`,
      request = requestOf(client, reply),
      at = this.#waiting.findIndex(w => w.request === request),
      waiting = this.#waiting[at];
    if (waiting) {
      waiting.inside = false;
      if (busy && performance.now() < waiting.until) return true;
      this.#waiting.splice(at, 1);
    }
    if (!busy) {
      if (clioField(reply, "flagTracked") === 1) this.#admit(client, cycle);
      if (waiting) this.#release();
      return false;
    }
    return waiting === undefined && this.#takesIn(request);
  }

  /** What goes into the node at this cycle: requests that are asked again, and frames that were held back. */
  due(cycle: number): readonly Uint8Array[] {
    if (!this.waits) return [];
    if (this.#held !== undefined && cycle - this.#held.since >= this.#holdCycles) this.#release();
    if (this.#waiting.length > 0 && this.#held === undefined) this.#hold(cycle);
    const out = this.#freed.splice(0);
    for (const frame of out) this.#remember(frame);
    if (cycle - this.#askedAt < askedEvery) return out;
    this.#askedAt = cycle;
    // What the node has dropped is not waited for. What is not inside is asked once more, and told BUSY then.
    const tooLate = performance.now() - patienceMs;
    for (let i = this.#waiting.length - 1; i >= 0; i--) {
      const w = this.#waiting[i];
      if (w?.inside === true && w.until < tooLate) this.#waiting.splice(i, 1);
    }
    for (const w of this.#waiting) {
      if (w.inside) continue;
      w.inside = true;
      out.push(w.frame);
    }
    return out;
  }
  #remember(frame: Uint8Array): void {
    this.#latest[this.#next] = frame;
    this.#next = (this.#next + 1) % remembered;
  }
  #admit(client: string, cycle: number): void {
    if (client === this.#held?.client) return;
    // A client that is there already keeps its place in the order.
    this.#admitted.set(client, cycle);
    const [first] = this.#admitted.keys();
    if (this.#admitted.size > mostKnown && first !== undefined) this.#admitted.delete(first);
  }
  #hold(cycle: number): void {
    for (const [client, latest] of this.#admitted) {
      this.#admitted.delete(client);
      if (cycle - latest >= this.#holdCycles) continue;
      this.#held = { client, since: cycle, frames: [] };
      return;
    }
  }
  #release(): void {
    this.#freed.push(...(this.#held?.frames ?? []));
    this.#held = undefined;
  }
  #takesIn(request: string): boolean {
    if (this.#waiting.length >= mostWaiting) return false;
    for (let back = 1; back <= remembered; back++) {
      const frame = this.#latest[(this.#next + remembered - back) % remembered];
      if (frame === undefined) return false;
      if (!isFirst(frame) || requestOf(sender(frame), frame) !== request) continue;
      this.#waiting.push({ request, frame, until: performance.now() + patienceMs, inside: false });
      return true;
    }
    return false;
  }
}

function sender(frame: Uint8Array): string | undefined {
  const route = udpRoute(frame);
  return route && `${route.src}:${route.srcPort}`;
}
const requestOf = (client: string | undefined, frame: Uint8Array): string =>
  `${client}:${clioField(frame, "requestId")}`;
/** A tracked request that the hardware answers by itself, and no repetition. */
function isFirst(frame: Uint8Array): boolean {
  const first = clioField(frame, "flagTracked") === 1 && clioField(frame, "flagRetry") === 0;
  return first && operationOf(clioField(frame, "opcode") ?? 0)?.path === "fast";
}
