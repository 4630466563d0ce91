import type { KvMemory, Stored } from "./kv-memory.ts";

/** How an operation that changes something ended: done; the key is there already, or missing; no memory is left. */
export type KvOutcome = "done" | "exists" | "missing" | "full";

/** The keys of this PID are everybody's. */
export const sharedPid = 0;

/**
 * Clio-KV on the ARM (paper §4.6: offloads run in FPGA or in software). A key belongs to the process that made it: no
 * other finds it, and it goes with the process. Those of PID 0 are everybody's. A key is unique, deletes delete, and a
 * read gives the stored size. A write is atomic: the new value stands whole in memory before the key points at it. So a
 * read finds the old or the new value.
 */
export class KvStore {
  private readonly memory: KvMemory;
  /** By process. */
  private readonly stores = new Map<number, Map<bigint, Stored>>();

  constructor(memory: KvMemory) {
    this.memory = memory;
  }

  /** Keys there are, of all processes. */
  get size(): number {
    return [...this.stores.values()].reduce((n, s) => n + s.size, 0);
  }

  async create(pid: number, key: bigint, value: Uint8Array): Promise<KvOutcome> {
    return this.find(pid, key) ? "exists" : this.put(pid, key, value);
  }
  /** When memory has run out the old value stays. */
  async update(pid: number, key: bigint, value: Uint8Array): Promise<KvOutcome> {
    return this.find(pid, key) ? this.put(pid, key, value) : "missing";
  }
  /** The whole stored value, or undefined when the key is missing. */
  async read(pid: number, key: bigint): Promise<Uint8Array | undefined> {
    const stored = this.find(pid, key);
    return stored && this.memory.load(stored);
  }
  delete(pid: number, key: bigint): KvOutcome {
    const stored = this.find(pid, key),
      store = this.stores.get(pid);
    if (!stored || !store) return "missing";
    store.delete(key);
    if (store.size === 0) this.stores.delete(pid);
    this.memory.release(stored);
    return "done";
  }
  /** Deletes all keys of a process. */
  forget(pid: number): void {
    const store = this.stores.get(pid);
    this.stores.delete(pid);
    for (const stored of store?.values() ?? []) this.memory.release(stored);
  }

  private find(pid: number, key: bigint): Stored | undefined {
    return this.stores.get(pid)?.get(key);
  }
  private async put(pid: number, key: bigint, value: Uint8Array): Promise<KvOutcome> {
    const stored = await this.memory.store(value);
    if (!stored) return "full";
    const store = this.stores.get(pid) ?? new Map<bigint, Stored>(),
      old = store.get(key);
    this.stores.set(pid, store.set(key, stored));
    if (old) this.memory.release(old);
    return "done";
  }
}
