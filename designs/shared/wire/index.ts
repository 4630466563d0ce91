/** Wire formats: layouts, their codec and hardware view, and the headers up to UDP. */
export * from "./addresses.ts";
export * from "./arp.ts";
export * from "./checksum.ts";
export * from "./codec.ts";
export * from "./dissect.ts";
export * from "./dissector.ts";
export * from "./echo.ts";
export * from "./ethernet.ts";
export * from "./frames.ts";
export * from "./hardware.ts";
export * from "./header-offsets.ts";
export * from "./icmp.ts";
export * from "./ipv4.ts";
export * from "./layout.ts";
export * from "./reference.ts";
export * from "./udp.ts";
export * from "./validation.ts";
