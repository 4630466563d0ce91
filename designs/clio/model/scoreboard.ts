import {
  accessBody,
  clioField,
  clioHeader,
  dissect,
  frameOffsets,
  opcode,
  opcodeName,
  type OpcodeName,
  replyCode,
  replyFrame,
  status,
  statusName,
  telling,
  waitOf,
} from "../wire/index.ts";
import {
  decode,
  decodeField,
  encodeInto,
  ethernetHeader,
  ipv4Header,
  isUdp,
  type Placement,
  udpHeader,
} from "../../shared/wire/index.ts";
import {
  clockPeriod,
  type NodeConfig,
  ofPartition,
  partitionOfProcess,
  type RuntimeSettings,
} from "../config/index.ts";
import {
  type Access,
  doneReply,
  type FailedAccess,
  failedReply,
  isDeref,
  isSilent,
  type Piece,
  piecesOf,
  refusalOf,
  repeatedReply,
  rightsOf,
  target,
  wordBytes,
  wordBytesOf,
  wordOf,
} from "./access.ts";
import { ByteHistory, type PendingWrite } from "./byte-history.ts";
import { Circulation } from "./circulation.ts";
import { type Execute, ReferenceNode } from "./node.ts";
import { MappedMemory } from "./pages.ts";
import type { RetryOperation } from "./retry.ts";
import { outside, type WordPart, Words } from "./words.ts";

/** Replies between two tidyings of the pages' histories. */
const foldEvery = 32;

/** A page while it stays mapped; a new mapping of the same address is another page. */
interface Page {
  readonly read: boolean;
  readonly write: boolean;
  readonly bytes: ByteHistory;
  /** Being freed: its entry may be gone already. */ leaving: boolean;
}

interface Open {
  readonly issued: number;
  readonly name: string;
  /** Requests to memory that came before it: of a FENCE, those that must be done when it is answered. */
  readonly order: number;
  /** Of a FENCE: its partition, and its BUSY reply, when so many waited that it may be refused. */
  readonly fence: { readonly partition: number; readonly busy: Uint8Array | undefined } | undefined;
  /** The exact reply, where it depends on nothing; undefined for accesses and for requests to the slow path. */
  readonly exact: Uint8Array | undefined;
  readonly access: OpenAccess | undefined;
  /** Of an access: its ticket in the retry buffer. */
  readonly ticket: number | undefined;
  /** Of a repetition: the repeated operation, and whether that had been answered when the repetition came. */
  readonly repeat: { readonly access: Access; readonly of: RetryOperation; readonly settled: boolean } | undefined;
  /** Of a request to the slow path: its opcode. */
  readonly forwarded: number | undefined;
  /** Bytes that the reply echoes, by which it is found. */
  readonly key: string;
}
interface OpenAccess {
  readonly access: Access;
  readonly pieces: readonly Piece[];
  /** The pages as they were at issue; undefined: not mapped. */
  readonly pages: readonly (Page | undefined)[];
  /** A write's part in each page's history, while it may be done. */
  readonly writes: readonly PendingWrite[];
  /** The same in pages that were mapped while it was under way: it may have met them instead. */
  readonly late: { readonly page: Page; readonly write: PendingWrite }[];
  /** Of an atomic, and of a READ of a word that atomics work on: its part in the word's history. */
  readonly word: WordPart | undefined;
  /** Of an access behind a pointer: the pointer's page. */
  readonly pointer: { readonly page: Page | undefined; readonly vpn: bigint; readonly source: Access } | undefined;
}

/** A request that has been answered. */
export interface Completed {
  readonly name: string;
  readonly status: number;
  readonly issued: number;
  readonly replied: number;
}

/**
 * Requests that look alike to their client: any of them whose reply this can be, in this order. Last those of which
 * little is known. A fence that found no place is the youngest that may have: what an older one waits for is what a
 * younger one waits for, too, so an order that fits is found when there is one.
 */
