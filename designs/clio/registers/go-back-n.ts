import {
  register,
  type RegisterBus,
  registerDriver,
  type RegisterDriver,
  registerMap,
} from "../../../hdl-dsl/index.ts";
import { registerAddressBits } from "./map.ts";

/**
 * First address of the transport's registers in the node's register space, in builds with Go-Back-N only, bytes. Their
 * space is as large as the space below.
 */
export const gbnBase = 2 ** registerAddressBits;

/** Counters of the shims (rtl/transport/gbn-rx.ts, rtl/transport/gbn-tx.ts), by side and event. */
const counted = {
  rx: {
    accepted: "DATA in order",
    duplicates: "DATA that had come before",
    ahead: "DATA with some missing before it",
    strangers: "packets of closed sessions, or of another's",
    refused: "packets for which, or for whose answer or reply, there was no room",
    malformed: "packets with an unknown type or session, or cut short",
    corrupt: "frames with a wrong check sequence",
    management: "management packets",
    passed: "frames that are no Go-Back-N packets, passed on",
    acksHeard: "ACKs and NACKs heard",
    acks: "ACKs sent",
    nacks: "NACKs sent",
  },
  tx: {
    sent: "replies given a number",
    management: "management packets sent",
    passed: "frames passed on as they were",
    closed: "replies of closed sessions, dropped",
    resent: "frames sent again",
    nacked: "times that a NACK made a session send again",
    timeouts: "times that a timeout did",
    failed: "sessions given up",
    memoryErrors: "errors of the memory of the frames kept",
    waited: "replies that waited for earlier ones",
    skipped: "replies no longer waited for",
    stale: "replies to an earlier life of their session, dropped",
  },
} as const;
/** Its register has its name. */
export interface GbnCounter {
  readonly name: string;
  readonly side: "rx" | "tx";
  readonly event: string;
  readonly doc: string;
}
/** Every counter, in the order of its register. */
export const gbnCounters: readonly GbnCounter[] = (["rx", "tx"] as const).flatMap(side =>
  Object.entries(counted[side]).map(([event, doc]): GbnCounter => ({
    name: `gbn${side === "rx" ? "Rx" : "Tx"}${event[0]?.toUpperCase() ?? ""}${event.slice(1)}`,
    side,
    event,
    doc,
  })),
);

const fixed = [
  register(0x00, "gbnIdentification", "tells that the build has Go-Back-N", {
    gbnIdentification: [0, 32, "constant", "the letters CLGB, C lowest"],
  }),
  register(0x04, "gbnGeometry", "what the build has", {
    gbnSessionsLog2: [0, 4, "constant", "log2 of the sessions"],
    gbnWindowLog2: [8, 4, "constant", "log2 of the packets that may be unacknowledged"],
  }),
  register(0x08, "gbnSession", "opens or closes a session: both directions begin anew", {
    gbnSession: [0, 16, "rw", "its number"],
    gbnOpen: [30, 1, "rw", "1: open, 0: close"],
    gbnGo: [31, 1, "pulse", "do it; not while one is under way"],
  }),
  register(0x0c, "gbnState", "what software waits for", {
    gbnIdle: [0, 1, "live", "no session is being opened or closed"],
    gbnFailedWaiting: [1, 1, "live", "gbnFailed holds a session"],
  }),
  register(0x10, "gbnFailed", "sessions that were given up, and are closed; at most 16 are remembered", {
    gbnFailed: [0, 16, "live", "the oldest one's number"],
    gbnFailedTaken: [31, 1, "pulse", "on to the next"],
  }),
] as const;
const firstCounter = 0x40;

/**
 * The registers of the transport: one description for the RTL, the driver, the C header and the page of reference.
 * Counters are 32 bits and wrap.
 */
export const gbnMap = registerMap({
  name: "ClioGbn",
  doc: "Go-Back-N of the memory node.",
  addressBits: 8,
  registers: [
    ...fixed,
    ...gbnCounters.map((c, i) => register(firstCounter + 4 * i, c.name, c.doc, { [c.name]: [0, 32, "live", "count"] })),
  ],
});
/** The constants that a build's registers show. */
export const gbnValues = (g: {
  readonly sessions: number;
  readonly window: number;
}): Readonly<Record<string, number>> => ({
  gbnIdentification: 0x42474c43,
  gbnSessionsLog2: Math.log2(g.sessions),
  gbnWindowLog2: Math.log2(g.window),
});
/** The driver of the registers over the node's register bus. */
export function gbnDriver(bus: RegisterBus): RegisterDriver<(typeof gbnMap.registers)[number]> {
  return registerDriver(gbnMap, { read: a => bus.read(gbnBase + a), write: (a, v) => bus.write(gbnBase + a, v) });
}
