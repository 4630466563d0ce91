import {
  PeerExchange as Exchange,
  type PeerExchangeOptions,
  PeerGone,
} from "../../../shared/control/software/index.ts";
import { type Endpoint, udpFrame } from "../../../shared/wire/index.ts";
import { clioMessage, type Dissected, opcode, replyCode, status } from "../../wire/index.ts";

export { PeerGone };
/** What an exchange is given beside its codec. */
export type { PeerExchangeOptions };

interface PeerRequest {
  readonly code: number;
  readonly pid: number;
  readonly body: readonly Uint8Array[];
}
interface PeerAnswer {
  readonly status: number;
  readonly opcode: number;
  readonly body: Uint8Array;
}
export interface PeerReply {
  readonly status: number;
  readonly body: Uint8Array;
}

/**
 * Requests of the software of one member of a cluster to that of another, as Clio messages: the number that is echoed
 * is the request_id. FREE_PROC, which does not mean the same however late it arrives (the process ID may be another's
 * by then), is tracked, and done once.
 */
export class PeerExchange extends Exchange<Endpoint, PeerRequest, PeerAnswer, PeerReply> {
  constructor({ own, ...o }: PeerExchangeOptions & { readonly own: Endpoint }) {
    super(o, {
      keyOf: peer => peer.ip,
      encode: (to, requestId, { code, pid, body }) =>
        udpFrame(
          own,
          to,
          clioMessage({ pid, opcode: code, requestId, flagTracked: onceOnly.has(code) ? 1 : 0 }, ...body),
        ),
      // What was damaged, or found the peer busy, is sent again when its time is up.
      reply: ({ code }, a) =>
        a.status !== status.NACK && a.status !== status.BUSY && (a.opcode === replyCode(code) || a.status !== status.OK)
          ? { status: a.status, body: a.body }
          : undefined,
    });
  }

  /** @throws PeerGone when it is not answered */
  request(to: Endpoint, code: number, pid: number, ...body: readonly Uint8Array[]): Promise<PeerReply> {
    return this.ask(to, { code, pid, body });
  }

  /** Whether a frame is an answer, to a request of ours or to none any more: nothing is to be said to it. */
  receive({ ipv4, clio, body }: Pick<Dissected, "ipv4" | "clio" | "body">): boolean {
    if (!ipv4 || !clio || !body) return false;
    this.hear(ipv4.src);
    const isAnswer = clio.status !== status.OK || answerCodes.has(clio.opcode);
    if (isAnswer) this.answered(ipv4.src, clio.requestId, { status: clio.status, opcode: clio.opcode, body });
    return isAnswer;
  }
}

const onceOnly: ReadonlySet<number> = new Set([opcode.FREE_PROC]);
/** Reply opcodes of what members ask each other: 81 to 99, odd. */
const answerCodes: ReadonlySet<number> = new Set(Array.from({ length: 13 }, (_, i) => 0x81 + 2 * i));
