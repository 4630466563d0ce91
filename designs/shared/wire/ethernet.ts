import { big, layout, num } from "./layout.ts";

/** Ethernet II, without FCS. */
export const ethernetHeader = layout("ethernet", "Ethernet", "be", {
  dst: big(48, "destination MAC", "mac"),
  src: big(48, "source MAC", "mac"),
  etherType: num(16, "protocol of what follows", "hex", { 0x0800: "IPv4", 0x0806: "ARP" }),
});
export const etherType = { ipv4: 0x0800, arp: 0x0806 } as const;

/** Shortest Ethernet frame without FCS, bytes; shorter ones are padded with zeros. */
export const minimumFrame = 60;
