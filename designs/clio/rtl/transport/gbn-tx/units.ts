/** The units of the sending shim. */
import { bitsFor, Fifo, instance, type InstanceOf, ram, struct, uint, widthOf } from "../../../../../hdl-dsl/index.ts";
import {
  FramePlace,
  gbnBytes,
  GbnFrames,
  gbnFramesKept,
  GbnInsert,
  GbnReorder,
  GbnResend,
  GbnSender,
  GbnStore,
  InsertPlan,
  lengthBitsOf,
  Ways,
} from "../../../../shared/go-back-n/rtl/index.ts";
import { headerBytes } from "../gbn-opcode.ts";
import { GbnContext } from "../gbn-rx/ports.ts";
import { Arrived, type GbnTxParameters, Queued } from "./records.ts";

export type Frames = InstanceOf<typeof GbnFrames>;
export type Sender = InstanceOf<typeof GbnSender>;
export type Reorder = InstanceOf<typeof GbnReorder>;
export type Store = InstanceOf<typeof GbnStore>;

/** Takes frames whole, without the bytes of the header to come. */
export function framesOf({ beatBytes, frameBytes }: GbnTxParameters): Frames {
  return instance("frames", GbnFrames({ beatBytes, frameBytes: frameBytes - gbnBytes, headerBytes, waits: true }));
}

/** Each session's numbers, its unacknowledged replies, and its timer. */
export function senderOf({ sessions, sequenceBits, window, timeoutCycles, tries, first }: GbnTxParameters): Sender {
  return instance("sender", GbnSender({ sessions, sequenceBits, window, timeoutCycles, tries, first }));
}

/** Frames that have come, until they are given to `reorder`. */
export function arrivedQueue(p: GbnTxParameters) {
  return instance("queue", Fifo({ shape: Arrived(p), depth: 16, style: "distributed" }));
}

/** Replies of a session in the order of its requests. */
export function reorderOf(p: GbnTxParameters): Reorder {
  const { sessions, beatBytes, waiting, first, patience } = p;
  const metaBits = widthOf(Queued(p)),
    frameBytes = p.frameBytes - gbnBytes;
  return instance("reorder", GbnReorder({ sessions, metaBits, beatBytes, frameBytes, waiting, first, patience }));
}

/** Who is written to, by session and behind those by request to management. */
export function contextsOf(p: GbnTxParameters) {
  // A power of two, so that any index names a word: block memory comes in such sizes anyway.
  const depth = 2 ** bitsFor(p.sessions + p.managed - 1);
  const contexts = ram(GbnContext, { depth, collision: "new", style: "block" });
  return contexts;
}

/** What is decided about frames on their way to `insert`: the header, where they go, and their place in memory. */
export function plansOf(p: GbnTxParameters) {
  const queue = { depth: gbnFramesKept, style: "distributed" } as const,
    KeptPlace = struct({ at: FramePlace(p), bytes: uint(lengthBitsOf(p)) });
  const planned = instance("planned", Fifo({ shape: InsertPlan, ...queue })),
    outs = instance("outs", Fifo({ shape: Ways, ...queue })),
    places = instance("places", Fifo({ shape: KeptPlace, ...queue }));
  return { planned, outs, places };
}
export type Plans = ReturnType<typeof plansOf>;

/** Puts the header in. */
export function insertOf({ beatBytes, frameBytes }: GbnTxParameters) {
  return instance("insert", GbnInsert({ beatBytes, frameBytes }));
}

/** Replies that are not acknowledged, in memory; and the frames that are sent again. */
export function keptOf(p: GbnTxParameters) {
  const { sessions, sequenceBits, window, beatBytes, frameBytes, addressBits, idBits, base } = p;
  const memory = { sessions, sequenceBits, window, beatBytes, frameBytes, addressBits, idBits, base };
  return { store: instance("store", GbnStore(memory)), resend: instance("resend", GbnResend(memory)) };
}
export type Kept = ReturnType<typeof keptOf>;
