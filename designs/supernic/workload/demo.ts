/** The capture that ships with the project: each task, each way through, each kind of bad frame. */
import { arpFrame, broadcastMac, encode, icmpEchoFrame } from "../../shared/wire/index.ts";
import {
  balancerRowBody,
  ctrlMessage,
  ctrlOpcode,
  ctrlPort,
  encloseFrame,
  endsOf,
  linkAnswer,
  linkKind,
  ntConfig,
  pfcFrame,
  putShims,
  snicKind,
} from "../wire/index.ts";
import {
  type DagName,
  device,
  filler,
  type Host,
  patched,
  peerMac,
  shim,
  shimAt,
  station,
  tcp,
  text,
  udp,
  uidOf,
  vxlan,
} from "./frames.ts";
import { demoSetup } from "./setup.ts";

/** A frame of the capture. */
export interface DemoFrame {
  /** Nanoseconds from the start. */
  readonly time: number;
  readonly frame: Uint8Array;
  /** The FCS is wrong. */
  readonly damaged: boolean;
  /** Title: the frame, and what must become of it. */
  readonly title: string;
  /** The fate that a run must tell, or what it must contain. */
  readonly expect: string;
}
type Add = (title: string, expect: string, frame: Uint8Array, more?: { readonly damaged?: boolean }) => void;

const [alice, bob, web1, visitor, router] = (["alice", "bob", "web1", "visitor", "router"] as const).map(station) as [
  Host,
  Host,
  Host,
  Host,
  Host,
];
const outside: Host = { mac: router.mac, ip: 0xcb00_7109 };
const nat: Host = { mac: alice.mac, ip: 0xc000_0201 };
const through = (dag: DagName, frame: Uint8Array, ttl = 4): Uint8Array =>
  putShims(frame, { snic: shim(uidOf(dag), { ttl }) });
const web = { from: 40_000, to: 80 };

