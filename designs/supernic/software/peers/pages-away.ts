/** Own tasks' pages at peers. docs/supernic/peers.md, "Pages at a peer". */
import { createHash } from "node:crypto";
import { type Clock, PeerGone } from "../../../shared/control/software/index.ts";
import { decode } from "../../../shared/wire/index.ts";
import type { RemotePages } from "../memory/index.ts";
import { type CtrlStatusName, mostPageBytes, peerPageBody } from "../../wire/index.ts";
import type { Asking, PageRequest, PeerAnswer } from "./ask.ts";
import type { Neighbour } from "./neighbour.ts";

/** Pieces under way; periods for a page; refusals until a peer is not asked, and for how many periods. */
const window = 16,
  pagePeriods = 20,
  mostRefusals = 3,
  restPeriods = 50;

interface Page {
  readonly peer: Neighbour;
  readonly number: number;
  readonly total: number;
  /** SHA-256: what comes back is what was sent, or nothing. */
  readonly digest: string;
  /** Its peer is gone, or it is no longer wanted: no more pieces are asked for. */
  isOver: boolean;
  readonly over: Promise<undefined>;
  readonly end: () => void;
}
type Ended = CtrlStatusName | "gone" | "late";
type Turns = Map<Neighbour, Promise<unknown>>;
const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

export class PagesAway implements RemotePages {
  readonly #asking: Asking;
  readonly #peers: readonly Neighbour[];
  readonly #clock: Clock;
  readonly #period: number;
  #number = 0;
  /** By key, where a page is. */
  readonly #kept = new Map<string, Page>();
  /** What may be at a peer, those too that are on their way there or are being dropped. */
  readonly #there = new Set<Page>();
  /** The last page on its way to a peer, and from it. */
  readonly #sending: Turns = new Map();
  readonly #fetching: Turns = new Map();
  /** Peers that are not asked for room, and until when; refusals in a row. */
  readonly #resting = new Map<Neighbour, number>();
  readonly #refusals = new Map<Neighbour, number>();
  readonly counts = { out: 0, in: 0, refused: 0, lost: 0, lies: 0, late: 0 };

