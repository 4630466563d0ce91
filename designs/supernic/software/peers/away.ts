/** Own DAGs that run at a peer: sent there, looked after, and brought back. docs/supernic/peers.md, "Placing a DAG". */
import { PeerGone } from "../../../shared/control/software/index.ts";
import type { LiveChain } from "../regions/index.ts";
import type { Dag } from "../setup/index.ts";
import type { Asking } from "./ask.ts";
import { peersFor } from "./choose.ts";
import { chainDigest } from "./keys.ts";
import type { Neighbour } from "./neighbour.ts";
import { canLose, chainsOf, hasState, missing, quietOf, roomFor, type Site } from "./site.ts";

export const mostAway = 16;
/** LOADs in a row that may lack a guest; periods for which a peer may load it, and for which it stays there. */
const mostMissed = 2,
  loadPeriods = 40,
  stayPeriods = 20;

export type Placed = "here" | "peer" | "endpoint" | "none";
interface Stay {
  readonly dag: Dag;
  readonly peer: Neighbour;
  readonly launch: number;
  readonly since: number;
  /** `coming`: packets do not go there yet. `going`: it is being brought back. */
  stage: "coming" | "there" | "going";
  missed: number;
  ready: boolean;
  /** Why it is no longer of use; undefined: it is. */
  over: "gone" | "failed" | "denied" | undefined;
}

/** The state that goes along; undefined: it cannot be read, or the stay is over. */
type Saving = (stay: Stay) => Promise<Uint8Array | undefined>;

export interface AwayOptions {
  readonly period: number;
  readonly peers: () => readonly Neighbour[];
  /** Place in the device's table of peers. */
  readonly indexOf: (peer: Neighbour) => number;
  readonly asking: Asking;
  /** A guest has the chain: where that keeps state, it is the guest's alone. */
  readonly hasGuest: (chain: LiveChain) => boolean;
  /** Endpoints that run the DAG themselves if nobody else does. */
  readonly runsAtEndpoint: (dag: Dag) => boolean;
  /** What goes to a peer has changed: it is told at once. */
  readonly changed: (peer: Neighbour) => void;
}

export class Away {
  readonly #site: Site;
  readonly #o: AwayOptions;
  readonly #stays = new Map<number, Stay>();
  readonly #busy = new Set<Dag>();
  /** DAGs that want a place, the one that was looked at longest ago first; and those of them that are led here. */
  readonly #wanted = new Set<Dag>();
  readonly #here = new Set<Dag>();
  #launch = 0;
  readonly counts = { sent: 0, back: 0, refused: 0, anew: 0, lost: 0, endpoint: 0, stopped: 0 };

