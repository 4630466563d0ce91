import { expect } from "vitest";
import {
  type Translate,
  translateEvents,
  type TranslateParameters,
} from "../../../../../../designs/clio/rtl/memory/translate.ts";
import { firstPointerOp } from "../../../../../../designs/clio/rtl/records/records.ts";
import { tableOf } from "../../../../../../designs/clio/config/index.ts";
import {
  bucketSlots,
  entryAddress,
  locate,
  mayRead,
  mayWrite,
  packEntry,
  type TableGeometry,
  unpackEntry,
  writesWait,
} from "../../../../../../designs/shared/virtual-memory/table/index.ts";
import { status } from "../../../../../../designs/clio/wire/index.ts";
import {
  AxiRam,
  type AxiRamOptions,
  type Bench,
  bernoulli,
  never,
  poke,
  type Random,
  type Sent,
  SparseMemory,
  StreamSink,
  StreamSource,
} from "../../../../../../sim/index.ts";
import { allBack } from "../../../../../support/all-back.ts";

export type Ports = ReturnType<typeof Translate>["ports"];

/** State of a page for a while. Cycles tell which accesses may see it. */
interface Version {
  readonly allocated: boolean;
  readonly read: boolean;
  readonly write: boolean;
  /** Whether it faults on its first use; its frame is known from then on. */
  readonly faults: boolean;
  ppn: number | undefined;
  /** Cycle from which some result told the frame. */
  known: number;
  /** Some access that was permitted to has been here: only then it may have taken a frame. */
  touched: boolean;
  readonly from: number;
  /** The last cycle in which an access may have come, and its result have left, that saw this. */
  lastAccepted: number;
  lastResult: number;
}
export interface Page {
  readonly pid: number;
  readonly vpn: bigint;
  readonly index: number;
  readonly slot: number;
  readonly tag: bigint;
  readonly versions: Version[];
}
export interface PageKind {
  readonly allocated?: boolean;
  readonly read?: boolean;
  readonly write?: boolean;
  readonly faults?: boolean;
}
export interface AccessOf {
  readonly pid: number;
  readonly va: bigint;
  readonly length: number;
  readonly write: boolean;
  /** Operation of the sync unit, 1 to 6, on 8 aligned bytes; left out: a plain access. */
  readonly op?: number;
}
/** The rights that an access needs: atomics both, a pointer that is fetched the right to read. */
const needsOf = (a: AccessOf): { readonly read: boolean; readonly write: boolean } =>
  a.op ? { read: true, write: a.op < firstPointerOp } : { read: !a.write, write: a.write };
/** Bytes that must be there. */
const extentOf = (a: AccessOf): number => (a.op ? 8 : a.length);
interface Flying extends AccessOf {
  readonly slot: number;
  readonly silent: number;
  readonly replyOpcode: number;
  readonly indirect: number;
  readonly sent: Sent<unknown>;
}
export interface Outcome {
  readonly access: AccessOf;
  readonly accepted: number;
  readonly cycle: number;
  readonly status: number;
  readonly ppns: readonly number[];
}

/** The key of every run. */
const hashKey = 0x9e37_79b9_7f4a_7c15n;

export interface RigOptions extends Pick<AxiRamOptions, "latency" | "jitter" | "outOfOrder"> {
  /** What the memory is like otherwise. */
  readonly memory?: AxiRamOptions;
  /** Back-pressure of every channel, 0 to 1. */
  readonly busy?: number;
  /** Cycles that a slot stays busy after its result has left: 1 to this many. Default 30. */
  readonly hold?: number;
}

/**
 * A `Translate` with what surrounds it: page table in an AXI4 memory, slot pool, slow path (frames, mapping, unmapping
 * with shootdowns). Every result is held against the state of its pages while it was under way. Each access has exactly
 * one result, with the first failing page's status and the right frames. Every frame is given once. The table in memory
 * is compared at the end, every byte.
 */
