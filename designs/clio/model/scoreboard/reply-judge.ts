/** Whether a frame is the reply that a request may have. */
import { type NodeConfig, partitionOfProcess, type RuntimeSettings } from "../../config/index.ts";
import {
  accessBody,
  clioField,
  clioHeader,
  dissect,
  frameOffsets,
  opcode,
  type OpcodeName,
  replyCode,
  replyFrame,
  status,
  statusName,
} from "../../wire/index.ts";
import { doneReply, failedReply, repeatedReply, wordBytesOf } from "../access.ts";
import type { RetryOperation } from "../retry.ts";
import { outside } from "../words.ts";
import { describe, foundIn, same } from "./frames.ts";
import type { KnownMemory } from "./known-memory.ts";
import type { Open, OpenAccess, Page } from "./open.ts";

/** How an access that the node has done, or has refused at its pages, can end. */
const endings = [
  status.OK,
  status.INVALID,
  status.WRITE_PERM,
  status.READ_PERM,
  status.OUT_OF_MEMORY,
  status.MIGRATING,
];

export class ReplyJudge {
  /** Set when the way to the slow path can be full: then BUSY is allowed for its requests. */
  mayBeBusy = false;
  /** Bytes of read data compared. */
  checkedBytes = 0;
  /** Operations without a reply: their outcome first shows in the answer to a repetition. */
  readonly unheard = new Set<RetryOperation>();
  private readonly config: NodeConfig;
  private readonly runtime: RuntimeSettings;
  private readonly memory: KnownMemory;
  private readonly open: ReadonlyMap<string, readonly Open[]>;

  constructor(
    config: NodeConfig,
    runtime: RuntimeSettings,
    memory: KnownMemory,
    open: ReadonlyMap<string, readonly Open[]>,
  ) {
    this.config = config;
    this.runtime = runtime;
    this.memory = memory;
    this.open = open;
  }

  /** What is wrong with a frame as the reply of this request; undefined when nothing is. */
  of(open: Open, frame: Uint8Array, time: number): string | undefined {
    const { exact, access, name, issued } = open;
    if (open.fence?.busy && same(open.fence.busy, frame)) return undefined;
    if (exact)
      return same(exact, frame)
        ? this.judgeFence(open)
        : `${name} issued at ${issued}: the reply is ${describe(frame)}, expected ${describe(exact)}`;
    if (open.repeat) return this.judgeRepeat(open.repeat, frame, name, issued);
    if (open.forwarded !== undefined) return this.judgeForwarded(name, open.forwarded, frame);
    if (!access) {
      // Behind a pointer of which nothing is known: any outcome, but of this kind.
      const kind = clioField(frame, "opcode");
      return kind === replyCode(opcode[name as OpcodeName])
        ? undefined
        : `${name} issued at ${issued}: the reply is ${describe(frame)}`;
    }
    const code = clioField(frame, "status") ?? -1,
      { pointer } = access;
    if (pointer) {
      // The pointer's own page first; its faults are answered with the pointer's address.
      const legal = new Set([
        ...this.memory.judge(pointer.source, [pointer.page]),
        ...this.memory.judge(pointer.source, [this.memory.page(pointer.source.pid, pointer.vpn)]),
      ]);
      for (const outcome of legal)
        if (
          outcome !== "OK" &&
          status[outcome] === code &&
          same(failedReply(this.runtime, pointer.source, outcome), frame)
        )
          return undefined;
      if (!legal.has("OK"))
        return `${name} through 0x${pointer.source.va.toString(16)}, issued at ${issued}: status ${statusName(code)}, expected ${[...legal].join(" or ")}`;
    }
    return this.judgeAccess(access, frame, code, name, issued, time);
  }

  /** Answered as the first was, or BUSY while that one was under way. */
  private judgeRepeat(
    { access, of, settled }: NonNullable<Open["repeat"]>,
    frame: Uint8Array,
    name: string,
    issued: number,
  ): string | undefined {
    const busy = replyFrame(this.runtime, access.request, access.request.clio.opcode, status.BUSY);
    if ((!settled || this.unheard.has(of)) && same(busy, frame)) return undefined;
    if (!of.result && this.unheard.has(of)) {
      const result = endings
        .map(ended => ({ status: ended, word: 0n }))
        .find(r => same(repeatedReply(this.runtime, access, r), frame));
      // From now on every repetition has to say the same.
      if (result) {
        of.result = result;
        this.unheard.delete(of);
        return undefined;
      }
    }
    const expected = of.result && repeatedReply(this.runtime, access, of.result);
    if (expected && same(expected, frame)) return undefined;
    return `${name} issued at ${issued}, a repetition of operation ${of.operation}: the reply is ${describe(frame)}, expected ${expected ? describe(expected) : "BUSY"}`;
  }

