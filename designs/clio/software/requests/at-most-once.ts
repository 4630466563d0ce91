import {
  type AtMostOnceOptions,
  type AtMostOnceStatistics,
  AtMostOnce as Rules,
} from "../../../shared/control/software/index.ts";
import { opcode, type OpcodeName, status } from "../../wire/index.ts";
import type { SlowReply, SlowRequest } from "./handler.ts";

export type { AtMostOnceOptions, AtMostOnceStatistics };

/**
 * Requests that change something: each is done once at most, however often it arrives. The others are done
 * anew each time.
 */
const keptNames: readonly OpcodeName[] = [
  "ALLOC",
  "FREE",
  "CREATE_PROC",
  "FREE_PROC",
  "OPEN_SESSION",
  "CLOSE_SESSION",
  "MIGRATION_HOST",
  "MIGRATION_NODE",
  "MIGRATION_RECEIVE",
  "MIGRATION_CANCEL",
  "MIGRATION_SEND",
  "KV_CREATE",
  "KV_UPDATE",
  "KV_DELETE",
  "MV_CREATE",
  "MV_APPEND",
  "MV_DELETE",
];
const kept: ReadonlySet<number> = new Set(keptNames.map(name => opcode[name]));

/** Header-only refusals, with the request's own opcode. */
const refusal = (code: number): SlowReply => ({ status: code, body: new Uint8Array(), headerOnly: true });

/**
 * Requests that are tracked (native port, request_id valid) and change something are done at most once: the retry
 * buffer's rules, in software, for what the slow and the extend path do. A client is a pair of IPv4 address and UDP
 * port; an operation is named by the request_id of its first request. While it is under way it is BUSY; what was
 * forgotten is EXPIRED.
 */
export class AtMostOnce {
  private readonly rules: Rules<SlowReply>;

  constructor(options: AtMostOnceOptions) {
    const busy = refusal(status.BUSY);
    this.rules = new Rules(options, {
      expired: refusal(status.EXPIRED),
      underWay: busy,
      full: waitNs => ({ ...busy, waitNs }),
    });
  }

  get statistics(): AtMostOnceStatistics {
    return this.rules.statistics;
  }
  /** Clients and replies remembered now. */
  get size(): { readonly clients: number; readonly replies: number } {
    return this.rules.size;
  }

  /**
   * The reply to a request: `execute`'s, or what the rules say without it. An error that `execute` throws is thrown,
   * and nothing is remembered: a malformed request has done nothing.
   */
  async reply(
    { ipv4, udp, clio, native }: SlowRequest,
    execute: () => SlowReply | Promise<SlowReply>,
  ): Promise<SlowReply> {
    if (!native || clio.flagTracked === 0) return execute();
    const retry = clio.flagRetry !== 0;
    return this.rules.reply(
      {
        client: `${ipv4.src}:${udp.srcPort}`,
        operation: retry ? clio.retryOf : clio.requestId,
        retry,
        kind: clio.opcode,
        changes: kept.has(clio.opcode),
      },
      execute,
    );
  }
}
