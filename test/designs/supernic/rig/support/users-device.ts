/** A device that two users share: more chains than regions, fair shares in hardware, software that launches. */
import { deviceSizes, taskNamed } from "../../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../../designs/supernic/config/index.ts";
import { DeviceScoreboard } from "../../../../../designs/supernic/model/index.ts";
import {
  type BuildOptions,
  leftAtRest,
  type ManagedRegions,
  type SimulatedSuperNic,
  unaccounted,
  withDevice,
} from "../../../../../designs/supernic/rig/device/index.ts";
import { type Dag, readSetup, type Setup } from "../../../../../designs/supernic/software/index.ts";
import {
  ctrlMessage,
  type ctrlOpcode,
  ctrlPort,
  endsOf,
  macControlAddress,
  ctrlOpcode as opcodes,
  putShims,
} from "../../../../../designs/supernic/wire/index.ts";
import { decode, ethernetHeader } from "../../../../../designs/shared/wire/index.ts";
import { shim, udp } from "../../../../../designs/supernic/workload/index.ts";
import { watchCensus } from "./worlds.ts";

/** A reprogramming of 2,500 cycles, and not 5 ms: what waits for it is the same. */
export const parameters = makeParameters({
  ports: 2,
  contexts: 64,
  cells: 128,
  regions: 3,
  slots: 2,
  branches: 2,
  credits: 12,
  users: 4,
  reprogramTime: 10_000,
});
export const bitstreams = [
  ["dummy"],
  ["checksum"],
  ["delay(8,40)"],
  ["firewall", "dummy"],
  ["checksum", "dummy"],
] as const;
const device = { mac: 0x025e_0000_00ffn, ip: 0x0a02_00fe },
  hosts = [1, 2].map(n => ({ mac: 0x025e_0000_0000n + BigInt(n), ip: 0x0a02_0000 + n }));
export const keys = ["61".repeat(16), "62".repeat(16)] as const;
export const uids = { alice: 0x401, bob: 0x402 } as const;
/** Users by their numbers, each at its port. */
export type UserName = keyof typeof uids;
export const users = { alice: { number: 1, port: 0 }, bob: { number: 2, port: 1 } } as const;

export const setup: Setup = readSetup(
  JSON.stringify({
    mac: "02:5e:00:00:00:ff",
    ip: "10.2.0.254",
    ports: [{ control: true }, { control: true }],
    stations: [0, 1].map(port => ({
      name: `host${port}`,
      mac: `02:5e:00:00:00:0${port + 1}`,
      ip: `10.2.0.${port + 1}`,
      port,
    })),
    // More than their lines bring, until fair shares say what.
    users: (["alice", "bob"] as const).map((name, i) => ({ name, class: i, key: keys[i], bytesPerEpoch: 4_000_000 })),
    regions: [
      { chain: "first", tasks: ["dummy"] },
      { chain: "second", tasks: ["checksum"] },
    ],
    dags: [
      { name: "a", user: "alice", uid: uids.alice, ports: [0], stages: [[{ chain: "first" }]] },
      { name: "b", user: "bob", uid: uids.bob, ports: [1], stages: [[{ chain: "second" }]] },
    ],
  }),
  "setup",
  deviceSizes(parameters),
  name => taskNamed(name).declared,
);

/** Bytes of a frame without its shim; each byte of its payload tells whose it is. */
export const frameBytes = 162;
export const markOf = (user: UserName): number => (user === "alice" ? 0xa1 : 0xb2);

/** A frame that left: whose port, its bytes, and cycles from its last beat in; undefined, if nobody sent it. */
export interface Out {
  readonly port: number;
  readonly bytes: Uint8Array;
  readonly latency: number | undefined;
}

export class UsersDevice {
  readonly device: SimulatedSuperNic;
  readonly managed: ManagedRegions;
  readonly out: Out[] = [];
  scoreboard = new DeviceScoreboard(setup);
  readonly sent = { alice: 0, bob: 0 };
  readonly #dags: Dag[] = [...setup.dags];
  readonly #entered = new Map<number, { readonly end?: number | undefined }>();
  #number = 0;
  #asked = 0;

