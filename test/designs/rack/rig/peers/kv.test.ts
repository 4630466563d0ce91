/**
 * Clients of Clio-KV through sNICs to nodes. All the time their DAGs go to another sNIC and come back, and one sNIC's
 * software falls silent or starts anew. No operation is lost after its reply, and none is done twice.
 * MNEMO_RACK_OPERATIONS says how many there are in all of the rack of four, MNEMO_RACK_CLIENTS how many clients a host
 * has, and MNEMO_SEED where the random choices begin.
 */
import { describe, expect, it } from "vitest";
import { clockPeriod, peersOf, type RunningRack, withRack } from "../../../../../designs/rack/rig/fabric/index.ts";
import { clientGroups, problemsOf, work } from "../../../../../designs/rack/rig/program/index.ts";
import { readRack } from "../../../../../designs/rack/setup/index.ts";
import type { Dag, PeerSoftware } from "../../../../../designs/supernic/software/index.ts";
import { Random } from "../../../../../sim/index.ts";
import { hangMs } from "../../../../support/hang-ms.ts";

const few = Number(process.env["MNEMO_OPERATIONS"] ?? 24),
  /** Of each host of four. */
  many = Math.ceil(Number(process.env["MNEMO_RACK_OPERATIONS"] ?? 4 * few) / 4),
  clients = Number(process.env["MNEMO_RACK_CLIENTS"] ?? 2),
  firstSeed = Number(process.env["MNEMO_SEED"] ?? 1),
  period = 10_000,
  quiet = 3_000,
  /** ns. A request waits in a sNIC while software is silent (9 periods, 5 until that is seen) and DAGs are moved. */
  settleNs = 100 * period,
  rackKey = new Uint8Array(32).fill(3);
const guard = ["firewall", "delay(6,1)"],
  build = { bitstreams: [guard, ["dummy"]], sizes: { reprogramCycles: 1_500 } };
/** sNICs, and what is between them. */
interface Shape {
  readonly count: number;
  /** sNICs with a host, a node and software of peers; the others pass on what is not theirs. */
  readonly ends: readonly number[];
  /** The sNICs that a link joins. */
  readonly links: readonly (readonly [number, number])[];
}
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);
/** A link between each two. */
const mesh = (count: number): Shape => ({
  count,
  ends: upTo(count),
  links: upTo(count).flatMap(a =>
    upTo(count)
      .filter(b => b > a)
      .map(b => [a, b] as const),
  ),
});
const ring = (count: number): Shape => ({
  count,
  ends: upTo(count),
  links: upTo(count).map(n => [n, (n + 1) % count] as const),
});
/** Two, and one in between that runs nothing. */
const line: Shape = {
  count: 3,
  ends: [0, 2],
  links: [
    [0, 1],
    [1, 2],
  ],
};
const linksOf = (n: number, { links }: Shape) => links.filter(l => l.includes(n));
/** Ports of a sNIC: a host, a memory node, and its links to others. */
const portAt = (n: number, link: readonly [number, number], s: Shape): number => 2 + linksOf(n, s).indexOf(link);
const others = (n: number, { count }: Shape): readonly number[] => upTo(count).filter(m => m !== n);
/** The way to another: its own link, or that to the one in between with the lowest number behind the first one. */
function wayTo(n: number, other: number, s: Shape): { readonly port: number; readonly hops: number } {
  const own = linksOf(n, s).find(l => l.includes(other)),
    between = [...upTo(s.count).slice(1), 0].find(m =>
      [n, other].every(end => linksOf(end, s).some(l => l.includes(m))),
    ),
    link = own ?? linksOf(n, s).find(l => between !== undefined && l.includes(between));
  if (link === undefined) throw new RangeError(`no way from ${n} to ${other}`);
  return { port: portAt(n, link, s), hops: own ? 1 : 2 };
}
const macOf = (n: number): string => `02:5c:00:00:00:0${n}`;
const device = (n: number, s: Shape) => ({
  name: `snic${n}`,
  set: { ports: 2 + linksOf(n, s).length, regions: 2, slots: 2, branches: 1, contexts: 64, cells: 128, users: 2 },
  setup: {
    ...{ mac: macOf(n), ip: `10.20.0.${n + 1}`, number: n },
    ports: [{}, {}, ...linksOf(n, s).map(() => ({ peer: true }))],
    peers: others(n, s).map(m => ({ name: `snic${m}`, mac: macOf(m), ...wayTo(n, m, s) })),
    users: [{ name: "memory", contexts: 64, cells: 128 }],
    regions: [{ chain: "guard", tasks: guard }],
    firewall: [{ user: "memory", protocol: 17, action: "pass" }, { action: "drop" }],
    dags: [{ name: "requests", user: "memory", uid: 1024 + 64 * n + 1, ports: [0], stages: [[{ chain: "guard" }]] }],
  },
});
/** Each end with a host and a node of its own; the hosts' lines are bad. */
const planOf = (s: Shape, bad: number, operations: number) => {
  const all = s.ends;
  return readRack(
    JSON.stringify({
      devices: upTo(s.count).map(n => device(n, s)),
      nodes: all.map(n => ({ name: `mem${n}`, mac: `02:c1:10:00:00:0${n}`, ip: `10.20.2.${n + 1}` })),
      endpoints: all.map(n => ({
        ...{ name: `host${n}`, mac: `02:10:00:00:00:0${n}`, ip: `10.20.1.${n + 1}`, dag: `snic${n}/requests` },
        program: { kind: "kv", softwareTimeoutNs: 30_000, node: `mem${n}`, clients, operations, keys: 4 * clients },
      })),
      links: [
        ...all.flatMap(n => [
          { between: [`host${n}`, `snic${n}:0`], loss: bad, duplicate: bad, reorder: bad, corrupt: bad },
          { between: [`mem${n}`, `snic${n}:1`] },
        ]),
        ...s.links.map(l => ({ between: l.map(n => `snic${n}:${portAt(n, l, s)}`) })),
      ],
    }),
    "kv",
  );
};

