import { bucketSlots, entryAddress, locate, type TableGeometry } from "../../../shared/virtual-memory/table/index.ts";

/** An allocated page's place in the page table. */
export interface ShadowEntry {
  readonly pid: number;
  readonly vpn: number;
  readonly index: number;
  readonly slot: number;
  readonly tag: bigint;
  readonly write: boolean;
}

/**
 * The slow path's copy of which page has which slot (paper §4.5: reading the real table across the interconnect is
 * slow). The copy lacks the frames of pages that the hardware faulted in; those stand in the real table.
 */
export class ShadowTable {
  private readonly geometry: TableGeometry;
  private readonly hashKey: bigint;
  private readonly used: Uint8Array;
  /** Bit s of a bucket: slot s is taken. */
  private count = 0;
  private readonly entries = new Map<number, Map<number, ShadowEntry>>();

  /** @param hashKey the node's, by which it places pages */
  constructor(geometry: TableGeometry, hashKey = 0n) {
    this.geometry = geometry;
    this.hashKey = hashKey;
    this.used = new Uint8Array(geometry.buckets);
  }

  /** Entries in all. */
  get size(): number {
    return this.count;
  }

  /** The entry of a page. */
  lookup(pid: number, vpn: number): ShadowEntry | undefined {
    return this.entries.get(pid)?.get(vpn);
  }

  /**
   * The first page of vpn .. vpn + count - 1 whose bucket has no room for it (counting the pages before it), or
   * undefined when all fit. `hopeless`: its bucket is full without them, so no range with this page can fit.
   */
  firstOverflow(
    pid: number,
    vpn: number,
    count: number,
  ): { readonly vpn: number; readonly hopeless: boolean } | undefined {
    const needed = new Map<number, number>();
    for (let i = 0; i < count; i++) {
      const { index } = locate(this.geometry, pid, BigInt(vpn + i), this.hashKey),
        want = (needed.get(index) ?? 0) + 1,
        taken = this.taken(index);
      if (taken + want > bucketSlots) return { vpn: vpn + i, hopeless: taken === bucketSlots };
      needed.set(index, want);
    }
    return undefined;
  }

  /**
   * Take the lowest free slot of the page's bucket. @throws when there is none: the caller checks with `firstOverflow`.
   */
  insert(pid: number, vpn: number, write: boolean): ShadowEntry {
    const { index, tag } = locate(this.geometry, pid, BigInt(vpn), this.hashKey),
      taken = this.used[index] ?? 0;
    let slot = 0;
    while ((taken >> slot) & 1) slot++;
    if (slot >= bucketSlots) throw new Error(`bucket ${index} overflows: the allocator must not choose such a range`);
    const entry = { pid, vpn, index, slot, tag, write };
    this.used[index] = taken | (1 << slot);
    let pages = this.entries.get(pid);
    if (!pages) {
      pages = new Map();
      this.entries.set(pid, pages);
    }
    pages.set(vpn, entry);
    this.count++;
    return entry;
  }

  remove({ pid, vpn, index, slot }: ShadowEntry): void {
    this.used[index] = (this.used[index] ?? 0) & ~(1 << slot);
    const pages = this.entries.get(pid);
    if (pages?.delete(vpn)) this.count--;
    if (pages?.size === 0) this.entries.delete(pid);
  }

  /** Physical byte address of an entry in the real table. */
  address({ index, slot }: ShadowEntry): number {
    return entryAddress(this.geometry, index, slot);
  }

  private taken(index: number): number {
    let bits = this.used[index] ?? 0,
      n = 0;
    for (; bits; bits &= bits - 1) n++;
    return n;
  }
}
