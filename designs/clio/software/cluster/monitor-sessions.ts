import {
  frameOffsets,
  pingpongBody,
  replyFrame,
  type RequestHeaders,
  statReplyBody,
  status,
} from "../../wire/index.ts";
import { decode, encode, type Endpoint } from "../../../shared/wire/index.ts";

/** Sessions of a member: numbers 1 to this, number 0 is management. Session n has the UDP port that follows by n. */
export const mostSessions = 1023;
/** What CLOSE_SESSION says of a session that is not there: -EFAULT (host/common.c). */
export const noSuchSession = 0xffff_fff2;
/** Bytes of the longest PINGPONG reply: the published monitor's 4,096, cut to a frame of 1,536. */
const longestPingpong = 1536 - frameOffsets.body;
/** QUERY_STAT in the published client's order (include/uapi/stat.h): the counters that are kept here, and how many. */
const stat = { openSessionRx: 6, closeSessionRx: 8, count: 26 } as const;

interface Session {
  readonly host: string;
  /** The host's own number of it. */
  readonly remote: number;
}

/**
 * Sessions that hosts open at the monitor (the published client's programs `session` and `relnet_normal`). A session
 * holds nothing but its number here. So none is ever refused: when all are open, the one that was opened first is
 * given to the newcomer. A host that opens with the same number again gets its session again.
 */
export class MonitorSessions {
  /** By number, opened first first. */
  private readonly sessions = new Map<number, Session>();
  private opens = 0;
  private closes = 0;

  has(session: number): boolean {
    return this.sessions.has(session);
  }

  /** @returns the number of the session */
  open(remote: number, host: string): number {
    this.opens++;
    for (const [n, s] of this.sessions) if (s.host === host && s.remote === remote) return n;
    let number = 1;
    while (this.sessions.has(number)) number++;
    if (number > mostSessions) {
      const [first = 1] = this.sessions.keys();
      this.sessions.delete(first);
      number = first;
    }
    this.sessions.set(number, { host, remote });
    return number;
  }

  /** @returns whether it was the host's */
  close(session: number, host: string): boolean {
    this.closes++;
    return this.sessions.get(session)?.host === host && this.sessions.delete(session);
  }

  /** All of a host. */
  forget(host: string): void {
    for (const [n, s] of this.sessions) if (s.host === host) this.sessions.delete(n);
  }

  /** Body of the reply to QUERY_STAT. */
  statistics(): Uint8Array {
    const body = new Uint8Array(statReplyBody.bytes + 8 * stat.count),
      view = new DataView(body.buffer);
    body.set(encode(statReplyBody, { count: stat.count }));
    view.setBigUint64(statReplyBody.bytes + 8 * stat.openSessionRx, BigInt(this.opens), true);
    view.setBigUint64(statReplyBody.bytes + 8 * stat.closeSessionRx, BigInt(this.closes), true);
    return body;
  }
}

/**
 * The reply to PINGPONG at the monitor: so many zero bytes as the request asks for. A request without that number gets
 * none. So a reply that comes back as a request is answered twice at most, each time with less.
 */
export function pingpongReply(own: Endpoint, request: RequestHeaders, body: Uint8Array): Uint8Array[] {
  if (body.length < pingpongBody.bytes) return [];
  const { replySize } = decode(pingpongBody, body),
    bytes = Math.min(replySize, longestPingpong);
  return [replyFrame(own, request, request.clio.opcode, status.OK, new Uint8Array(bytes))];
}
