/** The sNICs of a virtual private cloud: what they are set up as, and the keys that they share (paper 5.6.2, 5.7.3). */
import type { Endpoint } from "../../../../shared/wire/index.ts";
import { deviceSizes, taskNamed } from "../../../build/index.ts";
import { makeParameters } from "../../../config/index.ts";
import type { SimulatedSuperNic } from "../../../rig/index.ts";
import { readSetup, type Setup, taskWrite } from "../../../software/index.ts";
import { aesFrontBytes, aesLaunchWord, aesRowWords } from "../../../wire/index.ts";

/** The two ends: the sender's sNIC has the NAT, the receiver's has not. */
export type End = 0 | 1;
export const tunnelPort = 4789,
  /** The firewalls drop what goes there. */
  refusedPort = 666,
  sender: Endpoint = { mac: 0x025c_0000_0101n, ip: 0x0a14_0101, port: 4000 },
  receiver: Endpoint = { mac: 0x025c_0000_0201n, ip: 0x0a1e_0001, port: 80 },
  natIp = 0xc0a8_0001,
  /** MAC that what is decrypted comes from. */
  openedMac = 0x025c_0000_0000n;
/** Ports of either sNIC: to its host, and to the other sNIC. */
export const toHost = 0,
  toPeer = 1;
const key = Uint8Array.from({ length: 32 }, (_, i) => 7 * i + 1),
  keyNumber = 0xcafe_0001,
  template = 5,
  /** Cycles in which a key's row becomes live. */
  preparation = 600,
  /** What the NAT is told of packets that come in. */
  inbound = 1;
const text = (ip: number): string => [24, 16, 8, 0].map(s => (ip >>> s) & 255).join("."),
  macText = (mac: bigint): string => (mac.toString(16).padStart(12, "0").match(/../g) ?? []).join(":");

/** What is done at a sNIC with frames for the tunnel. */
export type Chain = "firewall, NAT and AES" | "AES alone";
export const chains: readonly Chain[] = ["firewall, NAT and AES", "AES alone"];
/** Both are built alike, so one device serves. A region has what goes out, and the other one opens the tunnel. */
export const vpcParameters = makeParameters({ ports: 2, regions: 2, slots: 3, branches: 1, users: 2 });
const out = { chain: "out", tasks: ["firewall", "nat", "encrypt"] },
  open = { chain: "open", tasks: ["decrypt"] };

export function vpcSetup(end: End, chain: Chain): Setup {
  const [own, far] = end === 0 ? [natIp, receiver.ip] : [receiver.ip, natIp],
    isWhole = chain === "firewall, NAT and AES",
    run = isWhole ? ["firewall", ...(end === 0 ? ["nat"] : []), "encrypt"] : ["encrypt"],
    user = "vpc";
  // Without NAT the sender is known by its own address.
  const home = isWhole ? own : end === 0 ? sender.ip : own,
    away = isWhole ? far : end === 0 ? far : sender.ip;
  const file = {
    ...{ mac: `02:5c:00:00:00:0${end + 1}`, ip: `10.20.0.${end + 1}`, number: end, ports: [{}, {}] },
    stations: [
      { name: "host", mac: macText((end === 0 ? sender : receiver).mac), ip: text(home), port: toHost },
      { name: "peer", mac: macText((end === 0 ? receiver : sender).mac), ip: text(away), port: toPeer },
    ],
    users: [{ name: user, contexts: vpcParameters.contexts, cells: vpcParameters.cells }],
    firewall: [
      { user, protocol: 17, toPort: refusedPort, action: "drop" },
      { user, action: "pass" },
    ],
    tunnels: [
      {
        ...{ name: "site", number: template, user },
        vxlan: {
          dst: macText((end === 0 ? receiver : sender).mac),
          ...{ from: `192.0.2.${end + 1}`, to: `192.0.2.${2 - end}`, vni: 7 },
        },
      },
    ],
    regions: [out, open],
    nat: { address: text(natIp) },
    dags: [
      { name: "out", user, uid: 0x401, stages: [[{ chain: "out", run, arg: 0 }]], egress: { port: toPeer } },
      {
        ...{ name: "open", user, uid: 0x402, stages: [[{ chain: "open", arg: 0 }]] },
        ...(isWhole && { egress: "loop" }),
      },
      ...(isWhole
        ? [
            {
              ...{ name: "in", user, uid: 0x403 },
              stages: [[{ chain: "out", run: [end === 0 ? "nat" : "firewall"], arg: inbound }]],
            },
          ]
        : []),
    ],
    rules: [
      { protocol: 17, toPort: tunnelPort, ports: [toPeer], action: { dag: "open" } },
      ...(isWhole ? [{ to: `${text(home)}/32`, ports: ["loop"], action: { dag: "in" } }] : []),
      { to: `${text(away)}/32`, ports: [toHost], action: { dag: "out" } },
    ],
  };
  return readSetup(JSON.stringify(file), `VPC, end ${end}`, deviceSizes(vpcParameters), t => taskNamed(t).declared);
}
/** The rows of the keys: what encrypts here is what decrypts there. */
export async function bringVpcKeys(device: SimulatedSuperNic, end: End): Promise<void> {
  const slotOfEncrypt = 2,
    row = { valid: true, number: keyNumber + end, user: 1, key, template, frontBytes: aesFrontBytes },
    destination = (end === 0 ? sender : receiver).mac;
  const writes = [
    ...[...aesRowWords(0, row), aesLaunchWord(end, 1)].map(w => taskWrite(0, slotOfEncrypt, w)),
    ...aesRowWords(0, { ...row, number: keyNumber + 1 - end, destination, source: openedMac }).map(w =>
      taskWrite(1, 0, w),
    ),
  ];
  await device.driver.write(writes);
  await device.bench.cycles(preparation);
}
