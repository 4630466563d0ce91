import type { Clock } from "./clock.ts";

/** What the exchange must know of peers and messages. */
export interface PeerCodec<Peer, Request, Answer, Reply> {
  /** Two peers are one when their keys are equal. */
  readonly keyOf: (peer: Peer) => string | number;
  /** The frame of a request; `id` comes back with its answer. */
  readonly encode: (to: Peer, id: number, request: Request) => Uint8Array;
  /** What an answer says to a request; undefined: nothing, the request is to be sent again when its time is up. */
  readonly reply: (request: Request, answer: Answer) => Reply | undefined;
}
export interface PeerExchangeOptions {
  readonly clock: Clock;
  readonly send: (frame: Uint8Array) => void | Promise<void>;
  /** Until a request is sent again, ns; it doubles up to eight times as much. Default 50,000. */
  readonly timeoutNs?: number;
  /**
   * A peer of which nothing at all is heard for so long, while a request to it is sent again and again, counts as gone,
   * ns. Default 1 s.
   */
  readonly silentNs?: number;
}
/** A peer has been silent for too long, or answers other things than what it is asked. */
export class PeerGone extends Error {
  override readonly name = "PeerGone";
}

const mostDoubling = 8;
/**
 * A request that a peer does not answer although it is heard of is given up after so many times `silentNs`: nothing
 * waits for ever.
 */
const mostSilences = 16;

interface Pending<Request, Reply> {
  readonly request: Request;
  /** The peer's key. */
  readonly to: string | number;
  /** When the peer was last heard of, ns. */
  heardAt: number;
  answer(reply: Reply): void;
}

/**
 * Requests of the software of one member of a group to that of another. They are told apart by a number that is echoed,
 * and sent again until they are answered, so each must mean the same however often and however late it arrives, or be
 * done at most once by its receiver.
 *
 * Whether a peer is gone is told by its silence, not by one request's bad luck: to declare a peer gone is costly, and
 * with 10 % loss and 10 % corruption on each of the four lines between a request and its answer 16 tries
 * in a row fail once in ten thousand requests. Any intact frame of a peer (its own requests, answers to others) shows
 * that it is there. State: the requests under way.
 */
export class PeerExchange<Peer, Request, Answer, Reply> {
  private readonly o: Required<PeerExchangeOptions>;
  private readonly codec: PeerCodec<Peer, Request, Answer, Reply>;
  private readonly pending = new Map<number, Pending<Request, Reply>>();
  private nextId = 1;
  private closed = false;
  private resent = 0;

  constructor(o: PeerExchangeOptions, codec: PeerCodec<Peer, Request, Answer, Reply>) {
    this.codec = codec;
    this.o = { timeoutNs: 50_000, silentNs: 1e9, ...o };
  }

  /** Requests sent again. */
  get retries(): number {
    return this.resent;
  }

  /** @throws PeerGone when it is not answered */
  ask(to: Peer, request: Request): Promise<Reply> {
    const { clock, send, timeoutNs, silentNs } = this.o,
      id = this.nextId++ >>> 0,
      from = clock.now(),
      frame = this.codec.encode(to, id, request);
    return new Promise((resolve, reject) => {
      let timer: { cancel(): void } | undefined,
        sent = 0;
      const end = (): void => {
        timer?.cancel();
        this.pending.delete(id);
      };
      const waiting: Pending<Request, Reply> = {
        request,
        to: this.codec.keyOf(to),
        heardAt: from,
        answer: reply => {
          end();
          resolve(reply);
        },
      };
      const attempt = (): void => {
        timer?.cancel();
        const now = clock.now(),
          gone = now - waiting.heardAt >= silentNs || now - from >= mostSilences * silentNs;
        if (this.closed || gone) {
          end();
          reject(new PeerGone(`no answer to ${sent} requests`));
          return;
        }
        if (sent > 0) this.resent++;
        timer = clock.after(Math.min(mostDoubling, 2 ** sent++) * timeoutNs, attempt);
        // What cannot be sent (the node is being shut down) is lost, as on the network.
        void Promise.resolve(send(frame)).catch(() => undefined);
      };
      this.pending.set(id, waiting);
      attempt();
    });
  }

  /** An answer to request `id` came from a peer; it may be to none any more. */
  answered(from: string | number, id: number, answer: Answer): void {
    const waiting = this.pending.get(id);
    if (waiting?.to !== from) return;
    const reply = this.codec.reply(waiting.request, answer);
    if (reply !== undefined) waiting.answer(reply);
  }

  close(): void {
    this.closed = true;
  }

  /** Anything at all came from a peer: it is there. */
  hear(from: string | number): void {
    const now = this.o.clock.now();
    for (const p of this.pending.values()) if (p.to === from) p.heardAt = now;
  }
}
