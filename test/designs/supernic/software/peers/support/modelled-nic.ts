/** A sNIC in the model, in simulated time: tables as software wrote them, regions with packets and state, a line. */
import type { RegionDriver, RegionState, StateDriver } from "../../../../../../designs/supernic/software/index.ts";
import {
  dagEntries,
  mostSlots,
  mostStages,
  type StateSchema,
  type StateWord,
  tables,
  type TableWrite,
  uidEntries,
} from "../../../../../../designs/supernic/wire/index.ts";
import type { SimulatedTime } from "../../../../../../sim/index.ts";

/** What the task keeps that counts by flow: the count of each. */
export const countsKept: StateSchema = { parts: [{ name: "counts", first: 0, words: 512, fields: { n: 32 } }] };
type StateRead = Awaited<ReturnType<StateDriver["readState"]>>;
type StateOutcomeName = StateRead["outcome"];

/** Nanoseconds: of a register access, of waking, of a packet in a chain, of a line between two sNICs. */
export const times = { access: 100, wake: 64, packet: 1000, line: 500 } as const;

/** The fields of an entry. */
export function fieldsOf({ table, value }: Pick<TableWrite, "table" | "value">): Readonly<Record<string, number>> {
  let at = 0n;
  return Object.fromEntries(
    Object.entries(tables[table].fields).map(([name, { bits }]) => {
      const field = Number((value >> at) & ((1n << BigInt(bits)) - 1n));
      at += BigInt(bits);
      return [name, field];
    }),
  );
}

export interface Packet {
  readonly id: number;
  readonly uid: number;
  readonly flow: number;
  /** Port of the owner where it came in; the results leave there. */
  readonly done: (result: Result) => void;
}
/** `n`: how many packets of the flow the chain has had, this one too; 0 for a chain that does not count. */
export interface Result {
  readonly id: number;
  readonly uid: number;
  readonly flow: number;
  readonly n: number;
  readonly at: string;
}
interface Region {
  stage: RegionState["stage"];
  loaded: number;
  asked: number;
  until: number;
  wrong: boolean;
  refused: boolean;
  taken: number;
  readonly queue: { readonly packet: Packet; readonly end: (p: Packet, n: number) => void }[];
  busy: boolean;
  state: Map<number, number>;
}

export class ModelledNic implements RegionDriver, StateDriver {
  readonly name: string;
  readonly time: SimulatedTime;
  readonly regions: readonly Region[];
  /** Bitstreams that count packets by flow. */
  readonly #counts: ReadonlySet<number>;
  readonly #reprogram: number;
  readonly #entries = new Map<string, Readonly<Record<string, number>>>();
  readonly log: string[] = [];
  /** Where a redirect goes, by the peer's index. */
  redirect: (peer: number, p: Packet) => void = () => undefined;
  /** A packet that a guest has done goes back to its owner. */
  goBack: (p: Packet, n: number) => void = () => undefined;
  dropped: { readonly id: number; readonly why: string }[] = [];
  /** Its tasks do not answer for their state; or not behind so many words that are written. */
  mute = false;
  writes = Infinity;
  /** The sNIC does nothing any more. */
  dead = false;
  /** A write that never comes. */
  loses: (w: TableWrite) => boolean = () => false;

  constructor(
    name: string,
    time: SimulatedTime,
    o: { regions: number; reprogram: number; counts: ReadonlySet<number> },
  ) {
    this.name = name;
    this.time = time;
    this.#counts = o.counts;
    this.#reprogram = o.reprogram;
    this.regions = Array.from({ length: o.regions }, (): Region => ({
      ...{ stage: "cut", loaded: 0, asked: 0, until: 0, wrong: false, refused: false, taken: 0 },
      ...{ queue: [], busy: false, state: new Map() },
    }));
  }
  /** Without power: nothing is inside, nothing is written. */
  reset(): void {
    this.#entries.clear();
    for (const r of this.regions) {
      for (const { packet } of r.queue.splice(0)) this.dropped.push({ id: packet.id, why: "dead" });
      Object.assign(r, { stage: "cut", loaded: 0, asked: 0, until: 0, refused: false, state: new Map() });
    }
  }
  pause(ns: number): Promise<void> {
    return new Promise(resolve => this.time.after(ns, resolve));
  }