  constructor(site: Site, o: AwayOptions) {
    this.#site = site;
    this.#o = o;
  }
  /** Launches that are believed to be at a peer. */
  at(peer: Neighbour): readonly { readonly uid: number; readonly launch: number }[] {
    return [...this.#stays.values()]
      .filter(s => s.peer === peer && s.over === undefined)
      .map(({ dag, launch }) => ({ uid: dag.uid, launch }));
  }
  /** Where a DAG is now, if it is away and its packets go there. */
  peerOf(dag: Dag): Neighbour | undefined {
    const stay = this.#stays.get(dag.uid);
    return stay?.stage === "there" && stay.over === undefined ? stay.peer : undefined;
  }

  /** A place for a DAG: here if there is room, else at a peer, at the endpoint, or here in another's place. */
  async place(dag: Dag): Promise<Placed> {
    if (this.#busy.has(dag) || this.#stays.has(dag.uid)) return "none";
    this.#wanted.add(dag);
    return this.#alone(dag, () => this.#place(dag, true));
  }
  async #alone<T>(dag: Dag, what: () => Promise<T>): Promise<T> {
    this.#busy.add(dag);
    try {
      return await what();
    } finally {
      this.#busy.delete(dag);
    }
  }
  async #leadHere(dag: Dag): Promise<"here"> {
    this.#wanted.add(dag);
    this.#here.add(dag);
    await this.#site.ways.lead(dag, "here");
    return "here";
  }
  /** @param mayStop another DAG's chain, if there is no room anywhere */
  async #place(dag: Dag, mayStop: boolean): Promise<Placed> {
    const { manager, ways } = this.#site,
      chains = chainsOf(manager, dag),
      lacks = missing(manager, chains);
    const mine = this.#mayHave(chains);
    if (mine && lacks.length <= roomFor(manager, ["free", "victim"]) && (await this.#launchHere(chains)))
      return this.#leadHere(dag);
    if (await this.#send(dag, await this.#lying(dag, chains))) return "peer";
    if (!mayStop) return "none";
    if (this.#o.runsAtEndpoint(dag)) {
      this.counts.endpoint++;
      this.#here.delete(dag);
      await ways.close(dag);
      return "endpoint";
    }
    if (!mine) return "none";
    this.counts.stopped++;
    return (await this.#launchHere(chains)) ? this.#leadHere(dag) : "none";
  }
  /** State of chains that were given up lies here, and goes along. */
  async #lying(dag: Dag, chains: readonly LiveChain[]): Promise<Saving | undefined> {
    const { manager, state } = this.#site,
      stateful = chains.filter(hasState);
    if (stateful.length === 0 || this.#isShared(dag, stateful)) return undefined;
    return (await manager.keeps(stateful)) ? () => state.save(stateful) : undefined;
  }
  #mayHave(chains: readonly LiveChain[]): boolean {
    return !chains.some(c => hasState(c) && this.#o.hasGuest(c));
  }
  /** A DAG is no longer wanted: it has no place, and gets none. */
  async withdraw(dag: Dag): Promise<void> {
    // What moves it ends soon: all that it waits for has a time.
    while (this.#busy.has(dag)) await this.#site.pause(this.#o.period / 4);
    this.#wanted.delete(dag);
    this.#here.delete(dag);
    await this.#site.ways.close(dag);
    const stay = this.#stays.get(dag.uid);
    if (stay !== undefined) this.#leave(stay);
  }
  async #launchHere(chains: readonly LiveChain[]): Promise<boolean> {
    for (const c of chains) if ((await this.#site.manager.launch(c, "demand")) !== "running") return false;
    return true;
  }

  /** A DAG that runs here goes to a peer, with its state. @returns whether it does */
  async move(dag: Dag): Promise<boolean> {
    const { manager, state } = this.#site,
      chains = chainsOf(manager, dag);
    if (this.#busy.has(dag) || this.#stays.has(dag.uid) || this.#isShared(dag, chains.filter(hasState))) return false;
    const stateful = chains.filter(hasState);
    return this.#alone(dag, async () => {
      const drained = async (stay: Stay): Promise<Uint8Array | undefined> => {
        if (!(await quietOf(this.#site, chains, () => stay.over !== undefined))) return undefined;
        return state.save(stateful);
      };
      if (!(await this.#send(dag, stateful.length > 0 ? drained : undefined))) {
        await this.#leadHere(dag);
        return false;
      }
      // What is still inside leaves, and then what nobody else needs is given up.
      const idle = chains.filter(c => !this.#isShared(dag, [c]));
      await quietOf(this.#site, idle, () => this.peerOf(dag) === undefined);
      if (this.peerOf(dag) === undefined) return false;
      // Its state is there now: what is left here is old.
      for (const c of idle) if (!this.#o.hasGuest(c)) await manager.stop(c, "forget");
      return true;
    });
  }
  #isShared(dag: Dag, chains: readonly LiveChain[]): boolean {
    const { manager, dags } = this.#site;
    const others = dags().some(d => d.uid !== dag.uid && chainsOf(manager, d).some(c => chains.includes(c)));
    return others || chains.some(this.#o.hasGuest);
  }

  /** @param save the state that goes with it, asked for when new packets go there */
  async #send(dag: Dag, save: Saving | undefined): Promise<boolean> {
    if (dag.way !== "mac" || dag.keepShim || this.#stays.size >= mostAway) return false;
    const digests = chainsOf(this.#site.manager, dag).map(c => chainDigest(c.labels));
    for (const peer of peersFor(this.#o.peers(), digests)) {
      const stay = await this.#tryAt(dag, peer, save !== undefined);
      if (stay === undefined) continue;
      await this.#site.ways.lead(dag, this.#o.indexOf(peer));
      if (save !== undefined && !(await this.#putState(stay, save))) continue;
      stay.stage = "there";
      // What lies here is old from now on.
      if (save !== undefined) for (const c of chainsOf(this.#site.manager, dag)) this.#site.manager.state.take(c);
      this.#here.delete(dag);
      this.counts.sent++;
      return true;
    }
    return false;
  }
  async #putState(stay: Stay, save: Saving): Promise<boolean> {
    const state = await save(stay),
      status = state && (await this.#orOver(stay, this.#o.asking.put(stay.peer, nameOf(stay), state)));
    if (status === "OK" && stay.over === undefined) return true;
    this.#leave(stay);
    return false;
  }
  /** What a peer answers; undefined: it is gone, or it began anew, and then it answers nothing of before. */
  async #orOver<T>(stay: Stay, asked: Promise<T>): Promise<T | undefined> {
    const { pause } = this.#site,
      waiting = { ends: false };
    const over = async (): Promise<undefined> => {
      while (!waiting.ends && stay.over === undefined) await pause(this.#o.period / 4);
      return undefined;
    };
    try {
      return await Promise.race([orGone(asked), over()]);
    } finally {
      waiting.ends = true;
    }
  }
  /** @returns a guest that is ready */
  async #tryAt(dag: Dag, peer: Neighbour, stateful: boolean): Promise<Stay | undefined> {
    const { asking, period } = this.#o,
      { time, pause, catalogue } = this.#site,
      launch = ++this.#launch;
    const stay: Stay = {
      ...{ dag, peer, launch, since: time(), stage: "coming", missed: 0, ready: false, over: undefined },
    };
    this.#stays.set(dag.uid, stay);
    const status = await orGone(asking.launch(peer, dag, launch, label => 1 + catalogue.indexOf(label), stateful));
    if (status === "OK") peer.accepted();
    if (status === "FULL") peer.refused();
    while (status === "OK" && isComing(stay) && time() - stay.since < loadPeriods * period) await pause(period / 4);
    if (status === "OK" && stay.ready && stay.over === undefined) return stay;
    this.counts.refused++;
    this.#leave(stay);
    return undefined;
  }
  /** It is not there any more, as far as we care; the peer is told once, and forgets by itself if it does not hear. */
  #leave(stay: Stay): void {
    stay.over ??= "failed";
    if (this.#stays.get(stay.dag.uid) === stay) this.#stays.delete(stay.dag.uid);
    this.#o.changed(stay.peer);
    // Nobody waits for it: its answer may wait for us.
    if (stay.over !== "gone") void orGone(this.#o.asking.release(stay.peer, nameOf(stay)));
  }

  /** What a LOAD says of our guests there. */
  heard(peer: Neighbour): void {
    const said = peer.said;
    for (const stay of this.#stays.values()) {
      if (stay.peer !== peer || said === undefined || stay.over !== undefined) continue;
      const guest = said.guests.get(stay.dag.uid);
      if (guest?.launch === stay.launch) {
        stay.missed = 0;
        stay.ready ||= guest.state === "ready";
        if (guest.state === "failed") stay.over = "failed";
      } else if (stay.ready && ++stay.missed >= mostMissed) {
        stay.over = "denied";
        peer.counts.denials++;
      }
    }
  }
  /** A peer is gone. */
  gone(peer: Neighbour): void {
    for (const stay of this.#stays.values()) if (stay.peer === peer) stay.over ??= "gone";
  }
  /** DAGs that are away where they do not run any more: all their rules are off first, then each is placed anew. */
  async sweep(): Promise<void> {
    const over = [...this.#stays.values()].filter(
      s => s.over !== undefined && s.stage === "there" && !this.#busy.has(s.dag),
    );
    for (const { dag } of over) this.#busy.add(dag);
    for (const { dag } of over) await this.#site.ways.close(dag);
    for (const stay of over) {
      await this.#anew(stay.dag);
      this.counts.anew++;
      this.#leave(stay);
      this.#busy.delete(stay.dag);
      void this.place(stay.dag);
    }
  }

  /** State that was away is lost: where a chain still has some, it is old. */
  async #anew(dag: Dag): Promise<void> {
    const { manager, state, ways } = this.#site,
      stateful = chainsOf(manager, dag).filter(hasState);
    if (stateful.some(canLose)) this.counts.lost++;
    // One that others use is theirs.
    const loaded = stateful.filter(c => manager.stateOf(c) === "running" && !this.#isShared(dag, [c]));
    if (loaded.length === 0) return;
    await state.restore(loaded, undefined);
    for (const c of loaded) await ways.open(c);
  }
  /**
   * A period ends: a DAG that has no place, or whose chain was given up here, goes where there is room. Else the DAG
   * that has been away for longest comes back, if there is a free region for it.
   */
  async tick(): Promise<void> {
    const out = [...this.#wanted].find(d => !this.#busy.has(d) && !this.#hasPlace(d));
    if (out !== undefined) {
      this.#wanted.delete(out);
      this.#wanted.add(out);
      if ((await this.#alone(out, () => this.#place(out, false))) !== "none") return;
    }
    await this.#back();
  }
  #hasPlace(dag: Dag): boolean {
    const { manager } = this.#site;
    return this.#stays.has(dag.uid) || (this.#here.has(dag) && missing(manager, chainsOf(manager, dag)).length === 0);
  }
  async #back(): Promise<void> {
    const { manager, time } = this.#site,
      stayed = (s: Stay): boolean => s.stage === "there" && time() - s.since >= stayPeriods * this.#o.period;
    const back = [...this.#stays.values()].find(s => {
      const chains = chainsOf(manager, s.dag),
        lacks = missing(manager, chains);
      const fits = this.#mayHave(chains) && lacks.length <= roomFor(manager, ["free"], lacks);
      return stayed(s) && s.over === undefined && !this.#busy.has(s.dag) && fits;
    });
    if (back !== undefined) await this.#bringBack(back);
  }
  async #bringBack(stay: Stay): Promise<void> {
    const { manager, ways, state } = this.#site,
      { dag, peer } = stay,
      chains = chainsOf(manager, dag),
      own = chains.filter(c => !this.#isShared(dag, [c])),
      stateful = chains.filter(hasState);
    await this.#alone(dag, async () => {
      for (const c of chains)
        if ((await manager.launch(c, "ahead", hasState(c) ? "none" : "kept")) !== "running") {
          for (const o of own) await manager.stop(o, "forget");
          return;
        }
      // From here on new packets wait inside, until the peer has done the ones before.
      stay.stage = "going";
      for (const c of own) await ways.hold(c);
      await this.#leadHere(dag);
      const isPaused = (await this.#orOver(stay, this.#o.asking.pause(peer, nameOf(stay)))) === "OK";
      if (stateful.length > 0) {
        const saved = isPaused ? await this.#orOver(stay, this.#o.asking.get(peer, nameOf(stay))) : undefined;
        // A chain that others use meanwhile has their state.
        const isOurs = stateful.every(c => own.includes(c));
        if (!(isOurs && (await state.restore(stateful, saved))) && stateful.some(canLose)) this.counts.lost++;
      }
      for (const c of own) await ways.open(c);
      this.counts.back++;
      this.#leave(stay);
    });
  }
}
const nameOf = ({ dag, launch }: Stay) => ({ uid: dag.uid, launch });
const isComing = (s: Stay): boolean => !s.ready && s.over === undefined;
/** What a peer answers; undefined: it is gone. */
async function orGone<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (e) {
    if (e instanceof PeerGone) return undefined;
    throw e;
  }
}
