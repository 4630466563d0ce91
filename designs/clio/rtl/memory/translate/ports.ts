/** The translation's ports. */
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
import { tableOf } from "../../../config/index.ts";
import { Access, Translated } from "../../records/records.ts";
import { Refused, Shootdown, translatedShape, TranslateEvents, type TranslateParameters } from "./records.ts";

export const translatePorts = (p: TranslateParameters) => ({
  access: sink(Access(p)),
  reads: source(Translated(translatedShape(p))),
  writes: source(Translated(translatedShape(p))),
  refused: source(Refused(p)),
  /** Accesses with an `op` other than plain. */
  syncs: source(Translated(translatedShape(p))),
  ar: source(axi4Address(p)),
  r: sink(axi4Read(p)),
  aw: source(axi4Address(p)),
  w: source(axi4Write(p.beatBytes)),
  b: sink(axi4Response(p)),
  freePage: sink(uint(tableOf(p).ppnBits)),
  freePages: output(uint(bitsFor(p.freePages))),
  outOfMemory: input(bit),
  /** Of the page table's buckets: as it is while the table has entries. */
  hashKey: input(uint(hashKeyBits)),
  shootdown: sink(Shootdown(p)),
  shootdownDone: source(bit),
  /** Slots in use, from the slot pool. */
  busy: input(uint(p.slots)),
  events: output(TranslateEvents),
});
/** The ports as the module's body sees them. */
export type TranslateIo = Inside<ReturnType<typeof translatePorts>>;