  constructor(of: SimulatedSuperNic) {
    if (of.managed === undefined) throw new RangeError("the device's regions cannot be reprogrammed");
    this.device = of;
    this.managed = of.managed;
    of.onSoftware = ({ bytes }) => void this.scoreboard.toSoftware(bytes);
    of.onSent = ({ frame, ports }) => this.scoreboard.sent(frame, ports);
    of.bench.onEdge({ sample: () => this.#watch() });
  }
  #watch(): void {
    for (let left = this.device.take(); left; left = this.device.take()) {
      const { port, frame } = left;
      // Pauses are the device's own.
      if (decode(ethernetHeader, frame.bytes).dst === macControlAddress) continue;
      this.scoreboard.leave(port, frame.bytes);
      const n = ((frame.bytes[36] ?? 0) << 8) | (frame.bytes[37] ?? 0),
        end = this.#entered.get(n)?.end;
      this.out.push({ port, bytes: frame.bytes, latency: end === undefined ? undefined : frame.start - end });
    }
  }
  /** A DAG of a user, which no region has to have. */
  async dag(user: UserName, ...tasks: readonly string[]): Promise<number> {
    const { dags, manager } = this.managed,
      chain = manager.chainFor(tasks, found => found.length === tasks.length),
      of = setup.users.find(u => u.number === users[user].number);
    if (chain === undefined || of === undefined) throw new RangeError(`there is no ${tasks.join("+")} for ${user}`);
    const added = await dags.add(of, {
      stages: [[{ chain, run: tasks.map((_, i) => i), arg: 0 }]],
      way: "mac",
      port: 0,
      keepShim: false,
      unordered: false,
    });
    if (added === undefined) throw new RangeError("there is room for a DAG");
    this.#dags.push(added);
    if (this.scoreboard.entries.length > 0) throw new RangeError("DAGs come before frames");
    this.scoreboard = new DeviceScoreboard({ ...setup, chains: manager.chains, dags: [...this.#dags] });
    return added.uid;
  }
  /** A frame of a user for the other port's host, with anybody's UID. */
  send(user: UserName, uid: number = uids[user]): void {
    const { port } = users[user],
      n = this.#number++ & 0xffff,
      [from, to] = port === 0 ? hosts : [...hosts].reverse();
    if (from === undefined || to === undefined) throw new RangeError("there are two hosts");
    const payload = new Uint8Array(frameBytes - 42).fill(markOf(user)),
      frame = putShims(udp(from, to, { from: 5000 + (n % 9), to: n }, payload), { snic: shim(uid) });
    this.sent[user]++;
    this.scoreboard.enter(port, frame);
    this.#entered.set(n, this.device.send(port, frame));
  }
  /** A CTRL message comes in at the user's port. @param signer whose key it is made with */
  ask(user: UserName, name: keyof typeof ctrlOpcode, body: Uint8Array, signer: UserName = user): void {
    const { number, port } = users[user],
      from = hosts[port],
      key = setup.users.find(u => u.number === users[signer].number)?.key;
    if (from === undefined || key === undefined) throw new RangeError(`${signer} has no key`);
    const ends = endsOf({ ip: from.ip, port: 7000 }, { ip: device.ip, port: ctrlPort }),
      message = ctrlMessage(key, ends, { user: number, opcode: opcodes[name], requestId: ++this.#asked }, body),
      frame = udp(from, device, { from: 7000, to: ctrlPort }, message);
    this.scoreboard.enter(port, frame);
    this.device.send(port, frame);
  }
  /** Users send a frame in so many cycles each; software looks for frames that wait. */
  async run(cycles: number, every: Partial<Record<UserName, number>>, of: Partial<Record<UserName, number>> = {}) {
    const { bench } = this.device,
      end = bench.cycle + cycles,
      due = new Map(Object.keys(every).map(name => [name as UserName, bench.cycle]));
    let look = bench.cycle;
    while (bench.cycle < end) {
      for (const [name, at] of due)
        if (at <= bench.cycle) {
          this.send(name, of[name] ?? uids[name]);
          due.set(name, at + (every[name] ?? cycles));
        }
      if (look <= bench.cycle) {
        look = bench.cycle + 400;
        void this.managed.look();
      }
      const next = Math.min(end, look, ...due.values());
      await bench.cycles(Math.max(1, Math.ceil(next) - bench.cycle));
    }
  }
  /** Until nothing is inside; software goes on launching. */
  async rest(): Promise<void> {
    for (let i = 0; i < 400; i++) {
      await this.managed.look();
      await this.device.bench.cycles(200);
      const inside = await this.device.inside();
      if (
        !this.device.busy &&
        inside.core + inside.lane + inside.cells === 0 &&
        inside.ports.every(p => p.queued + p.kept === 0)
      )
        return;
    }
    throw new Error("something stays inside");
  }
  /** Latencies of a user's frames, which leave at the other port. */
  latencies(user: UserName): readonly number[] {
    const mark = markOf(user);
    return this.out.flatMap(o => (o.bytes.at(-1) === mark && o.latency !== undefined ? [o.latency] : []));
  }
  async wrong(): Promise<readonly string[]> {
    return [
      ...unaccounted(await this.device.counters(), await this.device.inside()),
      ...leftAtRest(this.device.bench.sim, parameters),
    ];
  }
}
/** A run with the census in every cycle. @returns what was wrong */
export const withUsers = (
  name: string,
  body: (t: UsersDevice) => Promise<readonly string[]>,
  more: BuildOptions = {},
): Promise<readonly string[]> =>
  withDevice(
    name,
    setup,
    parameters,
    { bitstreams, limitCycles: 600_000, wave: false, signals: true, backToBack: true, hold: 0, ...more },
    async of => {
      const census = watchCensus(of),
        t = new UsersDevice(of),
        problems = await body(t);
      return [...problems, ...census(), ...(await t.wrong())];
    },
  );
