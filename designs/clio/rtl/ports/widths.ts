/** Widths of the node's blocks, as they follow from the configuration. */
import type { Axi4Parameters } from "../../../../hdl-dsl/index.ts";
import type { NodeConfig } from "../../config/index.ts";
import type { TranslateParameters } from "../memory/translate.ts";

export const widthsOf = (c: NodeConfig) => ({
  beatBytes: c.beatBytes,
  slots: c.requestSlots,
  frameBytes: c.mtuFrame,
  addressBits: c.physAddrBits,
  pageShift: c.pageShift,
  ppnBits: c.ppnBits,
  pagesPerRequest: c.maxPagesPerRequest,
  idBits: Math.ceil(Math.log2(c.outstandingMisses + 2)),
  syncId: c.outstandingMisses + 1,
});
/** Parameters of the translation. */
export const translateParameters = (c: NodeConfig): TranslateParameters => {
  const w = widthsOf(c);
  return {
    pageSize: c.pageSize,
    physicalMemory: c.physicalMemory,
    slotsFactor: c.slotsFactor,
    misses: c.outstandingMisses,
    beatBytes: w.beatBytes,
    addressBits: w.addressBits,
    idBits: w.idBits,
    freePages: c.freePageBuffer,
    slots: w.slots,
    tlbEntries: c.tlbEntries,
    pagesPerRequest: w.pagesPerRequest,
  };
};

/** The shape of the node's AXI4 master. */
export const nodeBus = (c: NodeConfig): Axi4Parameters => {
  const { addressBits, idBits, beatBytes } = widthsOf(c);
  return { addressBits, idBits, beatBytes };
};

/**
 * Who shares the node's memory, and with which AXI IDs. The table goes first: a miss has a request waiting, and tables
 * ask rarely. The sync unit, which has few accesses at a time, goes before data.
 */
export const memoryMasters = (syncId: number) =>
  [
    { name: "table", id: 1, many: true },
    { name: "sync", id: syncId },
    { name: "data", id: 0 },
  ] as const;
