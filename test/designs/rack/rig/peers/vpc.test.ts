/**
 * A virtual private cloud over two sNICs (paper §5.6.2): firewall, NAT and encryption at one, decryption and firewall
 * at the other, and back. Each byte is held against what Node's AES makes of it; at the second sNIC against the models,
 * too. Not at the first: the model of a NAT tries several bindings, and the one of AES would count each try.
 */
import { createDecipheriv } from "node:crypto";
import { describe, expect, it } from "vitest";
import { withRack } from "../../../../../designs/rack/rig/fabric/index.ts";
import { readRack } from "../../../../../designs/rack/setup/index.ts";
import { concat, dissectStack, type Endpoint, udpFrame } from "../../../../../designs/shared/wire/index.ts";
import { decryptModel, encryptModel, type TaskModel } from "../../../../../designs/supernic/model/index.ts";
import type { SimulatedSuperNic } from "../../../../../designs/supernic/rig/index.ts";
import { taskWrite } from "../../../../../designs/supernic/software/index.ts";
import {
  aesFrom,
  aesFrontBytes,
  aesLaunchWord,
  aesNonceBytes,
  aesRowWords,
  type ConfigWord,
} from "../../../../../designs/supernic/wire/index.ts";
import { Random } from "../../../../../sim/index.ts";

const datagrams = Number(process.env["MNEMO_FRAMES"] ?? 60),
  tunnel = 4789,
  refused = 666;
const client: Endpoint = { mac: 0x025c_0000_0101n, ip: 0x0a14_0101, port: 4000 },
  server: Endpoint = { mac: 0x025c_0000_0201n, ip: 0x0a1e_0001, port: 80 },
  nat = 0xc0a8_0001;
const key = Uint8Array.from({ length: 32 }, (_, i) => 7 * i + 1),
  keyNumber = 0xcafe_0001;
/** What the NAT is told of packets that come in. */
const inbound = 1;
const text = (ip: number): string => [24, 16, 8, 0].map(s => (ip >>> s) & 255).join(".");
const hexOf = (ip: number): string => ip.toString(16).padStart(8, "0"),
  /** MAC of what has been decrypted. */
  source = 0x025c_0000_0000n;
const macs = { client: "02:5c:00:00:01:01", server: "02:5c:00:00:02:01" };
const tunnelDags = [
  { name: "open", user: "vpc", uid: 0x402, stages: [[{ chain: "open", arg: 0 }]], egress: "loop" },
] as const;
const intoTunnel = (to: string, dag: string) => ({ to, ports: [0], action: { dag } });
const device = (n: number) => ({
  name: `snic${n}`,
  set: { ports: 2, regions: 2, slots: 3, branches: 1, contexts: 32, cells: 64, users: 2 },
  setup: {
    ...{ mac: `02:5c:00:00:00:0${n + 1}`, ip: `10.20.0.${n + 1}`, number: n, ports: [{}, {}] },
    users: [{ name: "vpc", contexts: 32, cells: 64 }],
    firewall: [
      { user: "vpc", protocol: 17, toPort: refused, action: "drop" },
      { user: "vpc", action: "pass" },
    ],
    tunnels: [
      {
        ...{ name: "site", number: 5, user: "vpc" },
        vxlan: { dst: n === 0 ? macs.server : macs.client, from: `192.0.2.${n + 1}`, to: `192.0.2.${2 - n}`, vni: 7 },
      },
    ],
    regions: [
      // The same tasks at both: one device is built.
      { chain: "out", tasks: ["firewall", "nat", "encrypt"] },
      { chain: "open", tasks: ["decrypt"] },
    ],
    nat: { address: text(nat) },
    dags: [
      {
        name: "out",
        user: "vpc",
        uid: 0x401,
        stages: [[{ chain: "out", run: n === 0 ? ["firewall", "nat", "encrypt"] : ["firewall", "encrypt"], arg: 0 }]],
        egress: { port: 1 },
      },
      ...tunnelDags,
      {
        name: "in",
        user: "vpc",
        uid: 0x403,
        stages: [[{ chain: "out", run: [n === 0 ? "nat" : "firewall"], arg: inbound }]],
      },
    ],
    rules: [
      { protocol: 17, toPort: tunnel, ports: [1], action: { dag: "open" } },
      { to: `${text(n === 0 ? nat : server.ip)}/32`, ports: ["loop"], action: { dag: "in" } },
      intoTunnel(`${text(n === 0 ? server.ip : nat)}/32`, "out"),
    ],
  },
});
const plan = readRack(
  JSON.stringify({
    devices: [0, 1].map(device),
    nodes: [],
    endpoints: [
      { name: "client", mac: macs.client, ip: text(client.ip), program: { kind: "capture" } },
      { name: "server", mac: macs.server, ip: text(server.ip), program: { kind: "capture" } },
    ],
    links: [
      { between: ["client", "snic0:0"] },
      { between: ["snic0:1", "snic1:1"] },
      { between: ["snic1:0", "server"] },
    ],
  }),
  "vpc",
);
/** Words of each region: what encrypts at a sNIC, what decrypts there. */
const words = (n: number): readonly (readonly ConfigWord[])[] => {
  const row = { valid: true, number: keyNumber + n, user: 1, key, template: 5, frontBytes: aesFrontBytes },
    from = {
      ...row,
      number: keyNumber + 1 - n,
      destination: n === 0 ? client.mac : server.mac,
      source,
    };
  return [[...aesRowWords(0, row), aesLaunchWord(n, 1)], aesRowWords(0, from)];
};
const told = (model: TaskModel, list: readonly ConfigWord[]): TaskModel => {
  for (const { at, data } of list) model.configure?.(at, data);
  return model;
};
const ofDevice = (name: string) => {
  const n = name === "snic0" ? 0 : 1,
    [seal = [], open = []] = words(n),
    slot = 2;
  return {
    models: { encrypt: () => told(encryptModel(), seal), decrypt: () => told(decryptModel(), open) },
    prepare: async (device: SimulatedSuperNic) => {
      const writes = [...seal.map(w => taskWrite(0, slot, w)), ...open.map(w => taskWrite(1, 0, w))];
      await device.driver.write(writes);
      await device.bench.cycles(100);
    },
  };
};
/** What stands in a tunnel's frame, by Node's AES: behind its 14 bytes block n of the stream meets block n. */
function opened(frame: Uint8Array): Uint8Array {
  const front = aesFrontBytes,
    nonce = frame.slice(front, front + aesNonceBytes),
    sealed = frame.slice(front + aesNonceBytes),
    cipher = createDecipheriv("aes-256-ctr", key, concat(nonce, new Uint8Array(4))),
    plain = cipher.update(concat(new Uint8Array(aesFrom), sealed));
  return new Uint8Array(plain.subarray(aesFrom));
}

