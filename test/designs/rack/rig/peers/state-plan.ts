/**
 * Two sNICs with a link between them. The first has a DAG whose chain has state (a firewall, a NAT, a counter); each
 * has another user's plain DAG beside it.
 */
import { readRack } from "../../../../../designs/rack/setup/index.ts";
import { decode, dissectStack, type Endpoint, udpFrame } from "../../../../../designs/shared/wire/index.ts";
import { taskNamed } from "../../../../../designs/supernic/build/index.ts";
import type { Task } from "../../../../../designs/supernic/rtl/index.ts";
import {
  ctrlHeader,
  ctrlOpcode,
  ctrlPort,
  ctrlTailBytes,
  natKey,
  natSet,
  peerStateBody,
  putShims,
  snicEtherType,
  snicKind,
} from "../../../../../designs/supernic/wire/index.ts";
import { counter } from "../../../supernic/rtl/reconfigure/support/state-tasks.ts";

/** Low byte of the identification of IPv4: there the counter leaves a packet's number. */
export const numberAt = 19,
  natAddress = 0xc6336401,
  /** Highest four bits of the ports outside. */
  natPorts = 11,
  refusedPort = 666;
const tracked = counter("right", numberAt);
export const edge = ["firewall", "nat", "counter_right"],
  uids = { edge: 1025, plain: [1026, 1026 + 64] } as const;
export const taskOf = (name: string): Task => (name === "counter_right" ? tracked : taskNamed(name));
const macOf = (what: number, n: number): string => `02:5c:00:00:0${what}:0${n}`,
  mac = (what: number, n: number): bigint => 0x02_5c_00_00_00_00n + BigInt(what * 256 + n);

const device = (n: number) => ({
  name: `snic${n}`,
  set: { ports: 3, regions: 2, slots: 3, branches: 1, contexts: 64, cells: 128, users: 3 },
  setup: {
    ...{ mac: macOf(0, n), ip: `10.20.0.${n + 1}`, number: n, ports: [{}, {}, { peer: true }] },
    peers: [{ name: `snic${1 - n}`, mac: macOf(0, 1 - n), port: 2 }],
    users: [
      { name: "edge", contexts: 32, cells: 64, class: 0 },
      { name: "plain", contexts: 32, cells: 64, class: 1 },
    ],
    firewall: [
      { user: "edge", protocol: 17, toPort: refusedPort, action: "drop" },
      { user: "edge", action: "pass" },
    ],
    nat: { address: "198.51.100.1", ports: natPorts },
    regions: [
      { chain: "edge", tasks: edge },
      { chain: "plain", tasks: ["dummy"] },
    ],
    dags: [
      ...(n === 0 ? [{ name: "edge", user: "edge", uid: uids.edge, ports: [0], stages: [[{ chain: "edge" }]] }] : []),
      { name: "plain", user: "plain", uid: uids.plain[n], ports: [0], stages: [[{ chain: "plain" }]] },
    ],
  },
});
export const plan = readRack(
  JSON.stringify({
    devices: [0, 1].map(device),
    nodes: [],
    endpoints: [0, 1].flatMap(n =>
      [1, 2].map(what => ({
        ...{ name: `${what === 1 ? "source" : "sink"}${n}`, mac: macOf(what, n), ip: `10.20.${what}.${n + 1}` },
        program: { kind: "capture" },
      })),
    ),
    links: [
      ...[0, 1].flatMap(n => [{ between: [`source${n}`, `snic${n}:0`] }, { between: [`sink${n}`, `snic${n}:1`] }]),
      { between: ["snic0:2", "snic1:2"] },
    ],
  }),
  "state",
  t => taskOf(t).declared,
);

const addressOf = 0x0a14_0101,
  user = plan.devices[0]?.setup.users.find(u => u.name === "edge")?.number ?? 0;
export const setOf = (port: number): number => Number(natSet(natKey({ user, udp: true, address: addressOf, port })));
/** Source ports: four of one set, whose bindings only their history tells, and more than a piece of state holds. */
export const flows: readonly number[] = (() => {
  const bySet = new Map<number, number[]>();
  for (let port = 1024; port < 20_000; port++) bySet.set(setOf(port), [...(bySet.get(setOf(port)) ?? []), port]);
  const [crowd = []] = [...bySet.values()].filter(l => l.length >= 4);
  const full = setOf(crowd[0] ?? 0);
  // A fifth one would find no room there.
  const others = Array.from({ length: 210 }, (_, i) => 30_000 + i).filter(port => setOf(port) !== full);
  return [...crowd.slice(0, 4), ...others.slice(0, 200)];
})();

export function datagram(n: number, uid: number, ports: { from: number; to: number }, number: number, bytes: number) {
  const from: Endpoint = { mac: mac(1, n), ip: addressOf + n, port: ports.from },
    to: Endpoint = { mac: mac(2, n), ip: 0x0a14_0201 + n, port: ports.to },
    payload = new Uint8Array(bytes);
  new DataView(payload.buffer).setUint32(0, number);
  const head = { version: 1, kind: snicKind.data, ttl: 4, stage: 0, uid };
  return putShims(udpFrame(from, to, payload), { snic: { ...head, origin: 0, ingress: 0, unused: 0, unprocessed: 0 } });
}
const headersBytes = 42,
  udpBytes = 8;
/** A message of the sNICs' software. */
export const isCtrl = (frame: Uint8Array): boolean => dissectStack(frame).udp?.dstPort === ctrlPort;
/** A packet that is led to the peer. */
export const isRedirect = (frame: Uint8Array): boolean =>
  dissectStack(frame).ethernet?.etherType === snicEtherType.snicShim;
/** A message of theirs with a piece of state in it: PEER_STATE, or its answer. */
export function isPiece(frame: Uint8Array): boolean {
  const { udp } = dissectStack(frame);
  if (!isCtrl(frame) || udp === undefined || udp.length < udpBytes + ctrlHeader.bytes) return false;
  const bare = udpBytes + ctrlHeader.bytes + peerStateBody.bytes + ctrlTailBytes;
  return decode(ctrlHeader, frame, headersBytes).opcode === ctrlOpcode.PEER_STATE && udp.length > bare;
}
