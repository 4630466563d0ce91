/**
 * Clients of Clio-KV through two sNICs to two nodes. All the time their DAG goes to the other sNIC and comes back, and
 * one sNIC's software falls silent or starts anew. No operation is lost after its reply, and none is done twice.
 */
import { expect, it } from "vitest";
import { peersOf, type RunningRack, withRack } from "../../../../../designs/rack/rig/fabric/index.ts";
import { clientGroups, problemsOf, work } from "../../../../../designs/rack/rig/program/index.ts";
import { readRack } from "../../../../../designs/rack/setup/index.ts";
import type { Dag, PeerSoftware } from "../../../../../designs/supernic/software/index.ts";
import { Random } from "../../../../../sim/index.ts";

const operations = Number(process.env["MNEMO_OPERATIONS"] ?? 24),
  patience = 120_000 + 600 * operations,
  period = 10_000,
  quiet = 3_000,
  rackKey = new Uint8Array(32).fill(3);
const guard = ["firewall", "delay(6,1)"],
  build = { bitstreams: [guard, ["dummy"]], sizes: { reprogramCycles: 1_500 } };
const device = (n: number) => ({
  name: `snic${n}`,
  set: { ports: 3, regions: 2, slots: 2, branches: 1, contexts: 64, cells: 128, users: 2 },
  setup: {
    ...{ mac: `02:5c:00:00:00:0${n}`, ip: `10.20.0.${n + 1}`, number: n, ports: [{}, {}, { peer: true }] },
    peers: [{ name: `snic${1 - n}`, mac: `02:5c:00:00:00:0${1 - n}`, port: 2 }],
    users: [{ name: "memory", contexts: 64, cells: 128 }],
    regions: [{ chain: "guard", tasks: guard }],
    firewall: [{ user: "memory", protocol: 17, action: "pass" }, { action: "drop" }],
    dags: [{ name: "requests", user: "memory", uid: 1024 + 64 * n + 1, ports: [0], stages: [[{ chain: "guard" }]] }],
  },
});
const plan = readRack(
  JSON.stringify({
    devices: [0, 1].map(device),
    nodes: [0, 1].map(n => ({ name: `mem${n}`, mac: `02:c1:10:00:00:0${n}`, ip: `10.20.2.${n + 1}` })),
    endpoints: [0, 1].map(n => ({
      ...{ name: `host${n}`, mac: `02:10:00:00:00:0${n}`, ip: `10.20.1.${n + 1}`, dag: `snic${n}/requests` },
      program: { kind: "kv", softwareTimeoutNs: 30_000, node: `mem${n}`, clients: 2, operations, keys: 8 },
    })),
    links: [
      ...[0, 1].flatMap(n => [
        { between: [`host${n}`, `snic${n}:0`], loss: 0.02, duplicate: 0.02, reorder: 0.02 },
        { between: [`mem${n}`, `snic${n}:1`] },
      ]),
      { between: ["snic0:2", "snic1:2"] },
    ],
  }),
  "kv",
);

/** Software of both sNICs, which fails and moves DAGs until it is told to end. */
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
  /** Both are there, and the first one's DAG is away. */
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
      const n = this.#random.between(0, 1);
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
  /** Until both DAGs run where they belong and nobody is a guest. */
  async end(): Promise<void> {
    // What is under way ends first: a sNIC that has failed comes back.
    this.#over = true;
    await this.#going;
    const away = (): number =>
      this.#software.reduce((n, s) => n + s.away.at(s.neighbours[0]!).length + s.guests.all.length, 0);
    for (let i = 0; away() > 0 && i < 200; i++) await this.#rack.clockwork.pause(period);
    for (const s of this.#software) s.stop();
    await this.#rack.clockwork.pause(5 * period);
    expect(away()).toBe(0);
    expect(this.#software.map(s => s.failed)).toEqual([undefined, undefined]);
  }
}

it(
  "KV clients, while their DAG moves between two sNICs and these fail at random",
  () =>
    withRack(plan, { seed: 1, build, device: () => ({ isManaged: true }) }, async rack => {
      const trouble = new Trouble(rack, 7);
      await trouble.begin();
      trouble.run();
      const groups = clientGroups(rack, 1),
        workloads = await Promise.all(groups.map((g, i) => work(rack, g, { seed: 1 + i })));
      await trouble.end();
      const { devices, problems } = await rack.finish();
      expect([...workloads.flatMap(problemsOf), ...problems]).toEqual([]);
      expect(workloads.map(w => w.result.done)).toEqual([operations, operations]);
      // The other sNIC has processed requests: they came in redirects, and out of these at its loop port.
      const guests = [...devices.values()].map(({ ports }) => ports.at(-1)?.["inQueued0"] ?? 0);
      expect(guests.reduce((a, b) => a + b, 0)).toBeGreaterThan(0);
      expect(trouble.counts.moves).toBeGreaterThan(0);
      // A short run may end before one fails.
      if (operations > 200) expect(trouble.counts.failures).toBeGreaterThan(0);
    }),
  patience,
);
