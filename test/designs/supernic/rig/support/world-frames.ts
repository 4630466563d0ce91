/** Random frames for a setup: right ones of each kind, at each length, and hostile ones. */
import type { PlayFrame } from "../../../../../designs/supernic/rig/device/index.ts";
import type { Setup, Station } from "../../../../../designs/supernic/software/index.ts";
import {
  encloseFrame,
  pfcClasses,
  pfcFrame,
  putShims,
  type Shims,
  snicKind,
} from "../../../../../designs/supernic/wire/index.ts";
import { type Host, shim, tcp, udp, vxlan } from "../../../../../designs/supernic/workload/index.ts";
import { arpFrame, broadcastMac, icmpEchoFrame } from "../../../../../designs/shared/wire/index.ts";
import type { Random } from "../../../../../sim/index.ts";
import { mutated } from "../../rtl/judge/support/frames.ts";

const headers = 42,
  macMask = 2n ** 48n - 1n;
const bytesOf = (r: Random, n: number): Uint8Array => Uint8Array.from({ length: n }, () => r.below(256));

/** Bytes of data: short ones, long ones, and those at which a beat or a cell ends. */
function sizeOf(r: Random, most: number): number {
  const how = r.below(10);
  if (how < 4) return r.between(0, Math.min(80, most));
  if (how < 6) return Math.min(most, Math.max(0, r.pick([64, 128, 256, 320, 576, 1024]) - headers + r.between(-2, 2)));
  if (how < 7) return most - r.between(0, 3);
  return r.between(0, most);
}
const tag = (r: Random): Shims =>
  r.chance(0.2) ? { vlan: { priority: r.below(8), dropEligible: r.below(2), id: r.below(4096) } } : {};

/** How the frames of a world are mixed. */
export interface Mix {
  /** Shares of frames that are mutated, that are damaged, and of pauses. */
  readonly hostile?: number;
  readonly damaged?: number;
  readonly pauses?: number;
  /** Nanoseconds between frames, at most. */
  readonly gap?: number;
}

export function worldFrames(r: Random, setup: Setup, count: number, mix: Mix = {}): PlayFrame[] {
  const { hostile = 0.12, damaged = 0.03, pauses = 0.04, gap = 200 } = mix,
    { stations, dags, sizes, peers } = setup;
  const most = sizes.frameBytes - headers,
    host = (s: Station): Host => ({ mac: s.mac, ip: s.ip ?? 0 }),
    own: Host = { mac: setup.mac, ip: setup.ip },
    // Few flows, so that many packets are of one.
    port = (): number => 5_000 + r.below(6);
  const plain = (from: Host, to: Host): Uint8Array => {
    const ports = { from: port(), to: r.pick([port(), port(), 80, 5_900, 4789, 123]) },
      data = bytesOf(r, sizeOf(r, most - 20));
    return r.chance(0.7) ? udp(from, to, ports, data) : tcp(from, to, ports, data);
  };
  const target = (): Host =>
    r.chance(0.9)
      ? host(r.pick(stations))
      : { mac: r.pick([broadcastMac, 0x0200_0000_9999n, 0x0100_5e00_0001n]), ip: 0x0a070000 + r.below(65_536) };
  const through = (from: Host): Uint8Array => {
    const to = target(),
      frame =
        r.chance(0.15) && most > 200
          ? vxlan(from, to, 70 + r.below(3), plain(from, to).slice(0, most - 120))
          : plain(from, to),
      dag = r.pick(dags);
    return putShims(frame, { ...tag(r), snic: shim(dag.uid, { ttl: r.between(1, 15), stage: r.below(16) }) });
  };
  const toDevice = (from: Host): Uint8Array =>
    r.pick([
      () => icmpEchoFrame(from, own, r.below(100), 1, bytesOf(r, r.below(200))),
      () =>
        arpFrame(broadcastMac, {
          operation: 1,
          senderMac: from.mac,
          senderIp: from.ip,
          targetMac: 0n,
          targetIp: setup.ip,
        }),
      () => plain(from, own),
    ])();
  const redirected = (from: Host): Uint8Array => {
    const peer = r.chance(0.8) ? (peers[0]?.mac ?? from.mac) : from.mac,
      kind = r.pick([snicKind.redirect, snicKind.onward]),
      inner = r.chance(0.7) ? through(from) : plain(from, target());
    return encloseFrame({ dst: setup.mac, src: peer }, shim(r.pick(dags).uid, { kind }), inner);
  };
  const pause = (from: Host): Uint8Array =>
    pfcFrame(
      from.mac,
      Object.fromEntries(
        [0, 1, 2, 3, 4, 5].filter(() => r.chance(0.4)).map(c => [c, r.chance(0.3) ? 0 : r.between(1, 600)]),
      ),
    );
  const right = (from: Host): Uint8Array => {
    const how = r.fraction();
    if (how < 0.62) return through(from);
    if (how < 0.8) return putShims(plain(from, target()), tag(r));
    if (how < 0.88) return toDevice(from);
    if (how < 0.93 && peers.length > 0) return redirected(from);
    return plain(from, r.chance() ? target() : { mac: from.mac ^ (macMask & 1n), ip: 1 });
  };
  let time = 0;
  const frames = Array.from({ length: count }, (): PlayFrame => {
    time += r.chance(0.6) ? 0 : r.below(gap);
    const station = r.pick(stations),
      from = host(station),
      at = { timeNs: BigInt(time), port: r.chance(0.9) ? station.port : r.below(sizes.ports) };
    if (r.chance(pauses)) return { ...at, bytes: pause(from) };
    const bytes = right(from);
    return {
      ...at,
      bytes: r.chance(hostile) ? mutated(r, bytes, sizes.frameBytes) : bytes,
      damaged: r.chance(damaged),
    };
  });
  // A hostile frame may have paused a class for a third of a millisecond: in the end all may go.
  const every = Object.fromEntries(Array.from({ length: pfcClasses }, (_, c) => [c, 0])),
    last = Array.from({ length: sizes.ports }, (_, port): PlayFrame => ({
      timeNs: BigInt(time + 4_000),
      port,
      bytes: pfcFrame(stations[port]?.mac ?? 0n, every),
    }));
  return [...frames, ...last];
}
