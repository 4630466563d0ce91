import { arpReplyFrame, echoReplyFrame } from "../../shared/wire/index.ts";
import { type Action, clioHeader, defaultAction, frameOffsets, opcode, replyFrame, status } from "../wire/index.ts";
import {
  type CounterName,
  counterNames,
  type DropReason,
  firstOffloadPid,
  type NodeConfig,
  type RuntimeSettings,
} from "../config/index.ts";
import {
  type Access,
  doneReply,
  type FailedAccess,
  failedReply,
  failureCounter,
  isAtomic,
  isDeref,
  isKept,
  isSilent,
  piecesOf,
  refusalOf,
  repeatedReply,
  rightsOf,
  target,
  wordBytes,
  wordBytesOf,
  wordOf,
} from "./access.ts";
import { type AtomicKind, atomicResult } from "./atomics.ts";
import { classify, type FilterSettings, type Request } from "./classify.ts";
import { accessOf } from "./form.ts";
import { hasKey } from "./key.ts";
import type { VirtualMemory } from "./pages.ts";
import { type RetryAsked, RetryModel, type RetryOperation } from "./retry.ts";

/** Outcome of a frame at the node. */
export type Outcome =
  | { readonly kind: "reply"; readonly frame: Uint8Array; readonly why: string }
  | { readonly kind: "drop"; readonly reason: DropReason }
  /** WRITE_NOREPLY: done, or failed for the reason given. */
  | { readonly kind: "silent"; readonly why: string }
  /** Handed to the slow path, which answers in its own time. */
  | {
      readonly kind: "forward";
      readonly to: "slow" | "extend";
      readonly frame: Uint8Array;
      /** It is a reply: nobody answers it. When the way there is full, it is dropped. */
      readonly reply?: true;
    };

/** How an access ended, and what an atomic found. */
interface Done {
  readonly outcome: Outcome;
  readonly status: number;
  readonly word: bigint;
}
const done = (outcome: Outcome, word = 0n): Done => ({ outcome, status: status.OK, word });

/** Fields of a request that the retry buffer sees. */
function retryOf({ clio, ipv4, udp, native }: Request, ticket: number, what: "plain" | "kept" | "fence"): RetryAsked {
  const repeats = clio.flagRetry === 1;
  return {
    slot: ticket,
    tracked: native && clio.flagTracked === 1,
    keeps: what === "kept",
    introduces: !repeats,
    fence: what === "fence",
    client: (BigInt(ipv4.src) << 16n) | BigInt(udp.srcPort),
    operation: repeats ? clio.retryOf : clio.requestId,
  };
}

/** A FENCE: the reply that comes when everything before it is done, and the one when too many wait. */
export interface Fence {
  readonly kind: "fence";
  readonly pid: number;
  readonly frame: Uint8Array;
  readonly busy: Uint8Array;
}
/** An access to be done; `ticket` names it to the retry buffer's model when it is done. */
export interface Execute {
  readonly kind: "access";
  readonly access: Access;
  readonly ticket: number;
}
/** A repeated access: to be answered as the first was (or BUSY, while that one is under way). */
export interface Repeat {
  readonly kind: "repeat";
  readonly access: Access;
  readonly of: RetryOperation;
}
/** Outcome of a frame, as far as it does not depend on memory. */
export type Meaning = Outcome | Execute | Repeat | Fence;

/**
 * The byte-accurate reference of the whole fast path, following rules.md: a frame in, the exact reply or the reason for
 * none out. The model does one request after another; `Scoreboard` judges the results of concurrent requests.
 */
export class ReferenceNode {
  readonly counters: Record<CounterName, number> = Object.fromEntries(counterNames.map(n => [n, 0])) as Record<
    CounterName,
    number
  >;
  private readonly config: NodeConfig;
  private readonly runtime: RuntimeSettings;
  private readonly memory: VirtualMemory;
  private readonly action: (code: number) => Action;
  /** Operations that have been requested before. */
  readonly retries: RetryModel;
  /** Settings of the frame filter. */
  readonly filter: FilterSettings;
  /** Keys of the processes that have one. */
  readonly keys = new Map<number, bigint>();
  private readonly side: "outside" | "inside";
  private tickets = 0;

  /**
   * @param action the match-and-action table's content, when the slow path has rewritten it
   * @param side where frames come from: the network, or the node's own offloads, which may name the node's processes
   */
  constructor(
    config: NodeConfig,
    runtime: RuntimeSettings,
    memory: VirtualMemory,
    action: (code: number) => Action = defaultAction,
    side: "outside" | "inside" = "outside",
  ) {
    this.config = config;
    this.runtime = runtime;
    this.memory = memory;
    this.action = action;
    this.side = side;
    this.retries = new RetryModel(config, runtime.hashKey);
    this.filter = {
      ...runtime,
      mtuFrame: config.mtuFrame,
      clientPorts: config.clientPorts,
      inside: side === "inside",
    };
  }

