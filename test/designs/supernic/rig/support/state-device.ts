/** A device with a NAT whose region is given to others and back, and flows both ways through it. */
import { deviceSizes, taskNamed } from "../../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../../designs/supernic/config/index.ts";
import {
  type BuildOptions,
  leftAtRest,
  unaccounted,
  withDevice,
} from "../../../../../designs/supernic/rig/device/index.ts";
import type { Task } from "../../../../../designs/supernic/rtl/index.ts";
import { type LiveChain, readSetup, type Setup } from "../../../../../designs/supernic/software/index.ts";
import { natKey, natSet, putShims } from "../../../../../designs/supernic/wire/index.ts";
import { filler, shim, udp } from "../../../../../designs/supernic/workload/index.ts";
import { counter } from "../../rtl/reconfigure/support/state-tasks.ts";
import { Traffic } from "./reconfigured.ts";
import { watchCensus } from "./worlds.ts";

const parameters = makeParameters({
  ports: 2,
  contexts: 64,
  cells: 128,
  regions: 2,
  slots: 2,
  branches: 2,
  credits: 12,
  users: 4,
  reprogramTime: 10_000,
});
export const bitstreams = [["nat"], ["dummy"], ["checksum"], ["counter_mute"]] as const;
export const taskOf = (name: string): Task => (name === "counter_mute" ? counter("mute") : taskNamed(name));
export const uids = { out: 0x401, in: 0x402, plain: 0x403 } as const;
const outside = 0xc6336401,
  portHigh = 11,
  hosts = [1, 2].map(n => ({ mac: 0x025e_0000_0000n + BigInt(n), ip: 0x0a02_0000 + n }));
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
    users: [{ name: "alice" }],
    nat: { address: "198.51.100.1", ports: portHigh },
    regions: [
      { chain: "edge", tasks: ["nat"] },
      { chain: "plain", tasks: ["dummy"] },
    ],
    dags: [
      { name: "out", user: "alice", uid: uids.out, stages: [[{ chain: "edge", arg: 0 }]] },
      { name: "in", user: "alice", uid: uids.in, stages: [[{ chain: "edge", arg: 1 }]] },
      { name: "plain", user: "alice", uid: uids.plain, stages: [[{ chain: "plain" }]] },
    ],
  }),
  "setup",
  deviceSizes(parameters),
  name => taskOf(name).declared,
);
const user = setup.users[0]?.number ?? 0,
  setOf = (port: number): number => Number(natSet(natKey({ user, udp: true, address: hosts[0]?.ip ?? 0, port })));
/** Ports of four flows of one set, and of others: which binding each of the four has only its history tells. */
export const flows: readonly number[] = (() => {
  const bySet = new Map<number, number[]>();
  for (let port = 1024; port < 20_000; port++) bySet.set(setOf(port), [...(bySet.get(setOf(port)) ?? []), port]);
  const [crowd = []] = [...bySet.values()].filter(l => l.length >= 4);
  return [...crowd.slice(0, 4), 5001, 5002, 5003, 5004, 5005];
})();

export class NatTraffic extends Traffic {
  #number = 0;
  get edge(): LiveChain {
    return this.chainOf("nat");
  }
  chainOf(...tasks: string[]): LiveChain {
    const chain = this.managed.manager.chainFor(tasks, () => true);
    if (chain === undefined) throw new RangeError(`there is no chain for ${tasks.join("+")}`);
    return chain;
  }
  #enter(port: number, uid: number, frame: Uint8Array): void {
    const shimmed = putShims(frame, { snic: shim(uid) });
    this.scoreboard.enter(port, shimmed);
    this.device.send(port, shimmed);
  }
  /** A packet of a flow on its way out. */
  out(flow: number): void {
    const [from, to] = hosts;
    if (from && to) this.#enter(0, uids.out, udp(from, to, { from: flow, to: this.#number++ & 0xffff }, filler(40)));
  }
  /** A packet from outside to a binding. */
  in(binding: number): void {
    const [to, from] = hosts,
      ports = { from: this.#number++ & 0xffff, to: portHigh * 4096 + binding };
    if (from && to) this.#enter(1, uids.in, udp(from, { mac: to.mac, ip: outside }, ports, filler(40)));
  }
  plain(): void {
    const [from, to] = hosts;
    if (from && to) this.#enter(0, uids.plain, udp(from, to, { from: 7, to: this.#number++ & 0xffff }, filler(40)));
  }
  /** The state of the NAT, as bytes. */
  async state(): Promise<string> {
    const images = await this.managed.manager.readState([this.edge]);
    return Buffer.from(images?.[0] ?? []).toString("hex");
  }
}
/** @returns what was wrong, the census of every cycle with it */
export const withNat = (
  name: string,
  body: (t: NatTraffic) => Promise<readonly string[]>,
  more: BuildOptions = {},
): Promise<readonly string[]> =>
  withDevice(
    name,
    setup,
    parameters,
    { bitstreams, taskOf, limitCycles: 1_500_000, hangCycles: 200_000, wave: false, signals: true, hold: 0, ...more },
    async device => {
      const census = watchCensus(device),
        t = new NatTraffic(device, setup),
        problems = await body(t);
      const left = [
        ...unaccounted(await device.counters(), await device.inside()),
        ...leftAtRest(device.bench.sim, parameters),
      ];
      return [...problems, ...census(), ...left];
    },
  );