function candidatesFor(waiting: readonly Open[], frame: Uint8Array): readonly Open[] {
  if (waiting.length === 1) return waiting;
  const refused = waiting.filter(o => o.fence?.busy && same(o.fence.busy, frame));
  if (refused.length > 0) return refused.reverse();
  const vague = (o: Open): boolean => !o.exact && !o.access && !o.repeat;
  return [...waiting.filter(o => !vague(o)), ...waiting.filter(vague)];
}

/**
 * Judges a run of the node with any number of requests in flight (clio.md "The end-to-end check"). Every request gets
 * exactly one reply, the one that the model would give. Every read byte has a value that some legal order of the
 * concurrent writes allows. Feed it every frame with its time (any one unit): requests when their last byte has gone
 * in, replies when their last has come out. The scoreboard is also the slow path's page observer.
 */
export class Scoreboard {
  /** Faults, one sentence each. */
  readonly problems: string[] = [];
  /** Set when memory can run out in this run: then OUT_OF_MEMORY is allowed for accesses. */
  mayRunOutOfMemory = false;
  /** Set when the way to the slow path can be full: then BUSY is allowed for its requests. */
  mayBeBusy = false;
  /** Requests answered so far, and bytes of read data compared. */
  completed = 0;
  checkedBytes = 0;
  /** Bytes of replies compared, whole frames: all but the slow path's, which the model leaves open. */
  comparedBytes = 0;
  private readonly node: ReferenceNode;
  /** No frame that leaves the node may make a node send one. */
  private readonly circulation: Circulation;
  /** Keys under which a pointer may be being followed. */
  private readonly following = new Set<string>();
  private readonly config: NodeConfig;
  private readonly runtime: RuntimeSettings;
  private readonly pages = new Map<number, Map<bigint, Page>>();
  /** By key; several requests with the same key are answered in any order. */
  private readonly open = new Map<string, Open[]>();
  private readonly silent = new Map<PendingWrite, number>();
  private readonly words = new Words();
  /** Operations without a reply: their outcome first shows in the answer to a repetition. */
  private readonly unheard = new Set<RetryOperation>();
  /** Processes with a write to an unknown place: their reads are not judged from then on. */
  private readonly blind = new Set<number>();
  /** Requests to memory so far. */
  private entered = 0;
  private readonly busyPages = new Set<Page>();

  constructor(config: NodeConfig, runtime: RuntimeSettings) {
    this.config = config;
    this.runtime = runtime;
    this.node = new ReferenceNode(config, runtime, new MappedMemory());
    this.circulation = new Circulation(config, runtime);
  }

  /** Requests waiting for their reply. */
  get outstanding(): number {
    let n = 0;
    for (const o of this.open.values()) n += o.length;
    return n;
  }
  private get fencesOpen(): number {
    let n = 0;
    for (const waiting of this.open.values()) for (const o of waiting) if (o.fence) n++;
    return n;
  }
  /**
   * Clients that the retry buffer can still get to know before it must forget one, which hangs on time and
   * is not modelled.
   */
  get retryPlaces(): number {
    return this.node.retries.placesLeft;
  }
  /** Settings of the frame filter. */
  get filter(): ReferenceNode["filter"] {
    return this.node.filter;
  }
  /** The model's counters of everything that does not depend on memory. */
  get counters(): ReferenceNode["counters"] {
    return this.node.counters;
  }