  /**
   * @param frame the frame without FCS
   * @param fcsBad the MAC marked it bad
   */
  receive(frame: Uint8Array, fcsBad = false): Outcome {
    const meaning = this.interpret(frame, fcsBad);
    switch (meaning.kind) {
      case "access": {
        const { outcome, status: code, word } = this.perform(meaning.access);
        this.retries.complete(meaning.ticket, code, word);
        return outcome;
      }
      case "repeat":
        return this.repeated(meaning);
      // One after another: nothing is under way.
      case "fence":
        return { kind: "reply", frame: meaning.frame, why: "OK" };
      default:
        return meaning;
    }
  }

  /** Everything that does not depend on memory: the outcome, or the access to be done. Counts what it decides. */
  interpret(frame: Uint8Array, fcsBad = false): Meaning {
    this.counters.rxFrames++;
    const verdict = classify(frame, this.filter);
    if (verdict.kind === "drop" && (!fcsBad || verdict.reason === "dropLong")) return this.drop(verdict.reason);
    if (fcsBad && (verdict.kind !== "request" || verdict.request.reply)) return this.drop("dropFcs");
    switch (verdict.kind) {
      case "drop":
        return this.drop(verdict.reason);
      case "arp":
        this.counters.arpReplies++;
        return this.send(arpReplyFrame(this.runtime, verdict.ethernet, verdict.arp), "ARP");
      case "icmp":
        this.counters.icmpReplies++;
        return this.send(echoReplyFrame(this.runtime, frame, verdict.totalLength), "ICMP echo");
      case "request":
        return this.request(verdict.request, frame, fcsBad);
    }
  }

  private request(request: Request, frame: Uint8Array, fcsBad: boolean): ReturnType<ReferenceNode["interpret"]> {
    const { clio, came } = request;
    if (fcsBad) return this.refuse(request, "NACK", "nacks");
    const contradicts = clio.size < clioHeader.bytes || clio.size > came,
      action = this.action(clio.opcode);
    if (request.reply) {
      if (contradicts || action !== "slow") return this.drop("dropReply");
      this.counters.slowRequests++;
      return { kind: "forward", to: "slow", frame, reply: true };
    }
    if (contradicts) return this.refuse(request, "MALFORMED", "malformed");
    const foreign = clio.pid >= firstOffloadPid || !hasKey(this.keys.get(clio.pid), request, frame);
    if (this.side === "outside" && foreign) return this.refuse(request, "INVALID", "invalid");
    switch (action) {
      case "malformed":
        return this.refuse(request, "MALFORMED", "malformed");
      case "slow":
        this.counters.slowRequests++;
        return { kind: "forward", to: "slow", frame };
      case "extend":
        this.counters.extendRequests++;
        return { kind: "forward", to: "extend", frame };
      case "fast":
        break;
    }
    const body = frame.subarray(frameOffsets.body, frameOffsets.clio + clio.size);
    if (clio.opcode === opcode.PINGPONG) {
      this.counters.pingpongs++;
      return this.send(replyFrame(this.runtime, request, opcode.PINGPONG, status.OK, body), "OK");
    }
    if (clio.opcode === opcode.FENCE) {
      if (this.retries.request(retryOf(request, -1, "fence")).kind === "noPlace")
        return this.refuse(request, "BUSY", "retriesBusy");
      this.counters.fences++;
      const reply = (code: number): Uint8Array => replyFrame(this.runtime, request, opcode.FENCE, code);
      return { kind: "fence", pid: clio.pid, frame: this.framed(reply(status.OK)), busy: reply(status.BUSY) };
    }
    const access = accessOf(this.config, request, body);
    return access ? this.ask(access) : this.refuse(request, "MALFORMED", "malformed");
  }

  /** Section 7: done, answered as before, or refused. */
  private ask(access: Access): Meaning {
    const ticket = this.tickets++,
      verdict = this.retries.request(retryOf(access.request, ticket, isKept(access.kind) ? "kept" : "plain"));
    switch (verdict.kind) {
      case "pass":
      case "fence":
        return { kind: "access", access, ticket };
      case "repeats":
        return { kind: "repeat", access, of: verdict.of };
      case "noPlace":
        return this.refuse(access.request, "BUSY", "retriesBusy");
      case "expired":
        this.counters.retriesExpired++;
        return isSilent(access)
          ? this.unanswered("EXPIRED")
          : this.send(failedReply(this.runtime, access, "EXPIRED"), "EXPIRED");
    }
  }

