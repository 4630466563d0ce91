/** Pages of other owners that are kept in this board's memory. docs/supernic/peers.md, "Pages at a peer". */
import type { PageFrames } from "../memory/index.ts";
import { type CtrlStatusName, mostPageBytes } from "../../wire/index.ts";

/** Which piece of which page of an owner. */
export interface Piece {
  readonly page: number;
  readonly offset: number;
  readonly total: number;
}
interface Coming {
  readonly page: number;
  readonly frame: number;
  readonly bytes: Uint8Array;
  /** Pieces that have not come, by their number. */
  readonly lacks: Set<number>;
  isWritten: boolean;
  /** Its owner has given it up. */
  isOver: boolean;
}
interface Owner {
  /** The largest number that was begun, refused or dropped; a number up to it begins nothing any more. */
  newest: number | undefined;
  /** Frames that nobody's page is in; they are this owner's alone. */
  readonly free: number[];
  /** By number, the frame. */
  readonly kept: Map<number, number>;
  coming: Coming | undefined;
  /** The number that had no room. */
  refused: number | undefined;
  given: { readonly page: number; bytes: Uint8Array | undefined } | undefined;
}
const after = (a: number, b: number): boolean => a !== b && (a - b) >>> 0 < 0x8000_0000;

export class PagesKept {
  readonly #frames: PageFrames | undefined;
  readonly #owners: ReadonlyMap<number, Owner>;
  readonly counts = { kept: 0, given: 0, refused: 0, dropped: 0, bad: 0 };

  /** @param owners their numbers; each has as many frames as the others */
  constructor(frames: PageFrames | undefined, owners: readonly number[]) {
    this.#frames = frames;
    const each = Math.floor((frames?.count ?? 0) / Math.max(1, owners.length));
    this.#owners = new Map(
      owners.map((owner, i) => [
        owner,
        {
          ...{ newest: undefined, kept: new Map(), coming: undefined, refused: undefined, given: undefined },
          free: Array.from({ length: each }, (_, n) => i * each + n),
        },
      ]),
    );
  }
  /** Pages that an owner may still send. */
  freeOf(owner: number): number {
    return this.#of(owner).free.length;
  }
  keptOf(owner: number): readonly number[] {
    return [...this.#of(owner).kept.keys()];
  }

  /** A piece of a page that is to be kept. BUSY until the board's memory has all of it. */
  out(owner: number, p: Piece, bytes: Uint8Array): CtrlStatusName {
    const o = this.#of(owner);
    if (!this.#fits(p) || bytes.length !== Math.min(mostPageBytes, p.total - p.offset)) return "INVALID";
    if (o.kept.has(p.page)) return "OK";
    if (o.refused === p.page) return "FULL";
    const coming = o.coming?.page === p.page ? o.coming : this.#begin(o, p);
    if (typeof coming === "string") return coming;
    if (!coming.isWritten) {
      coming.bytes.set(bytes, p.offset);
      coming.lacks.delete(p.offset / mostPageBytes);
    }
    if (coming.lacks.size > 0) return "OK";
    if (!coming.isWritten) void this.#write(o, coming);
    return "BUSY";
  }
  #begin(o: Owner, { page, offset, total }: Piece): Coming | "FULL" | "EXPIRED" {
    if (offset !== 0 || (o.newest !== undefined && !after(page, o.newest))) return "EXPIRED";
    o.newest = page;
    this.#giveUp(o);
    const frame = o.free.shift();
    if (frame === undefined) {
      o.refused = page;
      this.counts.refused++;
      return "FULL";
    }
    const lacks = new Set(Array.from({ length: Math.ceil(total / mostPageBytes) }, (_, i) => i));
    o.coming = { page, frame, bytes: new Uint8Array(total), lacks, isWritten: false, isOver: false };
    return o.coming;
  }
  async #write(o: Owner, coming: Coming): Promise<void> {
    coming.isWritten = true;
    const isWhole = (await this.#frames?.write(coming.frame, coming.bytes)) === true;
    if (!isWhole) this.counts.bad++;
    if (coming.isOver) {
      if (isWhole) o.free.push(coming.frame);
      return;
    }
    o.coming = undefined;
    if (!isWhole) {
      o.refused = coming.page;
      return;
    }
    o.kept.set(coming.page, coming.frame);
    this.counts.kept++;
  }

  /** A piece of a page that is kept. BUSY until it has been read. */
  in(owner: number, p: Piece): Uint8Array | CtrlStatusName {
    const o = this.#of(owner),
      frame = o.kept.get(p.page);
    if (frame === undefined) return "EXPIRED";
    if (!this.#fits(p)) return "INVALID";
    if (o.given?.page !== p.page) void this.#read(o, p.page, frame);
    return o.given?.bytes?.slice(p.offset, p.offset + mostPageBytes) ?? "BUSY";
  }
  async #read(o: Owner, page: number, frame: number): Promise<void> {
    const given: Owner["given"] = { page, bytes: undefined };
    o.given = given;
    given.bytes = await this.#frames?.read(frame);
    if (given.bytes !== undefined) {
      this.counts.given++;
      return;
    }
    // The board's memory has lost it, and is not used again.
    if (o.given !== given) return;
    o.given = undefined;
    o.kept.delete(page);
    this.counts.bad++;
  }

  /** The owner no longer needs a page; one that is still on its way comes too late. */
  drop(owner: number, page: number): CtrlStatusName {
    const o = this.#of(owner);
    if (o.newest === undefined || after(page, o.newest)) o.newest = page;
    this.#drop(o, n => n === page);
    return "OK";
  }
  /** Numbers before this one no longer count. */
  floor(owner: number, oldest: number): void {
    const o = this.#of(owner),
      before = (oldest - 1) >>> 0;
    if (o.newest === undefined || after(before, o.newest)) o.newest = before;
    this.#drop(o, n => after(oldest, n));
  }
  /** @param anew it has started anew, and so do its numbers */
  ownerGone(owner: number, anew: boolean): void {
    const o = this.#of(owner);
    this.#drop(o, () => true);
    if (!anew) return;
    o.newest = undefined;
    o.refused = undefined;
  }
  #drop(o: Owner, which: (page: number) => boolean): void {
    for (const [page, frame] of o.kept) {
      if (!which(page)) continue;
      o.kept.delete(page);
      o.free.push(frame);
      this.counts.dropped++;
    }
    if (o.given !== undefined && which(o.given.page)) o.given = undefined;
    if (o.coming !== undefined && which(o.coming.page)) this.#giveUp(o);
  }
  /** A frame that is being written is free when that has ended. */
  #giveUp(o: Owner): void {
    if (o.coming === undefined) return;
    o.coming.isOver = true;
    if (!o.coming.isWritten) o.free.push(o.coming.frame);
    o.coming = undefined;
  }
  #fits({ offset, total }: Piece): boolean {
    return total === this.#frames?.pageBytes && offset % mostPageBytes === 0 && offset < total;
  }
  #of(owner: number): Owner {
    const found = this.#owners.get(owner);
    if (found === undefined) throw new RangeError(`there is no owner ${owner}`);
    return found;
  }
}
