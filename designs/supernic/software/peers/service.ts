/** The software of a sNIC for its peers: what it tells them each period, and what it does of what they say. */
import type { Clock } from "../../../shared/control/software/index.ts";
import { concat, decode, type Decoded, encode, type FieldSet, type Layout } from "../../../shared/wire/index.ts";
import {
  type CtrlMessage,
  ctrlOpcode,
  type CtrlStatusName,
  guestState,
  mostStateBytes,
  peerEntryKind,
  peerHelloBody,
  peerLaunchBody,
  peerPageBody,
  peerStateBody,
  peerWhichBody,
} from "../../wire/index.ts";
import type { Sent } from "../control/index.ts";
import type { PageFrames } from "../memory/index.ts";
import type { Dag } from "../setup/index.ts";
import { Asking, statusOf } from "./ask.ts";
import { Away, type Placed } from "./away.ts";
import { Guests } from "./guests.ts";
import { chainDigest } from "./keys.ts";
import {
  type Entry,
  helloOf,
  loadBody,
  loadOf,
  mostEntries,
  peerFrame,
  type PeerPlace,
  readPeerFrame,
} from "./messages.ts";
import { Neighbour } from "./neighbour.ts";
import { PagesAway } from "./pages-away.ts";
import { PagesKept } from "./pages-kept.ts";
import type { Site } from "./site.ts";

/** Periods of silence after which a peer's requests fail, as the peer itself does. */
const silentPeriods = 5,
  /** Requests of a peer that wait, at most. */
  mostWaiting = 64,
  /** Pages that a LOAD can tell of. */
  mostPagesSaid = 2 ** 16 - 1,
  lastOf32 = 2 ** 32 - 1;

export interface PeersOptions {
  readonly peers: readonly PeerPlace[];
  /** Larger after each start of this software. */
  readonly boot: number;
  /** Nanoseconds. */
  readonly period: number;
  readonly clock: Clock;
  readonly send: (sent: Sent) => void;
  /** Load of each chain and of the busiest port, in percent. */
  readonly loadOf?: (chain: number) => number;
  readonly busiest?: () => number;
  /** Pages of the board's memory that peers may have; none unless given. */
  readonly frames?: PageFrames | undefined;
  readonly runsAtEndpoint?: (dag: Dag) => boolean;
  /** Told once when a peer is gone, before its DAGs are placed anew: its pages are lost. */
  readonly onGone?: (peer: PeerPlace) => void;
}
type WhichBody = Decoded<typeof peerWhichBody>;
interface Done {
  readonly status: CtrlStatusName;
  readonly more?: Uint8Array;
}

export class PeerSoftware {
  readonly guests: Guests;
  readonly away: Away;
  /** Own tasks' pages at peers, and peers' pages here. */
  readonly pages: PagesAway;
  readonly kept: PagesKept;
  readonly neighbours: readonly Neighbour[];
  readonly counts = { strangers: 0, wrong: 0, hellos: 0, loads: 0 };
  readonly #site: Site;
  readonly #o: PeersOptions;
  readonly #asking: Asking;
  #sequence = 0;
  #timer: { cancel(): void } | undefined;
  /** Peers that were told of a change in this period already. */
  readonly #told = new Set<number>();
  /** By peer, requests that wait. */
  readonly #waiting = new Map<Neighbour, number>();
  /** What went wrong first, if anything did: a fault of this software or of the device. */
  failed: unknown;
  /** What peers ask is done one after the other, and so are periods. */
  #working: Promise<unknown> = Promise.resolve();