  /** A fence is answered when all that came before it to its partition is done. */
  private judgeFence({ fence, order, issued }: Open): string | undefined {
    if (!fence) return undefined;
    for (const waiting of this.open.values())
      for (const o of waiting) {
        if (o.access && o.order < order && partitionOfProcess(this.config, o.access.access.pid) === fence.partition)
          return `FENCE issued at ${issued}: answered before ${o.name} issued at ${o.issued}`;
      }
    return undefined;
  }

  private judgeAccess(
    access: OpenAccess,
    frame: Uint8Array,
    code: number,
    name: string,
    issued: number,
    time: number,
  ): string | undefined {
    // The mapping may have changed while the request was under way: either state's outcome will do.
    const now = access.pieces.map(p => this.memory.page(access.access.pid, p.vpn)),
      legal = this.memory.judge(access.access, access.pages);
    if (now.some((page, i) => page !== access.pages[i]))
      legal.push(...this.memory.judge(access.access, now).filter(outcome => !legal.includes(outcome)));
    for (const outcome of legal) {
      if (status[outcome] !== code) continue;
      if (outcome !== "OK")
        return same(failedReply(this.runtime, access.access, outcome), frame)
          ? undefined
          : `${name}: a wrong ${outcome} reply: ${describe(frame)}`;
      if (access.word) return this.judgeWord(access, access.word, frame, issued, name);
      return access.access.data
        ? same(doneReply(this.runtime, access.access), frame)
          ? undefined
          : `${name}: a wrong reply: ${describe(frame)}`
        : this.judgeRead(access, now, frame, issued, name, time);
    }
    return `${name} of ${access.access.length} bytes at 0x${access.access.va.toString(16)}, pid ${access.access.pid}, issued at ${issued}: status ${statusName(code)}, expected ${[...legal].join(" or ")}`;
  }

  /**
   * The reply of an atomic: its form here, its number when the request is finished (what looks like another's reply
   * must leave no trace).
   */
  private judgeWord(
    { access }: OpenAccess,
    word: NonNullable<OpenAccess["word"]>,
    frame: Uint8Array,
    issued: number,
    name: string,
  ): string | undefined {
    const found = access.kind === "store" ? undefined : foundIn(frame);
    if (!same(doneReply(this.runtime, access, found === undefined ? undefined : wordBytesOf(found)), frame))
      return `${name}: a wrong reply: ${describe(frame)}`;
    if (word.word.history?.reply(word.operation, found) === false) {
      return `${name} at 0x${access.va.toString(16)} of pid ${access.pid}, issued at ${issued}: found ${found ?? "nothing"}, which fits no order of the operations on this word`;
    }
    return undefined;
  }

  /**
   * Replies of the slow path are left to its own tests. Here a reply must be of the request's kind, and BUSY only when
   * its way can be full.
   */
  private judgeForwarded(name: string, code: number, frame: Uint8Array): string | undefined {
    const clio = dissect(frame).clio,
      refusals: readonly number[] = [status.MALFORMED, status.BUSY, status.EXPIRED];
    if (clio?.status === status.BUSY && !this.mayBeBusy) return `${name}: BUSY, with room on the way to the slow path`;
    if (
      clio?.opcode === replyCode(code) ||
      (clio?.opcode === code && clio.size === clioHeader.bytes && refusals.includes(clio.status))
    )
      return undefined;
    return `${name}: the reply is ${describe(frame)}`;
  }

  private judgeRead(
    { access, pieces, pages }: OpenAccess,
    now: readonly (Page | undefined)[],
    frame: Uint8Array,
    issued: number,
    name: string,
    time: number,
  ): string | undefined {
    const at = frameOffsets.body + accessBody.bytes,
      data = frame.subarray(at, at + access.length);
    if (!same(doneReply(this.runtime, access, data), frame)) return `${name}: a wrong reply: ${describe(frame)}`;
    const moving = this.memory.words.unsettled(access.pid, access.va, access.length, issued);
    for (const [i, p] of pieces.entries()) {
      const page = pages[i];
      // Mapped anew while the read was under way: its bytes are those of either page or of none.
      if (!page || page !== now[i] || this.memory.blind.has(access.pid)) continue;
      for (const part of outside(access.length, moving)) {
        const from = Math.max(p.from, part.from),
          to = Math.min(p.from + p.length, part.to);
        const wrong =
          from < to ? page.bytes.check(p.offset + from - p.from, data.subarray(from, to), issued) : undefined;
        if (!wrong) continue;
        return `${name} of pid ${access.pid}, issued at ${issued}, answered at ${time}: byte 0x${(access.va + BigInt(p.from + wrong.offset - p.offset)).toString(16)} is 0x${(
          data[p.from + wrong.offset - p.offset] ?? 0
        ).toString(
          16,
        )}, which no order of the writes allows (${wrong.legal.map(v => `0x${v.toString(16)}`).join(", ")})`;
      }
    }
    this.checkedBytes += access.length;
    return undefined;
  }
}
