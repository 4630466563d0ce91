import type { KvMemory, Stored } from "./kv-memory.ts";

/**
 * Clio-KV on the ARM (paper §4.6: offloads run in FPGA or in software). A key is unique, deletes delete, and a read
 * gives the stored size. A write is atomic: the new value stands whole in memory before the key points at it. So a read
 * finds the old or the new value.
 */
export class KvStore {
  private readonly memory: KvMemory;
  private readonly values = new Map<bigint, Stored>();

  constructor(memory: KvMemory) {
    this.memory = memory;
  }

  get size(): number {
    return this.values.size;
  }

  /** False when the key is there already or memory has run out. */
  async create(key: bigint, value: Uint8Array): Promise<boolean> {
    return this.values.has(key) ? false : this.put(key, value);
  }
  /** False when the key is missing or memory has run out (the old value stays). */
  async update(key: bigint, value: Uint8Array): Promise<boolean> {
    return this.values.has(key) ? this.put(key, value) : false;
  }
  /** The whole stored value, or undefined when the key is missing. */
  async read(key: bigint): Promise<Uint8Array | undefined> {
    const stored = this.values.get(key);
    return stored && this.memory.load(stored);
  }
  /** False when the key is missing. */
  delete(key: bigint): boolean {
    const stored = this.values.get(key);
    if (!stored) return false;
    this.values.delete(key);
    this.memory.release(stored);
    return true;
  }

  private async put(key: bigint, value: Uint8Array): Promise<boolean> {
    const stored = await this.memory.store(value);
    if (!stored) return false;
    const old = this.values.get(key);
    this.values.set(key, stored);
    if (old) this.memory.release(old);
    return true;
  }
}
