/** What is known of a peer: whether it is there, and what it says it has. docs/supernic/peers.md, "Who is there". */
import { guestState, type GuestStateName, peerEntryKind } from "../../wire/index.ts";
import type { PeerWay } from "../setup/index.ts";
import type { Entry, Hello, Load, PeerPlace } from "./messages.ts";

/** Periods in which nothing is heard by a way until the other one is tried: time for an answer by it. */
const patience = 4;
/** Periods of silence; LOADs until a peer counts again; messages in a period; and periods without trust in a boast. */
const silentPeriods = 5,
  steadyLoads = 3,
  mostMessages = 8,
  boastPeriods = 50,
  mostBoasts = 3;
/** Regions that a sNIC may have. */
const mostRegions = 8;

export type Presence = "silent" | "returning" | "there";
export interface GuestThere {
  readonly launch: number;
  readonly state: GuestStateName;
}
/** What a LOAD said. */
export interface Said {
  readonly free: number;
  readonly pages: number;
  readonly busiest: number;
  /** By digest: instances of a chain, and their load in percent. */
  readonly chains: ReadonlyMap<number, { readonly instances: number; readonly load: number }>;
  /** By UID: ours that it runs, and its own that it believes to be here. */
  readonly guests: ReadonlyMap<number, GuestThere>;
  readonly away: ReadonlyMap<number, number>;
  /** The oldest number of its pages here that counts. */
  readonly oldest: number | undefined;
}
export interface PeerCounts {
  stale: number;
  floods: number;
  lies: number;
  boasts: number;
  denials: number;
  restarts: number;
  gone: number;
  loads: number;
  turns: number;
}
const stateNames = Object.keys(guestState) as GuestStateName[];
const after = (a: number, b: number): boolean => a !== b && (a - b) >>> 0 < 0x8000_0000;

export class Neighbour {
  readonly place: PeerPlace;
  readonly counts: PeerCounts = {
    ...{ stale: 0, floods: 0, lies: 0, boasts: 0, denials: 0, restarts: 0, gone: 0, loads: 0, turns: 0 },
  };
  readonly #own: number;
  readonly #period: number;
  readonly #time: () => number;
  #boot = 0;
  #sequence = 0;
  #regions = 0;
  #heardAt = 0;
  /** When a HELLO or LOAD came that was new. */
  #wordAt = -Infinity;
  /** It was heard of, and has not been found silent since. */
  #present = false;
  #steady = 0;
  #messages = 0;
  #refusals = 0;
  #noTrust = 0;
  #said: Said | undefined;
  #isAround = false;
  /** Periods without a word by the way in use. */
  #tried = 0;

