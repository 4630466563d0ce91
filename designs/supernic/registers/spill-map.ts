import { register, registerMap } from "../../../hdl-dsl/index.ts";

/** Bits of a byte address of the spill's registers. */
export const spillAddressBits = 6;

/** The registers of the rings for frames of DAGs that wait, on a bus of their own: only builds with rings have them. */
export const spillMap = registerMap({
  name: "SuperNicSpill",
  doc: "rings for frames of DAGs that wait",
  addressBits: spillAddressBits,
  registers: [
    register(0x00, "spillBuild", "what the build has", {
      buildRings: [0, 4, "constant", "rings"],
      buildRingShift: [4, 5, "constant", "bits of a byte's place in a ring"],
    }),
    register(0x04, "ring", "the ring that is looked at, and what it is asked with setRing", {
      ringAt: [0, 3, "rw", "its number"],
      ringAsk: [4, 2, "rw", "0 fill, 1 drain, 2 discard"],
      ringDag: [8, 8, "rw", "the DAG for which it is asked"],
    }),
    register(0x08, "spillCommand", "what is done now", { setRing: [0, 1, "pulse", "the ring is asked"] }),
    register(0x0c, "ringState", "how the ring is that is looked at", {
      ringHeld: [0, 1, "live", "it has a DAG"],
      ringDrains: [1, 1, "live", "its frames leave"],
      ringDiscards: [2, 1, "live", "its frames are dropped"],
      ringFull: [3, 1, "live", "it takes no frame"],
      ringOf: [8, 8, "live", "its DAG"],
    }),
    register(0x10, "ringInside", "its frames", {
      ringInside: [0, 24, "live", "that have neither left nor been dropped"],
    }),
    register(0x14, "spilled", "count of frames that went into rings", { spilled: [0, 32, "live", "wraps"] }),
    register(0x18, "restored", "count of those that left for the merge", { restored: [0, 32, "live", "wraps"] }),
    register(0x1c, "spillLost", "count of those that the memory lost", { spillLost: [0, 32, "live", "wraps"] }),
    register(0x20, "spillDiscarded", "count of those that were dropped by command, or behind a write that failed", {
      spillDiscarded: [0, 32, "live", "wraps"],
    }),
    register(0x24, "spillFull", "count of cycles in which a frame waited for room in its ring", {
      spillFull: [0, 32, "live", "wraps"],
    }),
  ],
});
