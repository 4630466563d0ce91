/** What the stages of the translation hand to one another, and its sizes. */
import { bit, struct, uint, type Val, type Var } from "../../../../../hdl-dsl/index.ts";
import type { PageFaultParameters } from "../../../../shared/virtual-memory/rtl/index.ts";
import { addressSpace, tableOf, tableParameters } from "../../../config/index.ts";
import { syncOpBits, Translated } from "../../records/records.ts";

export interface TranslateParameters extends Omit<PageFaultParameters, keyof typeof addressSpace> {
  readonly slots: number;
  readonly tlbEntries: number;
  readonly pagesPerRequest: number;
}

/** An access that is not to be made, and why. */
export const Refused = (p: { readonly slots: number }) =>
  struct({ slot: uint(Math.log2(p.slots)), status: uint(4), silent: bit, replyOpcode: uint(8), indirect: bit });
/** A page whose translation is to be forgotten. */
export const Shootdown = (p: TranslateParameters) =>
  struct({ pid: uint(addressSpace.pidBits), vpn: uint(tableOf(p).vpnBits) });

/** One-cycle pulses for the counters. */
export const translateEvents = [
  "tlbHits",
  "tlbMisses",
  "missesMerged",
  "bucketFetches",
  "tlbEvictions",
  "pageFaults",
  "tableWriteErrors",
  "shootdowns",
  "invalid",
  "writePermission",
  "readPermission",
  "outOfMemory",
] as const;
export const TranslateEvents = struct(
  Object.fromEntries(translateEvents.map(n => [n, bit])) as Record<(typeof translateEvents)[number], typeof bit>,
);

/** A request between lookups, kept by slot. */
export const Pending = (p: TranslateParameters) => {
  const { pidBits, vpnBits, pageShift, ppnBits } = tableOf(p);
  const step = uint(Math.max(1, Math.ceil(Math.log2(p.pagesPerRequest))));
  return struct({
    pid: uint(pidBits),
    vpn: uint(vpnBits),
    offset: uint(pageShift),
    length: uint(14),
    write: bit,
    silent: bit,
    replyOpcode: uint(8),
    op: uint(syncOpBits),
    indirect: bit,
    /** The rights that it needs. */
    needsRead: bit,
    needsWrite: bit,
    /** Beyond the address space. */
    outside: bit,
    /** Index of the page to look up next (`vpn`), index of the last page that the request needs, the frames so far. */
    step,
    lastStep: step,
    ppns: uint(p.pagesPerRequest * ppnBits),
  });
};
export type Pending = Val<ReturnType<typeof Pending>>;

/** What stage 2 found: the request as memory wants it, and the status if it is refused. */
export const Decision = (p: TranslateParameters) =>
  struct({ ...Translated(translatedShape(p)).fields, status: uint(4) });
/** Where stage 2 sends it; at most one. */
export const Destination = struct({ reads: bit, writes: bit, syncs: bit, refused: bit, again: bit, parked: bit });
/** The registers behind stage 2. */
export interface Outcome {
  readonly decision: Var<ReturnType<typeof Decision>>;
  readonly goesTo: Var<typeof Destination>;
}

export const slotShape = (p: TranslateParameters) => uint(Math.log2(p.slots));
/** A page's name: PID and virtual page number. */
export const keyBitsOf = (p: TranslateParameters): number => tableOf(p).pidBits + tableOf(p).vpnBits;
/** Bits that hold a page offset plus a length. */
export const extentBits = (p: TranslateParameters): number => Math.max(tableOf(p).pageShift, 14) + 1;
export const translatedShape = (p: TranslateParameters) => ({
  slots: p.slots,
  pagesPerRequest: p.pagesPerRequest,
  ppnBits: tableOf(p).ppnBits,
  pageShift: tableOf(p).pageShift,
});
export const walkParameters = (p: TranslateParameters) => ({
  ...tableParameters(p),
  misses: p.misses,
  beatBytes: p.beatBytes,
  addressBits: p.addressBits,
  idBits: p.idBits,
});
