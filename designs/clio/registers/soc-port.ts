import {
  busParagraph,
  registerHeader as headerOf,
  hexAddress,
  register,
  registerMap,
  registerTable,
} from "../../../hdl-dsl/index.ts";
import type { NodeConfig } from "../config/index.ts";

/** Bits of a byte address of the port's registers. */
const registerBits = 8;

/**
 * The registers of the slow path's port (rtl/slow-path/soc-port.ts): rings of frames both ways, free pages, shootdowns
 * and exchanges of table entries. One description for the RTL, the TypeScript driver, the C header and the
 * page of reference.
 */
export const socPortMap = registerMap({
  name: "ClioSocPort",
  doc: "The slow path's port of the memory node.",
  addressBits: registerBits,
  registers: [
    register(0x00, "portIdentification", "tells that this is the slow path's port", {
      portIdentification: [0, 32, "constant", "the letters CLSP, C lowest"],
    }),
    register(0x04, "geometry", "what the build has", {
      ringSlotsLog2: [0, 5, "constant", "log2 of the frames in each ring"],
      ringSlotBytesLog2: [8, 5, "constant", "log2 of the bytes of a ring's slot"],
      freePageCapacityLog2: [16, 5, "constant", "log2 of the frames that the free-page buffer holds"],
    }),
    register(
      0x08,
      "status",
      "what software waits for; bits 0 to 3 can raise the interrupt, which is up while one that is enabled is 1",
      {
        rxWaiting: [0, 1, "live", "the receive ring has a frame that has not been taken"],
        pagesLow: [1, 1, "live", "the free-page buffer holds its low-water mark or less"],
        shootdownIdle: [2, 1, "live", "no shootdown is under way: the last one has been acknowledged"],
        exchangeIdle: [3, 1, "live", "no exchange is under way"],
        freePageIdle: [4, 1, "live", "the page handed over last is in the free-page buffer"],
        exchangeReadFailed: [5, 1, "live", "the memory refused the last exchange's read: nothing was written"],
        exchangeWriteFailed: [6, 1, "live", "the memory refused its write: the old bits stand there, or the new ones"],
      },
    ),
    register(0x0c, "interrupts", "which of the states raise the interrupt", {
      interruptEnable: [0, 4, "rw", "one bit for each of the first four, in their places"],
    }),
    register(0x10, "rxHead", "frames that have come into the receive ring, modulo 2^16", {
      rxHead: [0, 16, "live", "count"],
    }),
    register(0x14, "rxTail", "frames that software has taken, modulo 2^16: written when it has", {
      rxTail: [0, 16, "rw", "count"],
    }),
    register(0x18, "rxLength", "of the oldest frame that has not been taken", { rxLength: [0, 14, "live", "bytes"] }),
    register(0x20, "txHead", "frames that software has handed over, modulo 2^16", { txHead: [0, 16, "live", "count"] }),
    register(0x24, "txTail", "frames that have left, modulo 2^16", { txTail: [0, 16, "live", "count"] }),
    register(0x28, "txCommit", "hands over the frame that stands in slot txHead", {
      txCommit: [0, 14, "pulse", "its bytes, 1 or more"],
    }),
    register(0x30, "freePage", "a zeroed frame for the free-page buffer", {
      freePage: [0, 31, "rw", "its page number"],
      freePageGo: [31, 1, "pulse", "hand it over"],
    }),
    register(0x34, "freePagesHeld", "the free-page buffer", { freePagesHeld: [0, 16, "live", "frames in it"] }),
    register(0x38, "shootdownPid", "whose page the hardware is to forget", { shootdownPid: [0, 16, "rw", "pid"] }),
    register(0x3c, "shootdownVpnLow", "its virtual page number, low part", {
      shootdownVpnLow: [0, 32, "rw", "bits 0 to 31"],
    }),
    register(0x40, "shootdownVpnHigh", "its high part, and the order", {
      shootdownVpnHigh: [0, 20, "rw", "bits 32 and up"],
      shootdownGo: [31, 1, "pulse", "forget it"],
    }),
    register(0x44, "exchangeLow", "byte address of a table entry, low part", {
      exchangeLow: [0, 32, "rw", "bits 0 to 31, a multiple of 8"],
    }),
    register(0x48, "exchangeHigh", "its high part", { exchangeHigh: [0, 16, "rw", "bits 32 and up"] }),
    register(0x4c, "newEntryLow", "what is to stand there, low part", { newEntryLow: [0, 32, "rw", "bits 0 to 31"] }),
    register(0x50, "newEntryHigh", "its high part", { newEntryHigh: [0, 32, "rw", "bits 32 to 63"] }),
    register(0x54, "exchangeGo", "the order", { exchangeGo: [0, 1, "pulse", "exchange them"] }),
    register(0x58, "oldEntryLow", "what stood there before the last exchange, low part", {
      oldEntryLow: [0, 32, "live", "bits 0 to 31"],
    }),
    register(0x5c, "oldEntryHigh", "its high part", { oldEntryHigh: [0, 32, "live", "bits 32 to 63"] }),
    register(0x60, "faults", "what software has done wrong; a 1 that is written clears", {
      refused: [
        0,
        1,
        "event",
        "a frame was handed to a full ring, or a page, shootdown or exchange before the one before had been done: it was forgotten",
      ],
    }),
  ],
});

/** Places of the port's address space, bytes: registers, then a window to each ring, all of one size. */
export interface SocPortGeometry {
  readonly slots: number;
  /** Bytes of a ring's slot: a power of two. */
  readonly slotBytes: number;
  readonly rxBase: number;
  readonly txBase: number;
  /** Bits of a byte address that reaches everything. */
  readonly addressBits: number;
  readonly freePageCapacity: number;
}
export function socPortGeometry(
  c: Pick<NodeConfig, "slowPathRing" | "mtuFrame" | "beatBytes" | "freePageBuffer">,
): SocPortGeometry {
  const slotBytes = 2 ** Math.ceil(Math.log2(Math.ceil(c.mtuFrame / c.beatBytes) * c.beatBytes));
  const ringBytes = Math.max(2 ** registerBits, c.slowPathRing * slotBytes);
  return {
    slots: c.slowPathRing,
    slotBytes,
    rxBase: ringBytes,
    txBase: 2 * ringBytes,
    addressBits: Math.log2(ringBytes) + 2,
    freePageCapacity: c.freePageBuffer,
  };
}
/** The constants that a build's registers show. */
export const socPortValues = (g: SocPortGeometry): Readonly<Record<string, number>> => ({
  portIdentification: 0x50534c43,
  ringSlotsLog2: Math.log2(g.slots),
  ringSlotBytesLog2: Math.log2(g.slotBytes),
  freePageCapacityLog2: Math.log2(g.freePageCapacity),
});

const origin = "designs/clio/registers/soc-port.ts";
/** The C header of the port. */
export const socPortHeader = (): string => headerOf(socPortMap, origin);
/** The manual's page of the port, for the default build. */
export function socPortReference(g: SocPortGeometry): string {
  return `<!-- Generated from ${origin}. Do not edit. -->
# Registers of the slow path's port

${busParagraph} Windows to the rings stand beside the registers: with the default build the receive ring from ${hexAddress(g.rxBase)}, the send ring from
${hexAddress(g.txBase)}, each ${g.slots} slots of ${g.slotBytes} bytes; slot n of a count is n modulo the number of slots. Only whole words are written to a window.

${registerTable(socPortMap.registers)}
`;
}
