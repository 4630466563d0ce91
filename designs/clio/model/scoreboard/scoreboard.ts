/** The scoreboard of the memory node: what went in, what came out, and whether the two fit. */
import { clioField, dissect, status, telling, waitOf } from "../../wire/index.ts";
import { type NodeConfig, ofPartition, partitionOfProcess, type RuntimeSettings } from "../../config/index.ts";
import { type Access, isDeref, isSilent, piecesOf, target, wordBytes } from "../access.ts";
import type { PendingWrite } from "../byte-history.ts";
import { Circulation } from "../circulation.ts";
import { type Execute, ReferenceNode } from "../node.ts";
import { MappedMemory } from "../pages.ts";
import {
  describe,
  encoded,
  flagsOf,
  foundIn,
  frameName,
  mostWait,
  replyKey,
  requestKey,
  same,
  vaIn,
} from "./frames.ts";
import { KnownMemory } from "./known-memory.ts";
import { candidatesFor, type Open, type Page } from "./open.ts";
import { ReplyJudge } from "./reply-judge.ts";

/** Replies between two tidyings of the pages' histories. */
const foldEvery = 64;

/** A request that has been answered. */
export interface Completed {
  readonly name: string;
  readonly status: number;
  readonly issued: number;
  readonly replied: number;
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
  /** Requests answered so far. */
  completed = 0;
  /** Bytes of replies compared, whole frames: all but the slow path's, which the model leaves open. */
  comparedBytes = 0;
  private readonly node: ReferenceNode;
  /** No frame that leaves the node may make a node send one. */
  private readonly circulation: Circulation;
  /** Keys under which a pointer may be being followed. */
  private readonly following = new Set<string>();
  private readonly config: NodeConfig;
  private readonly runtime: RuntimeSettings;
  /** By key; several requests with the same key are answered in any order. */
  private readonly open = new Map<string, Open[]>();
  private readonly memory: KnownMemory;
  private readonly judge: ReplyJudge;
  private readonly silent = new Map<PendingWrite, number>();
  /** Requests to memory so far. */
  private entered = 0;

  constructor(config: NodeConfig, runtime: RuntimeSettings) {
    this.config = config;
    this.runtime = runtime;
    this.node = new ReferenceNode(config, runtime, new MappedMemory());
    this.circulation = new Circulation(config, runtime);
    this.memory = new KnownMemory(config, this.open);
    this.judge = new ReplyJudge(config, runtime, this.memory, this.open);
  }

  /** Memory can run out in this run: then OUT_OF_MEMORY is allowed for accesses. */
  set mayRunOutOfMemory(may: boolean) {
    this.memory.mayRunOutOfMemory = may;
  }
  /** The way to the slow path can be full: then BUSY is allowed for its requests. */
  set mayBeBusy(may: boolean) {
    this.judge.mayBeBusy = may;
  }
  /** Bytes of read data compared. */
  get checkedBytes(): number {
    return this.judge.checkedBytes;
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
    this.memory.map(pid, vpn, permissions);
  }
  unmapping(pid: number, vpn: bigint): void {
    this.memory.unmapping(pid, vpn);
  }
  unmap(pid: number, vpn: bigint): void {
    this.memory.unmap(pid, vpn);
  }

  /** Memory that a set-up put in place before the run. */
  preset(pid: number, va: bigint, bytes: Uint8Array): void {
    this.memory.preset(pid, va, bytes);
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
      if (operation) this.judge.unheard.add(operation);
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
      pages = pieces.map(p => this.memory.page(moved.pid, p.vpn));
    const allowed =
        this.memory.judge(moved, pages).includes("OK") &&
        (pointer === undefined || this.memory.judge(access, [pointer.page]).includes("OK")),
      { data } = access;
    const writes =
      !allowed || !data
        ? []
        : pieces.flatMap((p, i) => {
            const page = pages[i];
            return page ? [this.memory.begin(page, p, data, time)] : [];
          });
    if (access.kind !== "read" && access.kind !== "derefRead") this.disturbPointers(moved);
    if (writes.length > 0) this.memory.words.writing(moved.pid, moved.va, moved.length);
    if (isSilent(access)) {
      for (const w of writes) this.silent.set(w, order);
      if (writes.length > 0) this.memory.words.written(moved.pid, moved.va, moved.length, true);
      return false;
    }
    const word = pointer ? undefined : this.memory.words.begin(access, () => this.memory.wordAt(access.pid, access.va));
    this.wait({
      ...open,
      access: { access: moved, pieces, pages, writes, late: [], word, pointer },
      key: requestKey(frame, this.runtime.nativePort),
    });
    return true;
  }

  /** A write of the process goes to an unknown place: on a word, perhaps, or on a pointer that is being followed. */
  private lose(pid: number): void {
    this.memory.blind.add(pid);
    this.memory.words.lose(pid);
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
        this.memory.settleWrites(o.access, false, o.issued);
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
      page = this.memory.page(access.pid, vpn),
      to = page ? this.memory.wordAt(access.pid, access.va) : 0n;
    return { vpn, page, source: access, target: to === undefined ? undefined : target(access, to) };
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
      const complaint = this.judge.of(open, frame, time);
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

  private finishRequest(open: Open, waiting: Open[], frame: Uint8Array, time: number): Completed {
    const code = clioField(frame, "status") ?? status.OK;
    if (waiting.length === 1) this.open.delete(open.key);
    else waiting.splice(waiting.indexOf(open), 1);
    if (open.ticket !== undefined)
      this.node.retries.complete(open.ticket, code, open.name === "DEREF_WRITE" ? vaIn(frame) : (foundIn(frame) ?? 0n));
    if (open.access) {
      this.memory.settleWrites(open.access, code === status.OK, time);
      this.memory.endWord(open.access, code === status.OK, time);
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
    if (this.completed % foldEvery === 0) this.memory.fold();
    return { name: open.name, status: code, issued: open.issued, replied: time };
  }

  /**
   * The node is known to be idle: writes without a reply have been done as well. A bench with such writes drains the
   * node and calls this now and then, or their histories grow.
   */
  quiesce(time: number): void {
    for (const w of this.silent.keys()) w.replied = time;
    this.silent.clear();
    this.memory.fold();
  }

  /** The run is over: everything must have been answered. @returns `problems` */
  finish(): readonly string[] {
    for (const waiting of this.open.values())
      for (const o of waiting) this.problems.push(`${o.name} issued at ${o.issued} was never answered`);
    this.open.clear();
    return this.problems;
  }

  private wait(open: Open): void {
    if (open.access?.pointer !== undefined) this.following.add(open.key);
    const waiting = this.open.get(open.key);
    if (waiting === undefined) this.open.set(open.key, [open]);
    else waiting.push(open);
  }
}