function switched(add: Add): void {
  add("a frame to a known MAC", "switched > port 1", udp(alice, web1, web, text("hello")));
  add(
    "a tagged frame keeps its tag",
    "switched > port 1",
    putShims(udp(bob, web1, web, filler(300)), { vlan: { priority: 2, dropEligible: 0, id: 7 } }),
  );
  add(
    "to everybody",
    "switched > port 0, 3",
    udp(web1, { mac: broadcastMac, ip: 0xffff_ffff }, { from: 68, to: 67 }, filler(90)),
  );
  add(
    "to an unknown MAC: the uplink",
    "switched > port 3",
    udp(alice, { mac: 0x02aa_0000_0001n, ip: outside.ip }, web, filler(500)),
  );
  add("LLDP, by a rule", "switched > port 3", patched(udp(web1, alice, web, filler(20)), 12, [0x88, 0xcc]));
  add("PFC is for the link", "link", pfcFrame(web1.mac, { 3: 1 }));
}
function tasks(add: Add): void {
  add(
    "firewall and NAT: a UDP packet out",
    "DAG out > port 3",
    through("out", udp(alice, outside, { from: 5000, to: 53 }, filler(40))),
  );
  add(
    "the same flow keeps its port",
    "DAG out > port 3",
    through("out", udp(alice, outside, { from: 5000, to: 53 }, filler(900))),
  );
  add("a TCP flow", "DAG out > port 3", through("out", tcp(alice, outside, { from: 5001, to: 443 }, filler(1200))));
  add(
    "the firewall drops an address",
    "DAG out > dropped by firewall",
    through("out", udp(alice, { ...outside, ip: 0xcb00_7142 }, web, filler(64))),
  );
  add(
    "the firewall drops a port",
    "DAG out > dropped by firewall",
    through("out", tcp(alice, outside, { from: 5002, to: 25 }, text("HELO"))),
  );
  add(
    "an answer that nobody asked for",
    "DAG in > dropped by nat",
    udp(outside, nat, { from: 53, to: 0xc000 }, filler(64)),
  );
  add(
    "NAT has no ports for ping",
    "DAG out > dropped by nat",
    through("out", icmpEchoFrame(alice, outside, 1, 1, filler(32))),
  );
  for (let i = 0; i < 4; i++)
    add(
      `balancer: flow ${i} goes to its backend`,
      "DAG web > port 1",
      through("web", udp(bob, web1, { from: 41_000 + i, to: 80 }, filler(100 * i))),
    );
  add(
    "two branches side by side, then a stage more",
    "DAG both > port 1",
    through("both", patched(udp(bob, web1, { from: 42_000, to: 80 }, filler(700)), 24, [0, 0])),
  );
  add(
    "the same, without an IPv4 header",
    "DAG both > port 1",
    through(
      "both",
      arpFrame(web1.mac, { operation: 1, senderMac: bob.mac, senderIp: bob.ip, targetMac: 0n, targetIp: web1.ip }),
    ),
  );
  add(
    "a wrong IPv4 checksum",
    "DAG tagged > dropped by checksum",
    through("tagged", patched(udp(alice, web1, web, filler(64)), 24, [0xde, 0xad])),
  );
  add(
    "the shim is kept, its ttl one less",
    "DAG tagged > port 1",
    through("tagged", udp(alice, web1, web, filler(222))),
  );
  add(
    "a task is skipped, and the packet goes back",
    "DAG echo > port 0",
    through("echo", udp(alice, web1, web, text("back"))),
  );
}
function tunnels(add: Add): void {
  add("into VXLAN", "DAG wrap > port 3", through("wrap", udp(alice, web1, { from: 43_000, to: 80 }, filler(333))));
  add("a label in front", "DAG label > port 3", through("label", udp(bob, web1, { from: 43_001, to: 80 }, filler(50))));
  add(
    "a shim that has been through too many sNICs",
    "refused: ttl",
    through("label", udp(bob, web1, web, filler(50)), 0),
  );
  add(
    "out of VXLAN, then by MAC",
    "DAG open > loop > switched > port 0",
    vxlan(outside, nat, 78, udp(router, alice, { from: 53, to: 7000 }, filler(128))),
  );
  add(
    "out of VXLAN, then a second pass",
    "DAG open > loop > DAG web > port 1",
    vxlan(outside, nat, 78, udp(router, web1, { from: 7001, to: 80 }, filler(256))),
  );
  add(
    "VXLAN of another network",
    "DAG open > dropped by tunnel",
    vxlan(outside, nat, 79, udp(router, web1, web, filler(64))),
  );
  add(
    "no third pass",
    "DAG round > loop > DAG round > dropped: a third pass",
    through("round", udp(bob, { ...web1, ip: outside.ip }, web, filler(80))),
  );
}
function peers(add: Add): void {
  const inner = through("web", udp({ ...bob, mac: 0x02bb_0000_0001n }, web1, { from: 44_000, to: 80 }, filler(200)));
  const outer = (what: Uint8Array, src = peerMac): Uint8Array =>
    encloseFrame({ dst: device.mac, src }, shim(uidOf("web"), { kind: snicKind.redirect }), what);
  add(
    "a DAG that runs at the peer",
    "redirect to snic2 > port 2",
    through("there", udp(bob, web1, { from: 44_001, to: 80 }, filler(300))),
  );
  add(
    "a rule to the peer",
    "redirect to snic2 > port 2",
    udp(alice, { mac: web1.mac, ip: 0x0a1e_0007 }, web, filler(64)),
  );
  add("a redirect from the peer is processed here", "unwrapped > DAG web > port 1", outer(inner));
  add(
    "a frame inside that has no shim is switched",
    "unwrapped > switched > port 0",
    outer(udp(web1, bob, { from: 80, to: 44_002 }, filler(640))),
  );
  add("a redirect from nobody's peer", "dropped: stranger", outer(inner, visitor.mac));
  add("a redirect with a redirect inside", "refused: enclosed", outer(outer(inner)));
  add("a redirect from a station", "refused: peer", outer(inner, alice.mac));
}
function software(add: Add): void {
  const asks = (who: Host, targetIp: number): Uint8Array =>
    arpFrame(broadcastMac, { operation: 1, senderMac: who.mac, senderIp: who.ip, targetMac: 0n, targetIp });
  const keys = demoSetup.users.map(u => new Uint8Array(Buffer.from(u.key, "hex")));
  const ctrl = (who: Host, user: number, opcode: number, requestId: number, body: Uint8Array): Uint8Array =>
    udp(
      who,
      device,
      { from: 6000 + user, to: ctrlPort },
      ctrlMessage(
        keys[user - 1] ?? new Uint8Array(),
        endsOf({ ip: who.ip, port: 6000 + user }, { ip: device.ip, port: ctrlPort }),
        { opcode, user, requestId },
        body,
      ),
    );
  add("ARP: who is the device", "software", asks(alice, device.ip));
  add("ARP for somebody else is passed on", "software", asks(bob, web1.ip));
  add("ping", "software", icmpEchoFrame(alice, device, 7, 1, filler(56)));
  add("CTRL: counters", "software", ctrl(alice, 1, ctrlOpcode.QUERY, 0x11, new Uint8Array()));
  add(
    "CTRL: a row of the own balancer",
    "software",
    ctrl(bob, 2, ctrlOpcode.NT_CONFIG, 0x21, rowBody(1, station("web1").mac)),
  );
  add("CTRL: the same again", "software", ctrl(bob, 2, ctrlOpcode.NT_CONFIG, 0x21, rowBody(1, station("web1").mac)));
  add("CTRL: a row of another's", "software", ctrl(alice, 1, ctrlOpcode.NT_CONFIG, 0x12, rowBody(1, alice.mac)));
  add("CTRL: not in this build", "software", ctrl(alice, 1, ctrlOpcode.LAUNCH, 0x13, new Uint8Array()));
  add(
    "CTRL with a wrong key",
    "software",
    patched(ctrl(alice, 1, ctrlOpcode.QUERY, 0x14, new Uint8Array()), 60, [1, 2, 3]),
  );
  add("a rule to software: nobody listens there", "software", udp(alice, device, { from: 123, to: 123 }, filler(48)));
}
function refused(add: Add): void {
  const plain = udp(alice, web1, web, filler(64)),
    shimmed = through("web", plain),
    link = { kind: linkKind.data, class: 0, flags: 0, sequence: 1, ack: 0 };
  add("a wrong FCS", "refused: fcs", plain, { damaged: true });
  add("too long", "refused: long", udp(alice, web1, web, filler(1600)));
  add("cut short in its shim", "refused: short", shimmed.slice(0, 18));
  add("a link shim on a port without a link", "refused: link", putShims(plain, { link }));
  add("an ACK there", "refused: link", linkAnswer({ dst: device.mac, src: alice.mac }, "ack", { class: 0, ack: 1 }));
  add("another version of the shim", "refused: version", patched(shimmed, shimAt, [0x21]));
  add("an unknown kind of shim", "refused: shim", patched(shimmed, shimAt, [0x19]));
  add("two shims", "refused: order", through("web", shimmed));
  add("PFC with another opcode", "refused: pfc", patched(pfcFrame(alice.mac, { 0: 1 }), shimAt, [0, 1]));
  add("MAC control for somebody", "refused: pfc", patched(pfcFrame(alice.mac, { 0: 1 }), 0, [2, 0, 0]));
}
function dropped(add: Add): void {
  add(
    "to the device, at a port of strangers",
    "dropped: control",
    icmpEchoFrame(outside, { mac: device.mac, ip: device.ip }, 1, 1, filler(8)),
  );
  add("telnet, by a rule", "dropped: rule", tcp(alice, web1, { from: 45_000, to: 23 }, text("login")));
  add("an unknown UID", "dropped: uid", putShims(udp(alice, web1, web, filler(64)), { snic: shim(0x0410) }));
  add("a UID of before", "dropped: uid", putShims(udp(alice, web1, web, filler(64)), { snic: shim(0x0001) }));
  add("a UID of another port", "dropped: uid", through("tagged", udp(web1, alice, web, filler(64))));
  add("switched back where it came in", "dropped: nowhere", udp(alice, bob, web, filler(64)));
  add(
    "processed, and back where it came in",
    "DAG near > dropped: no way out",
    through("near", udp(alice, bob, web, filler(64))),
  );
  add(
    "a good frame after all that",
    "DAG web > port 1",
    through("web", udp(bob, web1, { from: 46_000, to: 80 }, filler(1400))),
  );
  add("and the longest", "switched > port 1", udp(alice, web1, web, filler(1536 - 42)));
}

/** Nanoseconds between two frames. */
const gap = 2000;
/** NT_CONFIG for a bucket of the balancer. */
const rowBody = (backend: number, mac: bigint): Uint8Array =>
  ntConfig("balancer", demoSetup.balancers[0].first + backend, encode(balancerRowBody, { mac }));

export function demoCapture(): DemoFrame[] {
  const out: DemoFrame[] = [];
  const add: Add = (title, expect, frame, { damaged = false } = {}) =>
    out.push({ time: out.length * gap, frame, damaged, title, expect });
  for (const part of [switched, tasks, tunnels, peers, software, refused, dropped]) part(add);
  return out;
}
