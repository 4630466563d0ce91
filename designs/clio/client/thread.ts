import { accessBody, allocReplyBody, opcode, vmFlag } from "../wire/index.ts";
import { decode } from "../../shared/wire/index.ts";
import type { Client } from "./client.ts";
import { DataFrame } from "./data-frame.ts";
import { DependencyTracker, type Effect, type Footprint } from "./dependencies.ts";
import { ClientError, OperationError } from "./link/errors.ts";
import { Handle } from "./handle.ts";
import { type Exchange, type LeaseOptions, takeLease } from "./lease.ts";
import { KeyValue } from "./key-value.ts";
import { MultiVersion } from "./multi-version.ts";
import { type Chased, chasedOf, type ChaseRequest, chaseSpec } from "./pointer-chase.ts";
import type { RemoteProcess } from "./process.ts";
import type { Reply, RequestSpec } from "./link/request.ts";
import {
  allocationSpec,
  compareAndSwapSpec,
  derefReadSpec,
  derefWriteSpec,
  fenceSpec,
  fetchAndAddSpec,
  readSpec,
  storeSpec,
  testAndSetSpec,
  wordBytes,
  writeSpec,
} from "./requests.ts";
import { eachPiece, piecesOf } from "./split.ts";

export interface AllocationOptions {
  /** Wanted address; default: the lowest that fits. The address is granted whenever those pages are free. */
  readonly address?: bigint;
  /** Region of 1 GB to allocate in, when no address is wanted; default 0. */
  readonly region?: number;
  /** Default true. */
  readonly writable?: boolean;
  /** Pages get their memory now instead of on first use; default false. */
  readonly populate?: boolean;
}
/** Bytes behind a pointer, and their address: later accesses may go there directly. */
export interface Dereferenced {
  readonly va: bigint;
  readonly data: Uint8Array;
}

/** A lock that `rlease` has taken. */
export interface LeasedLock {
  /** Nobody else can have the lock now. A holder that finds false stops what the lock is for. */
  readonly held: boolean;
  /**
   * Gives the lock back after all earlier calls of this thread have ended (a release). @returns false: it was lost
   * before, and stays as it is
   */
  release(): Promise<boolean>;
}

/** The results of handles, one by one. */
type Results<T extends readonly Handle<unknown>[]> = { [K in keyof T]: T[K] extends Handle<infer R> ? R : never };
type Mode = "synchronous" | "asynchronous" | "release";
const highest = 2n ** 64n;
/** First and longest pause between tries of a lock, in units of `timeoutNs`. */
const firstPause = 1 / 8,
  longestPause = 8;

/**
 * The calls of CLib (paper §4.3.1). A plain call is synchronous: await it, and it ends before anything that the thread
 * calls after it begins. `...Async` returns a handle at once. Asynchronous operations may be done in any order. Two
 * that touch the same page, one of them a write, never overlap (T2). `rrelease` waits for all of them. Data given are
 * copied at the call. All throw ClientError for arguments that cannot be, and OperationError (through their promise)
 * for what the node refused or did not answer.
 */
export class Thread {
  readonly process: RemoteProcess;
  readonly kv: KeyValue;
  readonly mv: MultiVersion;
  readonly df: DataFrame;
  private readonly tracker = new DependencyTracker();
  /** Asynchronous operations that failed and whose error has not been observed. */
  private readonly failures = new Set<Handle<unknown>>();
  private unended = 0;

  constructor(process: RemoteProcess) {
    this.process = process;
    this.kv = new KeyValue(process, operation => this.begin("synchronous", undefined, operation).result);
    this.mv = new MultiVersion(process, operation => this.begin("synchronous", undefined, operation).result);
    this.df = new DataFrame(
      process,
      (va, bytes, operation) => this.begin("synchronous", this.footprint(va, bytes, "read"), operation).result,
    );
  }

  // --- memory

  /** Allocates bytes (in whole pages). @returns their address */
  ralloc(bytes: number | bigint, options: AllocationOptions = {}): Promise<bigint> {
    return this.alloc("synchronous", bytes, options).result;
  }
  rallocAsync(bytes: number | bigint, options: AllocationOptions = {}): Handle<bigint> {
    return this.alloc("asynchronous", bytes, options);
  }
  /** Frees the pages of a range. */
  rfree(va: bigint, bytes: number | bigint): Promise<void> {
    return this.free("synchronous", va, bytes).result;
  }
  rfreeAsync(va: bigint, bytes: number | bigint): Handle<void> {
    return this.free("asynchronous", va, bytes);
  }
  /** Reads any number of bytes from any address. */
  rread(va: bigint, bytes: number): Promise<Uint8Array> {
    return this.read("synchronous", va, bytes).result;
  }
  rreadAsync(va: bigint, bytes: number): Handle<Uint8Array> {
    return this.read("asynchronous", va, bytes);
  }
  /** Writes any number of bytes to any address. */
  rwrite(va: bigint, data: Uint8Array): Promise<void> {
    return this.write("synchronous", va, data).result;
  }
  rwriteAsync(va: bigint, data: Uint8Array): Handle<void> {
    return this.write("asynchronous", va, data);
  }

