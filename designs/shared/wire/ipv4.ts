import { layout, num } from "./layout.ts";

/** IPv4 header without options. */
export const ipv4Header = layout("ipv4", "IPv4", "be", {
  version: num(4, "4"),
  ihl: num(4, "header length in 32-bit words; 5 (no options)"),
  tos: num(8, "type of service"),
  totalLength: num(16, "bytes from the IPv4 header's first byte to the end of the data"),
  identification: num(16, "0 in replies"),
  reservedFlag: num(1, "0", "bool"),
  dontFragment: num(1, "1 in replies", "bool"),
  moreFragments: num(1, "1 is refused", "bool"),
  fragmentOffset: num(13, "other than 0 is refused"),
  ttl: num(8, "64 in replies"),
  protocol: num(8, "17 UDP, 1 ICMP", "dec", { 1: "ICMP", 17: "UDP" }),
  checksum: num(16, "of this header", "hex"),
  src: num(32, "source", "ipv4"),
  dst: num(32, "destination", "ipv4"),
});
export const ipProtocol = { icmp: 1, udp: 17 } as const;
