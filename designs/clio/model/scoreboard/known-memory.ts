/** What the scoreboard knows of memory: pages, their bytes with all that they may be, and words of atomics. */
import { type NodeConfig } from "../../config/index.ts";
import {
  type Access,
  type FailedAccess,
  type Piece,
  piecesOf,
  refusalOf,
  rightsOf,
  wordBytes,
  wordOf,
} from "../access.ts";
import { ByteHistory, type PendingWrite } from "../byte-history.ts";
import { Words } from "../words.ts";
import type { Open, OpenAccess, Page } from "./open.ts";

export class KnownMemory {
  /** Set when memory can run out: then OUT_OF_MEMORY is allowed for accesses. */
  mayRunOutOfMemory = false;
  readonly words = new Words();
  /** Processes with a write to an unknown place: their reads are not judged from then on. */
  readonly blind = new Set<number>();
  private readonly config: NodeConfig;
  private readonly open: ReadonlyMap<string, readonly Open[]>;
  private readonly pages = new Map<number, Map<bigint, Page>>();
  private readonly busyPages = new Set<Page>();

  constructor(config: NodeConfig, open: ReadonlyMap<string, readonly Open[]>) {
    this.config = config;
    this.open = open;
  }

  map(pid: number, vpn: bigint, permissions: { readonly read: boolean; readonly write: boolean }): void {
    let pages = this.pages.get(pid);
    if (!pages) {
      pages = new Map<bigint, Page>();
      this.pages.set(pid, pages);
    }
    const page: Page = {
      read: permissions.read,
      write: permissions.write,
      valid: true,
      bytes: new ByteHistory(),
      leaving: false,
    };
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

  /** The word at an address, when only one value is possible. */
  wordAt(pid: number, va: bigint): bigint | undefined {
    const [piece] = piecesOf(this.config, va, wordBytes),
      page = piece && this.page(pid, piece.vpn);
    if (!piece || !page) return 0n;
    if (this.blind.has(pid)) return undefined;
    if (this.words.unsettled(pid, va, wordBytes, Number.POSITIVE_INFINITY).length > 0) return undefined;
    if (!page.bytes.known(piece.offset, wordBytes)) this.fold();
    const bytes = page.bytes.known(piece.offset, wordBytes);
    return bytes && wordOf(bytes);
  }

  endWord({ access, word, pieces, pages }: OpenAccess, ok: boolean, time: number): void {
    if (word) this.words.end(word, ok, time, pages[0]?.bytes, pieces[0]?.offset ?? 0);
    else if (access.data) this.words.written(access.pid, access.va, access.length, ok);
  }

  /** A write may be done from now on. */
  begin(page: Page, p: Piece, data: Uint8Array, issued: number): PendingWrite {
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
  settleWrites({ pieces, pages, writes, late }: OpenAccess, ok: boolean, time: number): void {
    if (!ok) {
      for (const [i, w] of writes.entries()) pages[i]?.bytes.drop(w);
      for (const l of late) l.page.bytes.drop(l.write);
    } else if (late.length === 0) for (const w of writes) w.replied = time;
    else if (writes.length === 0 && late.length === pieces.length) for (const l of late) l.write.replied = time;
  }

  fold(): void {
    let horizon = Number.POSITIVE_INFINITY;
    for (const waiting of this.open.values()) for (const { issued } of waiting) if (issued < horizon) horizon = issued;
    for (const page of this.busyPages) {
      page.bytes.fold(horizon);
      if (page.bytes.pending === 0) this.busyPages.delete(page);
    }
  }

  /** Statuses that the page states allow: the first failing page's status in address order, or OK. */
  judge(access: Access, pages: readonly (Page | undefined)[]): ("OK" | FailedAccess)[] {
    const needs = rightsOf(access.kind),
      legal: ("OK" | FailedAccess)[] = this.mayRunOutOfMemory && pages[0] ? ["OUT_OF_MEMORY"] : [];
    for (const page of pages) {
      const refusal = page ? refusalOf(page, needs) : "INVALID";
      if (page?.leaving && !legal.includes("INVALID")) legal.push("INVALID");
      if (refusal === undefined) continue;
      if (!legal.includes(refusal)) legal.push(refusal);
      return legal;
    }
    legal.push("OK");
    return legal;
  }

  page(pid: number, vpn: bigint): Page | undefined {
    return this.pages.get(pid)?.get(vpn);
  }
}