  /** @param own boot */
  constructor(place: PeerPlace, own: number, period: number, time: () => number) {
    this.place = place;
    this.#own = own;
    this.#period = period;
    this.#time = time;
  }
  /** The way in use. */
  get way(): PeerWay {
    const { place } = this;
    return (this.#isAround ? place.around : undefined) ?? place;
  }
  /** From now on by the other way. */
  turn(): void {
    this.#isAround = !this.#isAround;
    this.#tried = 0;
    this.counts.turns++;
  }
  /** Of its newest HELLO or LOAD. */
  get sequence(): number {
    return this.#sequence;
  }
  /** Its boot; 0 while that is not known. */
  get boot(): number {
    return this.#boot;
  }
  /** Its boot, for messages to it; 0 while nothing is heard of it: then it does not take us for there either. */
  get named(): number {
    return this.#time() - this.#wordAt <= silentPeriods * this.#period ? this.#boot : 0;
  }
  get presence(): Presence {
    if (!this.#present) return "silent";
    return this.#steady < steadyLoads ? "returning" : "there";
  }
  /** Whether new DAGs may be sent there. */
  get isTrusted(): boolean {
    return this.presence === "there" && this.#noTrust === 0;
  }
  /** Its last LOAD, while it is not silent. */
  get said(): Said | undefined {
    return this.#present ? this.#said : undefined;
  }

  /** @returns whether it has started anew: what it had of ours is gone */
  hello(h: Hello | undefined): boolean {
    const { number, mac } = this.place;
    const isPeer = h?.number === number && h.mac === mac && h.blank === 0 && h.rest === 0;
    if (h === undefined || !isPeer || h.boot === 0 || h.regions < 1 || h.regions > mostRegions || h.period === 0) {
      this.counts.lies++;
      return false;
    }
    if (h.boot === this.#boot) {
      if (this.#isNew(h.sequence) && !this.#floods()) this.#regions = h.regions;
      return false;
    }
    if (this.#boot !== 0 && !after(h.boot, this.#boot)) {
      this.counts.stale++;
      return false;
    }
    const anew = this.#boot !== 0;
    this.#boot = h.boot;
    this.#wordAt = this.#time();
    this.#sequence = h.sequence;
    this.#regions = h.regions;
    this.#said = undefined;
    if (!anew) return false;
    this.counts.restarts++;
    this.#silent();
    return true;
  }
  /** @returns whether it counts */
  load(l: Load | undefined): boolean {
    if (l !== undefined && !(this.ofThisLife(l) && this.#isNew(l.sequence))) return false;
    if (this.#floods()) return false;
    const said = l === undefined ? undefined : saidOf(l, this.#regions);
    if (l === undefined || said === undefined) {
      this.counts.lies++;
      return false;
    }
    // So late that it might have been found silent: it is not trusted for a while.
    if (this.#time() - this.#heardAt > silentPeriods * this.#period) this.#steady = 0;
    this.#said = said;
    this.#heardAt = this.#time();
    this.#present = true;
    this.#steady = Math.min(steadyLoads, this.#steady + 1);
    this.counts.loads++;
    return true;
  }
  /** A message is of this life of the peer, and for this one of ours; else it is stale. */
  ofThisLife({ boot, yourBoot }: { readonly boot: number; readonly yourBoot: number }): boolean {
    if (this.#boot !== 0 && boot === this.#boot && yourBoot === this.#own) return true;
    this.counts.stale++;
    return false;
  }
  /** A period ends. @returns whether the peer is gone, from now on */
  tick(): boolean {
    this.#messages = 0;
    if (this.#noTrust > 0) this.#noTrust--;
    if (!this.#present || this.#time() - this.#heardAt <= silentPeriods * this.#period) return false;
    this.#silent();
    return true;
  }
  /** A period ends, for who chooses between two ways. @returns whether the other one is to be tried */
  isLost(gone: boolean): boolean {
    this.#tried = this.#present ? 0 : this.#tried + 1;
    return this.place.around !== undefined && (gone || this.#tried > patience);
  }
  /** It refused a DAG for want of room. */
  refused(): void {
    if ((this.#said?.free ?? 0) === 0 || ++this.#refusals < mostBoasts) return;
    this.#refusals = 0;
    this.#noTrust = boastPeriods;
    this.counts.boasts++;
  }
  accepted(): void {
    this.#refusals = 0;
  }

  #silent(): void {
    if (this.#present) this.counts.gone++;
    this.#present = false;
    this.#steady = 0;
  }
  #floods(): boolean {
    if (++this.#messages <= mostMessages) return false;
    this.counts.floods++;
    return true;
  }
  #isNew(sequence: number): boolean {
    const isNew = after(sequence, this.#sequence);
    if (isNew) {
      this.#sequence = sequence;
      this.#wordAt = this.#time();
    } else this.counts.stale++;
    return isNew;
  }
}

/** A LOAD that can be true. */
function saidOf(l: Load, regions: number): Said | undefined {
  const of = (kind: number): readonly Entry[] => l.list.filter(e => e.kind === kind),
    chains = of(peerEntryKind.chain),
    guests = of(peerEntryKind.guest),
    away = of(peerEntryKind.away),
    kept = of(peerEntryKind.pages);
  const instances = chains.reduce((n, c) => n + c.state, 0),
    known = chains.length + guests.length + away.length + kept.length === l.list.length,
    states = guests.every(g => g.state >= 1 && g.state <= stateNames.length) && away.every(a => a.state === 0),
    plain = kept.length <= 1 && kept.every(k => k.state === 0 && k.uid === 0),
    once = [chains.map(c => c.value), guests.map(g => g.uid), away.map(a => a.uid)].every(
      ids => new Set(ids).size === ids.length,
    );
  if (!known || !states || !once || !plain || l.blank !== 0 || l.busiest > 100 || l.free + instances > regions)
    return undefined;
  if (chains.some(c => c.state === 0 || c.uid > 100)) return undefined;
  return {
    ...{ free: l.free, pages: l.pages, busiest: l.busiest },
    chains: new Map(chains.map(c => [c.value, { instances: c.state, load: c.uid }])),
    guests: new Map(guests.map(g => [g.uid, { launch: g.value, state: stateNames[g.state - 1] ?? "failed" }])),
    away: new Map(away.map(a => [a.uid, a.value])),
    oldest: kept[0]?.value,
  };
}
