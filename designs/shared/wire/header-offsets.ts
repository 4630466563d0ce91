import { ethernetHeader } from "./ethernet.ts";
import { ipv4Header } from "./ipv4.ts";
import { udpHeader } from "./udp.ts";

/**
 * Where the headers of a UDP datagram and its payload start, in bytes from the frame's first (no VLAN tag,
 * no IPv4 options).
 */
export const headerOffsets = {
  ethernet: 0,
  network: ethernetHeader.bytes,
  transport: ethernetHeader.bytes + ipv4Header.bytes,
  payload: ethernetHeader.bytes + ipv4Header.bytes + udpHeader.bytes,
} as const;