  constructor(site: Site, o: PeersOptions) {
    const { boot, period, clock } = o;
    if (!Number.isInteger(boot) || boot < 1 || boot > lastOf32)
      throw new RangeError(`PeerSoftware: boot = ${boot}: must be a whole number from 1 to 4294967295`);
    checkRules(site.setup);
    this.#site = site;
    this.#o = o;
    this.neighbours = o.peers.map(p => new Neighbour(p, boot, period, () => clock.now()));
    this.#asking = new Asking(
      clock,
      boot,
      () => this.#sequence,
      silentPeriods * period,
      (to, opcode, requestId, body) => peerFrame(this.#own, to.place, { opcode, requestId, body }),
      frame => this.#sendTo(frame),
    );
    this.pages = new PagesAway(this.#asking, this.neighbours, { clock, period });
    this.kept = new PagesKept(
      o.frames,
      o.peers.map(p => p.number),
    );
    this.guests = new Guests(site, owner => this.#changed(this.#named(owner)));
    this.away = new Away(site, {
      ...{ period, asking: this.#asking, peers: () => this.neighbours, changed: n => this.#changed(n) },
      hasGuest: chain => this.guests.wants(chain),
      indexOf: n => this.#indexOf(n),
      runsAtEndpoint: o.runsAtEndpoint ?? (() => false),
    });
  }
  /** From now on, each period. An earlier life of this software may have led peers another way. */
  start(): void {
    void this.#next(async () => {
      for (const n of this.neighbours) if (n.place.around !== undefined) await this.#lead(n);
    });
    const next = (): void => {
      this.#timer = this.#o.clock.after(this.#o.period, next);
      void this.tick();
    };
    next();
  }
  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#asking.close();
    this.pages.close();
  }
  /** A place for an own DAG (docs/supernic/peers.md, "Placing a DAG"). */
  place(dag: Dag): Promise<Placed> {
    return this.away.place(dag);
  }
  /** A DAG is no longer wanted, here or elsewhere. */
  withdraw(dag: Dag): Promise<void> {
    return this.away.withdraw(dag);
  }
  get retries(): number {
    return this.#asking.retries;
  }

