import { layout, num } from "../../wire/index.ts";
import { gbnFirst, gbnTypes, managementSlot } from "./facts.ts";

/** Go-Back-N header, only in builds with transport = gbn. */
export const gbnHeader = layout("gbn", "Go-Back-N", "le", {
  type: num(
    8,
    "kind of packet",
    "dec",
    Object.fromEntries(Object.entries(gbnTypes).map(([name, code]) => [code, name.toUpperCase()])),
  ),
  sequence: num(32, `first is ${gbnFirst}, wraps`),
  srcSlot: num(10, `source slot; ${managementSlot} is management`),
  dstSlot: num(10, "destination slot"),
  unused: num(4, "0"),
});
