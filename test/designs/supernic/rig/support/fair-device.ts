/** The whole device with its loop of fair shares, users that overload it, and what software says of them. */
import { deviceSizes, taskNamed } from "../../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../../designs/supernic/config/index.ts";
import { drfExact, drfFixed, type DrfProblem, toNumber } from "../../../../../designs/supernic/drf/index.ts";
import { type SimulatedSuperNic, withDevice } from "../../../../../designs/supernic/rig/device/index.ts";
import { drfOf, portResource, resourceAt, unitBits } from "../../../../../designs/supernic/rtl/index.ts";
import { readSetup } from "../../../../../designs/supernic/software/index.ts";
import { putShims, tableWrite } from "../../../../../designs/supernic/wire/index.ts";
import { filler, shim, udp } from "../../../../../designs/supernic/workload/index.ts";

export const parameters = makeParameters({
  ports: 2,
  contexts: 64,
  cells: 128,
  regions: 2,
  slots: 2,
  branches: 2,
  users: 4,
});
const sizes = deviceSizes(parameters);
/** Cycles of an epoch. */
export const epoch = 5_000;
const interval = 10;
const hosts = [1, 2].map(n => ({ mac: 0x025e_0000_0000n + BigInt(n), ip: 0x0a02_0000 + n }));
const setup = readSetup(
  JSON.stringify({
    mac: "02:5e:00:00:00:ff",
    ip: "10.2.0.254",
    ports: [{}, {}],
    epoch,
    stations: [1, 2].map(n => ({ name: `host${n}`, mac: `02:5e:00:00:00:0${n}`, ip: `10.2.0.${n}`, port: n - 1 })),
    users: ["short", "long", "fast"].map((name, i) => ({ name, class: i, bytesPerEpoch: 4_000 })),
    regions: [
      { chain: "slow", tasks: [`delay(1,${interval})`] },
      { chain: "quick", tasks: ["dummy"] },
    ],
    dags: [
      { name: "short", user: "short", uid: 0x401, stages: [[{ chain: "slow" }]] },
      { name: "long", user: "long", uid: 0x402, stages: [[{ chain: "slow" }]] },
      { name: "fast", user: "fast", uid: 0x403, stages: [[{ chain: "quick" }]] },
    ],
  }),
  "setup",
  sizes,
  name => taskNamed(name).declared,
);

/** A user of the test: all its frames are alike. */
export interface Sender {
  readonly user: number;
  readonly uid: number;
  readonly port: number;
  readonly bytes: number;
  /** Its type of tasks. */
  readonly type: number;
}
export const senders = {
  short: { user: 1, uid: 0x401, port: 0, bytes: 256, type: 0 },
  long: { user: 2, uid: 0x402, port: 0, bytes: 512, type: 0 },
  fast: { user: 3, uid: 0x403, port: 1, bytes: 1_024, type: 1 },
} as const satisfies Readonly<Record<string, Sender>>;
export type SenderName = keyof typeof senders;

/** Part of what there is that is given out: so that nothing waits inside for ever. */
const used = 0.9;
const units = (bytes: number): number => Math.floor(used * bytes) * 2 ** unitBits;
const packetBytes = 64;
/** What resources have in an epoch, by their numbers. */
const capacities = (): number[] => {
  const list = Array.from({ length: drfOf(sizes).resources }, () => 0);
  list[0] = units((packetBytes * epoch) / interval);
  list[1] = units(packetBytes * epoch);
  for (const name of ["lane", "writes", "reads"] as const) list[resourceAt(sizes, name)] = units(64 * epoch);
  for (let q = 0; q < sizes.ports; q++) list[portResource(sizes, q)] = units(12.5 * 4 * epoch);
  return list;
};
/** What a frame of a sender uses of each resource, by byte, as the monitors round it. */
function vectorOf({ bytes, port, type }: Sender): number[] {
  const list = Array.from({ length: drfOf(sizes).resources }, () => 0),
    of = (amount: number): number => Math.ceil((amount * 2 ** unitBits * 256) / bytes),
    beats = 64 * Math.ceil(bytes / 64);
  list[type] = of(packetBytes);
  list[resourceAt(sizes, "lane")] = of(beats);
  for (const name of ["writes", "reads"] as const) list[resourceAt(sizes, name)] = of(beats - 64);
  list[portResource(sizes, 1 - port)] = of(bytes);
  return list;
}
/** The question that the loop is to answer while these send more than they get; the others ask for nothing. */
export function problemOf(
  active: readonly SenderName[],
  weights: Partial<Record<SenderName, number>> = {},
): DrfProblem {
  const all = Object.entries(senders) as [SenderName, Sender][];
  return {
    floor: sizes.frameBytes,
    capacities: capacities(),
    users: Array.from({ length: sizes.users }, (_, u) => {
      const [name, sender] = all.find(([, s]) => s.user === u) ?? [];
      return {
        weight: (name && weights[name]) ?? (name ? 1 : 0),
        demand: name && active.includes(name) ? 1_000_000 : 0,
        vector: sender ? vectorOf(sender) : Array.from({ length: drfOf(sizes).resources }, () => 0),
      };
    }),
  };
}
/** Bytes of a user in an epoch: as whole numbers, and as exact fractions. */
export function sharesOf(p: DrfProblem): readonly { readonly rate: number; readonly exact: number }[] {
  const { rates } = drfFixed(p),
    { shares } = drfExact(p);
  return rates.map((rate, u) => ({ rate, exact: p.floor + toNumber(shares[u]?.rate ?? { above: 0n, below: 1n }) }));
}