  /** Results of asynchronous operations, when all of them have ended. @throws the first error among them */
  async rpoll<T extends readonly Handle<unknown>[]>(handles: T): Promise<Results<T>> {
    const settled = await Promise.allSettled(handles.map(h => h.result));
    for (const h of handles) {
      h.see();
      this.failures.delete(h);
    }
    const failed = settled.find(s => s.status === "rejected");
    if (failed) throw failed.reason;
    return settled.map(s => (s.status === "fulfilled" ? s.value : undefined)) as Results<T>;
  }

  /**
   * Waits until everything called before it has ended. @throws the first error of an asynchronous operation that
   * was not polled
   */
  async rrelease(): Promise<void> {
    await this.begin("release", undefined, () => Promise.resolve()).result;
    const first = [...this.failures][0]?.unseenFailure;
    this.failures.clear();
    if (first) throw first.error;
  }

  // --- synchronization (T3)

  /**
   * Takes the lock whose word is at `va` (8 bytes, zero at first): tries with TAS until it is free.
   * @throws OperationError TIMEOUT when it was not free for `timeoutNs` (default: waits for ever)
   */
  rlock(va: bigint, { timeoutNs = Number.POSITIVE_INFINITY }: { readonly timeoutNs?: number } = {}): Promise<void> {
    const spec = testAndSetSpec(this.process.pid, aligned(va)),
      { clock, random, timeoutNs: unit } = this.client.options;
    return this.begin("synchronous", this.footprint(va, BigInt(wordBytes), "write"), async () => {
      const from = clock.now();
      for (
        let pause = unit * firstPause;
        oldValue(await this.ask(va, spec)) !== 0n;
        pause = Math.min(2 * pause, unit * longestPause)
      ) {
        if (clock.now() - from > timeoutNs)
          throw new OperationError(
            "rlock",
            "TIMEOUT",
            "none",
            `the lock at 0x${va.toString(16)} was not free for ${timeoutNs} ns`,
          );
        const ns = pause * (0.5 + random() / 2);
        await new Promise<void>(resolve => {
          clock.after(ns, resolve);
        });
      }
    }).result;
  }
  /**
   * Releases the lock after all earlier calls of this thread have ended (a release). So the data written in the
   * critical section are there for the next holder.
   */
  runlock(va: bigint): Promise<void> {
    const spec = storeSpec(this.process.pid, aligned(va), 0n);
    return this.begin("release", undefined, async () => {
      await this.ask(va, spec);
    }).result;
  }
  /**
   * Takes the lock whose word is at `va` (8 bytes, zero at first) for as long as this client lives: a holder that shows
   * no sign of life for `leaseNs` loses it. All who use the word take leases of the same length, and no `rlock`.
   * @throws OperationError TIMEOUT when it was neither free nor given up for `timeoutNs` (default: waits for ever)
   */
  rlease(va: bigint, options: LeaseOptions): Promise<LeasedLock> {
    const { clock, random } = this.client.options,
      at = aligned(va);
    if (!(options.leaseNs > 0)) throw new ClientError(`leaseNs = ${options.leaseNs} is no time; give 1 or more ns`);
    const exchange: Exchange = async (compare, swap) =>
      oldValue(await this.ask(at, compareAndSwapSpec(this.process.pid, at, compare, swap)));
    return this.begin("synchronous", this.footprint(va, BigInt(wordBytes), "write"), async () => {
      const lease = await takeLease({ clock, random, exchange }, options);
      return {
        get held() {
          return lease.held;
        },
        release: () => this.begin("release", undefined, () => lease.release()).result,
      };
    }).result;
  }
  /**
   * Waits for everything that this thread has called, then until the process's nodes have completed all that
   * reached them before.
   */
  rfence(): Promise<void> {
    const spec = fenceSpec(this.process.pid);
    return this.begin("release", undefined, async () => {
      await Promise.all(this.process.nodes.map(n => this.client.ask(n, spec)));
    }).result;
  }

