import { etherType } from "../../shared/wire/index.ts";

/** EtherTypes that a sNIC looks at. */
export const snicEtherType = {
  ...etherType,
  /** 802.1Q tag. */
  vlan: 0x8100,
  /** MAC control (802.3): PFC. */
  macControl: 0x8808,
  /** sNIC shim; an experimental number of IEEE 802. */
  snicShim: 0x88b5,
  /** Link shim; the other experimental number. */
  linkShim: 0x88b6,
  /** An Ethernet frame inside another one (transparent Ethernet bridging). */
  frameInside: 0x6558,
} as const;
