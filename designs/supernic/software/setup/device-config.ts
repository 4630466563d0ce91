/** What goes into plain registers, before frames come. */
import { macEntries } from "./writes.ts";
import { everyPort, type Peer, type Setup, type SetupPort } from "./setup.ts";

export interface PortConfig extends SetupPort {
  /** Rules that count at this port, a bit each. */
  readonly rules: number;
  /** MACs that are known at this port, a bit each. */
  readonly macs: bigint;
}
export interface DeviceConfig {
  readonly mac: bigint;
  /** The sNIC's number, for shims. */
  readonly origin: number;
  readonly uplink: number | undefined;
  /** Ports that lead to peers, a bit each: no frame that is only switched goes there. */
  readonly rings: number;
  /** The users' class that leaves first. */
  readonly urgent: number | undefined;
  /** By port, the loop port last: it is neither reliable nor control. */
  readonly ports: readonly PortConfig[];
  /** By number. */
  readonly peers: readonly Pick<Peer, "mac" | "port" | "hops">[];
  /** Cycles of an epoch of the meter. */
  readonly epoch: number;
}

/** Frames at the loop port have been judged once: a redirect inside a redirect is none. */
const loop: SetupPort = { reliable: false, peer: false, control: false, class: 4 };

export function deviceConfig(s: Setup): DeviceConfig {
  const bits = (all: readonly { readonly ports: number }[], port: number): number =>
    all.reduce((m, r, i) => ((r.ports >> port) & 1 ? (m | (1 << i)) >>> 0 : m), 0);
  const macs = (1n << BigInt(macEntries(s).length)) - 1n;
  return {
    mac: s.mac,
    origin: s.number,
    uplink: s.uplink,
    rings: s.ports.reduce((m, p, i) => (p.peer ? m | (1 << i) : m), 0),
    urgent: s.urgentClass,
    ports: [...s.ports, loop]
      .filter((_, i) => (everyPort(s.sizes) >> i) & 1)
      .map((p, i) => ({ ...p, rules: bits(s.rules, i), macs })),
    peers: s.peers.map(({ mac, port, hops }) => ({ mac, port, hops })),
    epoch: s.epoch,
  };
}
