/** A device with ciphers in regions that come and go, and Node's crypto to open what leaves. */
import { createDecipheriv } from "node:crypto";
import { expect } from "vitest";
import { deviceSizes, taskNamed } from "../../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../../designs/supernic/config/index.ts";
import {
  leftAtRest,
  type SimulatedSuperNic,
  unaccounted,
  withDevice,
} from "../../../../../designs/supernic/rig/device/index.ts";
import { readSetup } from "../../../../../designs/supernic/software/index.ts";
import { aesFrontBytes, aesNonceBytes, trailerBytes } from "../../../../../designs/supernic/wire/index.ts";
import { filler, udp } from "../../../../../designs/supernic/workload/index.ts";

const parameters = makeParameters({
  ...{ ports: 2, contexts: 32, cells: 64, regions: 1, slots: 1, branches: 1, credits: 4, users: 4 },
  ...{ reprogramTime: 10_000 },
});
const keys = {
  seal: "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
  encrypt: "101112131415161718191a1b1c1d1e1f",
};
/** UDP ports that take the DAGs. */
export const ports = { sealed: 4001, crypted: 4002, plain: 4003 } as const;
export type DagName = keyof typeof ports;
const owners = { sealed: "alice", crypted: "bob", plain: "bob" } as const,
  vxlan = { dst: "02:5a:00:00:00:02", from: "192.0.2.1", to: "198.51.100.7", vni: 9 };
export const file = {
  ...{ mac: "02:5a:00:00:00:ff", ip: "10.4.0.254", number: 3, ports: [{}, {}], launch: 77 },
  stations: [
    { name: "left", mac: "02:5a:00:00:00:01", ip: "10.4.0.1", port: 0 },
    { name: "right", mac: "02:5a:00:00:00:02", ip: "10.4.0.2", port: 1 },
  ],
  users: [{ name: "alice" }, { name: "bob", class: 1 }],
  regions: [{ chain: "plain", tasks: ["dummy"] }],
  bitstreams: [
    { chain: "sealed", tasks: ["seal"] },
    { chain: "crypted", tasks: ["encrypt"] },
  ],
  tunnels: [
    { name: "ofAlice", user: "alice", vxlan },
    { name: "ofBob", user: "bob", vxlan },
  ],
  keys: [
    { name: "sealing", task: "seal", user: "alice", number: 0xcafe, key: keys.seal, tunnel: "ofAlice" },
    { name: "hiding", task: "encrypt", user: "bob", number: 0xbeef, key: keys.encrypt, tunnel: "ofBob" },
  ],
  dags: (["sealed", "crypted", "plain"] as const).map((name, i) => ({
    ...{ name, user: owners[name], uid: 0x401 + i, egress: { port: 1 } },
    stages: [[{ chain: name, ...(name !== "plain" && { arg: name === "sealed" ? "sealing" : "hiding" }) }]],
  })),
  rules: (["sealed", "crypted", "plain"] as const).map(dag => ({
    ...{ protocol: 17, toPort: ports[dag], ports: [0], action: { dag } },
  })),
};
export const read = (more: object = {}) =>
  readSetup(JSON.stringify({ ...file, ...more }), "setup", deviceSizes(parameters), n => taskNamed(n).declared);
export const [left, right] = [1, 2].map(n => ({ mac: 0x025a_0000_0000n + BigInt(n), ip: 0x0a04_0000 + n }));
/** Frames through the device, and what came out opened by Node. */
export class Ciphers {
  readonly device: SimulatedSuperNic;
  readonly nonces: string[] = [];
  #number = 0;
  constructor(device: SimulatedSuperNic) {
    this.device = device;
  }
  get manager() {
    const { managed } = this.device;
    if (managed === undefined) throw new RangeError("its regions come and go");
    return managed.manager;
  }
  chain(name: DagName) {
    const found = this.manager.chains.find(c => c.name === name);
    if (found === undefined) throw new RangeError(`there is no chain ${name}`);
    return found;
  }
  /** Frames of a DAG. @returns what they are from byte 14 on */
  send(dag: DagName, lengths: readonly number[] = [0, 30, 700]): Buffer[] {
    if (left === undefined || right === undefined) throw new RangeError("there are two stations");
    return lengths.map(bytes => {
      const frame = udp(left, right, { from: 5000 + this.#number++, to: ports[dag] }, filler(bytes));
      this.device.send(0, frame);
      return Buffer.from(frame.slice(14));
    });
  }
  /** What leaves until the device is still. */
  async out(): Promise<Uint8Array[]> {
    const { device } = this,
      frames: Uint8Array[] = [];
    for (let quiet = 0; quiet < 3_000; quiet += 100) {
      await device.bench.cycles(100);
      if (device.busy) quiet = 0;
      for (let f = device.take(); f; f = device.take()) {
        quiet = 0;
        frames.push(f.frame.bytes);
      }
    }
    return frames;
  }
  /** Frames of a DAG go through, each once, and Node opens them. @throws for another one, and for a nonce that was */
  async through(dag: DagName): Promise<void> {
    const sent = this.send(dag),
      came = await this.out();
    expect(came).toHaveLength(sent.length);
    for (const [i, plain] of sent.entries()) expect(this.opened(dag, came[i] ?? new Uint8Array())).toEqual(plain);
  }
  /** What was sealed. @throws for a nonce that was */
  opened(dag: DagName, frame: Uint8Array): Buffer {
    if (dag === "plain") return Buffer.from(frame.slice(14));
    const nonce = frame.slice(aesFrontBytes, aesFrontBytes + aesNonceBytes),
      name = `${dag} ${Buffer.from(nonce).toString("hex")}`,
      text = frame.slice(aesFrontBytes + aesNonceBytes);
    if (this.nonces.includes(name)) throw new Error(`nonce ${name} comes twice`);
    this.nonces.push(name);
    if (dag === "crypted") {
      // Block n is of {nonce, n}; the first 14 bytes of the stream are those of the frame's front.
      const cipher = createDecipheriv(
        "aes-128-ctr",
        Buffer.from(keys.encrypt, "hex"),
        Buffer.concat([nonce, Buffer.alloc(4)]),
      );
      return cipher.update(Buffer.concat([Buffer.alloc(14), text])).subarray(14);
    }
    const cipher = createDecipheriv("aes-256-gcm", Buffer.from(keys.seal, "hex"), nonce)
      .setAAD(nonce)
      .setAuthTag(text.slice(-trailerBytes));
    return Buffer.concat([cipher.update(text.slice(0, -trailerBytes)), cipher.final()]);
  }
  async wrong(): Promise<readonly string[]> {
    const { device } = this;
    await device.bench.cycles(1_000);
    return [
      ...unaccounted(await device.counters(), await device.inside()),
      ...leftAtRest(device.bench.sim, parameters),
    ];
  }
}
/** @param more what the setup has beside `file` */
export const withCiphers = (name: string, launch: number, body: (t: Ciphers) => Promise<void>, more: object = {}) =>
  withDevice(
    name,
    read({ launch, ...more }),
    parameters,
    { wave: false, limitCycles: 400_000, signals: true, backToBack: true, hold: 0 },
    async device => {
      const t = new Ciphers(device);
      await body(t);
      expect(await t.wrong()).toEqual([]);
      return t.nonces;
    },
  );
