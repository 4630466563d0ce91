/** Some modelled sNICs with their software for peers, joined by lines that lose, double and delay. */
import { deviceSizes, taskNamed } from "../../../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../../../designs/supernic/config/index.ts";
import {
  type Dag,
  type PageFrames,
  pairKey,
  PeerSoftware,
  readSetup,
  RegionManager,
  type Setup,
  type Site,
  StateMover,
  stateOf,
  Ways,
} from "../../../../../../designs/supernic/software/index.ts";
import { dagWrites } from "../../../../../../designs/supernic/software/setup/index.ts";
import {
  type CtrlStatusName,
  dagBranchBody,
  type Declared,
  peerLaunchBody,
} from "../../../../../../designs/supernic/wire/index.ts";
import { decode, encode } from "../../../../../../designs/shared/wire/index.ts";
import { Random, SimulatedTime } from "../../../../../../sim/index.ts";
import { countsKept, ModelledNic, type Packet, type Result, times } from "./modelled-nic.ts";

export const period = 100_000;
const catalogue = ["dummy", "checksum", "counter"],
  bitstreams = catalogue.map(t => [t]),
  counts = new Set([3]),
  /** Nanoseconds for which a packet may wait in front of a line: less than `quiet`. */
  waits = 8_000,
  reprogram = 60_000,
  quiet = 20_000,
  rackKey = new Uint8Array(32).fill(7);
const declared = (name: string): Declared =>
  name === "counter"
    ? { ...taskNamed("dummy").declared, name, state: "flow", keeps: countsKept }
    : taskNamed(name).declared;
const parameters = makeParameters({ ports: 4, regions: 2, slots: 2, users: 4 });
const macOf = (n: number): bigint => 0x02_5c_00_00_00_10n + BigInt(n);
const macText = (n: number): string => `02:5c:00:00:00:${(0x10 + n).toString(16)}`;
const ipOf = (n: number): number => 0x0a14_0001 + n;

export interface LineFaults {
  readonly loss?: number;
  readonly duplicate?: number;
  readonly reorder?: number;
}
export interface RegionParts {
  readonly RegionManager: typeof RegionManager;
  readonly StateMover: typeof StateMover;
}
export interface RackOptions {
  /** sNICs, each joined to each. */
  readonly count: number;
  readonly seed?: number;
  readonly faults?: LineFaults;
  readonly hops?: (a: number, b: number) => number;
  /** The sNIC in between on the way from one to another; undefined: they have a link. The same both ways. */
  readonly over?: (a: number, b: number) => number | undefined;
  /** The sNIC next to the first one on another way to the second; undefined: there is none. */
  readonly around?: (a: number, b: number) => number | undefined;
  readonly runsAtEndpoint?: (dag: Dag) => boolean;
  /** Load of every chain, in percent. */
  readonly load?: number;
  /** The software with a fault in it. */
  readonly software?: typeof PeerSoftware | undefined;
  /** The software of regions and of state with a fault in it. */
  readonly parts?: RegionParts | undefined;
  /** Pages of a sNIC's board that are set aside for peers. */
  readonly aside?: (nic: Nic, rack: ModelledRack) => PageFrames;
}

export class Nic {
  readonly number: number;
  readonly model: ModelledNic;
  readonly setup: Setup;
  manager: RegionManager;
  readonly ways: Ways;
  dags: Dag[] = [];
  readonly gone: string[] = [];
  peers: PeerSoftware;
  boot = 1;
  /** Pages that are set aside for peers. */
  aside = 0;
  readonly #rack: ModelledRack;