  /** A process has this key from now on; 0: none. */
  key(pid: number, key: bigint): void {
    if (key === 0n) this.node.keys.delete(pid);
    else this.node.keys.set(pid, key);
  }
  map(pid: number, vpn: bigint, permissions: { readonly read: boolean; readonly write: boolean }): void {
    let pages = this.pages.get(pid);
    if (!pages) {
      pages = new Map<bigint, Page>();
      this.pages.set(pid, pages);
    }
    const page: Page = { ...permissions, bytes: new ByteHistory(), leaving: false };
    pages.set(vpn, page);
    if (!page.write) return;
    for (const waiting of this.open.values())
      for (const { access: a, issued } of waiting) {
        if (a?.access.data === undefined || a.access.pid !== pid) continue;
        for (const p of a.pieces)
          if (p.vpn === vpn) a.late.push({ page, write: this.begin(page, p, a.access.data, issued) });
      }
  }
  unmapping(pid: number, vpn: bigint): void {
    const page = this.page(pid, vpn);
    if (page) page.leaving = true;
  }
  unmap(pid: number, vpn: bigint): void {
    this.pages.get(pid)?.delete(vpn);
    this.words.forget(pid, vpn << BigInt(this.config.pageShift), this.config.pageSize);
  }

  /** Memory that a set-up put in place before the run. */
  preset(pid: number, va: bigint, bytes: Uint8Array): void {
    for (const p of piecesOf(this.config, va, bytes.length)) {
      const page = this.page(pid, p.vpn);
      page?.bytes.add({
        start: p.offset,
        data: bytes.slice(p.from, p.from + p.length),
        issued: Number.NEGATIVE_INFINITY,
        replied: Number.NEGATIVE_INFINITY,
      });
      page?.bytes.fold(Number.POSITIVE_INFINITY);
    }
  }

  /** A frame has gone into the node. @returns whether a reply must come */
  issue(frame: Uint8Array, time: number, fcsBad = false): boolean {
    const meaning = this.node.interpret(frame, fcsBad);
    const name = frameName(frame);
    const open = {
      issued: time,
      name,
      order: this.entered,
      fence: undefined,
      access: undefined,
      ticket: undefined,
      repeat: undefined,
      forwarded: undefined,
    };
    switch (meaning.kind) {
      case "drop":
      case "silent":
        return false;
      case "reply":
        this.wait({ ...open, exact: meaning.frame, key: replyKey(meaning.frame) });
        return true;
      case "fence": {
        const busy = this.fencesOpen < ofPartition(this.config).fences ? undefined : meaning.busy;
        this.wait({
          ...open,
          fence: { partition: partitionOfProcess(this.config, meaning.pid), busy },
          exact: meaning.frame,
          key: replyKey(meaning.frame),
        });
        return true;
      }
      case "forward":
        if (meaning.reply === true) return false;
        this.wait({
          ...open,
          exact: undefined,
          forwarded: clioField(frame, "opcode"),
          key: requestKey(frame, this.runtime.nativePort),
        });
        return true;
      case "access":
        return this.issueAccess(meaning, frame, time, name);
      case "repeat": {
        if (isSilent(meaning.access)) return false;
        this.wait({
          ...open,
          exact: undefined,
          repeat: { ...meaning, settled: meaning.of.result !== undefined },
          key: requestKey(frame, this.runtime.nativePort),
        });
        return true;
      }
    }
  }

  private issueAccess({ access, ticket }: Execute, frame: Uint8Array, time: number, name: string): boolean {
    if (isSilent(access)) {
      const operation = this.node.retries.operationOf(ticket);
      if (operation) this.unheard.add(operation);
    }
    const order = this.entered++,
      pointer = this.pointerOf(access),
      open = {
        issued: time,
        name,
        order,
        fence: undefined,
        exact: undefined,
        ticket,
        repeat: undefined,
        forwarded: undefined,
      };
    if (pointer && !pointer.target) {
      if (access.data) this.lose(access.pid);
      this.wait({ ...open, access: undefined, key: requestKey(frame, this.runtime.nativePort) });
      return true;
    }
    const moved = pointer?.target ?? access;
    const pieces = piecesOf(this.config, moved.va, moved.length),
      pages = pieces.map(p => this.page(moved.pid, p.vpn));
    const allowed =
        this.judge(moved, pages).has("OK") && (pointer === undefined || this.judge(access, [pointer.page]).has("OK")),
      { data } = access;
    const writes =
      !allowed || !data
        ? []
        : pieces.flatMap((p, i) => {
            const page = pages[i];
            return page ? [this.begin(page, p, data, time)] : [];
          });
    if (access.kind !== "read" && access.kind !== "derefRead") this.disturbPointers(moved);
    if (writes.length > 0) this.words.writing(moved.pid, moved.va, moved.length);
    if (isSilent(access)) {
      for (const w of writes) this.silent.set(w, order);
      if (writes.length > 0) this.words.written(moved.pid, moved.va, moved.length, true);
      return false;
    }
    const word = pointer ? undefined : this.words.begin(access, () => this.wordAt(access.pid, access.va));
    this.wait({
      ...open,
      access: { access: moved, pieces, pages, writes, late: [], word, pointer },
      key: requestKey(frame, this.runtime.nativePort),
    });
    return true;
  }

