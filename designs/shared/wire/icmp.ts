import { layout, num } from "./layout.ts";

/** ICMP echo request and reply. */
export const icmpHeader = layout("icmp", "ICMP echo", "be", {
  type: num(8, "8 request, 0 reply", "dec", { 0: "echo reply", 8: "echo request" }),
  code: num(8, "0"),
  checksum: num(16, "of the whole message", "hex"),
  identifier: num(16, "echoed", "hex"),
  sequence: num(16, "echoed"),
});