  constructor(rack: ModelledRack, number: number) {
    this.#rack = rack;
    this.number = number;
    const { time, o } = rack,
      others = Array.from({ length: o.count }, (_, n) => n).filter(n => n !== number);
    this.model = new ModelledNic(`snic${number}`, time, { regions: 2, reprogram, counts });
    this.setup = readSetup(
      JSON.stringify({
        ...{ mac: macText(number), ip: `10.20.0.${1 + number}`, number },
        ports: Array.from({ length: 4 }, (_, i) => ({ peer: i > 0 })),
        users: [{ name: "alice" }],
        peers: others.map(n => {
          const hops = rack.steps(number, n).length,
            by = o.around?.(number, n);
          const around = by === undefined ? undefined : { port: this.#portOf(by), hops: 1 + rack.steps(by, n).length };
          return { name: `snic${n}`, mac: macText(n), port: this.portTo(n), hops, ...(around && { around }) };
        }),
      }),
      "setup",
      deviceSizes(parameters),
      declared,
    );
    this.manager = this.#regions();
    this.ways = new Ways(this.setup, this.model);
    this.peers = this.#software();
  }
  #regions(): RegionManager {
    const { time, o } = this.#rack,
      { RegionManager: Manager, StateMover: Mover } = o.parts ?? { RegionManager, StateMover };
    return new Manager(this.model, [], {
      ...{ time: () => time.now(), wait: () => this.model.pause(1000), credits: 8, slots: 2, declared, bitstreams },
      ...{ regions: [0, 1].map(() => ({ labels: [], fixed: false })), words: () => [], victimLife: 1e6 },
      times: { drain: 1_000_000, reprogram: 10 * reprogram },
      state: new Mover(this.model, {
        ...{ time: () => time.now(), wait: () => this.model.pause(1000), words: () => [] },
      }),
    });
  }
  portTo(other: number): number {
    return this.#portOf(this.#rack.over(this.number, other) ?? other);
  }
  #portOf(next: number): number {
    return 1 + this.#lines.indexOf(next);
  }
  /** Who is at the other ends of its lines: all others, or in a ring of more than four the two beside it. */
  get #lines(): readonly number[] {
    const { count } = this.#rack.o,
      others = Array.from({ length: count }, (_, n) => n).filter(n => n !== this.number);
    return count <= 4 ? others : others.filter(n => [1, count - 1].includes((n - this.number + count) % count));
  }
  /** The sNIC that frames for another one go to, as its tables have it now. */
  nextTo(other: number): number {
    const index = this.setup.peers.findIndex(p => p.mac === macOf(other)),
      port = this.model.entry("peer", index)["port"] ?? this.portTo(other);
    return this.#lines[port - 1] ?? other;
  }
  /** The port at which frames of the sNIC at its other end come in. */
  portFrom(next: number): number {
    return this.#portOf(next);
  }
  get site(): Site {
    const state = stateOf(this.manager);
    return {
      ...{ setup: this.setup, manager: this.manager, ways: this.ways, state, catalogue, quiet },
      dags: () => this.dags,
      activity: r => this.model.activity(r),
      time: () => this.#rack.time.now(),
      pause: ns => this.model.pause(ns),
    };
  }
  #software(): PeerSoftware {
    const { o, time } = this.#rack,
      { software: Software = PeerSoftware } = o,
      frames = o.aside?.(this, this.#rack);
    this.aside = frames?.count ?? 0;
    return new Software(this.site, {
      peers: this.setup.peers.map((p, i) => {
        const n = Number(p.mac - macOf(0));
        return {
          ...{
            number: n,
            name: p.name,
            mac: p.mac,
            ip: ipOf(n),
            port: this.setup.peers[i]?.port ?? 0,
            around: p.around,
          },
          ...{
            hops: o.hops?.(this.number, n) ?? this.#rack.steps(this.number, n).length,
            key: pairKey(rackKey, this.number, n),
          },
        };
      }),
      ...{ boot: this.boot, period, clock: time },
      send: ({ frame, ports }) => {
        for (const port of ports) this.#rack.carry(this, port, frame);
      },
      onGone: p => this.gone.push(p.name),
      loadOf: () => o.load ?? 0,
      frames,
      ...(o.runsAtEndpoint && { runsAtEndpoint: o.runsAtEndpoint }),
    });
  }
  /** A DAG is not wanted any more, and its region is free. */
  async free(dag: Dag): Promise<void> {
    const chain = this.manager.chains.find(c => c.number === dag.stages[0]?.[0]?.chain.number),
      regions = [...(chain?.regions ?? [])];
    if (chain === undefined) return;
    await this.peers.withdraw(dag);
    await this.manager.stop(chain);
    for (const r of regions) await this.manager.erase(r);
  }
  /** Its software starts anew: it knows nothing of before but its boot. */
  restart(): void {
    this.peers.stop();
    this.boot++;
    this.peers = this.#software();
    this.peers.start();
  }
  /** Its power is off. */
  fail(): void {
    this.model.dead = true;
    this.peers.stop();
    this.model.reset();
  }
  /** And on again: all that it had is gone, and who runs it asks for its DAGs again. */
  async reborn(): Promise<void> {
    this.model.reset();
    this.model.dead = false;
    this.manager = this.#regions();
    this.boot++;
    const before = this.dags;
    this.dags = [];
    this.peers = this.#software();
    this.peers.start();
    for (const d of before) {
      const task = d.stages[0]?.[0]?.chain.labels[0] ?? "";
      const { number: _n, stages: _s, ...more } = d;
      void this.peers.place(await this.dag(task, more));
    }
  }
  neighbour(n: number) {
    const found = this.peers.neighbours.find(x => x.place.number === n);
    if (found === undefined) throw new RangeError(`there is no peer ${n}`);
    return found;
  }
  /** A DAG of one task, which runs nowhere yet. */
  async dag(task: string, more: Partial<Dag> = {}): Promise<Dag> {
    const chain = this.manager.chainFor([task], () => true),
      user = this.setup.users[0],
      n = this.dags.length;
    if (chain === undefined || user === undefined) throw new RangeError(`there is no chain of ${task}`);
    const dag: Dag = {
      ...{ number: n, name: `${task}${n}`, user, uid: 1024 + 64 * this.number + 1 + n, ports: 1, peer: undefined },
      ...{
        stages: [[{ chain, run: [0], arg: 0 }]],
        way: "mac",
        port: 0,
        keepShim: false,
        unordered: false,
        slow: false,
      },
      ...more,
    };
    for (const w of dagWrites({ dags: [dag] })) await this.model.write(w);
    this.dags.push(dag);
    return dag;
  }
  /** Where a DAG's packets go: `here`, the peer's name, or `nowhere`. */
  wayOf(dag: Dag): string {
    const e = this.model.entry("uid", dag.uid % 1024);
    if (e["valid"] !== 1 || e["allowed"] !== 1) return "nowhere";
    return e["here"] === 1 ? "here" : (this.setup.peers[e["peer"] ?? 0]?.name ?? "nowhere");
  }
}