/** Software of all sNICs, which fails and moves DAGs until it is told to end. */
class Trouble {
  readonly counts = { moves: 0, failures: 0, gone: 0 };
  readonly #rack: RunningRack;
  readonly #random: Random;
  readonly #software: (PeerSoftware | undefined)[];
  readonly #ends: readonly number[];
  readonly #boots = [1, 1];
  #over = false;
  #going: Promise<void> = Promise.resolve();

  constructor(rack: RunningRack, seed: number, ends: readonly number[]) {
    this.#rack = rack;
    this.#random = new Random(seed);
    this.#ends = ends;
    this.#software = rack.devices.map((_, n) => (ends.includes(n) ? this.#begin(n) : undefined));
  }
  #begin(n: number): PeerSoftware {
    const { devices } = this.#rack,
      own = devices[n];
    if (own === undefined) throw new RangeError(`there is no sNIC ${n}`);
    const boot = (this.#boots[n] ?? 0) + 1;
    this.#boots[n] = boot;
    const made = peersOf(own, devices, { boot, period, quiet, rackKey, onGone: () => void this.counts.gone++ });
    made.start();
    return made;
  }
  #dagOf(n: number): Dag {
    const dag = this.#rack.devices[n]?.device.managed?.dags.dags[0];
    if (dag === undefined) throw new RangeError(`sNIC ${n} has no DAG`);
    return dag;
  }
  #of(n: number): PeerSoftware {
    const found = this.#software[n];
    if (found === undefined) throw new RangeError(`there is no sNIC ${n}`);
    return found;
  }
  get #all(): readonly PeerSoftware[] {
    return this.#ends.map(n => this.#of(n));
  }
  /** All are there, and the first one's DAG is away. */
  async begin(): Promise<void> {
    const there = (): boolean =>
      this.#all.every(s =>
        s.neighbours.every(({ place, presence }) => presence === "there" || !this.#ends.includes(place.number)),
      );
    for (let i = 0; !there() && i < 50; i++) await this.#rack.clockwork.pause(period);
    expect(await this.#of(0).away.move(this.#dagOf(0))).toBe(true);
    this.counts.moves++;
  }
  run(): void {
    this.#going = this.#run();
  }
  async #run(): Promise<void> {
    while (!this.#over) {
      const n = this.#random.pick(this.#ends);
      if (this.#random.chance(0.3)) await this.#fail(n);
      else if (await this.#of(n).away.move(this.#dagOf(n))) this.counts.moves++;
      await this.#rack.clockwork.pause(this.#random.between(1, 4) * period);
    }
  }
  /** Silent for a while, shorter or longer than its peer waits; then it starts anew, and asks for its DAG again. */
  async #fail(n: number): Promise<void> {
    this.counts.failures++;
    this.#of(n).stop();
    await this.#rack.clockwork.pause(this.#random.between(2, 9) * period);
    this.#software[n] = this.#begin(n);
    await this.#of(n).place(this.#dagOf(n));
  }
  /** Until all DAGs run where they belong and nobody is a guest. */
  async end(): Promise<void> {
    // What is under way ends first: a sNIC that has failed comes back.
    this.#over = true;
    await this.#going;
    const away = (): number =>
      this.#all.reduce(
        (n, s) => n + s.neighbours.reduce((m, o) => m + s.away.at(o).length, 0) + s.guests.all.length,
        0,
      );
    for (let i = 0; away() > 0 && i < 200; i++) await this.#rack.clockwork.pause(period);
    for (const s of this.#all) s.stop();
    await this.#rack.clockwork.pause(5 * period);
    expect(away()).toBe(0);
    expect(this.#all.map(s => s.failed).filter(e => e !== undefined)).toEqual([]);
  }
}

function serves(s: Shape, bad: number, operations: number, seed = 1): Promise<void> {
  const o = { seed, build, device: () => ({ isManaged: true }) };
  return withRack(planOf(s, bad, operations), o, async rack => {
    const trouble = new Trouble(rack, 6 + seed, s.ends);
    await trouble.begin();
    trouble.run();
    const groups = clientGroups(rack, 1),
      workloads = await Promise.all(groups.map((g, i) => work(rack, g, { seed: seed + i, settleNs })));
    await trouble.end();
    const { devices, problems } = await rack.finish();
    expect([...workloads.flatMap(problemsOf), ...problems]).toEqual([]);
    // One that finds its sNIC's software away for longer than its client waits is told so, and is not lost.
    const done = workloads.map(w => w.result.done);
    expect(Math.min(...done), done.join()).toBeGreaterThanOrEqual(0.9 * operations);
    // Another sNIC has processed requests: they came in redirects, and out of these at its loop port.
    const guests = [...devices.values()].map(({ ports }) => ports.at(-1)?.["inQueued0"] ?? 0);
    expect(guests.reduce((a, b) => a + b, 0)).toBeGreaterThan(0);
    // Who is in between has passed them on, and processed none.
    for (const n of upTo(s.count).filter(m => !s.ends.includes(m))) {
      const { ports, middle } = devices.get(`snic${n}`) ?? { ports: [], middle: {} };
      expect(ports.reduce((m, p) => m + (p["inQueued4"] ?? 0), 0)).toBeGreaterThan(0);
      expect(middle["arrived"]).toBe(0);
    }
    expect(trouble.counts.moves).toBeGreaterThan(0);
    // A failure or a reconfiguration in each millisecond, and more.
    const { moves, failures } = trouble.counts,
      milliseconds = (rack.clockwork.cycle * clockPeriod) / 1e6;
    expect(moves + failures).toBeGreaterThan(milliseconds);
    // A short run may end before one fails.
    if (operations > 200) expect(trouble.counts.failures).toBeGreaterThan(0);
  });
}

describe("KV clients, while their DAGs move between sNICs and these fail at random", () => {
  it("two sNICs and two nodes, 2 % of each fault", () => serves(mesh(2), 0.02, few));
  it("the same over a third one in between, which runs nothing", () => serves(line, 0.02, few));
  // Four sNICs and four nodes take a few hundred thousand cycles of eight devices.
  it.runIf(process.env["MNEMO_LONG"] === "1")(
    "four sNICs and four nodes, 5 % of each fault",
    () => serves(mesh(4), 0.05, many, firstSeed),
    hangMs + 2_400 * many,
  );
  it.runIf(process.env["MNEMO_LONG"] === "1")(
    "a ring of four, whose opposite sNICs are two links apart, 5 % of each fault",
    () => serves(ring(4), 0.05, few),
    hangMs + 2_400 * few,
  );
});
