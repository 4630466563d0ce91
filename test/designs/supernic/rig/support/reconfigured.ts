/** A device whose regions are reprogrammed beside traffic of two users. */
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
import { readSetup, type Setup } from "../../../../../designs/supernic/software/index.ts";
import { macControlAddress, putShims } from "../../../../../designs/supernic/wire/index.ts";
import { decode, ethernetHeader } from "../../../../../designs/shared/wire/index.ts";
import { filler, shim, udp } from "../../../../../designs/supernic/workload/index.ts";
import { watchCensus } from "./worlds.ts";

/** A reprogramming of 2,500 cycles, and not 5 ms: what waits for it is the same. */
export const parameters = makeParameters({
  ports: 2,
  contexts: 64,
  cells: 128,
  regions: 5,
  slots: 2,
  branches: 2,
  credits: 12,
  users: 4,
  reprogramTime: 10_000,
});
export const bitstreams = [
  ["dummy"],
  ["checksum"],
  ["firewall", "dummy"],
  ["delay(8,40)"],
  ["checksum", "dummy"],
] as const;
export const uids = { double: 0x401, alone: 0x402 } as const;
export type DagName = keyof typeof uids;
const hosts = [1, 2].map(n => ({ mac: 0x025e_0000_0000n + BigInt(n), ip: 0x0a02_0000 + n }));

/** A chain of two instances, one of one, and two regions that are free. */
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
    users: [
      // More than their lines bring: fair shares count for who is limited.
      { name: "alice", class: 0, key: "61".repeat(16), bytesPerEpoch: 4_000_000 },
      { name: "bob", class: 1, key: "62".repeat(16), bytesPerEpoch: 4_000_000 },
    ],
    regions: [
      { chain: "double", tasks: ["dummy"] },
      { chain: "double", tasks: ["dummy"] },
      { chain: "alone", tasks: ["checksum"] },
    ],
    dags: [
      { name: "double", user: "alice", uid: uids.double, stages: [[{ chain: "double" }]] },
      { name: "alone", user: "bob", uid: uids.alone, stages: [[{ chain: "alone", arg: 0 }]] },
    ],
  }),
  "setup",
  deviceSizes(parameters),
  name => taskNamed(name).declared,
);

export class Traffic {
  readonly device: SimulatedSuperNic;
  readonly managed: ManagedRegions;
  readonly scoreboard: DeviceScoreboard;
  readonly left = new Map<number, number>();
  readonly sent = new Map<number, number>();
  #number = 0;

  constructor(device: SimulatedSuperNic, as: Setup = setup) {
    if (device.managed === undefined) throw new RangeError("the device's regions cannot be reprogrammed");
    this.device = device;
    this.managed = device.managed;
    this.scoreboard = new DeviceScoreboard(as);
    device.bench.onEdge({
      sample: () => {
        for (let left = device.take(); left; left = device.take())
          // Pauses are the device's own.
          if (decode(ethernetHeader, left.frame.bytes).dst !== macControlAddress)
            this.scoreboard.leave(left.port, left.frame.bytes);
      },
    });
  }
  send(uid: number): void {
    const [from, to] = hosts;
    if (from === undefined || to === undefined) throw new RangeError("there are two hosts");
    const n = this.#number++,
      frame = putShims(udp(from, to, { from: 5000 + (n % 9), to: n & 0xffff }, filler(120)), { snic: shim(uid) });
    this.sent.set(uid, (this.sent.get(uid) ?? 0) + 1);
    this.scoreboard.enter(0, frame);
    this.device.send(0, frame);
  }
  /** Frames of these DAGs in turn, at this part of a line of 100 Gbit/s. */
  async at(load: number, cycles: number, of: readonly number[]): Promise<void> {
    const { bench } = this.device,
      // Preamble, FCS and gap are 24 bytes beside the frame's and its shim's.
      gap = (120 + 42 + 8 + 24) / 50 / load,
      until = bench.cycle + cycles;
    for (let due = bench.cycle, n = 0; due < until; due += gap, n++) {
      const left = Math.ceil(due) - bench.cycle;
      if (left > 0) await bench.cycles(left);
      this.send(of[n % of.length] ?? uids.double);
    }
  }
  async rest(): Promise<void> {
    await this.device.bench.until(() => !this.device.busy);
    for (;;) {
      const inside = await this.device.inside();
      if (inside.core + inside.lane + inside.cells === 0 && inside.ports.every(p => p.queued + p.kept === 0)) break;
    }
    await this.device.bench.cycles(200);
  }
  /** What is wrong at the end, beside frames that are lost. */
  async wrong(): Promise<readonly string[]> {
    return [
      ...unaccounted(await this.device.counters(), await this.device.inside()),
      ...leftAtRest(this.device.bench.sim, parameters),
    ];
  }
}
/** A run with the census in every cycle. @returns what was wrong */
export const reconfigured = (
  name: string,
  body: (t: Traffic) => Promise<readonly string[]>,
  more: BuildOptions = {},
): Promise<readonly string[]> =>
  withDevice(
    name,
    setup,
    parameters,
    { bitstreams, limitCycles: 400_000, wave: false, signals: true, backToBack: true, hold: 0, ...more },
    async device => {
      const census = watchCensus(device),
        t = new Traffic(device),
        problems = await body(t);
      return [...problems, ...census(), ...(await t.wrong())];
    },
  );
