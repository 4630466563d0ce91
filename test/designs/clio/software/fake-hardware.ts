import { defaultAction, dissect } from "../../../../designs/clio/wire/index.ts";
import type { CounterName, NodeConfig } from "../../../../designs/clio/config/index.ts";
import {
  bucketAddress,
  bucketSlots,
  locate,
  packEntry,
  unpackEntry,
} from "../../../../designs/shared/virtual-memory/table/index.ts";
import type { ControlRegister, SlowPathTransport } from "../../../../designs/clio/software/index.ts";

/** Sparse physical memory that reads as `fill` until written: after power-up DRAM holds anything but zeros. */
export class SparseMemory {
  private readonly pieces = new Map<number, Uint8Array>();
  private readonly zeroedRanges: { from: number; to: number }[] = [];
  private readonly fill: number;
  constructor(fill: number) {
    this.fill = fill;
  }
  private piece(n: number): Uint8Array {
    let p = this.pieces.get(n);
    if (!p) {
      const zeroed = this.zeroedRanges.some(r => r.from <= n * 4096 && (n + 1) * 4096 <= r.to);
      this.pieces.set(n, (p = new Uint8Array(4096).fill(zeroed ? 0 : this.fill)));
    }
    return p;
  }
  read(address: number, length: number): Uint8Array {
    return Uint8Array.from(
      { length },
      (_, i) => this.piece(Math.floor((address + i) / 4096))[(address + i) % 4096] ?? 0,
    );
  }
  write(address: number, bytes: Uint8Array): void {
    bytes.forEach((b, i) => {
      this.piece(Math.floor((address + i) / 4096))[(address + i) % 4096] = b;
    });
  }
  /** A whole range, remembered rather than written. */
  zero(address: number, length: number): void {
    for (const n of this.pieces.keys())
      if (n * 4096 >= address && (n + 1) * 4096 <= address + length) this.pieces.delete(n);
    if (length < 4096) this.write(address, new Uint8Array(length));
    else this.zeroedRanges.push({ from: address, to: address + length });
  }
  entry(address: number): bigint {
    return this.read(address, 8).reduceRight((n, b) => (n << 8n) | BigInt(b), 0n);
  }
  setEntry(address: number, bits: bigint): void {
    this.write(
      address,
      Uint8Array.from({ length: 8 }, (_, i) => Number((bits >> BigInt(8 * i)) & 0xffn)),
    );
  }
}

interface TlbEntry {
  readonly ppn: number;
  readonly write: boolean;
}

/**
 * An in-memory stand-in for the hardware: page table in memory, and a TLB that holds everything it has seen. Page
 * faults take pages from the free-page buffer. Shootdowns are acknowledged only when the test says so. It complains
 * when a frame comes back into use while the TLB still maps it, or unzeroed.
 */
export class FakeHardware implements SlowPathTransport {
  readonly memory = new SparseMemory(0xaa);
  readonly freePages: number[] = [];
  readonly registers = new Map<ControlRegister, number>();
  readonly sent: Uint8Array[] = [];
  readonly tlb = new Map<string, TlbEntry>();
  readonly complaints: string[] = [];
  readonly log: string[] = [];
  /** Called in front of every acknowledgement; await in it to hold the acknowledgement back. */
  beforeAcknowledge: () => Promise<void> = () => Promise.resolve();
  /** Called right after an entry has been exchanged. */
  afterExchange: (address: number) => void = () => undefined;
  private readonly inbox: (Uint8Array | undefined)[] = [];
  private receivers: ((frame: Uint8Array | undefined) => void)[] = [];
  private senders: (() => void)[] = [];
  private lowWaiters: ((open: boolean) => void)[] = [];
  private closed = false;

  /** Time of the clock, ns. */
  now = 0;
  time(): number {
    return this.now;
  }

  private readonly config: NodeConfig;
  constructor(config: NodeConfig) {
    this.config = config;
  }

