import {
  accessBody, arpReplyFrame, clioHeader, decode, defaultAction, echoReplyFrame, encode, frameOffsets, opcode, replyCode, replyFrame, status, type Action,
} from "../../packets/index.ts";
import { counterNames, type CounterName, type DropReason, type NodeConfig, type RuntimeSettings } from "../config/index.ts";
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

/** A READ or WRITE whose form is right, to be checked against the page table and done. */
export interface Access { readonly request: Request; readonly pid: number; readonly va: bigint; readonly length: number; readonly data: Uint8Array | undefined }

type FailedAccess = "INVALID" | "WRITE_PERM" | "READ_PERM" | "OUT_OF_MEMORY";
const failureCounter: Readonly<Record<FailedAccess, CounterName>> = {
  INVALID: "invalid", WRITE_PERM: "writePermission", READ_PERM: "readPermission", OUT_OF_MEMORY: "outOfMemory",
};

/** A piece of an access inside one page. */
interface Piece { readonly vpn: bigint; readonly offset: number; readonly length: number; readonly from: number }

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

  private request(request: Request, frame: Uint8Array, fcsBad: boolean): Outcome {
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
    return access ? this.perform(access) : this.refuse(request, "MALFORMED", "malformed");
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

  private pieces(va: bigint, length: number): Piece[] {
    const shift = BigInt(this.config.pageShift), out: Piece[] = [];
    for (let from = 0; from < length;) {
      const at = va + BigInt(from), offset = Number(at & (BigInt(this.config.pageSize) - 1n)), n = Math.min(this.config.pageSize - offset, length - from);
      out.push({ vpn: at >> shift, offset, length: n, from });
      from += n;
    }
    return out;
  }

  /** Section 5: all pages checked in address order, then all bytes moved. */
  private perform(access: Access): Outcome {
    const { request, pid, va, length, data } = access, pieces = this.pieces(va, length);
    for (const { vpn } of pieces) {
      const failed = this.checkPage(pid, vpn, data !== undefined);
      if (failed) return this.fail(access, failed);
    }
    const code = request.clio.opcode;
    if (data) {
      for (const p of pieces) this.memory.write(pid, p.vpn, p.offset, data.subarray(p.from, p.from + p.length));
      this.counters.writeBytes += length;
      if (code === opcode.WRITE_NOREPLY) { this.counters.writesNoReply++; return { kind: "silent", why: "OK" }; }
      this.counters.writes++;
      return this.send(replyFrame(this.runtime, request, replyCode(code), status.OK, encode(accessBody, { va, length })), "OK");
    }
    const reply = new Uint8Array(accessBody.bytes + length);
    reply.set(encode(accessBody, { va, length }));
    for (const p of pieces) reply.set(this.memory.read(pid, p.vpn, p.offset, p.length), accessBody.bytes + p.from);
    this.counters.reads++; this.counters.readBytes += length;
    return this.send(replyFrame(this.runtime, request, replyCode(code), status.OK, reply), "OK");
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

  private fail({ request, va }: Access, failure: FailedAccess): Outcome {
    this.counters[failureCounter[failure]]++;
    if (request.clio.opcode === opcode.WRITE_NOREPLY) return this.unanswered(failure);
    return this.send(replyFrame(this.runtime, request, replyCode(request.clio.opcode), status[failure], encode(accessBody, { va, length: 0 })), failure);
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
