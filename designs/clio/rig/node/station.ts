import { clockPeriod, type RuntimeSettings } from "../../config/index.ts";
import { type MemberNode, Monitor } from "../../software/index.ts";
import { dissect } from "../../wire/index.ts";
import type { Endpoint } from "../../../shared/wire/index.ts";

/** A station on the node's network that a player addresses instead of the node. */
export interface Station {
  /** Whether a frame is for it and not for the node. */
  owns(frame: Uint8Array): boolean;
  /** The frames that it sends on receiving one, in order. */
  receive(frame: Uint8Array): readonly Uint8Array[];
  /** From a frame's last beat to its answers. */
  readonly latencyCycles: number;
}

/**
 * The published client's monitor, which knows the one node as its member. The monitor owns frames to its IP address,
 * and ARP for it.
 */
export function monitorStation(
  own: Endpoint,
  member: MemberNode,
  { slowPathLatency }: Pick<RuntimeSettings, "slowPathLatency">,
): Station {
  const monitor = new Monitor(own, [member]);
  return {
    owns: frame => {
      const { arp, ipv4 } = dissect(frame);
      return (arp?.targetIp ?? ipv4?.dst) === own.ip;
    },
    receive: frame => monitor.receive(frame),
    latencyCycles: Math.ceil(slowPathLatency / clockPeriod),
  };
}
