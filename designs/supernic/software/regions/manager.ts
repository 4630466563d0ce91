/** Which chain is where: placing, victims, launching on demand and ahead, scaling (paper §5.4.3, §5.4.4). */
import { chainEntries, type ConfigWord, type Declared, tableWrite } from "../../wire/index.ts";
import type { Chain, DeclaredOf } from "../setup/index.ts";
import type { Scaling } from "./autoscale.ts";
import { type ChainMover, KeptState } from "./kept-state.ts";
import { isOldVictim, later, type Place, whoGives } from "./placing.ts";
import { type RegionDriver, SwapFailed, type SwapOptions, Swapper } from "./swap.ts";
import { WaitingLine } from "./waiting-line.ts";

/** A chain as a DAG names it; its regions change. */
export interface LiveChain extends Chain {
  readonly tasks: readonly Declared[];
  regions: number[];
  group: number;
}
/** What a chain begins with: what lies here of its state, or none. */
type Begins = "kept" | "none";
/** Why a chain is launched: its packets are there, a DAG was added, or its instances are too few. */
export type LaunchReason = "demand" | "ahead" | "scale";
export type LaunchOutcome = "running" | "noRegion" | "noBitstream" | "failed";

export interface ManagerOptions extends SwapOptions {
  /** What each region holds from the start. */
  readonly regions: readonly { readonly labels: readonly string[]; readonly fixed: boolean }[];
  /** Chains that a region can be given, by their tasks; their numbers begin with 1. */
  readonly bitstreams: readonly (readonly string[])[];
  readonly slots: number;
  readonly declared: DeclaredOf;
  /** Rows of a task as they are now. */
  readonly words: (task: string) => readonly ConfigWord[];
  /** How loaded a region is; the least loaded one is given up first. */
  readonly loadOf?: (region: number) => Promise<number>;
  /** Nanoseconds for which a victim is kept when others are launched ahead or scaled. */
  readonly victimLife?: number;
  /** Nanoseconds for which a chain that runs keeps its region, whoever waits for one; 5 ms where this is left out. */
  readonly hold?: number;
  /** Told of chains whose packets have nowhere to go, and of those that have somewhere again. */
  readonly gate?: ChainGate;
  /** Whether a region can hold a bitstream, of these numbers; left out: each can hold all. */
  readonly fits?: (region: number, bitstream: number) => boolean;
  /** Memory of chains' tasks; left out: none has any. */
  readonly memory?: ChainMemory;
  /** Moves state of chains in and out of regions; without it chains come back as configured. */
  readonly state?: ChainMover;
}
/** Memory of tasks whose chains come and go; both are told whether they are done in time. */
export interface ChainMemory {
  has(labels: readonly string[]): boolean;
  enter(region: number, labels: readonly string[]): Promise<boolean>;
  /** @param lost what its tasks knew is gone: their pages are, too */
  leave(region: number, lost: boolean): Promise<boolean>;
}
const noMemory: ChainMemory = {
  has: () => false,
  enter: () => Promise.resolve(true),
  leave: () => Promise.resolve(true),
};
/** What keeps packets of a chain outside while it has no region. */
export interface ChainGate {
  /** No packet of it comes in from now on. With `drain` those that are inside have left, or 1 ms is over. */
  close(chain: LiveChain, drain: boolean): Promise<void>;
  /** It has a region, or never gets one: its packets come in, first those that have waited. */
  open(chain: LiveChain): Promise<void>;
  /** Its regions are others now. */
  changed(chain: LiveChain): Promise<void>;
}
const noGate: ChainGate = {
  close: () => Promise.resolve(),
  open: () => Promise.resolve(),
  changed: () => Promise.resolve(),
};
/** Groups of the flow table. */
const groups = 4;
/** A MONITOR_PERIOD, in nanoseconds. */
const defaultHold = 5_000_000;

