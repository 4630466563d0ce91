/**
 * Clients of Clio-KV through sNICs to nodes. All the time their DAGs go to another sNIC and come back, and one sNIC's
 * software falls silent or starts anew. No operation is lost after its reply, and none is done twice.
 */
import { describe, expect, it } from "vitest";
import { clockPeriod, peersOf, type RunningRack, withRack } from "../../../../../designs/rack/rig/fabric/index.ts";
import { clientGroups, problemsOf, work } from "../../../../../designs/rack/rig/program/index.ts";
import { readRack } from "../../../../../designs/rack/setup/index.ts";
import type { Dag, PeerSoftware } from "../../../../../designs/supernic/software/index.ts";
import { Random } from "../../../../../sim/index.ts";
import { hangMs } from "../../../../support/hang-ms.ts";

const operations = Number(process.env["MNEMO_OPERATIONS"] ?? 24),
  period = 10_000,
  quiet = 3_000,
  rackKey = new Uint8Array(32).fill(3);
const guard = ["firewall", "delay(6,1)"],
  build = { bitstreams: [guard, ["dummy"]], sizes: { reprogramCycles: 1_500 } };
/** Ports of a sNIC: a host, a memory node, and each other sNIC. */
const portTo = (n: number, other: number): number => 2 + (other > n ? other - 1 : other);
const others = (n: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, m) => m).filter(m => m !== n);
const macOf = (n: number): string => `02:5c:00:00:00:0${n}`;
const device = (n: number, count: number) => ({
  name: `snic${n}`,
  set: { ports: 1 + count, regions: 2, slots: 2, branches: 1, contexts: 64, cells: 128, users: 2 },
  setup: {
    ...{ mac: macOf(n), ip: `10.20.0.${n + 1}`, number: n },
    ports: [{}, {}, ...others(n, count).map(() => ({ peer: true }))],
    peers: others(n, count).map(m => ({ name: `snic${m}`, mac: macOf(m), port: portTo(n, m) })),
    users: [{ name: "memory", contexts: 64, cells: 128 }],
    regions: [{ chain: "guard", tasks: guard }],
    firewall: [{ user: "memory", protocol: 17, action: "pass" }, { action: "drop" }],
    dags: [{ name: "requests", user: "memory", uid: 1024 + 64 * n + 1, ports: [0], stages: [[{ chain: "guard" }]] }],
  },
});
/** Each sNIC with a host and a node of its own, and a link to each other one; the hosts' lines are bad. */
const planOf = (count: number, bad: number) => {
  const all = Array.from({ length: count }, (_, n) => n);
  return readRack(
    JSON.stringify({
      devices: all.map(n => device(n, count)),
      nodes: all.map(n => ({ name: `mem${n}`, mac: `02:c1:10:00:00:0${n}`, ip: `10.20.2.${n + 1}` })),
      endpoints: all.map(n => ({
        ...{ name: `host${n}`, mac: `02:10:00:00:00:0${n}`, ip: `10.20.1.${n + 1}`, dag: `snic${n}/requests` },
        program: { kind: "kv", softwareTimeoutNs: 30_000, node: `mem${n}`, clients: 2, operations, keys: 8 },
      })),
      links: [
        ...all.flatMap(n => [
          { between: [`host${n}`, `snic${n}:0`], loss: bad, duplicate: bad, reorder: bad, corrupt: bad },
          { between: [`mem${n}`, `snic${n}:1`] },
        ]),
        ...all.flatMap(n =>
          others(n, count)
            .filter(m => m > n)
            .map(m => ({ between: [`snic${n}:${portTo(n, m)}`, `snic${m}:${portTo(m, n)}`] })),
        ),
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
  readonly #software: PeerSoftware[];
  readonly #boots = [1, 1];
  #over = false;
  #going: Promise<void> = Promise.resolve();

  constructor(rack: RunningRack, seed: number) {
    this.#rack = rack;
    this.#random = new Random(seed);
    this.#software = rack.devices.map((_, n) => this.#begin(n));
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
  /** All are there, and the first one's DAG is away. */
  async begin(): Promise<void> {
    const there = (): boolean => this.#software.every(s => s.neighbours.every(n => n.presence === "there"));
    for (let i = 0; !there() && i < 50; i++) await this.#rack.clockwork.pause(period);
    expect(await this.#of(0).away.move(this.#dagOf(0))).toBe(true);
    this.counts.moves++;
  }
  run(): void {
    this.#going = this.#run();
  }
  async #run(): Promise<void> {
    while (!this.#over) {
      const n = this.#random.below(this.#software.length);
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
      this.#software.reduce(
        (n, s) => n + s.neighbours.reduce((m, o) => m + s.away.at(o).length, 0) + s.guests.all.length,
        0,
      );
    for (let i = 0; away() > 0 && i < 200; i++) await this.#rack.clockwork.pause(period);
    for (const s of this.#software) s.stop();
    await this.#rack.clockwork.pause(5 * period);
    expect(away()).toBe(0);
    expect(this.#software.map(s => s.failed).filter(e => e !== undefined)).toEqual([]);
  }
}

function serves(count: number, bad: number): Promise<void> {
  return withRack(planOf(count, bad), { seed: 1, build, device: () => ({ isManaged: true }) }, async rack => {
    const trouble = new Trouble(rack, 7);
    await trouble.begin();
    trouble.run();
    const groups = clientGroups(rack, 1),
      workloads = await Promise.all(groups.map((g, i) => work(rack, g, { seed: 1 + i })));
    await trouble.end();
    const { devices, problems } = await rack.finish();
    expect([...workloads.flatMap(problemsOf), ...problems]).toEqual([]);
    // One that finds its sNIC's software away for longer than its client waits is told so, and is not lost.
    const done = workloads.map(w => w.result.done);
    expect(Math.min(...done), done.join()).toBeGreaterThanOrEqual(0.9 * operations);
    // Another sNIC has processed requests: they came in redirects, and out of these at its loop port.
    const guests = [...devices.values()].map(({ ports }) => ports.at(-1)?.["inQueued0"] ?? 0);
    expect(guests.reduce((a, b) => a + b, 0)).toBeGreaterThan(0);
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
  it("two sNICs and two nodes, 2 % of each fault", () => serves(2, 0.02));
  // Four sNICs and four nodes take a few hundred thousand cycles of eight devices.
  it.runIf(process.env["MNEMO_LONG"] === "1")(
    "four sNICs and four nodes, 5 % of each fault",
    () => serves(4, 0.05),
    hangMs + 2_400 * operations,
  );
});
