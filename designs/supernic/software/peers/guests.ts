/** DAGs of other owners that run here: launched, put state into, drained, released. */
import { decode, type Decoded, PacketError } from "../../../shared/wire/index.ts";
import { ConfigError } from "../../config/index.ts";
import {
  type CtrlStatusName,
  dagBranchBody,
  dagEntries,
  type GuestStateName,
  mostBranchTasks,
  mostState,
  type peerLaunchBody,
  type peerStateBody,
  uidEntries,
} from "../../wire/index.ts";
import type { LiveChain } from "../regions/index.ts";
import { type Branch, checkPlan, type Dag, Refuse } from "../setup/index.ts";
import { chainsOf, hasState, missing, quietOf, roomForGuest, type Site } from "./site.ts";

export const mostGuests = 16;
/** LOADs in a row in which an owner may leave a guest out. */
const mostMissed = 2,
  /** Nanoseconds until a region that drops what waits for it counts as empty, whatever it says. */
  patience = 1_000_000;

export interface Guest {
  readonly owner: number;
  readonly launch: number;
  /** LOADs of the owner up to this one do not name it. */
  readonly sequence: number;
  readonly dag: Dag;
  readonly chains: readonly LiveChain[];
  state: GuestStateName;
  /** Its packets wait for state that has not come as a whole: they may not be done without. */
  waits: boolean;
  /** State that is being put, and what has come of it; undefined: none is waited for. */
  putting: { bytes: Uint8Array; got: number } | undefined;
  /** State that was saved; it does not change any more. */
  saved: Uint8Array | undefined;
  draining: boolean;
  missed: number;
  released: boolean;
}
type Launch = Decoded<typeof peerLaunchBody>;
type State = Decoded<typeof peerStateBody>;
class Refused extends Error {
  readonly status: CtrlStatusName;
  constructor(status: CtrlStatusName) {
    super(status);
    this.status = status;
  }
}
const after = (a: number, b: number): boolean => a !== b && (a - b) >>> 0 < 0x8000_0000;

export class Guests {
  readonly #site: Site;
  readonly #changed: (owner: number) => void;
  readonly #guests = new Set<Guest>();
  /** By owner and UID, the largest launch that this life of the owner has asked for. */
  readonly #launches = new Map<number, Map<number, number>>();
  readonly counts = { launched: 0, refused: 0, failed: 0, released: 0, orphans: 0 };

