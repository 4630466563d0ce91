import {
  accessBody, arpReplyFrame, clioHeader, decode, defaultAction, echoReplyFrame, frameOffsets, opcode, replyFrame, status, type Action,
} from "../../packets/index.ts";
import { counterNames, type CounterName, type DropReason, type NodeConfig, type RuntimeSettings } from "../config/index.ts";
import { doneReply, failedReply, failureCounter, isSilent, piecesOf, type Access, type FailedAccess } from "./access.ts";
import { classify, type FilterSettings, type Request } from "./classify.ts";
import type { VirtualMemory } from "./pages.ts";

/** What the node does with a frame. */
export type Outcome =
  | { readonly kind: "reply"; readonly frame: Uint8Array; readonly why: string }
  | { readonly kind: "drop"; readonly reason: DropReason }
  /** WRITE_NOREPLY: done, or failed for the reason given. */
  | { readonly kind: "silent"; readonly why: string }
  /** Handed to the slow path, which answers in its own time. */
  | { readonly kind: "forward"; readonly to: "slow" | "extend"; readonly frame: Uint8Array };

/**
 * The byte-accurate reference of the whole fast path, following rules.md: a frame in, the exact reply or the reason for none out. It does
 * one request after another; what concurrent requests allow is judged by `Scoreboard`.
 */
export class ReferenceNode {
  readonly counters: Record<CounterName, number> = Object.fromEntries(counterNames.map(n => [n, 0])) as Record<CounterName, number>;
  private readonly config: NodeConfig;
  private readonly runtime: RuntimeSettings;
  private readonly memory: VirtualMemory;
  private readonly action: (code: number) => Action;

  /** @param action the match-and-action table's content, when the slow path has rewritten it */
  constructor(config: NodeConfig, runtime: RuntimeSettings, memory: VirtualMemory, action: (code: number) => Action = defaultAction) {
    this.config = config; this.runtime = runtime; this.memory = memory; this.action = action;
  }

  /** Settings of the frame filter. */
  get filter(): FilterSettings { return { ...this.runtime, mtuFrame: this.config.mtuFrame, clientPorts: this.config.clientPorts }; }

  /**
   * @param frame the frame without FCS
   * @param fcsBad the MAC marked it bad
   */
  receive(frame: Uint8Array, fcsBad = false): Outcome {
    const meaning = this.interpret(frame, fcsBad);
    return meaning.kind === "access" ? this.perform(meaning.access) : meaning;
  }

  /** Everything that does not depend on memory: the outcome, or the access to be done. Counts what it decides. */
  interpret(frame: Uint8Array, fcsBad = false): Outcome | { readonly kind: "access"; readonly access: Access } {
    this.counters.rxFrames++;
    const verdict = classify(frame, this.filter);
    if (verdict.kind === "drop" && (!fcsBad || verdict.reason === "dropLong")) return this.drop(verdict.reason);
    if (fcsBad && verdict.kind !== "request") return this.drop("dropFcs");
    switch (verdict.kind) {
      case "drop": return this.drop(verdict.reason);
      case "arp": this.counters.arpReplies++; return this.send(arpReplyFrame(this.runtime, verdict.ethernet, verdict.arp), "ARP");
      case "icmp": this.counters.icmpReplies++; return this.send(echoReplyFrame(this.runtime, frame, verdict.totalLength), "ICMP echo");
      case "request": return this.request(verdict.request, frame, fcsBad);
    }
  }