  /** A write of the process goes to an unknown place: on a word, perhaps, or on a pointer that is being followed. */
  private lose(pid: number): void {
    this.blind.add(pid);
    this.words.lose(pid);
    this.forgetPointers(source => source.pid === pid);
  }

  /**
   * Pointers that are being followed change: where they lead is not known any more, and with it where a write
   * behind one goes.
   */
  private disturbPointers({ pid, va, length }: Access): void {
    const disturbed = (source: Access): boolean =>
      source.pid === pid && source.va < va + BigInt(length) && va < source.va + BigInt(wordBytes);
    if (this.forgetPointers(disturbed)) this.lose(pid);
  }
  /** @returns whether there was a write among them */
  private forgetPointers(which: (source: Access) => boolean): boolean {
    let wrote = false;
    for (const key of this.following) {
      const waiting = this.open.get(key);
      if (waiting === undefined) {
        this.following.delete(key);
        continue;
      }
      const leads = ({ access }: Open): boolean => access?.pointer !== undefined && which(access.pointer.source);
      if (!waiting.some(leads)) continue;
      for (const o of waiting) {
        if (!leads(o) || !o.access?.access.data) continue;
        wrote = true;
        this.settleWrites(o.access, false, o.issued);
      }
      this.open.set(
        key,
        waiting.map(o => (leads(o) ? { ...o, access: undefined } : o)),
      );
    }
    return wrote;
  }

  /**
   * Where a pointer is, and the access behind it; no target while the pointer is being written, so that it may lead
   * to either place.
   */
  private pointerOf(access: Access):
    | {
        readonly vpn: bigint;
        readonly page: Page | undefined;
        readonly source: Access;
        readonly target: Access | undefined;
      }
    | undefined {
    if (!isDeref(access.kind)) return undefined;
    const vpn = access.va >> BigInt(this.config.pageShift),
      page = this.page(access.pid, vpn),
      to = page ? this.wordAt(access.pid, access.va) : 0n;
    return { vpn, page, source: access, target: to === undefined ? undefined : target(access, to) };
  }
  /** The word at an address, when only one value is possible. */
  private wordAt(pid: number, va: bigint): bigint | undefined {
    const [piece] = piecesOf(this.config, va, wordBytes),
      page = piece && this.page(pid, piece.vpn);
    if (!piece || !page) return 0n;
    if (this.blind.has(pid)) return undefined;
    if (this.words.unsettled(pid, va, wordBytes, Number.POSITIVE_INFINITY).length > 0) return undefined;
    if (!page.bytes.known(piece.offset, wordBytes)) this.fold();
    const bytes = page.bytes.known(piece.offset, wordBytes);
    return bytes && wordOf(bytes);
  }

