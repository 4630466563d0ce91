import { bit, struct } from "../../../../hdl-dsl/index.ts";

/** Why net_rx drops a frame: the `drop...` counters of designs/clio/config without that prefix. */
export const dropReasons = [
  "long",
  "fcs",
  "short",
  "mac",
  "etherType",
  "arp",
  "ipHeader",
  "ipOptions",
  "ipChecksum",
  "fragment",
  "ip",
  "length",
  "protocol",
  "icmp",
  "port",
  "source",
] as const;
export type DropReasonName = (typeof dropReasons)[number];

/** One pulse for each dropped frame, in the field of its reason. */
export const DropPulses = struct({
  long: bit,
  fcs: bit,
  short: bit,
  mac: bit,
  etherType: bit,
  arp: bit,
  ipHeader: bit,
  ipOptions: bit,
  ipChecksum: bit,
  fragment: bit,
  ip: bit,
  length: bit,
  protocol: bit,
  icmp: bit,
  port: bit,
  source: bit,
} satisfies Readonly<Record<DropReasonName, typeof bit>>);