export class FairDevice {
  readonly device: SimulatedSuperNic;
  /** Who sends: those at one port share a line of 100 Gbit/s. */
  readonly sending = new Set<SenderName>();
  /** Frames of a user in a row; 1, where it is left out. */
  readonly often = new Map<SenderName, number>();
  /** The cycle in which the first epoch began. */
  began = 0;
  #number = 0;
  #owed = [0, 0];

  constructor(device: SimulatedSuperNic) {
    this.device = device;
    device.bench.onEdge({
      sample: () => {
        while (device.take() !== undefined);
      },
    });
  }
  /** Software says who has which weight, what there is, and what DAGs use; then the unit gives rates. */
  async tell(weights: Partial<Record<SenderName, number>> = {}): Promise<void> {
    const { driver } = this.device,
      { users } = problemOf([], weights);
    await driver.write([
      ...capacities().map((c, j) => tableWrite("capacity", j, { units: c, packets: j < 2 ? 1 : 0 })),
      ...users.flatMap(({ weight, vector }, u) => [
        tableWrite("weight", u, { weight }),
        ...vector.map((use, j) => tableWrite("firstUse", 64 * u + j, { use })),
      ]),
      ...setup.dags.map(({ number, uid }) => {
        const { type } = Object.values(senders).find(s => s.uid === uid) ?? senders.short;
        return tableWrite("dagUse", number, { [`uses${type}`]: 1 });
      }),
    ]);
    await driver.registers.write({ fairHardware: 1 });
  }
  /** So many cycles, in which everybody who sends has a line full of frames, or his part of one. */
  async run(cycles: number): Promise<void> {
    const step = 500,
      end = this.device.bench.cycle + cycles;
    while (this.device.bench.cycle < end) {
      for (const port of [0, 1]) this.#fill(port, step * 50);
      await this.device.bench.cycles(Math.min(step, end - this.device.bench.cycle));
    }
  }
  /** To a place in the next epoch where the rates of the one before are there. */
  async toNext(): Promise<void> {
    await this.run(epoch - ((this.device.bench.cycle - this.began) % epoch) + epoch / 5);
  }
  #fill(port: number, bytes: number): void {
    const here = [...this.sending].flatMap(name =>
      Array.from({ length: this.often.get(name) ?? 1 }, () => senders[name] as Sender).filter(s => s.port === port),
    );
    this.#owed[port] = here.length === 0 ? 0 : (this.#owed[port] ?? 0) + bytes;
    for (let i = 0; (this.#owed[port] ?? 0) > 0; i++) {
      const sender = here[i % here.length] as Sender;
      this.device.send(port, this.#frame(sender));
      // Preamble, FCS and gap are on the line, too.
      this.#owed[port] = (this.#owed[port] ?? 0) - sender.bytes - 8 - 24;
    }
  }
  #frame({ uid, port, bytes }: Sender): Uint8Array {
    const [from, to] = port === 0 ? hosts : [...hosts].reverse(),
      headers = 14 + 20 + 8;
    if (from === undefined || to === undefined) throw new RangeError("there are two hosts");
    return putShims(udp(from, to, { from: 5_000, to: this.#number++ & 0xffff }, filler(bytes - headers)), {
      snic: shim(uid),
    });
  }
  /** Nothing is under way but what lines still bring; software begins anew. */
  async reset(): Promise<void> {
    this.device.bench.sim.reset(2);
    this.began = this.device.bench.cycle;
    await this.device.bringUp();
  }
  /** Nobody sends, and all has left: no frame, context or cell is missing. */
  async rest(): Promise<void> {
    this.sending.clear();
    await this.device.bench.until(() => !this.device.busy);
    for (let i = 0; i < 200; i++) {
      const inside = await this.device.inside();
      if (inside.core + inside.lane + inside.cells === 0 && inside.ports.every(p => p.queued + p.kept === 0)) return;
      await this.device.bench.cycles(500);
    }
    throw new Error("something stays inside");
  }
  /** Nothing was left over in what is counted: two epochs later nobody asks for anything. */
  async quiet(): Promise<void> {
    await this.rest();
    for (let i = 0; i < 2; i++) await this.toNext();
    for (let user = 0; user < sizes.users; user++) {
      const { demand, taken } = await this.seen(user);
      if (demand + taken > 0) throw new Error(`user ${user} asks for ${demand} bytes at rest, and ${taken} were taken`);
    }
  }
  async seen(user: number, resource = 0) {
    const { registers } = this.device.driver;
    await registers.write({ fairUser: user, fairResource: resource });
    await this.device.bench.cycles(6);
    return {
      use: await registers.read("fairUse"),
      demand: await registers.read("fairDemand"),
      taken: await registers.read("fairTaken"),
      rate: await registers.read("fairRate"),
    };
  }
}
export const withFairDevice = (name: string, body: (fair: FairDevice) => Promise<void>): Promise<void> =>
  withDevice(name, setup, parameters, { wave: false, limitCycles: 500_000 }, device => body(new FairDevice(device)));
