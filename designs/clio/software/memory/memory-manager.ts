import { firstMonitorPid, firstOffloadPid, type NodeConfig } from "../../config/index.ts";
import { packEntry, unpackEntry } from "../../../shared/virtual-memory/table/index.ts";
import type { ProcessKeeper } from "../offload-owners.ts";
import { AddressRanges } from "./address-ranges.ts";
import type { Range } from "./va-tree.ts";
import type { FramePool } from "../../../shared/virtual-memory/software/index.ts";
import { LongestFree } from "./numbers.ts";
import { type ShadowEntry, ShadowTable } from "./shadow-table.ts";
import type { SlowPathTransport } from "../transport/transport.ts";

/** Bytes of a region of virtual addresses (paper §4.4.7). */
export const regionBytes = 2 ** 30;
/** Largest process ID. */
export const lastPid = 65535;

/** Why the slow path refuses; the numbers are the usual error numbers, sent as `ret`. */
export const errorNumber = {
  noProcess: 3,
  again: 11,
  noMemory: 12,
  invalid: 22,
  notSupported: 95,
  quota: 122,
} as const;
export type Failure = keyof typeof errorNumber;
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };
const done = <T>(value: T): Result<T> => ({ ok: true, value });
const failed = (failure: Failure): Result<never> => ({ ok: false, failure });

export interface AllocationRequest {
  readonly pid: number;
  /** Bytes; 0: the lowest fitting address of the region. */
  readonly address: bigint;
  /** Bytes, rounded up to pages. */
  readonly length: bigint;
  /** Region number; 1 GB each. */
  readonly vregion: bigint;
  readonly write: boolean;
  /** Give the pages their frames now. */
  readonly populate?: boolean;
}

/** Called for every page that comes or goes, once the real table has it (a reference model listens). */
export interface PageObserver {
  map(pid: number, vpn: bigint, permissions: { readonly read: boolean; readonly write: boolean }): void;
  /** The page's entry is about to be cleared; until `unmap` an access may still find it, or not. */
  unmapping?(pid: number, vpn: bigint): void;
  unmap(pid: number, vpn: bigint): void;
  /** The process has this key from now on; 0: none. */
  key?(pid: number, key: bigint): void;
}

export interface MemoryOptions {
  readonly observer?: PageObserver | undefined;
  /** The most pages that a process of a client may have allocated at a time. Default: no bound. */
  readonly processPages?: number | undefined;
  /** Is told of clients' processes that come and go. */
  readonly keeper?: ProcessKeeper | undefined;
  /** PIDs from `firstMonitorPid` on are a monitor's, and are not given here. Default false. */
  readonly monitor?: boolean | undefined;
  /** The node's key, by which pages are placed in the table. Default 0: none. */
  readonly hashKey?: bigint | undefined;
}

/** Cost of allocation (paper Fig. 4.13: retries). */
export interface AllocationStatistics {
  readonly allocations: number;
  readonly refused: number;
  /** Candidate ranges given up because a bucket would have overflowed: in all, and the most for one allocation. */
  readonly retries: number;
  readonly mostRetries: number;
  /** Retries of the last allocation. */
  readonly lastRetries: number;
}

/**
 * Processes and their virtual memory: overflow-free allocation, shadow table, and freeing in the only safe order
 * (paper §4.4.2, §4.5). Its methods must not run at the same time as each other; the slow path serves one
 * request after another.
 */
export class MemoryManager {
  private readonly config: NodeConfig;
  private readonly transport: Pick<SlowPathTransport, "exchangeEntry" | "readMemory" | "shootdown">;
  private readonly pool: FramePool;
  private readonly observer: PageObserver | undefined;
  private readonly shadow: ShadowTable;
  private readonly pids: LongestFree;
  private readonly processes = new Map<number, AddressRanges>();
  private readonly counted = { allocations: 0, refused: 0, retries: 0, mostRetries: 0, lastRetries: 0 };

  private readonly processPages: number;

  private readonly keeper: ProcessKeeper | undefined;

  constructor(config: NodeConfig, transport: MemoryManager["transport"], pool: FramePool, options: MemoryOptions = {}) {
    const { observer, processPages = Number.POSITIVE_INFINITY, keeper, monitor = false, hashKey } = options;
    // What is given has a key where there are keys: no more than can have one.
    const keys = config.processKeys === 0 ? lastPid + 1 : config.processKeys;
    this.pids = new LongestFree(1, lastPid, Math.min(monitor ? firstMonitorPid : firstOffloadPid, keys) - 1);
    this.keeper = keeper;
    this.processPages = processPages;
    this.config = config;
    this.transport = transport;
    this.pool = pool;
    this.observer = observer;
    this.shadow = new ShadowTable(config.table, hashKey);
  }

