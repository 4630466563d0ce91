import { clioMessage, opcode, replyCode, status, type Dissected } from "../../wire/index.ts";
import { udpFrame, type Endpoint } from "../../../shared/wire/index.ts";
import type { ClusterClock } from "./clock.ts";

export interface PeerExchangeOptions {
  readonly own: Endpoint;
  readonly clock: ClusterClock;
  readonly send: (frame: Uint8Array) => void | Promise<void>;
  /** Until a request is sent again, ns; it doubles up to eight times as much. Default 50,000. */
  readonly timeoutNs?: number;
  /**
   * A peer counts as gone after so long a silence, in ns, while a request to it is sent again and again. Default 1 s.
   */
  readonly silentNs?: number;
}
export interface PeerReply {
  readonly status: number;
  readonly body: Uint8Array;
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

interface Pending {
  readonly code: number;
  readonly to: Endpoint;
  /** When the peer was last heard of, ns. */ heardAt: number;
  answer(reply: PeerReply): void;
}

/**
 * Requests of the software of one member of a cluster to that of another. Requests carry a request_id that is echoed,
 * and are sent again until they are answered. So each must mean the same however often and however late it arrives.
 * FREE_PROC would not, as the process ID may be another's by then; it is tracked, and done once.
 *
 * The silence of a peer decides that it is gone, not one failed request, since a node declared gone loses its regions.
 * Take 10 % loss and 10 % corruption on each of the four lines of an exchange. Then 16 tries in a row fail once in ten
 * thousand requests. Any intact frame of a peer (its own requests, answers to others) shows that it is there. State:
 * the requests under way.
 */
export class PeerExchange {
  private readonly o: Required<PeerExchangeOptions>;
  private readonly pending = new Map<number, Pending>();
  private nextId = 1;
  private closed = false;
  private resent = 0;

  constructor(o: PeerExchangeOptions) {
    this.o = { timeoutNs: 50_000, silentNs: 1e9, ...o };
  }

  /** Requests sent again. */
  get retries(): number {
    return this.resent;
  }

  /** @throws PeerGone when it is not answered */
  request(to: Endpoint, code: number, pid: number, ...body: readonly Uint8Array[]): Promise<PeerReply> {
    const { clock, own, send, timeoutNs, silentNs } = this.o,
      id = this.nextId++ >>> 0,
      from = clock.now();
    const frame = udpFrame(
      own,
      to,
      clioMessage({ pid, opcode: code, requestId: id, flagTracked: onceOnly.has(code) ? 1 : 0 }, ...body),
    );
    return new Promise((resolve, reject) => {
      let timer: { cancel(): void } | undefined,
        sent = 0;
      const end = (): void => {
        timer?.cancel();
        this.pending.delete(id);
      };
      const waiting: Pending = {
        code,
        to,
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
        // A frame that cannot be sent (the node is being shut down) is lost, as on the network.
        void Promise.resolve(send(frame)).catch(() => undefined);
      };
      this.pending.set(id, waiting);
      attempt();
    });
  }

  /** Whether a frame is an answer, to a request of ours or to none any more: nothing is to be said to it. */
  receive({ ipv4, clio, body }: Pick<Dissected, "ipv4" | "clio" | "body">): boolean {
    if (!ipv4 || !clio || !body) return false;
    this.hear(ipv4.src);
    const isAnswer = clio.status !== status.OK || answerCodes.has(clio.opcode);
    const waiting = this.pending.get(clio.requestId);
    if (!isAnswer || !waiting || waiting.to.ip !== ipv4.src) return isAnswer;
    // A request that was damaged, or found the peer busy, is sent again when its time is up.
    if (clio.status === status.NACK || clio.status === status.BUSY) return true;
    if (clio.opcode === replyCode(waiting.code) || clio.status !== status.OK)
      waiting.answer({ status: clio.status, body });
    return true;
  }

  close(): void {
    this.closed = true;
  }

  private hear(ip: number): void {
    const now = this.o.clock.now();
    for (const p of this.pending.values()) if (p.to.ip === ip) p.heardAt = now;
  }
}

const onceOnly: ReadonlySet<number> = new Set([opcode.FREE_PROC]);
/** Reply opcodes of what members ask each other: 81 to 99, odd. */
const answerCodes: ReadonlySet<number> = new Set(Array.from({ length: 13 }, (_, i) => 0x81 + 2 * i));