  constructor(asking: Asking, peers: readonly Neighbour[], o: { readonly clock: Clock; readonly period: number }) {
    this.#asking = asking;
    this.#peers = peers;
    this.#clock = o.clock;
    this.#period = o.period;
  }
  /** Pages that peers have of ours, and would take. */
  get capacity(): number {
    return this.#peers
      .filter(p => p.presence === "there")
      .reduce((n, p) => n + (p.said?.pages ?? 0) + this.keptAt(p), 0);
  }
  keptAt(peer: Neighbour): number {
    return [...this.#kept.values()].filter(p => p.peer === peer && !p.isOver).length;
  }
  /** Pages that are, or may still be, at peers. */
  get outside(): number {
    return this.#there.size;
  }
  /** Numbers before this one no longer count there. */
  oldestAt(peer: Neighbour): number {
    const there = [...this.#there].filter(p => p.peer === peer);
    return there.reduce((oldest, p) => Math.min(oldest, p.number), this.#number + 1) >>> 0;
  }

  async put(key: string, bytes: Uint8Array): Promise<boolean> {
    for (const peer of this.#candidates())
      if (await inTurn(this.#sending, peer, () => this.#putAt(peer, key, bytes))) return true;
    return false;
  }
  async #putAt(peer: Neighbour, key: string, bytes: Uint8Array): Promise<boolean> {
    const page = this.#page(peer, bytes);
    this.#there.add(page);
    const how = await this.#within(page, this.#send(page, bytes));
    if (how === "OK" && !page.isOver) {
      await this.drop(key);
      this.#kept.set(key, page);
      this.#refusals.delete(peer);
      this.counts.out++;
      return true;
    }
    this.counts.refused++;
    if (how === "late") this.#rest(peer);
    if (how === "FULL") this.#full(peer);
    this.#forget(page);
    return false;
  }
  async get(key: string): Promise<Uint8Array | undefined> {
    const page = this.#kept.get(key);
    if (page === undefined || page.isOver) return undefined;
    const bytes = new Uint8Array(page.total),
      how = await inTurn(this.#fetching, page.peer, () => this.#within(page, this.#fetch(page, bytes)));
    if (how === "OK" && digestOf(bytes) === page.digest) {
      this.counts.in++;
      return bytes;
    }
    if (how === "late") this.#rest(page.peer);
    // Who says that all is well, and gives something else, lies.
    if (how === "OK" || how === "INVALID") this.counts.lies++;
    if (this.#kept.get(key) !== page) return undefined;
    // Where its peer is gone it has been counted.
    if (this.#there.has(page)) this.counts.lost++;
    await this.drop(key);
    return undefined;
  }
  drop(key: string): Promise<void> {
    const page = this.#kept.get(key);
    this.#kept.delete(key);
    if (page !== undefined) this.#forget(page);
    return Promise.resolve();
  }
  /** Whatever is there is lost; who waits for some of it waits no longer. */
  gone(peer: Neighbour): void {
    for (const page of [...this.#there].filter(p => p.peer === peer)) {
      if ([...this.#kept.values()].includes(page)) this.counts.lost++;
      this.#there.delete(page);
      page.end();
    }
  }

  /** Nothing more is asked. */
  close(): void {
    for (const page of this.#there) page.end();
    this.#there.clear();
  }

  /** The nearest first, then the one with most room. */
  #candidates(): readonly Neighbour[] {
    const now = this.#clock.now(),
      room = (n: Neighbour): number => n.said?.pages ?? 0;
    return this.#peers
      .filter(n => n.presence === "there" && room(n) > 0 && (this.#resting.get(n) ?? 0) <= now)
      .sort((a, b) => a.place.hops - b.place.hops || room(b) - room(a) || a.place.number - b.place.number);
  }
  #rest(peer: Neighbour): void {
    this.counts.late++;
    this.#resting.set(peer, this.#clock.now() + restPeriods * this.#period);
  }
  #full(peer: Neighbour): void {
    const refusals = (this.#refusals.get(peer) ?? 0) + 1;
    this.#refusals.set(peer, refusals % mostRefusals);
    if (refusals < mostRefusals) return;
    peer.counts.boasts++;
    this.#resting.set(peer, this.#clock.now() + restPeriods * this.#period);
  }
  #page(peer: Neighbour, bytes: Uint8Array): Page {
    let tell = (): void => undefined;
    const over = new Promise<undefined>(resolve => (tell = () => resolve(undefined))),
      number = (this.#number = (this.#number + 1) >>> 0);
    const page: Page = {
      ...{ peer, number, total: bytes.length, digest: digestOf(bytes), isOver: false, over },
      end: () => {
        page.isOver = true;
        tell();
      },
    };
    return page;
  }
  /** The peer drops it: that is asked until it has answered, or is gone. */
  #forget(page: Page): void {
    if (!this.#there.has(page) || page.isOver) return;
    page.end();
    void this.#dropThere(page);
  }
  async #dropThere(page: Page): Promise<void> {
    while (this.#there.has(page) && (await this.#ask(page, "PEER_PAGE_DROP", 0)) === undefined)
      await new Promise<void>(resolve => this.#clock.after(this.#period, resolve));
    this.#there.delete(page);
  }
  async #within(page: Page, work: Promise<CtrlStatusName | undefined>): Promise<Ended> {
    let tell = (_: "late"): void => undefined;
    const late = new Promise<"late">(resolve => (tell = resolve)),
      timer = this.#clock.after(pagePeriods * this.#period, () => tell("late"));
    const how = await Promise.race([work, page.over, late]);
    timer.cancel();
    return how ?? "gone";
  }
  async #send(page: Page, bytes: Uint8Array): Promise<CtrlStatusName | undefined> {
    const piece = async (offset: number): Promise<CtrlStatusName | undefined> =>
      (await this.#ask(page, "PEER_PAGE_OUT", offset, bytes.slice(offset, offset + mostPageBytes)))?.status;
    // Only who has a place for the page gets the rest of it.
    const first = await piece(0);
    return first === "OK" ? this.#each(page, mostPageBytes, piece) : first;
  }
  #fetch(page: Page, bytes: Uint8Array): Promise<CtrlStatusName | undefined> {
    return this.#each(page, 0, async offset => {
      const answer = await this.#ask(page, "PEER_PAGE_IN", offset);
      if (answer?.status !== "OK") return answer?.status;
      const said = answer.body.length < peerPageBody.bytes ? undefined : decode(peerPageBody, answer.body),
        piece = answer.body.slice(peerPageBody.bytes);
      const isIt = said?.page === page.number && said.offset === offset,
        isWhole = piece.length === Math.min(mostPageBytes, page.total - offset);
      if (!isIt || !isWhole) return "INVALID";
      bytes.set(piece, offset);
      return "OK";
    });
  }
  /** All pieces from an offset on, some at a time. @returns OK, or what the first that failed was told */
  async #each(
    page: Page,
    from: number,
    piece: (offset: number) => Promise<CtrlStatusName | undefined>,
  ): Promise<CtrlStatusName | undefined> {
    let next = from;
    const wrong: (CtrlStatusName | undefined)[] = [];
    const run = async (): Promise<void> => {
      while (next < page.total && wrong.length === 0 && !page.isOver) {
        const offset = next;
        next += mostPageBytes;
        const told = await piece(offset);
        if (told !== "OK") wrong.push(told);
      }
    };
    await Promise.all(Array.from({ length: window }, run));
    return wrong.length > 0 ? wrong[0] : "OK";
  }
  /** Undefined: the peer is gone. */
  async #ask(page: Page, what: PageRequest, offset: number, bytes?: Uint8Array): Promise<PeerAnswer | undefined> {
    const { peer, number, total } = page;
    try {
      return await this.#asking.page(peer, what, { page: number, offset, total }, bytes);
    } catch (e) {
      if (e instanceof PeerGone) return undefined;
      throw e;
    }
  }
}
/** A peer has a buffer for one page each way: two at once would take it from each other. */
function inTurn<T>(turns: Turns, peer: Neighbour, what: () => Promise<T>): Promise<T> {
  const done = (turns.get(peer) ?? Promise.resolve()).then(what);
  turns.set(
    peer,
    done.catch(() => undefined),
  );
  return done;
}