  get statistics(): AllocationStatistics {
    return { ...this.counted };
  }
  get processCount(): number {
    return this.processes.size;
  }
  /** Page table entries in use. */
  get entries(): number {
    return this.shadow.size;
  }
  hasProcess(pid: number): boolean {
    return this.processes.has(pid);
  }

  /** A process with the PID that `LongestFree` gives, or with the requested one. */
  createProcess(wanted?: number): Result<number> {
    if (wanted !== undefined) {
      // An offload's PID is its own from the start, and given to no other process.
      if (wanted >= firstOffloadPid ? this.processes.has(wanted) : !this.pids.claim(wanted)) return failed("invalid");
      this.processes.set(wanted, new AddressRanges());
      if (wanted < firstOffloadPid) this.keeper?.created(wanted);
      return done(wanted);
    }
    const pid = this.pids.take();
    if (pid === undefined) return failed("again");
    this.processes.set(pid, new AddressRanges());
    this.keeper?.created(pid);
    return done(pid);
  }

  /** The node's own processes have no quota. */
  private most(pid: number): number {
    return pid >= firstOffloadPid ? Number.POSITIVE_INFINITY : this.processPages;
  }

  /** Free all that a process has, then its PID, which the keeper may hold back for a while. */
  async freeProcess(pid: number): Promise<Result<void>> {
    const ranges = this.processes.get(pid);
    if (!ranges) return failed("noProcess");
    for (const r of [...ranges]) await this.freePages(pid, ranges, r.start, r.end);
    this.processes.delete(pid);
    const over = (): void => void this.pids.release(pid);
    if (this.keeper && pid < firstOffloadPid) this.keeper.ended(pid, over);
    else over();
    return done(undefined);
  }

  /**
   * Allocate pages. An unknown PID (1 to 65535) becomes a process; who may name one is the caller's to say. A nonzero
   * address is granted whenever those pages are free and their buckets have room. Otherwise, as with address 0, the
   * lowest range of the region that fits is granted.
   * @returns the address of the first byte, bytes
   */
  async allocate(request: AllocationRequest): Promise<Result<bigint>> {
    this.counted.lastRetries = 0;
    const result = await this.tryAllocate(request);
    this.counted.retries += this.counted.lastRetries;
    this.counted.mostRetries = Math.max(this.counted.mostRetries, this.counted.lastRetries);
    if (result.ok) this.counted.allocations++;
    else this.counted.refused++;
    return result;
  }

  private async tryAllocate({
    pid,
    address,
    length,
    vregion,
    write,
    populate = false,
  }: AllocationRequest): Promise<Result<bigint>> {
    const { pageSize } = this.config,
      space = 2n ** BigInt(this.config.vaBits);
    if (pid < 1 || pid > lastPid || length < 1n || length > space || vregion >= space / BigInt(regionBytes))
      return failed("invalid");
    const ranges = this.processes.get(pid) ?? new AddressRanges();
    let start: number | undefined,
      grantedAddress = address;
    if (address !== 0n && address + length <= space) {
      const first = this.pageOf(address),
        end = this.pageOf(address + length - 1n) + 1;
      if (ranges.isFree(first, end) && !this.overflows(pid, first, end - first)) start = first;
    }
    let count =
      start === undefined
        ? Number((length + BigInt(pageSize) - 1n) / BigInt(pageSize))
        : this.pageOf(address + length - 1n) + 1 - start;
    if (ranges.pages + count > this.most(pid)) return failed("quota");
    if (start === undefined) {
      if (BigInt(count) > BigInt(Math.max(1, regionBytes / pageSize))) return failed("noMemory");
      start = this.search(pid, ranges, Number(vregion), count);
      if (start === undefined) return failed("noMemory");
      grantedAddress = BigInt(start) * BigInt(pageSize);
    }
    if (!this.processes.has(pid)) this.createProcess(pid);
    const known = this.processes.get(pid);
    if (!known) return failed("again");
    known.add({ start, end: start + count, write });
    for (let vpn = start; count > 0; vpn++, count--) await this.insert(pid, vpn, write, populate);
    return done(grantedAddress);
  }