  private request(request: Request, frame: Uint8Array, fcsBad: boolean): ReturnType<ReferenceNode["interpret"]> {
    const { clio, came } = request;
    if (fcsBad) return this.refuse(request, "NACK", "nacks");
    if (clio.size < clioHeader.bytes || clio.size > came) return this.refuse(request, "MALFORMED", "malformed");
    const action = this.action(clio.opcode);
    switch (action) {
      case "malformed": return this.refuse(request, "MALFORMED", "malformed");
      case "slow": this.counters.slowRequests++; return { kind: "forward", to: "slow", frame };
      case "extend": this.counters.extendRequests++; return { kind: "forward", to: "extend", frame };
      case "fast": break;
    }
    const body = frame.subarray(frameOffsets.body, frameOffsets.clio + clio.size);
    if (clio.opcode === opcode.PINGPONG) {
      this.counters.pingpongs++;
      return this.send(replyFrame(this.runtime, request, opcode.PINGPONG, status.OK, body), "OK");
    }
    const access = this.access(request, body);
    return access ? { kind: "access", access } : this.refuse(request, "MALFORMED", "malformed");
  }

  /** Section 4, point 5: the access that a request asks for, or undefined when its form is wrong. */
  private access(request: Request, body: Uint8Array): Access | undefined {
    const { clio } = request, isRead = clio.opcode === opcode.READ;
    if (!isRead && clio.opcode !== opcode.WRITE && clio.opcode !== opcode.WRITE_NOREPLY) return undefined;
    if (body.length < accessBody.bytes) return undefined;
    const { va, length } = decode(accessBody, body);
    if (length < 1 || length > this.config.maxData) return undefined;
    if (!isRead && length > body.length - accessBody.bytes) return undefined;
    return { request, pid: clio.pid, va, length, data: isRead ? undefined : body.slice(accessBody.bytes, accessBody.bytes + length) };
  }

  /** Section 5: all pages checked in address order, then all bytes moved. */
  private perform(access: Access): Outcome {
    const { pid, va, length, data } = access, pieces = piecesOf(this.config, va, length);
    for (const { vpn } of pieces) {
      const failed = this.checkPage(pid, vpn, data !== undefined);
      if (failed) return this.fail(access, failed);
    }
    if (data) {
      for (const p of pieces) this.memory.write(pid, p.vpn, p.offset, data.subarray(p.from, p.from + p.length));
      this.countDone(access);
      return isSilent(access) ? { kind: "silent", why: "OK" } : this.send(doneReply(this.runtime, access), "OK");
    }
    const found = new Uint8Array(length);
    for (const p of pieces) found.set(this.memory.read(pid, p.vpn, p.offset, p.length), p.from);
    this.countDone(access);
    return this.send(doneReply(this.runtime, access, found), "OK");
  }

  private countDone(access: Access): void {
    this.counters[access.data === undefined ? "reads" : isSilent(access) ? "writesNoReply" : "writes"]++;
    this.counters[access.data === undefined ? "readBytes" : "writeBytes"] += access.length;
  }

  private checkPage(pid: number, vpn: bigint, isWrite: boolean): FailedAccess | undefined {
    const page = vpn >> BigInt(this.config.vpnBits) === 0n ? this.memory.page(pid, vpn) : undefined;
    if (!page) return "INVALID";
    if (isWrite ? !page.write : !page.read) return isWrite ? "WRITE_PERM" : "READ_PERM";
    if (page.valid) return undefined;
    if (!this.memory.fault(pid, vpn)) return "OUT_OF_MEMORY";
    this.counters.pageFaults++;
    return undefined;
  }

  private fail(access: Access, failure: FailedAccess): Outcome {
    this.counters[failureCounter[failure]]++;
    return isSilent(access) ? this.unanswered(failure) : this.send(failedReply(this.runtime, access, failure), failure);
  }

  private refuse(request: Request, why: "NACK" | "MALFORMED", counter: CounterName): Outcome {
    this.counters[counter]++;
    if (request.clio.opcode === opcode.WRITE_NOREPLY) return this.unanswered(why);
    return this.send(replyFrame(this.runtime, request, request.clio.opcode, status[why]), why);
  }

  private unanswered(why: string): Outcome { this.counters.unanswered++; return { kind: "silent", why }; }
  private drop(reason: DropReason): Outcome { this.counters[reason]++; return { kind: "drop", reason }; }
  private send(frame: Uint8Array, why: string): Outcome { this.counters.txFrames++; return { kind: "reply", frame, why }; }
}