export class TranslateRig {
  readonly g: TableGeometry;
  readonly ram: AxiRam;
  readonly access: StreamSource<Ports["access"]["shape"]>;
  readonly outcomes: Outcome[] = [];
  readonly events: Record<(typeof translateEvents)[number], number>;
  /** Frames that the slow path may give. */
  readonly pool: number[] = [];
  /** Whether the slow path supplies frames, and how often (probability per cycle). */
  supply = 1;
  outOfMemory = false;
  /** Buckets whose reads the memory answers with an error. */
  readonly failing = new Set<number>();
  /** Whether faults may end with FAIL, since the memory refuses entries. */
  refusing = false;
  readonly pages = new Map<string, Page>();
  readonly #b: Bench<Ports>;
  readonly #p: TranslateParameters;
  readonly #random: Random;
  readonly #memory = new SparseMemory();
  readonly #frames: StreamSource<Ports["freePage"]["shape"]>;
  readonly #shootdowns: StreamSource<Ports["shootdown"]["shape"]>;
  readonly #acknowledged: StreamSink<Ports["shootdownDone"]["shape"]>;
  readonly #sinks: {
    readonly reads: StreamSink<Ports["reads"]["shape"]>;
    readonly writes: StreamSink<Ports["writes"]["shape"]>;
    readonly syncs: StreamSink<Ports["syncs"]["shape"]>;
    readonly refused: StreamSink<Ports["refused"]["shape"]>;
  };
  readonly #flying = new Map<number, Flying>();
  readonly #freeSlots: number[];
  /** Slots whose result has left, each busy until `at`. */
  readonly #leaving: { readonly slot: number; readonly accepted: number; readonly at: number }[] = [];
  /** Frames sent to the hardware of which no page is known yet. */
  readonly #loose = new Set<number>();
  readonly #usedSlots = new Map<number, number>();
  readonly #hold: number;
  readonly #depth: number;
  #busyBits = 0n;
  /** The memory answers nothing. */
  #holdsAnswers = false;
  /** Reads of memory that the bench asked for, to see whether it could. */
  #probed = 0;
  #given = 0;
  #claims = 0;
  #lastOut = -1;

  constructor(b: Bench<Ports>, p: TranslateParameters, o: RigOptions = {}) {
    this.#b = b;
    this.#p = p;
    this.#random = b.random.fork("rig");
    this.#hold = o.hold ?? 30;
    this.#depth = o.memory?.depth ?? Infinity;
    this.g = tableOf(p);
    b.io.hashKey.value = hashKey;
    const busy = o.busy ?? 0,
      pause = (n: number) => (busy > 0 ? bernoulli(busy, n) : never),
      io = b.io;
    const busyR = pause(5),
      heldBack = (): boolean => this.#holdsAnswers || busyR();
    this.ram = new AxiRam(b.sim, io, {
      latency: o.latency ?? 12,
      jitter: o.jitter ?? 0,
      outOfOrder: o.outOfOrder ?? false,
      memory: this.#memory,
      pause: { aw: pause(1), w: pause(2), b: pause(3), ar: pause(4), r: heldBack },
      ...o.memory,
    });
    this.access = new StreamSource(b.sim, io.access, { pause: pause(6) });
    this.#frames = new StreamSource(b.sim, io.freePage);
    this.#shootdowns = new StreamSource(b.sim, io.shootdown);
    this.#acknowledged = new StreamSink(b.sim, io.shootdownDone, { pause: pause(7) });
    this.#sinks = {
      reads: new StreamSink(b.sim, io.reads, { pause: pause(8) }),
      writes: new StreamSink(b.sim, io.writes, { pause: pause(9) }),
      syncs: new StreamSink(b.sim, io.syncs, { pause: pause(11) }),
      refused: new StreamSink(b.sim, io.refused, { pause: pause(10) }),
    };
    this.#freeSlots = Array.from({ length: p.slots }, (_, i) => i);
    this.events = Object.fromEntries(translateEvents.map(n => [n, 0])) as TranslateRig["events"];
    const signals = translateEvents.map(n => [n, io.events[n] as { readonly value: number }] as const);
    b.onEdge({
      sample: cycle => {
        for (const [n, s] of signals) this.events[n] += s.value;
        this.#collect(cycle);
      },
      drive: cycle => this.#drive(cycle),
    });
  }

  /** Buckets that were read for the bench's own accesses. */
  get fetches(): number {
    return this.ram.counts.readBursts - this.#probed;
  }
  get inFlight(): number {
    return this.#flying.size;
  }
  get freeSlots(): number {
    return this.#freeSlots.length;
  }

  /** After a reset of the design: nothing is under way any more. */
  forget(): void {
    this.#flying.clear();
    this.#leaving.length = 0;
    this.#busyBits = 0n;
    this.#freeSlots.splice(0, this.#freeSlots.length, ...Array.from({ length: this.#p.slots }, (_, i) => i));
    this.outcomes.length = 0;
  }

  // ---- The slow path's side.

  /**
   * A page with its entry in the table, its bucket's other slots full of other pages' entries. Undefined when its
   * bucket has no slot left.
   */
  add(pid: number, vpn: bigint, kind: PageKind, slot?: number): Page | undefined {
    const { index, tag } = locate(this.g, pid, vpn, hashKey),
      key = `${pid}:${vpn}`,
      used = this.#usedSlots.get(index) ?? 0;
    if (this.pages.has(key) || used === 2 ** bucketSlots - 1) return undefined;
    const choices = Array.from({ length: bucketSlots }, (_, i) => i).filter(
      i => ((used >> i) & 1) === 0 && (slot === undefined || i === slot),
    );
    if (choices.length === 0) return undefined;
    if (used === 0) {
      for (let i = 0; i < bucketSlots; i++) {
        this.#writeEntry(
          index,
          i,
          packEntry(this.g, {
            allocated: this.#random.chance(0.7),
            valid: this.#random.chance(),
            read: true,
            write: true,
            tag: BigInt.asUintN(this.g.tagBits, ~tag ^ BigInt(i)),
            ppn: this.#random.between(0, 2 ** this.g.ppnBits - 1),
          }),
        );
      }
    }
    const page: Page = { pid, vpn, index, slot: this.#random.pick(choices), tag, versions: [] };
    this.#usedSlots.set(index, used | (1 << page.slot));
    this.pages.set(key, page);
    this.map(page, kind);
    return page;
  }

  /** Gives a page that has no entry one. Takes a frame of the pool unless it is to fault. */
  map(page: Page, kind: PageKind): void {
    const now = this.#b.cycle,
      before = page.versions.at(-1);
    if (before) before.lastAccepted = now;
    const faults = kind.faults ?? false,
      allocated = kind.allocated ?? true,
      ppn = allocated && !faults ? this.pool.shift() : undefined;
    if (allocated && !faults && ppn === undefined) throw new Error("the bench's pool has no frame left");
    const v: Version = {
      allocated,
      read: kind.read ?? true,
      write: kind.write ?? true,
      faults,
      ppn,
      known: now,
      touched: false,
      from: now,
      lastAccepted: Infinity,
      lastResult: Infinity,
    };
    page.versions.push(v);
    this.#writeEntry(
      page.index,
      page.slot,
      allocated
        ? packEntry(this.g, { allocated, valid: !faults, read: v.read, write: v.write, tag: page.tag, ppn: ppn ?? 0 })
        : 0n,
    );
  }

  /**
   * Takes a page away as the slow path does: entry out, shootdown, once more if a fault under way had put it back. Then
   * its frame is free again.
   */
  async unmap(page: Page): Promise<void> {
    const v = page.versions.at(-1) as Version,
      frames: number[] = [];
    page.versions.push({
      ...v,
      allocated: false,
      faults: false,
      ppn: undefined,
      touched: false,
      from: this.#b.cycle,
      lastAccepted: Infinity,
      lastResult: Infinity,
    });
    for (;;) {
      const old = unpackEntry(this.g, this.readEntry(page));
      this.#writeEntry(page.index, page.slot, 0n);
      if (old.valid) frames.push(old.ppn);
      await this.shootdown(page);
      if (this.readEntry(page) === 0n) break;
    }
    v.lastAccepted = v.lastResult = this.#b.cycle;
    expect(frames.length, `frames of ${this.#name(page)}`).toBeLessThanOrEqual(1);
    if (frames.length > 0 && v.ppn === undefined) this.#claim(v, frames[0] as number, page);
    expect(frames, `frames of ${this.#name(page)} in the table`).toEqual(v.ppn === undefined ? [] : [v.ppn]);
    this.pool.push(...frames);
  }

  /** Sends a shootdown and waits for its acknowledgement. */
  async shootdown(page: { readonly pid: number; readonly vpn: bigint }): Promise<number> {
    const sent = this.#shootdowns.send({ pid: page.pid, vpn: page.vpn });
    await this.#acknowledged.recv();
    const taken = sent.cycle as number,
      before = [...this.#flying.values()].filter(f => (f.sent.cycle ?? Infinity) < taken);
    const inside = [
      ...before.map(f => f.slot),
      ...this.#leaving.filter(l => l.accepted < taken && l.at >= this.#b.cycle).map(l => l.slot),
    ];
    expect(
      inside,
      `slots of accesses from before the shootdown of ${this.#name(page)}, busy at its acknowledgement in cycle ${this.#b.cycle}`,
    ).toEqual([]);
    return this.#b.cycle;
  }

  // ---- Accesses.

  /** Sends an access if a slot is free. */
  send(a: AccessOf): Flying | undefined {
    const slot = this.#freeSlots.splice(this.#random.between(0, this.#freeSlots.length - 1), 1)[0];
    if (slot === undefined) return undefined;
    this.#busyBits |= 1n << BigInt(slot);
    const silent = this.#random.between(0, 1),
      replyOpcode = this.#random.between(0, 255),
      indirect = this.#random.between(0, 1);
    const sent = this.access.send({
      slot,
      pid: a.pid,
      va: a.va,
      length: a.length,
      write: a.write ? 1 : 0,
      silent,
      replyOpcode,
      op: a.op ?? 0,
      indirect,
    });
    const flying: Flying = { ...a, slot, silent, replyOpcode, indirect, sent };
    this.#flying.set(slot, flying);
    return flying;
  }
  /** Sends as soon as a slot is free. */
  async sendWhenFree(a: AccessOf): Promise<Flying> {
    for (;;) {
      const f = this.send(a);
      if (f) return f;
      await this.#b.risingEdge();
    }
  }
  /** One access alone. @returns its outcome. */
  async one(a: AccessOf): Promise<Outcome> {
    const n = this.outcomes.length;
    await this.sendWhenFree(a);
    await this.#b.until(() => this.outcomes.length > n);
    return this.outcomes[n] as Outcome;
  }
  addressOf(page: { readonly vpn: bigint }, offset = 0): bigint {
    return (page.vpn << BigInt(this.g.pageShift)) + BigInt(offset);
  }

  /** Waits until all accesses have ended and memory is idle, then compares table, frames and counters. */
  async finish(): Promise<void> {
    await this.#b.until(() => this.#flying.size === 0);
    await this.#b.cycles(60);
    await this.#b.until(() => this.ram.idle);
    this.supply = 0;
    await this.#b.cycles(4);
    this.audit();
    // A memory that takes one burst at a time shows no more than one.
    if (this.#depth >= this.#p.misses) await this.allBack();
  }
  /** Every miss can be had: while memory does not answer, as many buckets are asked for as there are misses. */
  async allBack(): Promise<void> {
    const { misses } = this.#p,
      before = this.outcomes.length,
      events = { ...this.events },
      { readBursts } = this.ram.counts;
    this.#holdsAnswers = true;
    // Pages that nobody has: they end as INVALID.
    for (let n = 0; n < misses + 2; n++)
      await this.sendWhenFree({ pid: 0xa5a5, va: BigInt(n * this.#p.pageSize), length: 8, write: false });
    await allBack(this.#b, { what: "misses", count: misses, had: () => this.ram.counts.readBursts - readBursts });
    this.#holdsAnswers = false;
    await this.#b.until(() => this.#flying.size === 0);
    await this.#b.cycles(4);
    this.outcomes.length = before;
    Object.assign(this.events, events);
    this.#probed += this.ram.counts.readBursts - readBursts;
  }

  /** The whole table, entry by entry, and the frames. */
  audit(): void {
    for (const page of this.pages.values()) {
      const v = page.versions.at(-1) as Version,
        bits = this.readEntry(page),
        got = unpackEntry(this.g, bits);
      if (v.faults && got.valid && v.ppn === undefined) this.#claim(v, got.ppn, page);
      const want = v.allocated
        ? packEntry(this.g, {
            allocated: true,
            valid: v.ppn !== undefined,
            read: v.read,
            write: v.write,
            tag: page.tag,
            ppn: v.ppn ?? 0,
          })
        : 0n;
      expect(bits.toString(16), `entry of ${this.#name(page)}, slot ${page.slot} of bucket ${page.index}`).toBe(
        want.toString(16),
      );
    }
    for (const [address, bits] of this.#written) expect(this.#readBits(address), `entry at ${address}`).toBe(bits);
    const level = Number(this.#b.io.freePages.value);
    expect(this.#given - level, "frames taken by the hardware, and pages that took one").toBe(this.#claims);
    expect(this.events.pageFaults, "page faults counted").toBe(this.#claims);
    expect(this.events.bucketFetches, "bucket fetches and reads of memory").toBe(this.fetches);
    expect(this.events.tlbMisses - this.events.missesMerged, "a fetch for every miss that is not merged").toBe(
      this.events.bucketFetches,
    );
    const count = (s: number): number => this.outcomes.filter(o => o.status === s).length;
    expect(
      [this.events.invalid, this.events.writePermission, this.events.readPermission, this.events.outOfMemory],
      "refusals counted",
    ).toEqual([
      count(status.INVALID) + count(status.MIGRATING),
      ...[status.WRITE_PERM, status.READ_PERM, status.OUT_OF_MEMORY].map(count),
    ]);
  }

  // ---- Inside.

  /** Entries that belong to no page of the bench: never to change. */
  readonly #written = new Map<number, bigint>();
  #readBits(address: number): bigint {
    const bytes = this.#memory.read(address, 8);
    return new DataView(bytes.buffer).getBigUint64(0, true);
  }
  /** The entry that the page should have by now. */
  entryOf(page: Page): bigint {
    const v = page.versions.at(-1) as Version;
    return packEntry(this.g, {
      allocated: true,
      valid: v.ppn !== undefined,
      read: v.read,
      write: v.write,
      tag: page.tag,
      ppn: v.ppn ?? 0,
    });
  }
  readEntry(page: Page): bigint {
    return this.#readBits(entryAddress(this.g, page.index, page.slot));
  }
  #writeEntry(index: number, slot: number, bits: bigint): void {
    const data = new DataView(new ArrayBuffer(8)),
      address = entryAddress(this.g, index, slot);
    data.setBigUint64(0, bits, true);
    this.#memory.write(address, new Uint8Array(data.buffer));
    if (((this.#usedSlots.get(index) ?? 0) >> slot) & 1) this.#written.delete(address);
    else this.#written.set(address, bits);
  }
  #name(page: { readonly pid: number; readonly vpn: bigint }): string {
    return `page ${page.pid}:0x${page.vpn.toString(16)}`;
  }

  #drive(cycle: number): void {
    for (let i = this.#leaving.length - 1; i >= 0; i--) {
      const l = this.#leaving[i] as { slot: number; at: number };
      if (cycle === l.at) this.#busyBits &= ~(1n << BigInt(l.slot));
      // As in the slot pool: two cycles free before it is taken again.
      if (cycle >= l.at + 2) {
        this.#freeSlots.push(l.slot);
        this.#leaving.splice(i, 1);
      }
    }
    poke(this.#b.io.busy, this.#busyBits);
    (this.#b.io.outOfMemory as { value: number }).value = this.outOfMemory ? 1 : 0;
    if (this.outOfMemory) this.#lastOut = cycle + 1;
    if (this.#frames.pending < 1 && this.pool.length > 0 && this.#random.chance(this.supply)) {
      const frame = this.pool.shift() as number;
      this.#loose.add(frame);
      this.#frames.send(frame);
    }
  }

  #collect(cycle: number): void {
    if (this.#b.io.freePage.valid.value && this.#b.io.freePage.ready.value) this.#given++;
    for (const [name, sink] of Object.entries(this.#sinks) as [string, StreamSink<Ports["reads"]["shape"]>][]) {
      for (const seen of sink.received.splice(0)) this.#result(name, seen.value, cycle);
    }
  }

  #result(kind: string, r: Record<string, number | bigint>, cycle: number): void {
    const slot = Number(r["slot"]),
      f = this.#flying.get(slot);
    if (!f) throw new Error(`a result for slot ${slot} at cycle ${cycle}, which has no access under way`);
    this.#flying.delete(slot);
    this.#leaving.push({ slot, accepted: f.sent.cycle as number, at: cycle + this.#random.between(1, this.#hold) });
    const kindOf = f.op ? `sync operation ${f.op}` : f.write ? "write" : "read";
    const what = `access of pid ${f.pid}, va 0x${f.va.toString(16)}, ${f.length} bytes, ${kindOf}, result at cycle ${cycle}`;
    expect([Number(r["silent"]), Number(r["replyOpcode"]), Number(r["indirect"])], what).toEqual([
      f.silent,
      f.replyOpcode,
      f.indirect,
    ]);
    const code = kind === "refused" ? Number(r["status"]) : 0,
      ppnBits = BigInt(this.g.ppnBits);
    if (kind !== "refused") {
      const offset = Number(f.va & ((1n << BigInt(this.g.pageShift)) - 1n));
      expect([kind, Number(r["offset"]), Number(r["length"]), Number(r["write"]), Number(r["op"])], what).toEqual([
        f.op ? "syncs" : f.write ? "writes" : "reads",
        offset,
        f.length,
        f.write ? 1 : 0,
        f.op ?? 0,
      ]);
    }
    const ppns = Array.from({ length: this.#p.pagesPerRequest }, (_, k) =>
      Number((BigInt(r["ppns"] ?? 0) >> (BigInt(k) * ppnBits)) & ((1n << ppnBits) - 1n)),
    );
    const accepted = f.sent.cycle as number;
    this.outcomes.push({ access: f, accepted, cycle, status: code, ppns });
    this.#check(f, accepted, cycle, code, ppns, what);
  }

  /**
   * Whether some order of events allows this outcome: page by page, by what each was while the access was under way.
   */
  #check(f: Flying, accepted: number, cycle: number, code: number, ppns: readonly number[], what: string): void {
    const shift = BigInt(this.g.pageShift),
      first = f.va >> shift,
      last = (f.va + BigInt(extentOf(f) - 1)) >> shift;
    const needs = needsOf(f);
    for (let vpn = first, k = 0; vpn <= last; vpn++, k++) {
      const page = this.pages.get(`${f.pid}:${vpn}`);
      const seen =
        page?.versions.filter(v => v.from <= cycle && accepted <= v.lastAccepted && cycle <= v.lastResult) ?? [];
      const statuses = new Set<number>();
      let passing: Version | undefined;
      for (const v of seen) {
        if (!v.allocated) {
          statuses.add(status.INVALID);
          continue;
        }
        // With `write` alone a page can be read, and writes wait.
        const moving = v.read || v.write ? needs.write && writesWait(v) : v.ppn === undefined;
        const lacking = moving
          ? status.MIGRATING
          : needs.write && !mayWrite(v)
            ? status.WRITE_PERM
            : needs.read && !mayRead(v)
              ? status.READ_PERM
              : undefined;
        if (lacking !== undefined) {
          statuses.add(lacking);
          continue;
        }
        if (v.faults && this.#lastOut >= accepted && (v.ppn === undefined || accepted <= v.known))
          statuses.add(status.OUT_OF_MEMORY);
        if (code !== 0 || v.ppn === ppns[k]) passing = v;
        else if (v.faults && v.ppn === undefined && this.#loose.has(ppns[k] as number) && !passing) passing = v;
      }
      if (!page) statuses.add(status.INVALID);
      if (page && (this.failing.has(page.index) || (this.refusing && seen.some(v => v.faults))))
        statuses.add(status.FAIL);
      if (passing) passing.touched = true;
      if (code !== 0 && statuses.has(code)) return;
      if (passing) {
        if (code === 0 && passing.ppn === undefined) this.#claim(passing, ppns[k] as number, page as Page);
        continue;
      }
      const could = seen
        .map(v =>
          v.allocated ? `${v.read ? "r" : "-"}${v.write ? "w" : "-"} frame ${v.ppn ?? "to be taken"}` : "none",
        )
        .join(" or ");
      throw new Error(
        `${what}: got status ${code}${code === 0 ? ` and frames ${ppns.join(", ")}` : ""}, but its page ${k} is ${could || "not allocated"}`,
      );
    }
    if (code !== 0) throw new Error(`${what}: refused with status ${code}, but every page is there and permitted`);
  }

  #claim(v: Version, ppn: number, page: Page): void {
    if (!v.touched)
      throw new Error(`${this.#name(page)} took frame ${ppn}, but no access that is permitted touched it`);
    if (!this.#loose.delete(ppn)) throw new Error(`${this.#name(page)} has frame ${ppn}, which was not given for it`);
    v.ppn = ppn;
    v.known = this.#b.cycle;
    this.#claims++;
  }
}