export class ModelledRack {
  readonly time = new SimulatedTime();
  readonly o: RackOptions;
  readonly random: Random;
  readonly nics: readonly Nic[];
  /** Lines that carry nothing: `from to`. */
  readonly cut = new Set<string>();
  /** Told of each frame between two sNICs; what it gives goes on in its place. */
  between: (from: number, to: number, frame: Uint8Array) => readonly Uint8Array[] = (_f, _t, frame) => [frame];
  readonly results: Result[] = [];
  #ids = 0;
  /** By way, when the last packet arrives. */
  readonly #arrived = new Map<string, number>();

  constructor(o: RackOptions) {
    this.o = o;
    this.random = new Random(o.seed ?? 1);
    this.nics = Array.from({ length: o.count }, (_, n) => new Nic(this, n));
    for (const nic of this.nics) {
      nic.model.redirect = (index, p) => {
        const to = Number((nic.setup.peers[index]?.mac ?? macOf(0)) - macOf(0));
        this.#packet(nic.number, to, p, by => {
          // A redirect that does not come by the way to its owner is a stranger's.
          if (this.nic(to).nextTo(nic.number) === by) this.nic(to).model.enter(p, true);
          else this.nic(to).model.dropped.push({ id: p.id, why: "stranger" });
        });
      };
      nic.model.goBack = (p, n) => {
        const owner = Math.floor((p.uid % 1024) / 64);
        this.#packet(nic.number, owner, p, () => p.done({ id: p.id, uid: p.uid, flow: p.flow, n, at: nic.model.name }));
      };
    }
  }
  nic(n: number): Nic {
    const found = this.nics[n];
    if (found === undefined) throw new RangeError(`there is no sNIC ${n}`);
    return found;
  }
  over(a: number, b: number): number | undefined {
    return this.o.over?.(a, b);
  }
  /** The links from one sNIC to another. */
  steps(from: number, to: number): readonly (readonly [number, number])[] {
    const over = this.over(from, to);
    return over === undefined ? [[from, to]] : [...this.steps(from, over), ...this.steps(over, to)];
  }
  /** What passes on the way is there: hardware passes frames on, whatever software does. */
  #isOpen([from, to]: readonly [number, number], target: number): boolean {
    return !this.cut.has(`${from} ${to}`) && (to === target || !this.nic(to).model.dead);
  }
  /** Data lines lose nothing but what a cut line loses: PFC and links see to that. */
  #packet(from: number, to: number, p: Packet, arrives: (by: number) => void): void {
    const way = `${from} ${to}`,
      steps = this.#now(from, to);
    if (steps === undefined || !steps.every(s => this.#isOpen(s, to))) {
      this.nic(from).model.dropped.push({ id: p.id, why: "cut" });
      return;
    }
    // It may wait in a class queue; none overtakes.
    const soonest = this.time.now() + times.line + this.random.between(0, waits),
      at = Math.max(soonest, this.#arrived.get(way) ?? 0);
    this.#arrived.set(way, at);
    const by = steps.at(-1)?.[0] ?? from;
    this.time.after(at - this.time.now(), () => arrives(by));
  }
  /** The links from one to another by the tables as they are; undefined: one in between would send it back. */
  #now(from: number, to: number): readonly (readonly [number, number])[] | undefined {
    const steps: (readonly [number, number])[] = [];
    for (let at = from, before = -1; at !== to;) {
      const next = this.nic(at).nextTo(to);
      if (next === before || steps.length > this.o.count) return undefined;
      steps.push([at, next]);
      before = at;
      at = next;
    }
    return steps;
  }
  carry(from: Nic, port: number, frame: Uint8Array): void {
    const dst = frame.slice(0, 6).reduce((v, b) => (v << 8n) | BigInt(b), 0n),
      to = this.nics.find(n => n !== from && n.setup.mac === dst);
    if (to === undefined || from.model.dead || to.model.dead) return;
    // Software names the port; those in between go by their tables.
    const first = this.nics.find(n => n !== from && from.portFrom(n.number) === port)?.number ?? to.number,
      more = first === to.number ? [] : this.#now(first, to.number);
    if (more === undefined || more[0]?.[1] === from.number) return;
    this.#carry(from, to, [[from.number, first], ...more], frame);
  }
  /** Over link after link, each of which may lose it. */
  #carry(from: Nic, to: Nic, steps: readonly (readonly [number, number])[], frame: Uint8Array, by = from.number): void {
    const [step, ...more] = steps;
    if (step === undefined) {
      to.peers.receive(frame, to.portFrom(by));
      return;
    }
    if (!this.#isOpen(step, to.number)) return;
    const { loss = 0, duplicate = 0, reorder = 0 } = this.o.faults ?? {};
    for (const f of this.between(step[0], step[1], frame)) {
      if (this.random.chance(loss)) continue;
      for (let copies = this.random.chance(duplicate) ? 2 : 1; copies > 0; copies--) {
        const late = this.random.chance(reorder) ? this.random.between(0, 2 * period) : 0;
        this.time.after(times.line + late, () => this.#carry(from, to, more, f, step[0]));
      }
    }
  }
  /** A packet of a DAG comes in at its owner. @returns its number */
  packet(nic: Nic, dag: Dag, flow = 0): number {
    const id = ++this.#ids;
    nic.model.enter({ id, uid: dag.uid, flow, done: r => this.results.push(r) }, false);
    return id;
  }
  /** A LAUNCH that the software would not make. @returns what the peer answers */
  ask(from: Nic, to: Nic, dag: Partial<Dag>, codes: readonly number[]): Promise<CtrlStatusName> {
    const branch = encode(dagBranchBody, { tasks: codes.length, task0: codes[0] ?? 0, task1: codes[1] ?? 0 }),
      head = decode(
        peerLaunchBody,
        encode(peerLaunchBody, { uid: dag.uid ?? 1024 + 9, launch: ++this.#ids, user: dag.user?.number ?? 1 }),
      );
    return to.peers.guests.launch(from.number, head, branch);
  }
  periods(n: number): Promise<void> {
    return new Promise(resolve => this.time.after(n * period, resolve));
  }
  /** Until something holds, looked at ten times a period. @throws when it does not within `most` periods */
  async until(holds: () => boolean, what: string, most = 100): Promise<void> {
    for (let i = 0; i < 10 * most; i++) {
      if (holds()) return;
      await this.periods(0.1);
    }
    throw new Error(`not within ${most} periods: ${what}`);
  }
  async start(): Promise<void> {
    for (const n of this.nics) {
      await n.manager.start();
      n.peers.start();
    }
    await this.until(
      () => this.nics.every(n => n.peers.neighbours.every(p => p.presence === "there")),
      "all are there",
      10,
    );
  }
  /** What may not be left in any sNIC. */
  leaks(): readonly string[] {
    const textOf = (e: unknown): string => (e instanceof Error ? e.message : "something was thrown");
    return this.nics.flatMap(n => [
      ...(n.peers.failed === undefined ? [] : [`${n.model.name}: ${textOf(n.peers.failed)}`]),
      ...n.model.regions.flatMap((r, i) =>
        r.queue.length > 0 ? [`${n.model.name}: ${r.queue.length} in region ${i}`] : [],
      ),
    ]);
  }
}
/** Runs a rack for as long as `body` does, in simulated time. */
export async function inRack(o: RackOptions, body: (rack: ModelledRack) => Promise<void>): Promise<void> {
  const rack = new ModelledRack(o);
  await rack.time.run(
    (async () => {
      await rack.start();
      await body(rack);
      for (const n of rack.nics) n.peers.stop();
      const leaks = rack.leaks();
      if (leaks.length > 0) throw new Error(leaks.join("; "));
    })(),
    { limitNs: 10_000 * period },
  );
}
