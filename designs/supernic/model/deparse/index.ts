/** What frame a packet becomes. */
export { deparse, type Packet } from "./deparse.ts";