  private repeated({ access, of }: Repeat): Outcome {
    const { result } = of;
    if (result === undefined) return this.refuse(access.request, "BUSY", "retriesBusy");
    this.counters.retriesAnswered++;
    return isSilent(access)
      ? { kind: "silent", why: "repeated" }
      : this.send(repeatedReply(this.runtime, access, result), "repeated");
  }

  /** Sections 5 and 6: all pages checked in address order, then all bytes moved. */
  private perform(access: Access): Done {
    const { kind } = access;
    if (isAtomic(kind)) return this.atomic(access, kind);
    return isDeref(kind) ? this.dereference(access) : this.move(access);
  }

  private move(access: Access): Done {
    const { pid, va, length, data } = access,
      failed = this.check(access, length),
      pieces = piecesOf(this.config, va, length);
    if (failed) return this.fail(access, failed);
    this.countDone(access);
    if (data) {
      for (const p of pieces) this.memory.write(pid, p.vpn, p.offset, data.subarray(p.from, p.from + p.length));
      return done(isSilent(access) ? { kind: "silent", why: "OK" } : this.send(doneReply(this.runtime, access), "OK"));
    }
    return done(this.send(doneReply(this.runtime, access, this.bytesAt(pid, va, length)), "OK"));
  }

  private atomic(access: Access, kind: AtomicKind): Done {
    const failed = this.check(access, wordBytes);
    if (failed) return this.fail(access, failed);
    const old = wordOf(this.bytesAt(access.pid, access.va, wordBytes)),
      written = atomicResult({ ...access, kind }, old);
    const [piece] = piecesOf(this.config, access.va, wordBytes);
    if (piece && written !== undefined) this.memory.write(access.pid, piece.vpn, piece.offset, wordBytesOf(written));
    this.counters.atomics++;
    return done(this.send(doneReply(this.runtime, access, kind === "store" ? undefined : wordBytesOf(old)), "OK"), old);
  }

  private dereference(access: Access): Done {
    const failed = this.check(access, wordBytes);
    if (failed) return this.fail(access, failed);
    this.counters.dereferences++;
    const pointer = wordOf(this.bytesAt(access.pid, access.va, wordBytes));
    return { ...this.move(target(access, pointer)), word: pointer };
  }

  private bytesAt(pid: number, va: bigint, length: number): Uint8Array {
    const found = new Uint8Array(length);
    for (const p of piecesOf(this.config, va, length))
      found.set(this.memory.read(pid, p.vpn, p.offset, p.length), p.from);
    return found;
  }

  private countDone(access: Access): void {
    this.counters[access.data === undefined ? "reads" : isSilent(access) ? "writesNoReply" : "writes"]++;
    this.counters[access.data === undefined ? "readBytes" : "writeBytes"] += access.length;
  }

  /** The first reason why `length` bytes at the access's address cannot be had. */
  private check({ pid, va, kind }: Access, length: number): FailedAccess | undefined {
    for (const { vpn } of piecesOf(this.config, va, length)) {
      const page = vpn >> BigInt(this.config.vpnBits) === 0n ? this.memory.page(pid, vpn) : undefined;
      if (!page) return "INVALID";
      const refusal = refusalOf(page, rightsOf(kind));
      if (refusal !== undefined) return refusal;
      if (page.valid) continue;
      if (!this.memory.fault(pid, vpn)) return "OUT_OF_MEMORY";
      this.counters.pageFaults++;
    }
    return undefined;
  }

  private fail(access: Access, failure: FailedAccess): Done {
    this.counters[failureCounter[failure]]++;
    const outcome = isSilent(access)
      ? this.unanswered(failure)
      : this.send(failedReply(this.runtime, access, failure), failure);
    return { outcome, status: status[failure], word: 0n };
  }

  private refuse(request: Request, why: "NACK" | "MALFORMED" | "INVALID" | "BUSY", counter: CounterName): Outcome {
    this.counters[counter]++;
    if (request.clio.opcode === opcode.WRITE_NOREPLY) return this.unanswered(why);
    return this.send(replyFrame(this.runtime, request, request.clio.opcode, status[why]), why);
  }

  private unanswered(why: string): Outcome {
    this.counters.unanswered++;
    return { kind: "silent", why };
  }
  private drop(reason: DropReason): Outcome {
    this.counters[reason]++;
    return { kind: "drop", reason };
  }
  private send(frame: Uint8Array, why: string): Outcome {
    return { kind: "reply", frame: this.framed(frame), why };
  }
  private framed(frame: Uint8Array): Uint8Array {
    this.counters.txFrames++;
    return frame;
  }
}