  /** A frame has come out of the node. @returns the request that it answers, when there is one */
  reply(sent: Uint8Array, time: number): Completed | undefined {
    const frame = this.withoutWait(sent),
      answered = this.circulation.answered(sent);
    if (answered !== undefined) this.problems.push(answered);
    const key = replyKey(frame),
      waiting = this.open.get(key) ?? [];
    if (waiting.length === 0) {
      this.problems.push(`at ${time}: a reply that nobody waits for: ${describe(frame)}`);
      return undefined;
    }
    const complaints: string[] = [];
    for (const open of candidatesFor(waiting, frame)) {
      const complaint = this.judgeReply(open, frame, time);
      if (complaint === undefined) {
        if (open.exact || open.access) this.comparedBytes += frame.length;
        return this.finishRequest(open, waiting, frame, time);
      }
      complaints.push(complaint);
    }
    const first = waiting[0];
    this.problems.push(`at ${time}: ${complaints[0] ?? ""}`);
    return first && this.finishRequest(first, waiting, frame, time);
  }

  /**
   * A BUSY reply that says how long to wait, as it would be without that: the time is where the request's `retryOf`
   * was, so the request is sought by all else. A frame that is another's exact reply stays as it is.
   */
  private withoutWait(frame: Uint8Array): Uint8Array {
    // Most replies are none of that: what is cheap to see comes first.
    if ((flagsOf(frame) & 1) === 0 || clioField(frame, "status") !== status.BUSY) return frame;
    const told = dissect(frame),
      wait = told.clio && told.udp?.srcPort === this.runtime.nativePort ? waitOf(told.clio) : undefined;
    if (wait === undefined || this.open.has(replyKey(frame))) return frame;
    for (const o of [...this.open.values()].flat()) {
      const asked = o.exact && dissect(o.exact).clio;
      if (o.exact && asked?.status === status.BUSY && same(encoded(o.exact, telling(asked, wait)), frame)) {
        if (wait > mostWait(this.config))
          this.problems.push(`${o.name}: BUSY for ${wait} ns, longer than any place is kept`);
        return o.exact;
      }
    }
    return frame;
  }