  /** Sets the word to 1. @returns the old value: 0 for the thread that set it first */
  testAndSet(va: bigint): Promise<bigint> {
    return this.atomic(va, testAndSetSpec(this.process.pid, aligned(va)), oldValue);
  }
  /** Stores `swap` when the word is `compare`. @returns what it was */
  compareAndSwap(va: bigint, compare: bigint, swap: bigint): Promise<bigint> {
    return this.atomic(va, compareAndSwapSpec(this.process.pid, aligned(va), compare, swap), oldValue);
  }
  /** Adds modulo 2^64. @returns what the word was */
  fetchAndAdd(va: bigint, addend: bigint): Promise<bigint> {
    return this.atomic(va, fetchAndAddSpec(this.process.pid, aligned(va), addend), oldValue);
  }
  /** Stores a word, in order with the other atomics on it. */
  atomicStore(va: bigint, value: bigint): Promise<void> {
    return this.atomic(va, storeSpec(this.process.pid, aligned(va), value), () => undefined);
  }

  // --- pointers

  /** Reads what the 8-byte pointer at `va` points at; at most what fits one packet. */
  derefRead(va: bigint, bytes: number): Promise<Dereferenced> {
    this.checkPiece(bytes);
    const spec = derefReadSpec(this.process.pid, aligned(va), bytes);
    return this.begin("synchronous", this.everything("read"), async () => {
      const { body } = await this.ask(va, spec);
      return { va: decode(accessBody, body).va, data: body.slice(accessBody.bytes) };
    }).result;
  }
  /** Writes to where the 8-byte pointer at `va` points; at most what fits one packet. @returns that address */
  derefWrite(va: bigint, data: Uint8Array): Promise<bigint> {
    this.checkPiece(data.length);
    const spec = derefWriteSpec(this.process.pid, aligned(va), data.slice());
    return this.begin(
      "synchronous",
      this.everything("write"),
      async () => decode(accessBody, (await this.ask(va, spec)).body).va,
    ).result;
  }
  /**
   * Follows a linked list at the memory node, which must have all of it. The result is the node that answers with its
   * value, or undefined when the list or the depth ends before. One round trip however long the list is (paper §4.6).
   * Nodes that others change meanwhile are seen before or after each change.
   */
  pointerChase(request: ChaseRequest): Promise<Chased | undefined> {
    const spec = chaseSpec(this.process.pid, request, this.room);
    return this.begin("synchronous", this.everything("read"), async () => {
      try {
        return chasedOf((await this.ask(request.first, spec)).body);
      } catch (e) {
        if (e instanceof OperationError && e.reason === "FAIL") return undefined;
        throw e;
      }
    }).result;
  }

  // --- how

  private get client(): Client {
    return this.process.client;
  }
  /** Bytes of data that fit one packet. */
  private get room(): number {
    return this.process.room - accessBody.bytes;
  }

  private read(mode: Mode, va: bigint, bytes: number): Handle<Uint8Array> {
    const footprint = this.footprint(va, BigInt(checkBytes(bytes)), "read"),
      { pid } = this.process;
    return this.begin(mode, footprint, async () => {
      const out = new Uint8Array(bytes);
      await eachPiece(piecesOf(bytes, this.room), async ({ offset, length }) => {
        const at = va + BigInt(offset),
          { body } = await this.ask(at, readSpec(pid, at, length));
        out.set(body.subarray(accessBody.bytes), offset);
      });
      return out;
    });
  }
  private write(mode: Mode, va: bigint, data: Uint8Array): Handle<void> {
    const footprint = this.footprint(va, BigInt(checkBytes(data.length)), "write"),
      { pid } = this.process,
      own = data.slice(),
      whole = own.length <= this.room;
    return this.begin(mode, footprint, () =>
      eachPiece(piecesOf(own.length, this.room), async ({ offset, length }) => {
        const at = va + BigInt(offset);
        try {
          await this.ask(at, writeSpec(pid, at, own.subarray(offset, offset + length)));
        } catch (e) {
          // Other parts may have been written.
          throw e instanceof OperationError && !whole
            ? new OperationError(e.operation, e.reason, "unknown", `at ${offset} of ${own.length} bytes`)
            : e;
        }
      }),
    );
  }
  private alloc(
    mode: Mode,
    bytes: number | bigint,
    { address, region, writable = true, populate = false }: AllocationOptions,
  ): Handle<bigint> {
    const len = checkSize(bytes),
      addr = address ?? 0n,
      vregion = BigInt(region ?? 0);
    const vmFlags = (writable ? vmFlag.write : 0n) | (populate ? vmFlag.populate : 0n),
      spec = allocationSpec(this.process.pid, opcode.ALLOC, { addr, len, vregion, vmFlags });
    const where = address ?? vregion << 30n;
    return this.begin(
      mode,
      address === undefined ? undefined : this.footprint(addr, len, "metadata"),
      async () => decode(allocReplyBody, (await this.ask(where, spec)).body).addr,
    );
  }
  private free(mode: Mode, va: bigint, bytes: number | bigint): Handle<void> {
    const len = checkSize(bytes),
      spec = allocationSpec(this.process.pid, opcode.FREE, { addr: va, len, vregion: 0n, vmFlags: 0n });
    return this.begin(mode, this.footprint(va, len, "metadata"), async () => {
      await this.ask(va, spec);
    });
  }
  private atomic<T>(va: bigint, spec: RequestSpec, result: (reply: Reply) => T): Promise<T> {
    return this.begin("synchronous", this.footprint(va, BigInt(wordBytes), "write"), async () =>
      result(await this.ask(va, spec)),
    ).result;
  }
  private ask(va: bigint, spec: RequestSpec): Promise<Reply> {
    return this.process.ask(va, spec);
  }

