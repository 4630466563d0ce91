/** Parameters and ports of the translation of one request at a time. */
import {
  axi4Address,
  axi4Read,
  axi4Response,
  axi4Write,
  bit,
  bitsFor,
  input,
  type Inside,
  output,
  sink,
  source,
  uint,
} from "../../../../../hdl-dsl/index.ts";
import { hashKeyBits } from "../../../../shared/hash/index.ts";
import { entryBytes } from "../../../../shared/virtual-memory/table/index.ts";
import { tableOf } from "../../../config/index.ts";
import { Access, Translated } from "../../records/records.ts";
import { Shootdown } from "../translate.ts";
import { Refused, type TranslateParameters } from "../translate/records.ts";

export type TranslateOneParameters = Pick<
  TranslateParameters,
  | "pageSize"
  | "physicalMemory"
  | "slotsFactor"
  | "addressBits"
  | "idBits"
  | "freePages"
  | "slots"
  | "tlbEntries"
  | "pagesPerRequest"
> & {
  /**
   * A process whose virtual addresses are physical addresses, with the right to read and write all of them. The slow
   * path uses it where it has no other way to memory.
   */
  readonly physicalPid?: number;
};

/** The bus is as wide as a page table entry. */
export const beatBytes = entryBytes;
export const tableId = 1;

export const translateOnePorts = (p: TranslateOneParameters) => {
  const bus = { ...p, beatBytes },
    g = tableOf(p),
    shape = Translated({ ...p, ppnBits: g.ppnBits, pageShift: g.pageShift });
  return {
    access: sink(Access(p)),
    reads: source(shape),
    writes: source(shape),
    refused: source(Refused(p)),
    ar: source(axi4Address(bus)),
    r: sink(axi4Read(bus)),
    aw: source(axi4Address(bus)),
    w: source(axi4Write(beatBytes)),
    b: sink(axi4Response(bus)),
    freePage: sink(uint(g.ppnBits)),
    freePages: output(uint(bitsFor(p.freePages))),
    outOfMemory: input(bit),
    /** Of the page table's buckets: as it is while the table has entries. */
    hashKey: input(uint(hashKeyBits)),
    shootdown: sink(Shootdown({ ...p, beatBytes, misses: 1 })),
    shootdownDone: source(bit),
    /** Requests are under way somewhere in the node. */
    busy: input(bit),
  };
};
/** The ports as the module's body sees them. */
export type TranslateOneIo = Inside<ReturnType<typeof translateOnePorts>>;