  /**
   * The lowest range of a region that is free and overflows no bucket. Each candidate that would overflow is a retry.
   */
  private search(pid: number, ranges: AddressRanges, region: number, count: number): number | undefined {
    const { pageSize } = this.config,
      perRegion = regionBytes / pageSize,
      limit = (region + 1) * perRegion;
    // Address 0 means "none" to clients, so page 0 is left out (unless it is the whole region).
    let from: number | undefined = region === 0 && perRegion > 1 ? 1 : region * perRegion;
    while ((from = ranges.findFree(from, count, limit)) !== undefined) {
      const overflow = this.shadow.firstOverflow(pid, from, count);
      if (!overflow) break;
      this.counted.lastRetries++;
      from = overflow.hopeless ? overflow.vpn + 1 : from + 1;
    }
    return from;
  }

  private overflows(pid: number, vpn: number, count: number): boolean {
    if (!this.shadow.firstOverflow(pid, vpn, count)) return false;
    this.counted.lastRetries++;
    return true;
  }

  private async insert(pid: number, vpn: number, write: boolean, populate: boolean): Promise<void> {
    const entry = this.shadow.insert(pid, vpn, write);
    // Populating without a frame left is no failure: the page faults when it is used, and memory may have been
    // freed by then.
    const ppn = populate ? await this.pool.take() : undefined;
    const bits = packEntry(this.config.table, {
      valid: ppn !== undefined,
      allocated: true,
      read: true,
      write,
      tag: entry.tag,
      ppn: ppn ?? 0,
    });
    await this.transport.exchangeEntry(this.shadow.address(entry), bits);
    this.observer?.map(pid, BigInt(vpn), { read: true, write });
  }

  /** Free the pages of address .. address + length - 1, whole allocations or parts; all of them must be allocated. */
  async free(pid: number, address: bigint, length: bigint): Promise<Result<void>> {
    const ranges = this.processes.get(pid),
      space = 2n ** BigInt(this.config.vaBits);
    if (!ranges) return failed("noProcess");
    if (length < 1n || address + length > space) return failed("invalid");
    const start = this.pageOf(address),
      end = this.pageOf(address + length - 1n) + 1;
    if (!ranges.covers(start, end)) return failed("invalid");
    await this.freePages(pid, ranges, start, end);
    return done(undefined);
  }

  /**
   * The order that makes freeing safe has three steps. The entries are cleared; the hardware acknowledges that it uses
   * none of them any more; then slots, addresses and frames are given back. A fault that was under way may have
   * written its entry after the clearing. Such an entry is found by reading back after the acknowledgement, and goes
   * the same way.
   */
  private async freePages(pid: number, ranges: AddressRanges, start: number, end: number): Promise<void> {
    const frames: number[] = [],
      entries: ShadowEntry[] = [];
    for (let vpn = start; vpn < end; vpn++) {
      const e = this.shadow.lookup(pid, vpn);
      if (e) entries.push(e);
    }
    for (const entry of entries) this.observer?.unmapping?.(pid, BigInt(entry.vpn));
    let left: readonly ShadowEntry[] = entries;
    while (left.length > 0) {
      const faultable: ShadowEntry[] = [];
      for (const entry of left) {
        const old = unpackEntry(this.config.table, await this.transport.exchangeEntry(this.shadow.address(entry), 0n));
        if (old.valid) frames.push(old.ppn);
        else faultable.push(entry);
      }
      await Promise.all(left.map(e => this.transport.shootdown(pid, BigInt(e.vpn))));
      const late: ShadowEntry[] = [];
      for (const entry of faultable)
        if ((await this.transport.readMemory(this.shadow.address(entry), 8)).some(b => b !== 0)) late.push(entry);
      left = late;
    }
    for (const entry of entries) {
      this.shadow.remove(entry);
      this.observer?.unmap(pid, BigInt(entry.vpn));
    }
    ranges.remove(start, end);
    for (const ppn of frames) this.pool.release(ppn);
  }

  /** Physical address of a byte, from the real table; undefined while its page has no frame. */
  async translate(pid: number, address: bigint): Promise<number | undefined> {
    const entry = this.shadow.lookup(pid, this.pageOf(address));
    if (!entry) return undefined;
    const bytes = await this.transport.readMemory(this.shadow.address(entry), 8);
    const { valid, ppn } = unpackEntry(
      this.config.table,
      bytes.reduceRight((n, b) => (n << 8n) | BigInt(b), 0n),
    );
    return valid ? ppn * this.config.pageSize + Number(address % BigInt(this.config.pageSize)) : undefined;
  }

  // --- pages that move to or from another node (paper §4.4.7)

  /** The allocated ranges of a process between two pages, cut at these. */
  rangesBetween(pid: number, from: number, to: number): readonly Range[] {
    return [...(this.processes.get(pid) ?? [])]
      .filter(r => r.start < to && from < r.end)
      .map(r => ({ ...r, start: Math.max(r.start, from), end: Math.min(r.end, to) }));
  }