  private judgeReply(open: Open, frame: Uint8Array, time: number): string | undefined {
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
        ...this.judge(pointer.source, [pointer.page]),
        ...this.judge(pointer.source, [this.page(pointer.source.pid, pointer.vpn)]),
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
    const now = access.pieces.map(p => this.page(access.access.pid, p.vpn)),
      legal = this.judge(access.access, access.pages);
    if (now.some((page, i) => page !== access.pages[i]))
      for (const outcome of this.judge(access.access, now)) legal.add(outcome);
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
      data = frame.slice(at, at + access.length);
    if (!same(doneReply(this.runtime, access, data), frame)) return `${name}: a wrong reply: ${describe(frame)}`;
    const moving = this.words.unsettled(access.pid, access.va, access.length, issued);
    for (const [i, p] of pieces.entries()) {
      const page = pages[i];
      // Mapped anew while the read was under way: its bytes are those of either page or of none.
      if (!page || page !== now[i] || this.blind.has(access.pid)) continue;
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

  private finishRequest(open: Open, waiting: Open[], frame: Uint8Array, time: number): Completed {
    const code = clioField(frame, "status") ?? status.OK;
    if (waiting.length === 1) this.open.delete(open.key);
    else waiting.splice(waiting.indexOf(open), 1);
    if (open.ticket !== undefined)
      this.node.retries.complete(open.ticket, code, open.name === "DEREF_WRITE" ? vaIn(frame) : (foundIn(frame) ?? 0n));
    if (open.access) {
      this.settleWrites(open.access, code === status.OK, time);
      this.endWord(open.access, code === status.OK, time);
    }
    // Requests without a reply that came before a fence are done as well. With partitions only some of them are inside,
    // and that is left open.
    if (open.fence && code === status.OK && this.config.partitions === 1)
      for (const [w, order] of this.silent)
        if (order < open.order) {
          w.replied = time;
          this.silent.delete(w);
        }
    this.completed++;
    // Folding is about speed and memory only: it need not happen at each reply.
    if (this.completed % foldEvery === 0) this.fold();
    return { name: open.name, status: code, issued: open.issued, replied: time };
  }

  private endWord({ access, word, pieces, pages }: OpenAccess, ok: boolean, time: number): void {
    if (word) this.words.end(word, ok, time, pages[0]?.bytes, pieces[0]?.offset ?? 0);
    else if (access.data) this.words.written(access.pid, access.va, access.length, ok);
  }

  /** A write may be done from now on. */
  private begin(page: Page, p: Piece, data: Uint8Array, issued: number): PendingWrite {
    const write = {
      start: p.offset,
      data: data.subarray(p.from, p.from + p.length),
      issued,
      replied: Number.POSITIVE_INFINITY,
    };
    page.bytes.add(write);
    this.busyPages.add(page);
    return write;
  }

  /**
   * A write's outcome is known: it was done by now, or never. Its pages may have been mapped anew meanwhile, and it may
   * have met either mapping. Then its value stays possible in both for as long as they are mapped.
   */
  private settleWrites({ pieces, pages, writes, late }: OpenAccess, ok: boolean, time: number): void {
    if (!ok) {
      for (const [i, w] of writes.entries()) pages[i]?.bytes.drop(w);
      for (const l of late) l.page.bytes.drop(l.write);
    } else if (late.length === 0) for (const w of writes) w.replied = time;
    else if (writes.length === 0 && late.length === pieces.length) for (const l of late) l.write.replied = time;
  }

  /**
   * The node is known to be idle: writes without a reply have been done as well. A bench with such writes drains the
   * node and calls this now and then, or their histories grow.
   */
  quiesce(time: number): void {
    for (const w of this.silent.keys()) w.replied = time;
    this.silent.clear();
    this.fold();
  }

  /** The run is over: everything must have been answered. @returns `problems` */
  finish(): readonly string[] {
    for (const waiting of this.open.values())
      for (const o of waiting) this.problems.push(`${o.name} issued at ${o.issued} was never answered`);
    this.open.clear();
    return this.problems;
  }

  private fold(): void {
    let horizon = Number.POSITIVE_INFINITY;
    for (const waiting of this.open.values()) for (const o of waiting) horizon = Math.min(horizon, o.issued);
    for (const page of this.busyPages) {
      page.bytes.fold(horizon);
      if (page.bytes.pending === 0) this.busyPages.delete(page);
    }
  }

  /** Statuses that the page states allow: the first failing page's status in address order, or OK. */
  private judge(access: Access, pages: readonly (Page | undefined)[]): Set<"OK" | FailedAccess> {
    const legal = new Set<"OK" | FailedAccess>(this.mayRunOutOfMemory && pages[0] ? ["OUT_OF_MEMORY"] : []);
    for (const page of pages) {
      if (!page) return legal.add("INVALID");
      if (page.leaving) legal.add("INVALID");
      // A page without rights that moves is not in the scoreboard's hands: `setRights` leaves frames where they are.
      const refusal = refusalOf({ ...page, valid: true }, rightsOf(access.kind));
      if (refusal !== undefined) return legal.add(refusal);
    }
    return legal.add("OK");
  }

  private page(pid: number, vpn: bigint): Page | undefined {
    return this.pages.get(pid)?.get(vpn);
  }
  private wait(open: Open): void {
    if (open.access?.pointer !== undefined) this.following.add(open.key);
    const waiting = this.open.get(open.key);
    if (waiting === undefined) this.open.set(open.key, [open]);
    else waiting.push(open);
  }
}

/** How an access that the node has done, or has refused at its pages, can end. */
const endings = [
  status.OK,
  status.INVALID,
  status.WRITE_PERM,
  status.READ_PERM,
  status.OUT_OF_MEMORY,
  status.MIGRATING,
];

/** The number in an atomic's reply. */
function foundIn(frame: Uint8Array): bigint | undefined {
  const at = frameOffsets.body + accessBody.bytes;
  return frame.length >= at + wordBytes ? wordOf(frame.slice(at, at + wordBytes)) : undefined;
}

/** The address in an access's reply: behind a pointer, where that led to. */
function vaIn(frame: Uint8Array): bigint {
  return frame.length < frameOffsets.body + accessBody.bytes ? 0n : decode(accessBody, frame, frameOffsets.body).va;
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/**
 * Key that ties a reply to its request: the client's address and port, and the header bytes that are echoed. For ARP
 * and ICMP it is the kind and the client. MAC, IPv4 address and ports are taken as they stand in the frame.
 */
function keyOf(parts: readonly (readonly [from: number, to: number])[], flags: number, frame: Uint8Array): string {
  let key = String.fromCharCode(flags);
  for (const [from, to] of parts) for (let i = from; i < to; i++) key += String.fromCharCode(frame[i] ?? 0);
  const clio = frameOffsets.clio;
  for (let i = 0; i < clioHeader.bytes && clio + i < frame.length; i++)
    if (i < 3 || i === 5 || i >= 8) key += String.fromCharCode(frame[clio + i] ?? 0);
  return key;
}
/** The bytes of a field in a frame. */
const bytesOf = (p: Placement, from: number): readonly [number, number] => [
  from + p.byteOffset,
  from + p.byteOffset + p.byteLength,
];
const ofSender = [
    bytesOf(ethernetHeader.at.src, frameOffsets.ethernet),
    bytesOf(ipv4Header.at.src, frameOffsets.network),
    bytesOf(udpHeader.at.srcPort, frameOffsets.transport),
    bytesOf(udpHeader.at.dstPort, frameOffsets.transport),
  ],
  ofReceiver = [
    bytesOf(ethernetHeader.at.dst, frameOffsets.ethernet),
    bytesOf(ipv4Header.at.dst, frameOffsets.network),
    bytesOf(udpHeader.at.dstPort, frameOffsets.transport),
    bytesOf(udpHeader.at.srcPort, frameOffsets.transport),
  ];
/** The flags of a frame; they are echoed on the native port. */
const flagsOf = (frame: Uint8Array): number => (frame[frameOffsets.clio + clioHeader.at.status.byteOffset] ?? 0) >> 4;
function requestKey(frame: Uint8Array, nativePort: number): string {
  const native = decodeField(udpHeader, "dstPort", frame, frameOffsets.transport) === nativePort;
  return keyOf(ofSender, native ? flagsOf(frame) : 0, frame);
}
/** A frame with another Clio header. */
function encoded(frame: Uint8Array, clio: Parameters<typeof telling>[0]): Uint8Array {
  const out = frame.slice();
  encodeInto(clioHeader, clio, out, frameOffsets.clio);
  return out;
}
/** Nanoseconds for which a place of the retry buffer's clients can be kept: 13 quarters of TIMEOUT, and the search. */
const mostWait = (c: NodeConfig): number =>
  clockPeriod * (13 * Math.ceil(c.retryCycles / 4) + 2 * c.retryClients + c.retryEntries + 16);
function replyKey(frame: Uint8Array): string {
  if (isUdp(frame)) return keyOf(ofReceiver, flagsOf(frame), frame);
  const { ethernet } = dissect(frame);
  return `${ethernet?.dst ?? 0} ${ethernet?.etherType ?? 0}`;
}
export function frameName(frame: Uint8Array): string {
  const code = clioField(frame, "opcode");
  if (code !== undefined) return opcodeName(code);
  const { arp, icmp } = dissect(frame);
  return arp ? "ARP" : icmp ? (icmp.type === 8 || icmp.type === 0 ? "ICMP echo" : "ICMP") : "frame";
}
function describe(frame: Uint8Array): string {
  const d = dissect(frame);
  if (!d.clio) return `${frameName(frame)} of ${frame.length} bytes`;
  const body =
    d.body && d.body.length >= accessBody.bytes && (d.clio.opcode === 0x41 || d.clio.opcode === 0x51)
      ? decode(accessBody, d.body)
      : undefined;
  return `${opcodeName(d.clio.opcode)} ${statusName(d.clio.status)} of ${frame.length} bytes, size ${d.clio.size}${body ? `, va 0x${body.va.toString(16)}, length ${body.length}` : ""}`;
}
