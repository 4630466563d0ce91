import {
  arbiter,
  axi4Address,
  type Axi4Parameters,
  axi4Read,
  axi4Response,
  axi4Write,
  bit,
  bitsFor,
  connect,
  input,
  instance,
  module,
  mux,
  node,
  output,
  reg,
  sink,
  source,
  stream,
  type StreamIn,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { type NodeConfig, type RuntimeSettings, tableOf } from "../../config/index.ts";
import { statusBits } from "../../wire/index.ts";
import { physicalPid } from "../../registers/index.ts";
import { AccessRead } from "../memory/access-read.ts";
import { AccessWrite } from "../memory/access-write.ts";
import { AxiShare } from "../../../shared/axi/index.ts";
import { memoryMasters } from "../ports/widths.ts";
import { AxisBeat, FrameBuffer } from "../../../shared/frame/index.ts";
import { Mat } from "../dispatch/mat.ts";
import { NetRx } from "../network/net-rx.ts";
import { NetTx } from "../network/net-tx.ts";
import { Shootdown } from "../memory/translate.ts";
import { TranslateOne } from "../memory/translate-one.ts";
import { plainOp, Reply, replyForm, replyWord } from "../records/records.ts";

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
const slots = 2;
/** AXI IDs: 0 is data, 1 the table; there is no sync unit. */
const idBits = 2,
  syncId = 3;
/** One request is inside, so one of each resource is enough. */
const outstanding = 1,
  readBeats = 2;

const translation = (p: SmallNodeParameters) => ({
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

/**
 * The memory node narrowed to one request at a time, for devices that the whole node does not fit. The node has net_rx,
 * match-and-action table, translation with TLB and page faults, read and write, net_tx. READ, WRITE and WRITE_NOREPLY
 * of any alignment and across pages, PINGPONG, ARP and ICMP echo are as in ClioNode. A FENCE is answered at once, as no
 * request is before it. Left out: atomics and pointers (answered MALFORMED), the retry buffer (a repeated write is done
 * again), counters, registers, rings to a processor. The slow path is at the other end of the network, so requests that
 * the table sends to it are dropped. Its way to memory is `physicalPid`.
 *
 * The request stands in net_rx's header register from its last beat to its reply's last, and nothing on its way copies
 * it. There are no reply contexts, and no registers between the stages of net_rx, the table and net_tx (cells.ts).
 * Latency from the request's last beat to its reply's first: 8 cycles and the memory's. That is for a read of a beat of
 * a page in the TLB. Initiation interval: a request's latency and its reply's beats. Full: while a request is inside
 * `rx.ready` is 0 at a frame's start. `busy`: a request is inside. Reset: none is.
 */
export const SmallNode = module(
  "SmallNode",
  (p: SmallNodeParameters) => {
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
  },
  (io, p) => {
    const t = translation(p),
      g = tableOf(t),
      w = { slots, beatBytes: p.beatBytes, frameBytes: p.frameBytes };
    const config = { mac: p.mac, ip: p.ip, nativePort: p.nativePort, clientPort: p.clientPort, acceptAnyMac: 0 };

    // Frames in, and requests.
    const netRx = instance(NetRx({ ...w, clientPorts: p.clientPorts, compact: true }));
    const buffer = instance(FrameBuffer(w));
    const mat = instance(Mat({ slots, maxData: p.maxData, compact: true }));
    connect(io.rx, netRx.rx);
    netRx.config.set(config);
    buffer.write.set(netRx.bufferWrite);
    connect(netRx.request, mat.request);
    mat.matWrite.set({ en: 0, opcode: 0, entry: { action: 0, write: 0, silent: 0, operation: 0, replyOpcode: 0 } });
    mat.rules.toArray().forEach(r => r.set({ valid: 0, pid: 0, action: 0 }));
    mat.matOpcode.set(0);
    // No way to a slow path: its requests end here, in the cycle in which they come.
    mat.slow.ready.set(1);
    const dropped = node(mat.slow.fire);
    mat.slowRelease.set(dropped);

    // Virtual memory. There is nothing inside that a fence would wait for, and no unit for atomics.
    const { access, fence } = mat.asked.payload;
    const translate = instance(TranslateOne(t));
    translate.hashKey.set(p.hashKey);
    const translates = node(fence.not().and(access.op.eq(plainOp)));
    translate.access.valid.set(mat.asked.valid.and(translates));
    translate.access.payload.set({ ...access, op: plainOp, indirect: 0 });
    const unserved = stream(Reply(w));
    unserved.valid.set(mat.asked.valid.and(translates.not()));
    unserved.payload.set({
      slot: access.slot,
      form: replyForm.bare,
      word: replyWord.none,
      opcode: access.replyOpcode,
      status: mux(fence, statusBits.OK, statusBits.MALFORMED),
    });
    mat.asked.ready.set(mux(translates, translate.access.ready, unserved.ready));
    connect(io.freePage, translate.freePage);
    io.freePages.set(translate.freePages);
    translate.outOfMemory.set(io.outOfMemory);
    connect(io.shootdown, translate.shootdown);
    connect(translate.shootdownDone, io.shootdownDone);

    // Memory accesses.
    const burst = {
      beatBytes: p.beatBytes,
      pageShift: g.pageShift,
      ppnBits: g.ppnBits,
      pagesPerRequest: t.pagesPerRequest,
      addressBits: t.addressBits,
      idBits,
      slots,
    };
    const reader = instance(AccessRead({ ...burst, outstanding, dataBeats: readBeats }));
    const writer = instance(AccessWrite({ ...burst, frameBytes: p.frameBytes, outstanding }));
    connect(translate.reads, reader.request);
    connect(translate.writes, writer.request);
    connect(writer.bufferJob, buffer.writeJob);
    connect(buffer.writeData, writer.buffer);
    buffer.slowJob.valid.set(0);
    buffer.slowJob.payload.set({ slot: 0, first: 0, beats: 0 });
    buffer.slowData.ready.set(0);
    const share = instance(
      AxiShare({
        beatBytes: p.beatBytes,
        addressBits: t.addressBits,
        idBits,
        masters: memoryMasters(syncId),
        writes: outstanding,
      }),
    );
    connect(reader.ar, share.dataAr);
    connect(share.dataR, reader.r);
    connect(writer.aw, share.dataAw);
    connect(writer.w, share.dataW);
    connect(share.dataB, writer.b);
    connect(translate.ar, share.tableAr);
    connect(share.tableR, translate.r);
    connect(translate.aw, share.tableAw);
    connect(translate.w, share.tableW);
    connect(share.tableB, translate.b);
    for (const a of [share.syncAr, share.syncAw]) {
      a.valid.set(0);
      a.payload.set({ addr: 0, id: 0, len: 0, size: 0, burst: 0 });
    }
    share.syncW.valid.set(0);
    share.syncW.payload.set({ data: 0, strb: 0, last: 0 });
    share.syncR.ready.set(1);
    share.syncB.ready.set(1);
    connect(share.ar, io.memAr);
    connect(io.memR, share.r);
    connect(share.aw, io.memAw);
    connect(share.w, io.memW);
    connect(io.memB, share.b);

    // Ends: a reply, or with none to give the slot at once.
    const refused = stream(Reply(w)),
      written = stream(Reply(w));
    const refusal = translate.refused.payload,
      ending = writer.ending.payload;
    refused.payload.set({
      slot: refusal.slot,
      form: replyForm.short,
      word: replyWord.none,
      opcode: refusal.replyOpcode,
      status: refusal.status,
    });
    written.payload.set({
      slot: ending.slot,
      form: ending.form,
      word: replyWord.none,
      opcode: ending.opcode,
      status: ending.status,
    });
    const unanswered = (
      [
        [translate.refused, refused, refusal.silent],
        [writer.ending, written, ending.silent],
      ] as const
    ).map(([from, to, silent], i) => {
      to.valid.set(from.valid.and(silent.not()));
      from.ready.set(to.ready.or(silent));
      return node(from.valid.and(silent), { name: `unanswered_${i}` });
    });

    // Frames out.
    const netTx = instance(NetTx({ ...w, compact: true }));
    connect(
      arbiter([reader.reply, written, refused, unserved, mat.reply] as StreamIn<ReturnType<typeof Reply>>[], {
        policy: "priority",
        name: "replies",
      }),
      netTx.reply,
    );
    netTx.config.set(config);
    netTx.context.set(netRx.contextWrite.value);
    netTx.word.set(0);
    netTx.waitNs.set(0);
    connect(reader.data, netTx.data);
    netTx.raw.valid.set(0);
    netTx.raw.payload.set({ data: 0, keep: 0, last: 0, user: 0 });
    connect(netTx.echoJob, buffer.echoJob);
    connect(buffer.echoData, netTx.echoData);
    connect(netTx.tx, io.tx);

    // The slot.
    const taken = reg(bit, { init: 0 });
    netRx.slot.valid.set(taken.not());
    netRx.slot.payload.set(0);
    const back = node(
      unanswered.reduce(
        (a, b) => a.or(b),
        netRx.release.valid.or(mat.release.valid).or(netTx.release.valid).or(dropped),
      ),
    );
    when(netRx.slot.fire, () => taken.set(1)).elseWhen(back, () => taken.set(0));
    translate.busy.set(taken);
    io.busy.set(taken);
  },
);