  /** Every region that has a page. */
  regions(): readonly { readonly pid: number; readonly region: number }[] {
    const perRegion = Math.max(1, regionBytes / this.config.pageSize),
      found = new Map<string, { readonly pid: number; readonly region: number }>();
    for (const [pid, ranges] of this.processes) {
      for (const { start, end } of ranges) {
        for (let region = Math.floor(start / perRegion); region * perRegion < end; region++)
          found.set(`${pid}:${region}`, { pid, region });
      }
    }
    return [...found.values()];
  }

  /** Allocates these very pages without any right: accesses are refused until `grant`. */
  async reserve(pid: number, start: number, end: number, write: boolean): Promise<Result<void>> {
    if (pid < 1 || pid > lastPid || start < 0 || end <= start || end > 2 ** this.config.vpnBits)
      return failed("invalid");
    const ranges = this.processes.get(pid) ?? new AddressRanges();
    if (!ranges.isFree(start, end)) return failed("invalid");
    if (this.shadow.firstOverflow(pid, start, end - start)) return failed("noMemory");
    if (!this.processes.has(pid)) this.createProcess(pid);
    const known = this.processes.get(pid);
    if (!known) return failed("again");
    known.add({ start, end, write });
    for (let vpn = start; vpn < end; vpn++) {
      const entry = this.shadow.insert(pid, vpn, write);
      await this.transport.exchangeEntry(this.shadow.address(entry), this.withoutRights(entry));
    }
    return done(undefined);
  }

  /**
   * Takes the rights of a page away. When it returns, no access uses them any more (the shootdown has been
   * acknowledged). With `keepRead` a page that has a frame stays readable, writes to it are told to wait, and the frame
   * stays its own; otherwise the frame is the caller's. A fault that was under way is found by reading back, as in
   * freeing.
   * @returns the page's frame, if it had one
   */
  async withdraw(pid: number, vpn: number, keepRead: boolean): Promise<number | undefined> {
    const entry = this.entryOf(pid, vpn),
      address = this.shadow.address(entry),
      none = this.withoutRights(entry);
    if (keepRead) {
      const old = unpackEntry(this.config.table, await this.entryBits(address));
      if (old.valid) {
        // The hardware writes entries of pages without a frame only: this one stays as it is.
        // `write` alone: it can be read, and writes wait. A page that nobody may write stays so.
        await this.transport.exchangeEntry(address, packEntry(this.config.table, { ...old, read: !old.write }));
        await this.transport.shootdown(pid, BigInt(vpn));
        return old.ppn;
      }
    }
    for (let ppn: number | undefined; ;) {
      const old = unpackEntry(this.config.table, await this.transport.exchangeEntry(address, none));
      if (old.valid) ({ ppn } = old);
      await this.transport.shootdown(pid, BigInt(vpn));
      if ((await this.entryBits(address)) === none) return ppn;
    }
  }

  /** Gives a page the rights that it was allocated with, and this frame; without one it faults on its first use. */
  async grant(pid: number, vpn: number, ppn: number | undefined): Promise<void> {
    const entry = this.entryOf(pid, vpn),
      { tag, write } = entry;
    await this.transport.exchangeEntry(
      this.shadow.address(entry),
      packEntry(this.config.table, {
        valid: ppn !== undefined,
        allocated: true,
        read: true,
        write,
        tag,
        ppn: ppn ?? 0,
      }),
    );
    // Fewer rights may be remembered.
    await this.transport.shootdown(pid, BigInt(vpn));
  }

  /** The frame of a page, by the real table. */
  async frameOf(pid: number, vpn: number): Promise<number | undefined> {
    const entry = this.shadow.lookup(pid, vpn);
    if (!entry) return undefined;
    const { valid, ppn } = unpackEntry(this.config.table, await this.entryBits(this.shadow.address(entry)));
    return valid ? ppn : undefined;
  }

  private withoutRights({ tag }: ShadowEntry): bigint {
    return packEntry(this.config.table, { valid: false, allocated: true, read: false, write: false, tag, ppn: 0 });
  }
  private entryOf(pid: number, vpn: number): ShadowEntry {
    const entry = this.shadow.lookup(pid, vpn);
    if (!entry) throw new RangeError(`process ${pid} has no page ${vpn}`);
    return entry;
  }
  private async entryBits(address: number): Promise<bigint> {
    return (await this.transport.readMemory(address, 8)).reduceRight((n, b) => (n << 8n) | BigInt(b), 0n);
  }

  private pageOf(address: bigint): number {
    return Number(address / BigInt(this.config.pageSize));
  }
}
