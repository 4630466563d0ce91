import { layout, num } from "../../wire/index.ts";

/** Kinds of Go-Back-N packets, as on the wire. */
export const gbnTypes = { ack: 1, nack: 2, data: 3 } as const;

/** Go-Back-N header, only in builds with transport = gbn. */
export const gbnHeader = layout("gbn", "Go-Back-N", "le", {
  type: num(
    8,
    "kind of packet",
    "dec",
    Object.fromEntries(Object.entries(gbnTypes).map(([name, code]) => [code, name.toUpperCase()])),
  ),
  sequence: num(32, "first is 1, wraps"),
  srcSlot: num(10, "source slot; 0 is management"),
  dstSlot: num(10, "destination slot"),
  unused: num(4, "0"),
});