describe("a VPC over two sNICs", () => {
  it("datagrams go through firewall, NAT and tunnel, and their answers back; nothing is in the clear between", async () => {
    const random = new Random(3),
      between: Uint8Array[] = [],
      sent = new Map<string, number>(),
      atServer: { from: number; port: number; payload: string }[] = [],
      atClient: string[] = [],
      wrong: string[] = [];
    /** Packets of IPv4 that must stand in the tunnel, as they are behind it. */
    const packets: string[] = [];
    const same = (frame: Uint8Array, wanted: Uint8Array): void => {
      if (hex(frame) !== hex(wanted)) wrong.push(`${hex(frame)} is not ${hex(wanted)}`);
      packets.push(hex(wanted.slice(aesFrom)));
    };
    const hex = (b: Uint8Array): string => Buffer.from(b).toString("hex"),
      payloadOf = (frame: Uint8Array): Uint8Array => {
        const { udp } = dissectStack(frame);
        return frame.slice(42, 34 + (udp?.length ?? 8));
      };
    const tap = (line: number) => (point: number, _time: number, frame: Uint8Array) => {
      if (line === 1 && point % 2 === 0 && frame.length > 60) between.push(frame);
    };
    const finished = await withRack(
      plan,
      { seed: 1, tap, device: name => ({ ...ofDevice(name), isManaged: name === "snic0" }) },
      async rack => {
        rack.endpoint("server").onFrame = frame => {
          const { ipv4, udp, ethernet } = dissectStack(frame);
          if (ipv4 === undefined || udp === undefined || ethernet === undefined) throw new Error("no datagram came");
          const payload = payloadOf(frame);
          same(frame, udpFrame({ mac: source, ip: nat, port: udp.srcPort }, server, payload));
          atServer.push({ from: ipv4.src, port: udp.dstPort, payload: hex(payload) });
          const back = { mac: client.mac, ip: ipv4.src, port: udp.srcPort };
          rack.endpoint("server").jack.send(udpFrame(server, back, payload));
        };
        rack.endpoint("client").onFrame = frame => {
          const { udp } = dissectStack(frame),
            to = { ...client, port: udp?.dstPort ?? 0 };
          same(frame, udpFrame({ mac: source, ip: server.ip, port: server.port }, to, payloadOf(frame)));
          atClient.push(`${udp?.dstPort} ${hex(payloadOf(frame))}`);
        };
        for (let i = 0; i < datagrams; i++) {
          const payload = Uint8Array.from({ length: random.between(20, 1200) }, () => random.between(0, 255)),
            port = 4000 + (i % 5),
            to = i % 10 === 9 ? refused : server.port;
          if (to === server.port) sent.set(hex(payload), port);
          rack.endpoint("client").jack.send(udpFrame({ ...client, port }, { ...server, port: to }, payload));
          await rack.clockwork.pause(200);
        }
        return rack.finish();
      },
    );
    expect(finished.problems).toEqual([]);
    expect(atServer.length).toBe(sent.size);
    expect(atServer.map(s => s.payload).sort()).toEqual([...sent.keys()].sort());
    expect(new Set(atServer.map(s => `${s.from} ${s.port}`))).toEqual(new Set([`${nat} ${server.port}`]));
    expect(atClient.sort()).toEqual([...sent].map(([payload, port]) => `${port} ${payload}`).sort());
    // Between the two: each frame once, encrypted, and what Node's AES makes of it.
    expect(between).toHaveLength(2 * sent.size);
    expect(wrong).toEqual([]);
    const inside = between.map(f => hex(opened(f))),
      onLine = between.map(hex).join(" ");
    for (const payload of sent.keys()) expect(onLine.includes(payload.slice(0, 32))).toBe(false);
    // The client's packet behind the tunnel has the client's address; in the tunnel that of the NAT.
    const toClient = (packet: string): boolean => packet.slice(32, 40) === hexOf(client.ip);
    expect(inside.filter(p => packets.includes(p)).length).toBe(sent.size);
    expect(packets.filter(p => !toClient(p)).every(p => inside.includes(p))).toBe(true);
    expect(between.every(f => dissectStack(f).udp?.dstPort === tunnel)).toBe(true);
  });
});
