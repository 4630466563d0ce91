/** Parameters and ports of the narrowed node. */
import {
  axi4Address,
  type Axi4Parameters,
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
import { AxisBeat } from "../../../../shared/frame/index.ts";
import { type NodeConfig, type RuntimeSettings, tableOf } from "../../../config/index.ts";
import { physicalPid } from "../../../registers/index.ts";
import { Shootdown } from "../../memory/translate.ts";

export interface SmallNodeParameters {
  /** 8: translation is made for a bus of 64 bits. */
  readonly beatBytes: 8;
  /** Largest frame without FCS, bytes; largest `length` of an access. */
  readonly frameBytes: number;
  readonly maxData: number;
  readonly clientPorts: number;
  /** Bytes, powers of two; page table slots per physical page. */
  readonly pageSize: number;
  readonly physicalMemory: number;
  readonly slotsFactor: number;
  readonly tlbEntries: number;
  /** Frames kept ready for page faults. */
  readonly freePages: number;
  /** The node's own addresses: fixed by the build, there are no registers. */
  readonly mac: bigint;
  readonly ip: number;
  readonly nativePort: number;
  readonly clientPort: number;
  /** Key of the page table's buckets, 64 bits. */
  readonly hashKey: bigint;
}

/** The module's parameters of a configuration (`narrowConfig`); the node's addresses cannot be changed at run time. */
export const smallNodeParameters = (
  c: NodeConfig,
  { mac, ip, nativePort, clientPort, hashKey }: RuntimeSettings,
): SmallNodeParameters => ({
  beatBytes: 8,
  frameBytes: c.mtuFrame,
  maxData: c.maxData,
  clientPorts: c.clientPorts,
  pageSize: c.pageSize,
  physicalMemory: c.physicalMemory,
  slotsFactor: c.slotsFactor,
  tlbEntries: c.tlbEntries,
  freePages: c.freePageBuffer,
  mac,
  ip,
  nativePort,
  clientPort,
  hashKey,
});

/** A slot's number has one bit; slot 1 is never given out. */
export const slots = 2;
/** AXI IDs: 0 is data, 1 the table; there is no sync unit. */
export const idBits = 2;
export const syncId = 3;
/** One request is inside, so one of each resource is enough. */
export const outstanding = 1;
export const readBeats = 2;

export const translation = (p: SmallNodeParameters) => ({
  pageSize: p.pageSize,
  physicalMemory: p.physicalMemory,
  slotsFactor: p.slotsFactor,
  beatBytes: p.beatBytes,
  addressBits: Math.log2(p.physicalMemory),
  idBits,
  misses: 1,
  freePages: p.freePages,
  slots,
  tlbEntries: p.tlbEntries,
  pagesPerRequest: 1 + Math.ceil((p.maxData - 1) / p.pageSize),
  physicalPid,
});
/** The shape of the node's AXI4 master. */
export const smallBus = (p: SmallNodeParameters): Axi4Parameters => ({
  addressBits: Math.log2(p.physicalMemory),
  idBits,
  beatBytes: p.beatBytes,
});

export const smallNodePorts = (p: SmallNodeParameters) => {
  const t = translation(p),
    { ppnBits } = tableOf(t);
  return {
    rx: sink(AxisBeat(p.beatBytes)),
    tx: source(AxisBeat(p.beatBytes)),
    memAw: source(axi4Address(t)),
    memW: source(axi4Write(p.beatBytes)),
    memB: sink(axi4Response(t)),
    memAr: source(axi4Address(t)),
    memR: sink(axi4Read(t)),
    freePage: sink(uint(ppnBits)),
    freePages: output(uint(bitsFor(p.freePages))),
    outOfMemory: input(bit),
    shootdown: sink(Shootdown(t)),
    shootdownDone: source(bit),
    busy: output(bit),
  };
};

/** What the node's parts are made from. */
export interface Build {
  readonly io: Inside<ReturnType<typeof smallNodePorts>>;
  readonly p: SmallNodeParameters;
  readonly t: ReturnType<typeof translation>;
  readonly w: { readonly slots: number; readonly beatBytes: number; readonly frameBytes: number };
}