  /** A period ends. */
  async tick(): Promise<void> {
    this.#told.clear();
    const gone = this.neighbours.filter(n => n.tick());
    const lost = this.neighbours.filter(n => this.#chooses(n) && n.isLost(gone.includes(n)));
    for (const n of lost) n.turn();
    for (const n of this.neighbours) {
      this.#hello(n);
      this.#load(n);
    }
    await this.#next(async () => {
      for (const n of gone) await this.#gone(n, false);
      for (const n of lost) await this.#lead(n);
      await this.guests.tick();
      await this.away.sweep();
    });
    await this.away.tick();
  }
  /** A frame that came in at a port. @returns undefined: it is no peer's */
  receive(frame: Uint8Array, ingress: number): "taken" | undefined {
    const read = readPeerFrame(frame, this.#own, this.#o.peers);
    if (read.is === "other") return undefined;
    const from = read.is === "message" ? this.#named(read.peer.number) : undefined;
    if (read.is === "message" && from !== undefined && this.#isBy(from, ingress, read.message))
      this.#take(from, read.message, ingress);
    else this.counts.strangers++;
    return "taken";
  }
  /** A message counts by the way in use. Who does not choose between two looks at news by the other one as well. */
  #isBy(from: Neighbour, ingress: number, { header }: CtrlMessage): boolean {
    if (ingress === from.way.port) return true;
    const { port, around } = from.place,
      isNews = header.opcode === ctrlOpcode.PEER_HELLO || header.opcode === ctrlOpcode.PEER_LOAD;
    return isNews && !this.#chooses(from) && around !== undefined && [port, around.port].includes(ingress);
  }
  /** Of two, the one with the lower number chooses the way, and the other one follows. */
  #chooses({ place }: Neighbour): boolean {
    return this.#site.setup.number < place.number;
  }
  /** The device's tables get the way in use. */
  #lead(n: Neighbour): Promise<void> {
    return this.#site.ways.turn(this.#indexOf(n), n.way);
  }
  #indexOf(n: Neighbour): number {
    return this.#site.setup.peers.findIndex(p => p.mac === n.place.mac);
  }

  get #own() {
    const { mac, ip } = this.#site.setup;
    return { mac, ip };
  }
  #named(number: number): Neighbour {
    const found = this.neighbours.find(n => n.place.number === number);
    if (found === undefined) throw new RangeError(`there is no peer ${number}`);
    return found;
  }
  /** What goes wrong is told to who waits for all of it: `failed`. */
  #next(what: () => Promise<unknown>): Promise<unknown> {
    this.#working = this.#working.then(what).catch((e: unknown) => {
      this.failed ??= e;
    });
    return this.#working;
  }

  #take(from: Neighbour, { header, body }: CtrlMessage, ingress: number): void {
    const { number } = from.place;
    if (header.unused !== 0 || (header.reply === 0 && header.status !== 0)) {
      this.counts.wrong++;
      return;
    }
    if (header.reply === 1) {
      const lives = wholeOf(peerWhichBody, body.slice(0, peerWhichBody.bytes));
      if (lives === undefined || !from.ofThisLife(lives)) return;
      this.#asking.heard(number);
      this.#asking.answered(number, header.requestId, { status: statusOf(header.status), body });
      return;
    }
    const { boot, sequence } = from;
    if (header.opcode === ctrlOpcode.PEER_HELLO) {
      if (from.hello(helloOf(body))) void this.#next(() => this.#gone(from, true));
    } else if (header.opcode === ctrlOpcode.PEER_LOAD) {
      if (from.load(loadOf(body))) this.#heard(from);
    } else {
      this.#asked(from, header, body);
      return;
    }
    // What is not new does not lead: who is in between may say again what was said.
    if (ingress !== from.way.port && (from.boot !== boot || from.sequence !== sequence)) {
      from.turn();
      void this.#next(() => this.#lead(from));
    }
  }
  #asked(from: Neighbour, header: CtrlMessage["header"], body: Uint8Array): void {
    const waiting = this.#waiting.get(from) ?? 0;
    if (waiting >= mostWaiting) {
      from.counts.floods++;
      return;
    }
    this.#waiting.set(from, waiting + 1);
    void this.#next(() => this.#answer(from, header.opcode, header.requestId, body)).then(() =>
      this.#waiting.set(from, (this.#waiting.get(from) ?? 1) - 1),
    );
  }
  #heard(from: Neighbour): void {
    this.#asking.heard(from.place.number);
    this.away.heard(from);
    const { said, sequence } = from;
    void this.#next(async () => {
      if (said?.oldest !== undefined) this.kept.floor(from.place.number, said.oldest);
      if (said !== undefined) await this.guests.named(from.place.number, said.away, sequence);
      await this.away.sweep();
    });
  }
  /** @param anew it has started anew */
  async #gone(peer: Neighbour, anew: boolean): Promise<void> {
    this.away.gone(peer);
    this.pages.gone(peer);
    this.kept.ownerGone(peer.place.number, anew);
    this.#o.onGone?.(peer.place);
    await this.away.sweep();
    await this.guests.ownerGone(peer.place.number, anew);
  }

  /** Requests. A body that cannot be read, or is of another life, has no answer: what it asks is nobody's now. */
  async #answer(from: Neighbour, opcode: number, requestId: number, body: Uint8Array): Promise<void> {
    const which = wholeOf(peerWhichBody, body.slice(0, peerWhichBody.bytes));
    if (which === undefined || !from.ofThisLife(which)) return;
    const { status, more } = await this.#do(from.place.number, opcode, which, body);
    const { uid, launch } = which,
      lives = { boot: this.#o.boot, yourBoot: from.named };
    const reply = more ?? encode(peerWhichBody, { ...lives, uid, launch });
    this.#sendTo(peerFrame(this.#own, from.place, { opcode, requestId, status, reply: true, body: reply }));
  }
  async #do(owner: number, opcode: number, which: WhichBody, body: Uint8Array): Promise<Done> {
    const { guests } = this,
      isWhole = body.length === peerWhichBody.bytes && which.blank === 0;
    switch (opcode) {
      case ctrlOpcode.PEER_LAUNCH: {
        const head = wholeOf(peerLaunchBody, body.slice(0, peerLaunchBody.bytes));
        return { status: head ? await guests.launch(owner, head, body.slice(peerLaunchBody.bytes)) : "INVALID" };
      }
      case ctrlOpcode.PEER_STATE:
        return this.#state(owner, body);
      case ctrlOpcode.PEER_PAGE_OUT:
      case ctrlOpcode.PEER_PAGE_IN:
      case ctrlOpcode.PEER_PAGE_DROP:
        return this.#page(owner, opcode, body);
      case ctrlOpcode.PEER_PAUSE:
        return { status: isWhole ? guests.pause(owner, which) : "INVALID" };
      case ctrlOpcode.PEER_RELEASE:
        return { status: isWhole ? await guests.release(owner, which) : "INVALID" };
      default:
        return { status: "UNKNOWN" };
    }
  }
  async #state(owner: number, body: Uint8Array): Promise<Done> {
    const head = wholeOf(peerStateBody, body.slice(0, peerStateBody.bytes)),
      bytes = body.slice(peerStateBody.bytes);
    if (head === undefined || head.blank !== 0 || head.unused !== 0 || bytes.length > mostStateBytes)
      return { status: "INVALID" };
    if (head.put === 1) return { status: await this.guests.put(owner, head, bytes) };
    const saved = this.guests.saved(owner, head);
    if (typeof saved === "string") return { status: saved };
    if (bytes.length > 0 || head.offset > saved.length) return { status: "INVALID" };
    const { uid, launch, offset } = head,
      lives = { boot: this.#o.boot, yourBoot: this.#named(owner).named },
      piece = saved.slice(offset, offset + mostStateBytes);
    const reply = encode(peerStateBody, { ...lives, uid, launch, offset, total: saved.length });
    return { status: "OK", more: concat(reply, piece) };
  }

  #page(owner: number, opcode: number, body: Uint8Array): Done {
    const piece = wholeOf(peerPageBody, body.slice(0, peerPageBody.bytes)),
      bytes = body.slice(peerPageBody.bytes),
      { PEER_PAGE_OUT, PEER_PAGE_DROP } = ctrlOpcode;
    if (piece === undefined) return { status: "INVALID" };
    const { page, offset, total } = piece,
      lives = { boot: this.#o.boot, yourBoot: this.#named(owner).named },
      head = encode(peerPageBody, { ...lives, page, offset, total });
    if (opcode === PEER_PAGE_OUT) return { status: this.kept.out(owner, piece, bytes), more: head };
    if (bytes.length > 0) return { status: "INVALID", more: head };
    if (opcode === PEER_PAGE_DROP) return { status: this.kept.drop(owner, page), more: head };
    const given = this.kept.in(owner, piece);
    return typeof given === "string" ? { status: given, more: head } : { status: "OK", more: concat(head, given) };
  }

  #sendTo(frame: Uint8Array): void {
    const to = this.neighbours.find(n => readDst(frame) === n.place.mac);
    if (to !== undefined) this.#o.send({ frame, ports: [to.way.port] });
  }
  /** Once more in a period than each period: a change is told at once. */
  #changed(to: Neighbour): void {
    if (this.#told.has(to.place.number)) return;
    this.#told.add(to.place.number);
    this.#load(to);
  }
  #hello(to: Neighbour): void {
    const { setup, manager } = this.#site,
      { boot, period } = this.#o;
    this.counts.hellos++;
    const body = encode(peerHelloBody, {
      ...{ boot, yourBoot: to.named, sequence: ++this.#sequence, number: setup.number, mac: setup.mac, period },
      ...{ regions: manager.places.length, ports: setup.sizes.ports },
    });
    this.#sendTo(peerFrame(this.#own, to.place, { opcode: ctrlOpcode.PEER_HELLO, requestId: this.#sequence, body }));
  }
  #load(to: Neighbour): void {
    if (to.boot === 0) return;
    const { boot, busiest = () => 0 } = this.#o,
      free = this.#site.manager.spare,
      pages = Math.min(this.kept.freeOf(to.place.number), mostPagesSaid);
    this.counts.loads++;
    const head = { boot, yourBoot: to.named, sequence: ++this.#sequence, free, busiest: busiest(), pages },
      body = loadBody(head, this.#entries(to).slice(0, mostEntries));
    this.#sendTo(peerFrame(this.#own, to.place, { opcode: ctrlOpcode.PEER_LOAD, requestId: this.#sequence, body }));
  }
  #entries(to: Neighbour): Partial<Entry>[] {
    const { loadOf = () => 0 } = this.#o,
      { manager } = this.#site;
    const running = (regions: readonly number[]): number =>
      regions.filter(r => ["active", "fixed"].includes(manager.places[r]?.use ?? "")).length;
    return [
      { kind: peerEntryKind.pages, value: this.pages.oldestAt(to) },
      ...this.guests
        .of(to.place.number)
        .map(g => ({ kind: peerEntryKind.guest, state: guestState[g.state], uid: g.dag.uid, value: g.launch })),
      ...this.away.at(to).map(({ uid, launch }) => ({ kind: peerEntryKind.away, uid, value: launch })),
      ...manager.chains
        .filter(c => running(c.regions) > 0)
        .map(c => ({
          ...{ kind: peerEntryKind.chain, state: running(c.regions) },
          ...{ uid: loadOf(c.number), value: chainDigest(c.labels) },
        })),
    ];
  }
}
/** A result that meets a rule to a peer where it returns would go round for ever: it has no ttl. */
function checkRules({ rules, ports }: Site["setup"]): void {
  const rings = ports.reduce((m, p, i) => (p.peer ? m | (1 << i) : m), 0),
    wrong = rules.find(r => r.action === "peer" && (r.ports & rings) !== 0);
  if (wrong !== undefined)
    throw new RangeError(
      `PeerSoftware: rule "${wrong.name}" leads to a peer, and counts at a port of peers; leave that port out`,
    );
}
const readDst = (frame: Uint8Array): bigint => frame.slice(0, 6).reduce((v, b) => (v << 8n) | BigInt(b), 0n);
/** A body of one layout, and nothing behind it. */
function wholeOf<const F extends FieldSet>(of: Layout<F>, body: Uint8Array) {
  return body.length === of.bytes ? decode(of, body) : undefined;
}