export class RegionManager {
  readonly #driver: RegionDriver;
  readonly #swapper: Swapper;
  readonly #o: Required<Pick<ManagerOptions, "loadOf" | "victimLife" | "hold" | "gate" | "fits" | "memory">> &
    ManagerOptions;
  readonly #places: Place[];
  readonly #chains: LiveChain[] = [];
  /** One change after the other: there is one reprogramming at a time. */
  #working: Promise<unknown> = Promise.resolve();
  #changes = 0;
  /** Chains that wait until somebody has had his region for long enough. */
  readonly #line: WaitingLine<LiveChain, LaunchOutcome>;
  readonly state: KeptState;
  readonly counted = { reprogrammed: 0, reused: 0, stopped: 0, failed: 0, recovered: 0 };

  /** @param chains of the setup, as its DAGs name them */
  constructor(driver: RegionDriver, chains: readonly Chain[], o: ManagerOptions) {
    this.#driver = driver;
    this.#swapper = new Swapper(driver, o);
    this.state = new KeptState(o.state);
    this.#o = {
      loadOf: () => Promise.resolve(0),
      ...{ victimLife: 20_000_000, hold: defaultHold, gate: noGate, fits: () => true, memory: noMemory },
      ...o,
    };
    this.#line = new WaitingLine(chain => this.#next(() => this.#demand(chain)), o.wait);
    for (const c of chains) this.#chains[c.number] = { ...c, regions: [...c.regions] };
    this.#places = o.regions.map(({ labels, fixed }, r) => {
      const chain = this.#chains.find(c => c.regions.includes(r));
      return { use: fixed ? "fixed" : labels.length === 0 ? "free" : "active", chain, since: o.time() };
    });
  }
  get places(): readonly Readonly<Place>[] {
    return this.#places;
  }
  /** Regions that a launch ahead gets: free ones and old victims; none while somebody waits in line for them. */
  get spare(): number {
    if (!this.#line.isEmpty) return 0;
    const now = this.#o.time();
    return this.#places.filter(p => p.use === "free" || isOldVictim(p, now, this.#o.victimLife)).length;
  }
  /** Every chain that is known. */
  get chains(): readonly LiveChain[] {
    return Object.values(this.#chains);
  }
  /** Before frames come: chains that are loaded get groups of their own, as far as there are any. */
  async start(): Promise<void> {
    for (const chain of this.chains) chain.group = 0;
    for (const chain of this.chains) {
      chain.group = this.#freeGroup(chain);
      await this.#write(chain);
    }
    for (const [region, { use, chain }] of this.#places.entries())
      if (use !== "fixed" && chain !== undefined) await this.#o.memory.enter(region, chain.labels);
  }
  /**
   * The chain for a row of tasks: one that is loaded, else one that can be. @param mayUse whether its other tasks are
   * anybody's business here @returns undefined: no region has it, and no bitstream does; or one of them has memory, and
   * is in another chain that runs: what one instance keeps another one would not know
   */
  chainFor(tasks: readonly string[], mayUse: (labels: readonly string[]) => boolean): LiveChain | undefined {
    const has = (labels: readonly string[]): boolean => isWithin(tasks, labels) && mayUse(labels);
    const loaded = this.chains.filter(c => has(c.labels) && this.#places.some(p => p.chain === c)),
      exact = loaded.find(c => c.labels.length === tasks.length) ?? loaded[0];
    if (exact !== undefined) return exact;
    const [labels] = this.#o.bitstreams.filter(has).sort((a, b) => a.length - b.length);
    return labels === undefined || this.#rivals(labels).some(p => p.use !== "victim") ? undefined : this.#known(labels);
  }
  /** Regions with another chain that has one of the tasks with memory. */
  #rivals(labels: readonly string[]): readonly Place[] {
    const { memory } = this.#o,
      own = labels.filter(l => memory.has([l])),
      name = labels.join("+");
    return this.#places.filter(
      ({ chain }) => chain !== undefined && chain.labels.join("+") !== name && chain.labels.some(l => own.includes(l)),
    );
  }
  #known(labels: readonly string[]): LiveChain | undefined {
    const name = labels.join("+"),
      known = this.chains.find(c => c.labels.join("+") === name);
    if (known !== undefined) return known;
    const number = Array.from({ length: chainEntries }, (_, i) => i).find(i => this.#chains[i] === undefined);
    if (number === undefined) return undefined;
    const tasks = labels.map(this.#o.declared),
      chain: LiveChain = { number, name, tasks, labels, regions: [], group: 0 };
    this.#chains[number] = chain;
    return chain;
  }
  /** Whether a chain runs, is on its way, or neither. */
  stateOf(chain: LiveChain): "running" | "loading" | "none" {
    if (chain.regions.some(r => ["active", "fixed"].includes(this.#places[r]?.use ?? "free"))) return "running";
    return this.#places.some(p => p.chain === chain && p.use === "loading") ? "loading" : "none";
  }

  /** Whether a chain waits for its turn. */
  waits(chain: LiveChain): boolean {
    return this.#line.has(chain);
  }

  /**
   * A region for the chain. With `demand` one that has a chain already runs as it is; one for which there is none now
   * waits in line, and is answered when it runs. `scale` wants one more. @param begins with what lies here of its
   * state, or with none, and that stays here: only for one that is launched ahead
   */
  launch(chain: LiveChain, reason: LaunchReason, begins: Begins = "kept"): Promise<LaunchOutcome> {
    if (reason === "demand") {
      if (this.#line.isEmpty)
        return this.#next(() => this.#demand(chain)).then(done => (done === later ? this.#line.join(chain) : done));
      return this.stateOf(chain) === "running" ? Promise.resolve("running") : this.#line.join(chain);
    }
    return this.#next(async () => {
      if (reason === "ahead" && this.stateOf(chain) === "running") return "running";
      // What becomes free is for those in line.
      if (!this.#line.isEmpty || (reason === "scale" && !this.#mayScale(chain))) return "noRegion";
      const region = await this.#choose(chain, reason);
      return typeof region === "number" ? this.#into(region, chain, begins) : "noRegion";
    });
  }
  async #demand(chain: LiveChain): Promise<LaunchOutcome | typeof later> {
    if (this.stateOf(chain) === "running") return "running";
    // From now on its packets wait, and are not dropped.
    await this.#o.gate.close(chain, false);
    const region = await this.#choose(chain, "demand");
    if (region === later) return later;
    const done = region === undefined ? "noRegion" : await this.#into(region, chain);
    // Who gets no region at all is not waited for: its packets come in, and are dropped and counted.
    if (done !== "running") await this.#o.gate.open(chain);
    return done;
  }
  /**
   * Nobody uses the chain any more: its regions are victims, and keep it for a while. @param state stays here for when
   * it comes again, or has gone with it
   */
  stop(chain: LiveChain, state: "keep" | "forget" = "keep"): Promise<void> {
    this.#line.leave(chain, "noRegion");
    return this.#next(async () => {
      for (const region of [...chain.regions])
        if (this.#places[region]?.use === "active") await this.#retire(region, state);
    });
  }
  /** @returns whether it has one instance more, or less */
  async scale(chain: LiveChain, scaling: Scaling): Promise<boolean> {
    if (scaling === "out") return (await this.launch(chain, "scale")) === "running";
    return this.#next(async () => {
      const own = chain.regions.filter(r => this.#places[r]?.use === "active");
      if (chain.regions.length < 2 || own.length === 0) return false;
      const loads = await Promise.all(own.map(this.#o.loadOf)),
        region = own[loads.indexOf(Math.min(...loads))];
      if (region === undefined) return false;
      await this.#retire(region, "keep");
      return true;
    });
  }
  /** A victim's area is needed for something else: what it holds is forgotten. @returns whether it was a victim */
  erase(region: number): Promise<boolean> {
    return this.#next(() => {
      const place = this.#places[region];
      if (place?.use !== "victim") return Promise.resolve(false);
      Object.assign(place, { use: "free", chain: undefined, since: this.#o.time() });
      return Promise.resolve(true);
    });
  }
  /** What is inside is dropped; the chain comes back fresh. */
  kill(region: number): Promise<LaunchOutcome> {
    return this.#next(async () => {
      const place = this.#places[region],
        chain = place?.chain;
      if (place?.use !== "active" || chain === undefined) return "noRegion";
      const { since } = place;
      let isGone: boolean;
      if (isLast(chain, region)) await this.#o.gate.close(chain, false);
      await this.#leave(chain, region);
      try {
        await this.#swapper.kill(region);
        isGone = await this.#o.memory.leave(region, true);
      } catch (e) {
        return this.#failed(region, chain, e);
      }
      if (!isGone) return this.#failed(region, chain, new SwapFailed("memory", region));
      if (this.state.isSingle(chain)) this.state.lose(`region ${region} was killed`);
      const done = await this.#wake(region, chain, "none");
      // It was there before: who waits for a region does not wait longer because of a kill.
      if (done === "running") place.since = since;
      return done;
    });
  }

  /** Whether state of one of these chains lies here; asked when what goes on is over, as one may be read just now. */
  keeps(chains: readonly LiveChain[]): Promise<boolean> {
    return this.#next(() => Promise.resolve(chains.some(c => this.state.has(c))));
  }
  /**
   * The state of chains for a peer; nobody may be on his way to them. Those with regions go on as before. What is of no
   * length is none: the chain is as configured.
   * @returns undefined: it could not be read, and is counted as lost
   */
  readState(chains: readonly LiveChain[]): Promise<readonly Uint8Array[] | undefined> {
    return this.#next(async () => {
      const images: Uint8Array[] = [];
      for (const chain of chains) {
        const [region] = chain.regions;
        if (!this.state.isSingle(chain)) continue;
        // A chain without a region has what lies here of it, or nothing yet.
        const image =
          region === undefined ? (this.state.look(chain) ?? new Uint8Array()) : await this.state.read(region, chain);
        if (region !== undefined) await this.#swapper.credit(region, chain);
        if (image === undefined) return undefined;
        images.push(image);
      }
      return images;
    });
  }
  /**
   * State of a peer for chains that have regions, in place of all that they had; without any they are as configured.
   * They have no credits then. Tasks that keep nothing are reset, too. @returns whether they have what was given
   */
  writeState(chains: readonly LiveChain[], images: readonly Uint8Array[] | undefined): Promise<boolean> {
    return this.#next(async () => {
      const left = [...(images ?? [])];
      let isWhole = images !== undefined;
      for (const chain of chains) {
        const [region] = chain.regions;
        if (region !== undefined) await this.state.fresh(region, chain);
        if (!this.state.isSingle(chain)) continue;
        const image = left.shift();
        if (isWhole && image?.length === 0) continue;
        if (isWhole && region !== undefined && image !== undefined && (await this.state.write(region, chain, image)))
          continue;
        isWhole = false;
        if (region !== undefined) await this.state.fresh(region, chain);
      }
      return isWhole && left.length === 0;
    });
  }

  /**
   * Who waits for these chains is dropped and counted, as what he waits for never comes. Nobody new may come; then the
   * chains are as configured, and have no credits. @param gone resolves when nobody waits any more
   */
  dropWaiting(chains: readonly LiveChain[], gone: () => Promise<unknown>): Promise<void> {
    return this.#next(async () => {
      const held = chains.flatMap(chain => chain.regions.map(region => ({ chain, region })));
      try {
        for (const { region } of held) {
          await this.#swapper.kill(region);
          if (!(await this.#o.memory.leave(region, true))) throw new SwapFailed("memory", region);
          // A region that is cut takes all that has credits, and drops it.
          await this.#swapper.dropAll(region, this.#o.slots);
        }
        await gone();
        for (const { chain, region } of held) {
          await this.#swapper.hold(region, this.#o.slots);
          await this.#remember(region, chain);
          await this.#swapper.wake(region, chain, this.#o.words);
        }
      } catch (e) {
        for (const { chain, region } of held) await this.#failed(region, chain, e);
      }
    });
  }

  /** A region is being changed, or a chain waits for one. */
  get isChanging(): boolean {
    return this.#changes > 0 || !this.#line.isEmpty;
  }
  #next<T>(what: () => Promise<T>): Promise<T> {
    this.#changes++;
    const done = this.#working.then(what).finally(() => this.#changes--);
    this.#working = done.catch(() => undefined);
    return done;
  }
  /** A victim of its own, a free region, the oldest victim; on demand, one that its chain has had for long enough. */
  async #choose(chain: LiveChain, reason: LaunchReason): Promise<number | undefined | typeof later> {
    const now = this.#o.time(),
      { victimLife, hold, loadOf } = this.#o,
      own = this.#places.findIndex(p => p.use === "victim" && p.chain === chain);
    if (own >= 0) return own;
    const bitstream = this.#bitstreamOf(chain),
      rivals = this.#rivals(chain.labels);
    if (bitstream === undefined || rivals.some(p => p.use !== "victim")) return undefined;
    // A victim that has the same task with memory is used no more.
    for (const rival of rivals) Object.assign(rival, { use: "free", chain: undefined, since: now });
    // Without one nobody waits: who looks how many are left sees at once that one is taken.
    if (this.#places.some(p => p.late === true)) await this.#recover();
    const fits = (region: number): boolean => this.#o.fits(region, bitstream),
      // Those that hold few of the chains first: the others are for chains that fit nowhere else.
      [free] = this.#places
        .flatMap((p, region) => (p.use === "free" && fits(region) ? [region] : []))
        .sort((a, b) => this.#holds(a) - this.#holds(b) || a - b);
    if (free !== undefined) return free;
    return whoGives(this.#places, { onDemand: reason === "demand", now, victimLife, hold, loadOf, fits });
  }
  /** How many of the bitstreams a region can hold. */
  #holds(region: number): number {
    return this.#o.bitstreams.filter((_, i) => this.#o.fits(region, i + 1)).length;
  }
  /** Regions in which something did not end in time, and has ended since, can be used again. */
  async #recover(): Promise<void> {
    for (const [region, place] of this.#places.entries()) {
      if (place.use !== "broken" || place.late !== true) continue;
      const { stage, off, empty, sent } = await this.#driver.region(region);
      if (stage !== "cut" || !off || !empty || sent > 0 || !(await this.#o.memory.leave(region, true))) continue;
      Object.assign(place, { use: "free", late: false, since: this.#o.time() });
      this.counted.recovered++;
    }
  }
  /** Before a chain wakes its tasks have their memory. */
  async #remember(region: number, chain: LiveChain): Promise<void> {
    if (!(await this.#o.memory.enter(region, chain.labels))) throw new SwapFailed("memory", region);
  }
  async #into(region: number, chain: LiveChain, begins: Begins = "kept"): Promise<LaunchOutcome> {
    const place = this.#places[region];
    if (place === undefined) return "noRegion";
    const bitstream = this.#bitstreamOf(chain);
    const isThere = place.chain === chain && place.use === "victim";
    if (bitstream === undefined && !isThere) return "noBitstream";
    if (place.use === "active" && place.chain !== undefined) {
      this.counted.stopped++;
      if (isLast(place.chain, region)) await this.#o.gate.close(place.chain, true);
      await this.#leave(place.chain, region);
      await this.#keep(place.chain, region);
      await this.#o.gate.changed(place.chain);
    }
    Object.assign(place, { use: "loading", chain, since: this.#o.time() });
    try {
      await this.#swapper.cut(region);
      if (!(await this.#o.memory.leave(region, false))) throw new SwapFailed("memory", region);
      // Its packets wait for this region when they have no other one.
      await this.#swapper.hold(region, this.#o.slots);
      if (chain.regions.length === 0) await this.#join(chain, region);
      if (isThere) this.counted.reused++;
      else {
        await this.#swapper.load(region, bitstream ?? 0);
        this.counted.reprogrammed++;
      }
    } catch (e) {
      return this.#failed(region, chain, e);
    }
    return this.#wake(region, chain, begins);
  }
  async #wake(region: number, chain: LiveChain, begins: Begins): Promise<LaunchOutcome> {
    const place = this.#places[region],
      image = begins === "kept" ? this.state.take(chain) : undefined;
    try {
      await this.#release(region, chain, image);
    } catch (e) {
      return this.#failed(region, chain, e);
    }
    if (place !== undefined) Object.assign(place, { use: "active", chain, since: this.#o.time() });
    if (!chain.regions.includes(region)) await this.#join(chain, region);
    await this.#o.gate.changed(chain);
    return "running";
  }
  /** Before its slots have credits it has its state, all of it or nothing. */
  async #release(region: number, chain: LiveChain, image: Uint8Array | undefined): Promise<void> {
    await this.#remember(region, chain);
    await this.#swapper.wake(region, chain, this.#o.words);
    if (image !== undefined && !(await this.state.write(region, chain, image))) {
      await this.#swapper.kill(region);
      await this.#swapper.wake(region, chain, this.#o.words);
    }
    await this.#swapper.credit(region, chain);
  }
  /** The state of a chain that has no region any more. */
  async #keep(chain: LiveChain, region: number): Promise<void> {
    if (chain.regions.length > 0) return;
    if (!this.state.isSingle(chain)) return this.state.keep(region, chain);
    const isEmpty = await this.#swapper.drained(region);
    await this.state.keep(region, chain);
    // Its slots are quiesced: who is still inside would stay there. Who cuts the region next tells what fails.
    if (!isEmpty)
      await this.#swapper.kill(region).catch((e: unknown) => {
        if (!(e instanceof SwapFailed)) throw e;
      });
  }
  /** Who waits for it is dropped: the region is cut, and takes all with credits. */
  async #failed(region: number, chain: LiveChain, e: unknown): Promise<LaunchOutcome> {
    if (!(e instanceof SwapFailed)) throw e;
    this.counted.failed++;
    await this.#leave(chain, region);
    await this.#swapper.dropAll(region, this.#o.slots);
    const place = this.#places[region];
    if (place !== undefined)
      Object.assign(place, {
        use: "broken",
        chain: undefined,
        since: this.#o.time(),
        late: e.kind === "late" || e.kind === "memory",
      });
    await this.#o.gate.open(chain);
    return "failed";
  }
  /** Its packets leave; what is loaded stays. */
  async #retire(region: number, state: "keep" | "forget"): Promise<void> {
    const place = this.#places[region],
      chain = place?.chain;
    if (place === undefined || chain === undefined) return;
    if (isLast(chain, region)) await this.#o.gate.close(chain, true);
    await this.#leave(chain, region);
    if (state === "keep") await this.#keep(chain, region);
    await this.#swapper.drained(region);
    Object.assign(place, { use: "victim", since: this.#o.time() });
    await this.#o.gate.changed(chain);
  }
  async #join(chain: LiveChain, region: number): Promise<void> {
    if (chain.regions.length === 0) chain.group = this.#freeGroup(chain);
    chain.regions = [...chain.regions, region].sort((a, b) => a - b);
    await this.#write(chain);
    await this.#o.gate.open(chain);
  }
  async #leave(chain: LiveChain, region: number): Promise<void> {
    chain.regions = chain.regions.filter(r => r !== region);
    await this.#write(chain);
  }
  async #write({ number, regions, group }: LiveChain): Promise<void> {
    const mask = regions.reduce((m, r) => m | (1 << r), 0);
    await this.#driver.write(tableWrite("chain", number, { regions: mask, group }));
  }
  /** A group that no other chain with regions has; 0, which several may share, when there is none. */
  #freeGroup(chain: LiveChain): number {
    const taken = new Set(this.chains.filter(c => c !== chain && c.regions.length > 0).map(c => c.group));
    return Array.from({ length: groups }, (_, g) => groups - 1 - g).find(g => !taken.has(g)) ?? 0;
  }
  /** No: its flows share a group with another chain's, or it has state that is only in one place. */
  #mayScale(chain: LiveChain): boolean {
    return (
      !this.state.isSingle(chain) &&
      !chain.tasks.some(t => t.state === "shared") &&
      !this.chains.some(c => c !== chain && c.regions.length > 0 && c.group === chain.group)
    );
  }
  #bitstreamOf(chain: LiveChain): number | undefined {
    const at = this.#o.bitstreams.findIndex(b => b.join("+") === chain.labels.join("+"));
    return at < 0 ? undefined : at + 1;
  }
}
/** The chain has no other region than this one. */
const isLast = ({ regions }: LiveChain, region: number): boolean => regions.every(r => r === region);
function isWithin(run: readonly string[], labels: readonly string[]): boolean {
  let at = 0;
  for (const l of labels) if (l === run[at]) at++;
  return at === run.length;
}