  // --- what the slow path sees
  receive(): Promise<Uint8Array | undefined> {
    if (this.inbox.length > 0) return Promise.resolve(this.inbox.shift());
    return new Promise(resolve => {
      this.receivers.push(resolve);
    });
  }
  send(frame: Uint8Array): Promise<void> {
    this.sent.push(frame);
    this.senders.shift()?.();
    return Promise.resolve();
  }
  readMemory(address: number, length: number): Promise<Uint8Array> {
    return Promise.resolve(this.memory.read(address, length));
  }
  writeMemory(address: number, bytes: Uint8Array): Promise<void> {
    this.memory.write(address, bytes);
    return Promise.resolve();
  }
  zeroMemory(address: number, length: number): Promise<void> {
    this.log.push(`zero ${address / this.config.pageSize}`);
    this.checkUnused(address / this.config.pageSize, "zeroed");
    this.memory.zero(address, length);
    return Promise.resolve();
  }
  exchangeEntry(address: number, bits: bigint): Promise<bigint> {
    const old = this.memory.entry(address);
    this.memory.setEntry(address, bits);
    const e = unpackEntry(this.config.table, bits);
    if (e.valid) {
      this.checkUnused(e.ppn, "mapped");
      this.checkZero(e.ppn);
    }
    this.afterExchange(address);
    return Promise.resolve(old);
  }
  freePageRoom(): Promise<number> {
    return Promise.resolve(this.config.freePageBuffer - this.freePages.length);
  }
  pushFreePage(ppn: number): Promise<void> {
    if (this.freePages.length >= this.config.freePageBuffer) this.complaints.push("pushed into a full buffer");
    this.log.push(`push ${ppn}`);
    this.checkUnused(ppn, "pushed");
    this.checkZero(ppn);
    this.freePages.push(ppn);
    return Promise.resolve();
  }
  lowWater(): Promise<boolean> {
    if (this.closed) return Promise.resolve(false);
    if (this.freePages.length <= this.config.freePageLowWater) return Promise.resolve(true);
    return new Promise(resolve => {
      this.lowWaiters.push(resolve);
    });
  }
  async shootdown(pid: number, vpn: bigint): Promise<void> {
    this.log.push(`shootdown ${pid}:${vpn}`);
    await this.beforeAcknowledge();
    this.tlb.delete(`${pid}:${vpn}`);
    this.log.push(`acknowledge ${pid}:${vpn}`);
  }
  readCounter(name: CounterName): Promise<bigint> {
    return Promise.resolve(BigInt(name.length));
  }
  writeRegister(name: ControlRegister, value: number): Promise<void> {
    this.registers.set(name, value);
    return Promise.resolve();
  }
  /** Keys by PID; 0 is none. */
  readonly keys = new Map<number, bigint>();
  setProcessKey(pid: number, key: bigint): Promise<void> {
    this.keys.set(pid, key);
    return Promise.resolve();
  }

  // --- what a test does
  /** Hand a frame over as the match-and-action table would, and wait for the slow path's reply. */
  async request(frame: Uint8Array): Promise<Uint8Array> {
    const code = dissect(frame).clio?.opcode ?? 0;
    if (defaultAction(code) === "fast" || defaultAction(code) === "malformed")
      throw new Error(`opcode ${code} never reaches the slow path`);
    const at = this.sent.length,
      answered = new Promise<void>(resolve => {
        this.senders.push(resolve);
      });
    this.hand(frame);
    await answered;
    return this.sent[at] ?? new Uint8Array();
  }
  hand(frame: Uint8Array): void {
    const receiver = this.receivers.shift();
    if (receiver) receiver(frame);
    else this.inbox.push(frame);
  }
  close(): void {
    this.closed = true;
    for (const r of this.receivers) r(undefined);
    this.inbox.push(undefined);
    for (const w of this.lowWaiters) w(false);
  }
  /** Translate as the hardware does: TLB, else one bucket, else a page fault. The physical page, or why not. */
  touch(pid: number, vpn: bigint): number | "INVALID" | "OUT_OF_MEMORY" | "WAIT" {
    const known = this.tlb.get(`${pid}:${vpn}`);
    if (known) return known.ppn;
    const { index, tag } = locate(this.config.table, pid, vpn);
    for (let slot = 0; slot < bucketSlots; slot++) {
      const address = bucketAddress(this.config.table, index) + 8 * slot,
        e = unpackEntry(this.config.table, this.memory.entry(address));
      if (!e.allocated || e.tag !== tag) continue;
      let { ppn } = e;
      if (!e.valid) {
        const free = this.takeFree();
        if (free === undefined) return this.registers.get("outOfMemory") ? "OUT_OF_MEMORY" : "WAIT";
        ppn = free;
        this.memory.setEntry(address, packEntry(this.config.table, { ...e, valid: true, ppn }));
      }
      this.tlb.set(`${pid}:${vpn}`, { ppn, write: e.write });
      return ppn;
    }
    return "INVALID";
  }
  takeFree(): number | undefined {
    const ppn = this.freePages.shift();
    if (this.freePages.length <= this.config.freePageLowWater) {
      const waiting = this.lowWaiters;
      this.lowWaiters = [];
      for (const w of waiting) w(true);
    }
    return ppn;
  }

  private checkUnused(ppn: number, how: string): void {
    for (const [page, e] of this.tlb)
      if (e.ppn === ppn) this.complaints.push(`frame ${ppn} is ${how} while the TLB maps ${page} to it`);
  }
  private checkZero(ppn: number): void {
    if (this.memory.read(ppn * this.config.pageSize, 16).some(b => b !== 0))
      this.complaints.push(`frame ${ppn} is given out unzeroed`);
  }
}
