import { SparseBytes } from "./sparse-bytes.ts";

/** State of a page in the model: the slow path's mapping, and the frame once the page has one. */
export interface PageState {
  readonly read: boolean;
  readonly write: boolean;
  readonly valid: boolean;
}

/**
 * The virtual memory that the model runs on. Bytes are kept by virtual page, so the physical frame of a page does not
 * matter. A test gives the page table's state here, from a slow path or by hand.
 */
export interface VirtualMemory {
  /** The page's state, or undefined when it has no allocated entry. */
  page(pid: number, vpn: bigint): PageState | undefined;
  /** Give the page a zeroed frame; false when there is none. Called only for a page that is allocated and not valid. */
  fault(pid: number, vpn: bigint): boolean;
  /** Bytes of a valid page. */
  read(pid: number, vpn: bigint, offset: number, length: number): Uint8Array;
  write(pid: number, vpn: bigint, offset: number, bytes: Uint8Array): void;
}

/** A plain virtual memory with a bounded number of frames, filled by `map`. */
export class MappedMemory implements VirtualMemory {
  private readonly pages = new Map<string, { read: boolean; write: boolean; bytes: SparseBytes | undefined }>();
  private framesLeft: number;
  /** @param frames pages that can be valid at a time */
  constructor(frames = Number.POSITIVE_INFINITY) {
    this.framesLeft = frames;
  }

  private static key(pid: number, vpn: bigint): string {
    return `${pid}:${vpn}`;
  }

  /** Allocate a page (valid on first use). */
  map(pid: number, vpn: bigint, permissions: { readonly read: boolean; readonly write: boolean }): void {
    this.pages.set(MappedMemory.key(pid, vpn), { ...permissions, bytes: undefined });
  }
  /** Free a page; its frame can be had again. */
  unmap(pid: number, vpn: bigint): void {
    const key = MappedMemory.key(pid, vpn);
    if (this.pages.get(key)?.bytes) this.framesLeft++;
    this.pages.delete(key);
  }
  page(pid: number, vpn: bigint): PageState | undefined {
    const p = this.pages.get(MappedMemory.key(pid, vpn));
    return p && { read: p.read, write: p.write, valid: p.bytes !== undefined };
  }
  fault(pid: number, vpn: bigint): boolean {
    const p = this.pages.get(MappedMemory.key(pid, vpn));
    if (!p || this.framesLeft < 1) return false;
    this.framesLeft--;
    p.bytes = new SparseBytes();
    return true;
  }
  read(pid: number, vpn: bigint, offset: number, length: number): Uint8Array {
    return this.pages.get(MappedMemory.key(pid, vpn))?.bytes?.read(offset, length) ?? new Uint8Array(length);
  }
  write(pid: number, vpn: bigint, offset: number, bytes: Uint8Array): void {
    this.pages.get(MappedMemory.key(pid, vpn))?.bytes?.write(offset, bytes);
  }
}