  /** Begins an operation as soon as what the thread called before lets it. */
  private begin<T>(mode: Mode, footprint: Footprint | undefined, operation: () => Promise<T>): Handle<T> {
    const { asyncLimit } = this.client.options;
    if (mode === "asynchronous" && this.unended >= asyncLimit) {
      throw new ClientError(
        `${this.unended} asynchronous operations of this thread have not ended, as many as asyncLimit allows; ` +
          "wait for some with rpoll or rrelease",
      );
    }
    if (this.tracker.size >= 2 * asyncLimit) {
      throw new ClientError(
        `${this.tracker.size} operations of this thread have not ended, twice as many as asyncLimit; await synchronous calls`,
      );
    }
    const before = mode === "release" ? this.tracker.all() : this.tracker.conflicts(footprint),
      { held } = this.tracker;
    if (mode !== "release" && before.length > 0) this.client.countBlocked();
    const waits = held === undefined ? before : [held, ...before],
      tracked = this.tracker.enter(footprint, mode !== "asynchronous");
    const perform = async (): Promise<T> => {
      try {
        return await this.client.counting(operation);
      } finally {
        tracked.leave();
      }
    };
    const handle = new Handle(waits.length === 0 ? perform() : Promise.all(waits).then(perform));
    if (mode === "asynchronous") this.follow(handle);
    return handle;
  }
  private follow(handle: Handle<unknown>): void {
    this.unended++;
    handle.result.then(
      () => {
        this.unended--;
      },
      () => {
        this.unended--;
        if (this.failures.size < this.client.options.asyncLimit) this.failures.add(handle);
      },
    );
  }

  private footprint(va: bigint, bytes: bigint, effect: Effect): Footprint {
    if (va < 0n || va + bytes > highest)
      throw new ClientError(`0x${va.toString(16)} and ${bytes} bytes are no range of addresses of 64 bits`);
    const page = BigInt(this.client.options.pageSize);
    return { pid: this.process.pid, first: va / page, last: (va + bytes - 1n) / page, effect };
  }
  /** Where a pointer leads is not known before it has been read. */
  private everything(effect: Effect): Footprint {
    return this.footprint(0n, highest, effect);
  }
  private checkPiece(bytes: number): void {
    if (checkBytes(bytes) > this.room)
      throw new ClientError(
        `${bytes} bytes through a pointer do not fit one packet; at most ${this.room} do: read the pointer, then use rread or rwrite`,
      );
  }
}

function oldValue({ body }: Reply): bigint {
  return new DataView(body.buffer, body.byteOffset + accessBody.bytes).getBigUint64(0, true);
}
function aligned(va: bigint): bigint {
  if (va % BigInt(wordBytes) !== 0n)
    throw new ClientError(`0x${va.toString(16)} is no multiple of ${wordBytes}: atomics, locks and pointers need one`);
  return va;
}
function checkBytes(bytes: number): number {
  if (!Number.isSafeInteger(bytes) || bytes < 1) throw new ClientError(`${bytes} bytes: give a whole number from 1`);
  return bytes;
}
function checkSize(bytes: number | bigint): bigint {
  const size = typeof bytes === "number" ? BigInt(checkBytes(bytes)) : bytes;
  if (size < 1n || size >= highest) throw new ClientError(`${bytes} bytes: give a whole number from 1`);
  return size;
}