  /** @param changed a guest's state has changed: its owner wants to know */
  constructor(site: Site, changed: (owner: number) => void) {
    this.#site = site;
    this.#changed = changed;
  }
  get all(): readonly Guest[] {
    return [...this.#guests];
  }
  of(owner: number): readonly Guest[] {
    return this.all.filter(g => g.owner === owner);
  }
  /** Whether a guest needs a chain. */
  wants(chain: LiveChain): boolean {
    return this.all.some(g => g.chains.includes(chain));
  }

  async launch(owner: number, l: Launch, branches: Uint8Array): Promise<CtrlStatusName> {
    const known = this.#at(l.uid);
    if (known?.owner === owner && known.launch === l.launch) return "OK";
    try {
      if (this.#isOld(owner, l)) throw new Refused("EXPIRED");
      const taken = this.#site.dags().some(d => d.uid % uidEntries === l.uid % uidEntries);
      if (taken || (known !== undefined && known.owner !== owner)) throw new Refused("DENIED");
      if (l.unused !== 0 || l.blank !== 0) throw new Refused("INVALID");
      const guest = this.#guestOf(owner, l, branches);
      if (known !== undefined) await this.#end(known);
      this.#checkRoom(guest);
      this.#note(owner, l);
      this.#guests.add(guest);
      this.counts.launched++;
      void this.#load(guest);
      return "OK";
    } catch (e) {
      if (!(e instanceof Refused)) throw e;
      this.counts.refused++;
      return e.status;
    }
  }
  /** Bytes of state that come, or a piece of those that were saved. */
  async put(owner: number, s: State, bytes: Uint8Array): Promise<CtrlStatusName> {
    const guest = this.#of(owner, s),
      putting = guest?.putting;
    if (guest === undefined) return "EXPIRED";
    // The last piece again: it was done.
    if (putting === undefined) return guest.state === "failed" ? "EXPIRED" : "OK";
    const fits = s.total <= mostState && s.offset + bytes.length <= s.total && s.unused === 0;
    if (!fits || (s.done === 1) !== (s.offset + bytes.length === s.total)) return "INVALID";
    // One total for all pieces: of two, nobody knows which pieces are still to come.
    if (putting.got === 0) putting.bytes = new Uint8Array(s.total);
    else if (putting.bytes.length !== s.total) return "INVALID";
    if (s.offset > putting.got) return "INVALID";
    putting.bytes.set(bytes, s.offset);
    putting.got = Math.max(putting.got, s.offset + bytes.length);
    if (s.done === 0 || guest.state !== "ready") return s.done === 0 ? "OK" : "BUSY";
    guest.putting = undefined;
    const stateful = guest.chains.filter(hasState);
    if (!(await this.#site.state.restore(stateful, putting.bytes))) {
      await this.#fail(guest);
      return "EXPIRED";
    }
    guest.waits = false;
    for (const c of stateful) await this.#site.ways.open(c);
    return "OK";
  }
  saved(owner: number, s: Pick<State, "uid" | "launch">): Uint8Array | "EXPIRED" | "BUSY" {
    const guest = this.#of(owner, s);
    return guest === undefined || guest.state === "failed" ? "EXPIRED" : (guest.saved ?? "BUSY");
  }
  /** Its packets are taken until none has come for a while; then no more. BUSY until it is drained. */
  pause(owner: number, w: Pick<State, "uid" | "launch">): CtrlStatusName {
    const guest = this.#of(owner, w);
    if (guest === undefined || guest.state === "failed") return "EXPIRED";
    if (guest.state === "paused") return "OK";
    if (!guest.draining) {
      guest.draining = true;
      void this.#drain(guest);
    }
    return "BUSY";
  }
  async release(owner: number, w: Pick<State, "uid" | "launch">): Promise<CtrlStatusName> {
    const guest = this.#of(owner, w);
    if (guest !== undefined) await this.#end(guest);
    // A LAUNCH that is still on its way comes too late.
    else if (!this.#isOld(owner, w)) this.#note(owner, w);
    return "OK";
  }
  /** The owner is gone. @param anew it has started anew, and so do its launches */
  async ownerGone(owner: number, anew: boolean): Promise<void> {
    if (anew) this.#launches.delete(owner);
    for (const g of this.of(owner)) {
      this.counts.orphans++;
      await this.#end(g);
    }
  }
  /** A LOAD of the owner, with the launches that it believes to be here. */
  async named(owner: number, away: ReadonlyMap<number, number>, sequence: number): Promise<void> {
    for (const g of this.of(owner)) {
      if (!after(sequence, g.sequence)) continue;
      g.missed = away.get(g.dag.uid) === g.launch ? 0 : g.missed + 1;
      if (g.missed < mostMissed) continue;
      this.counts.orphans++;
      await this.#end(g);
    }
  }
  /** A period ends: whose chain was given up for somebody else cannot run. */
  async tick(): Promise<void> {
    for (const g of this.all)
      if (g.state === "ready" && missing(this.#site.manager, g.chains).length > 0) await this.#fail(g);
  }

  #at(uid: number): Guest | undefined {
    return this.all.find(g => g.dag.uid % uidEntries === uid % uidEntries);
  }
  #of(owner: number, { uid, launch }: Pick<State, "uid" | "launch">): Guest | undefined {
    return this.all.find(g => g.owner === owner && g.dag.uid === uid && g.launch === launch);
  }
  #isOld(owner: number, { uid, launch }: Pick<State, "uid" | "launch">): boolean {
    const newest = this.#launches.get(owner)?.get(uid % uidEntries);
    return newest !== undefined && !after(launch, newest);
  }
  #note(owner: number, { uid, launch }: Pick<State, "uid" | "launch">): void {
    const of = this.#launches.get(owner) ?? new Map<number, number>();
    this.#launches.set(owner, of.set(uid % uidEntries, launch));
  }
  #guestOf(owner: number, l: Launch, body: Uint8Array): Guest {
    const { manager, setup } = this.#site,
      user = setup.users.find(u => u.number === l.user),
      number = this.#freeNumber();
    if (user === undefined) throw new Refused("INVALID");
    if (number === undefined) throw new Refused("FULL");
    const stages = this.#stagesOf(body),
      ports = 2 ** setup.sizes.ports,
      slow = stages.flat().some(b => b.run.some(slot => (b.chain.tasks[slot]?.interval ?? 1) > 1));
    try {
      checkPlan({ stages, user }, setup, setup.sizes, "PEER_LAUNCH", new Refuse("CTRL"));
    } catch (e) {
      throw e instanceof ConfigError ? new Refused("INVALID") : e;
    }
    const dag: Dag = {
      ...{ number, user, ports, stages, slow, uid: l.uid, name: `guest 0x${l.uid.toString(16)}`, peer: undefined },
      ...{ way: "mac", port: 0, keepShim: false, unordered: l.unordered === 1 },
    };
    return {
      ...{ owner, dag, launch: l.launch, sequence: l.sequence, chains: chainsOf(manager, dag), state: "loading" },
      ...{ putting: l.stateful === 1 ? { bytes: new Uint8Array(), got: 0 } : undefined, saved: undefined },
      ...{ waits: l.stateful === 1, draining: false, missed: 0, released: false },
    };
  }
  /** Guests' DAGs have the last entries. */
  #freeNumber(): number | undefined {
    const used = new Set([...this.all.map(g => g.dag.number), ...this.#site.dags().map(d => d.number)]);
    return Array.from({ length: mostGuests }, (_, i) => dagEntries - 1 - i).find(n => !used.has(n));
  }
  #stagesOf(body: Uint8Array): readonly (readonly Branch[])[] {
    const { bytes } = dagBranchBody,
      stages: Branch[][] = [];
    if (body.length === 0 || body.length % bytes !== 0) throw new Refused("INVALID");
    for (let from = 0; from < body.length; from += bytes) {
      const b = decodeBranch(body.slice(from, from + bytes)),
        codes = [b.task0, b.task1, b.task2, b.task3, b.task4, b.task5, b.task6, b.task7].slice(0, b.tasks);
      const isNext = b.stage === stages.length || b.stage === stages.length - 1;
      if (!isNext || b.tasks < 1 || b.tasks > mostBranchTasks || b.blank !== 0) throw new Refused("INVALID");
      (stages[b.stage] ??= []).push(this.#branch(codes, b.arg));
    }
    return stages;
  }
  #branch(codes: readonly number[], arg: number): Branch {
    const labels = codes.map(c => this.#site.catalogue[c - 1] ?? ""),
      chain = labels.includes("") ? undefined : this.#site.manager.chainFor(labels, () => true);
    if (chain === undefined) throw new Refused("INVALID");
    let at = 0;
    const run = labels.map(label => {
      const slot = chain.labels.indexOf(label, at);
      at = slot + 1;
      return slot;
    });
    return { chain, run, arg };
  }
  /** A chain that keeps state is one DAG's: else its state could not move with it. */
  #checkRoom({ chains }: Guest): void {
    const { manager, dags } = this.#site,
      others = [...dags(), ...this.all.map(g => g.dag)],
      isShared = (c: LiveChain): boolean => others.some(d => chainsOf(manager, d).includes(c));
    if (chains.some(c => hasState(c) && isShared(c))) throw new Refused("FULL");
    const lacks = missing(manager, chains);
    if (lacks.length > roomForGuest(manager, lacks)) throw new Refused("FULL");
  }

  async #load(guest: Guest): Promise<void> {
    const { manager, ways } = this.#site;
    for (const chain of guest.chains) {
      const begins = hasState(chain) ? "none" : "kept";
      if ((await manager.launch(chain, "ahead", begins)) !== "running") return this.#fail(guest);
      if (isReleased(guest)) return this.#stopUnwanted(guest);
    }
    // Packets may come before their chain's state does.
    const stateful = guest.chains.filter(hasState);
    if (guest.putting !== undefined) for (const c of stateful) await ways.hold(c);
    // What somebody else left there is none of its.
    else if (stateful.length > 0) await this.#asConfigured(stateful);
    if (isReleased(guest)) return;
    await ways.admit(guest.dag);
    if (isReleased(guest)) return ways.refuse(guest.dag);
    guest.state = "ready";
    this.#changed(guest.owner);
  }
  async #asConfigured(chains: readonly LiveChain[]): Promise<void> {
    await this.#site.state.restore(chains, undefined);
    for (const c of chains) await this.#site.ways.open(c);
  }
  async #fail(guest: Guest): Promise<void> {
    if (guest.released) return;
    guest.state = "failed";
    this.counts.failed++;
    await this.#site.ways.refuse(guest.dag);
    this.#changed(guest.owner);
  }
  async #drain(guest: Guest): Promise<void> {
    const gaveUp = (): boolean => guest.released || guest.state !== "ready";
    if (!(await quietOf(this.#site, guest.chains, gaveUp))) return;
    // Who comes later is refused and counted; who came meanwhile leaves first.
    await this.#site.ways.refuse(guest.dag);
    if (!(await quietOf(this.#site, guest.chains, gaveUp))) return;
    const saved = await this.#site.state.save(guest.chains.filter(hasState));
    if (gaveUp()) return;
    if (saved === undefined) return this.#fail(guest);
    guest.saved = saved;
    guest.state = "paused";
    this.#changed(guest.owner);
  }
  async #end(guest: Guest): Promise<void> {
    if (guest.released) return;
    guest.released = true;
    this.#guests.delete(guest);
    this.counts.released++;
    await this.#site.ways.refuse(guest.dag);
    if (guest.waits) await this.#dropWaiting(guest.chains.filter(hasState));
    await this.#stopUnwanted(guest);
  }
  async #dropWaiting(chains: readonly LiveChain[]): Promise<void> {
    const from = this.#site.time(),
      isLate = (): boolean => this.#site.time() - from > patience;
    await this.#site.manager.dropWaiting(chains, () => quietOf(this.#site, chains, isLate));
  }
  async #stopUnwanted({ chains }: Guest): Promise<void> {
    const { manager, dags } = this.#site,
      own = dags().flatMap(d => chainsOf(manager, d));
    for (const c of chains) {
      if (own.includes(c) || this.wants(c)) continue;
      await this.#site.ways.open(c);
      // Its packets leave first, and a region may be loaded meanwhile: who asks does not wait for that.
      void manager.stop(c, hasState(c) ? "forget" : "keep");
    }
  }
}
/** It may be at any time while something is waited for. */
const isReleased = ({ released }: Guest): boolean => released;
function decodeBranch(body: Uint8Array): Decoded<typeof dagBranchBody> {
  try {
    return decode(dagBranchBody, body);
  } catch (e) {
    throw e instanceof PacketError ? new Refused("INVALID") : e;
  }
}
