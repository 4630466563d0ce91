import { layout, num } from "./layout.ts";

/** UDP header. */
export const udpHeader = layout("udp", "UDP", "be", {
  srcPort: num(16, "source port"),
  dstPort: num(16, "destination port"),
  length: num(16, "bytes from the UDP header's first byte to the end of the data"),
  checksum: num(16, "0: not used", "hex"),
});
