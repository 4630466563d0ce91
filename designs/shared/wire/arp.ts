import { big, layout, num } from "./layout.ts";

/** ARP for IPv4 over Ethernet. */
export const arpPacket = layout("arp", "ARP", "be", {
  hardwareType: num(16, "1: Ethernet"),
  protocolType: num(16, "0x0800: IPv4", "hex"),
  hardwareSize: num(8, "6"),
  protocolSize: num(8, "4"),
  operation: num(16, "1 request, 2 reply", "dec", { 1: "request", 2: "reply" }),
  senderMac: big(48, "sender MAC", "mac"),
  senderIp: num(32, "sender IPv4", "ipv4"),
  targetMac: big(48, "target MAC", "mac"),
  targetIp: num(32, "target IPv4", "ipv4"),
});