  async write(w: TableWrite): Promise<void> {
    await this.pause(times.access);
    if (this.loses(w)) return;
    if (w.table === "region") {
      this.#ask(w.index, fieldsOf(w));
      return;
    }
    const places =
      w.table === "uid" ? [0, 1].filter(loop => ((w.ports ?? 0) & (loop ? ~this.#plain : this.#plain)) !== 0) : [0];
    for (const loop of places) this.#entries.set(`${w.table} ${loop} ${w.index}`, fieldsOf(w));
    if (w.table === "uid") this.log.push(`${this.time.now()} uid ${w.index}`);
    if (w.table === "slot") {
      const r = this.regions[Math.floor(w.index / mostSlots)];
      // Packets without credits wait in front of the region: an isolated slot has none of them.
      if (fieldsOf(w)["isolate"] === 1 && r !== undefined && w.index % mostSlots === 0) r.state = new Map();
      this.#step(r);
    }
  }
  /** Ports but the loop port, which is port 4. */
  readonly #plain = 0xf;
  entry(
    table: "uid" | "dag" | "dagStage" | "chain" | "slot" | "peer",
    index: number,
    loop = 0,
  ): Readonly<Record<string, number>> {
    return this.#entries.get(`${table} ${loop} ${index}`) ?? {};
  }
  #ask(index: number, f: Readonly<Record<string, number>>): void {
    const r = this.regions[index];
    if (r === undefined) return;
    r.refused = false;
    if (f["load"] === 1) {
      if (r.stage !== "cut" || r.queue.length > 0) r.refused = true;
      else {
        Object.assign(r, { stage: "loading", asked: f["chain"] ?? 0, until: this.time.now() + this.#reprogram });
      }
    } else if (f["isolate"] === 1) {
      r.stage = "cut";
      r.state = new Map();
      // Killed: what is inside is dropped and counted.
      for (const { packet } of r.queue.splice(0)) this.dropped.push({ id: packet.id, why: "killed" });
    } else if (f["quiesce"] !== 1 && r.stage === "cut")
      Object.assign(r, { stage: "waking", until: this.time.now() + times.wake });
  }
  async region(index: number): Promise<RegionState> {
    await this.pause(times.access);
    const r = this.regions[index];
    if (r === undefined) throw new RangeError(`there is no region ${index}`);
    if (r.stage === "loading" && this.time.now() >= r.until) Object.assign(r, { stage: "cut", loaded: r.asked });
    if (r.stage === "waking" && this.time.now() >= r.until) r.stage = "on";
    const inside = r.queue.length;
    return {
      ...{ stage: r.stage, off: r.stage !== "on", empty: inside === 0, quiet: inside === 0, wrong: false },
      ...{ refused: r.refused, chain: r.loaded, sent: inside, inside, killed: 0 },
    };
  }
  async activity(index: number): Promise<{ inside: number; taken: number }> {
    await this.pause(times.access);
    const r = this.regions[index];
    return { inside: r?.queue.length ?? 0, taken: r?.taken ?? 0 };
  }

  /** A packet of a DAG comes in; at the loop port out of a redirect. */
  enter(p: Packet, loop: boolean): void {
    if (this.dead) {
      this.dropped.push({ id: p.id, why: "dead" });
      return;
    }
    const e = this.entry("uid", p.uid % uidEntries, loop ? 1 : 0);
    if (e["valid"] !== 1 || e["allowed"] !== 1 || e["generation"] !== Math.floor(p.uid / uidEntries)) {
      this.dropped.push({ id: p.id, why: loop ? "no guest" : "refused" });
      return;
    }
    if (e["here"] !== 1) {
      this.redirect(e["peer"] ?? 0, p);
      return;
    }
    this.#run(p, e["dag"] ?? dagEntries, loop);
  }
  #run(p: Packet, dag: number, loop: boolean): void {
    const chain = this.entry("dagStage", dag * mostStages)["chain0"] ?? -1,
      mask = this.entry("chain", chain)["regions"] ?? 0,
      index = [0, 1, 2, 3].find(r => (mask >> r) & 1),
      region = index === undefined ? undefined : this.regions[index];
    if (region === undefined) {
      this.dropped.push({ id: p.id, why: "no region" });
      return;
    }
    region.queue.push({ packet: p, end: (q, n) => (loop ? this.goBack(q, n) : q.done(this.#result(q, n))) });
    this.#step(region);
  }
  #result({ id, uid, flow }: Packet, n: number): Result {
    return { id, uid, flow, n, at: this.name };
  }
  #step(r: Region | undefined): void {
    if (r === undefined || r.busy || r.queue.length === 0 || r.stage !== "on") return;
    const { limit = 0, quiesce = 0, isolate = 0 } = this.#slot(this.regions.indexOf(r));
    if (limit === 0 || quiesce === 1 || isolate === 1) return;
    r.busy = true;
    this.time.after(times.packet, () => {
      r.busy = false;
      const first = r.queue.shift();
      if (first === undefined || this.dead) return;
      r.taken++;
      const n = this.#counts.has(r.loaded) ? (r.state.get(first.packet.flow) ?? 0) + 1 : 0;
      if (n > 0) r.state.set(first.packet.flow, n);
      first.end(first.packet, n);
      this.#step(r);
    });
  }
  #slot(index: number): Readonly<Record<string, number>> {
    return this.entry("slot", index * mostSlots);
  }
  async slot(index: number): Promise<{ quiet: boolean; off: boolean }> {
    await this.pause(times.access);
    const r = this.regions[index],
      off = r?.stage !== "on" || this.#slot(index)["isolate"] === 1;
    return { quiet: this.#slot(index)["quiesce"] === 1 && r?.busy !== true, off };
  }
  /** Its task has asks only while it is quiet. */
  async #ask0(index: number, slot: number): Promise<Map<number, number> | undefined> {
    await this.pause(times.access);
    const { quiet, off } = await this.slot(index),
      r = this.regions[index];
    return quiet && !off && slot === 0 && r !== undefined && this.#counts.has(r.loaded) ? r.state : undefined;
  }
  async readState(index: number, slot: number, at: number, last: number): Promise<StateRead> {
    const state = await this.#ask0(index, slot);
    if (state === undefined) return { outcome: this.mute ? "late" : "refused", word: undefined };
    if (this.mute) return { outcome: "late", word: undefined };
    const [first] = [...state.keys()].filter(k => k >= at && k <= last).sort((x, y) => x - y);
    return {
      outcome: "done",
      word: first === undefined ? undefined : { at: first, data: BigInt(state.get(first) ?? 0) },
    };
  }
  async writeState(index: number, slot: number, { at, data }: StateWord): Promise<StateOutcomeName> {
    const state = await this.#ask0(index, slot);
    if (this.mute || --this.writes < 0) return "late";
    if (state === undefined) return "refused";
    state.set(at, Number(data));
    return "done";
  }
}
