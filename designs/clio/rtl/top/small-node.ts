import { arbiter, bit, bitsFor, connect, constant, input, instance, module, mux, node, output, reg, sink, source, stream, uint, when, axi4Address, axi4Read, axi4Response, axi4Write, type Axi4Parameters, type StreamIn } from "../../../../hdl-dsl/index.ts";
import type { NodeConfig, RuntimeSettings } from "../../config/index.ts";
import { status } from "../../wire/index.ts";
import { physicalPid } from "../../registers/index.ts";
import { AccessRead } from "../memory/access-read.ts";
import { AccessWrite } from "../memory/access-write.ts";
import { AxiShare } from "../../../shared/axi/index.ts";
import { FrameBuffer, AxisBeat } from "../../../shared/frame/index.ts";
import { Mat } from "../dispatch/mat.ts";
import { NetRx } from "../network/net-rx.ts";
import { NetTx } from "../network/net-tx.ts";
import { geometryOf } from "../../../shared/virtual-memory/rtl/index.ts";
import { Shootdown } from "../memory/translate.ts";
import { TranslateOne } from "../memory/translate-one.ts";
import { plainOp, Reply, replyForm, replyWord } from "../records/records.ts";

export interface SmallNodeParameters {
  /** 8: translation is made for a bus of 64 bits. */
  readonly beatBytes: 8;
  /** Largest frame without FCS, bytes; largest `length` of an access. */
  readonly frameBytes: number; readonly maxData: number;
  readonly clientPorts: number;
  /** Bytes, powers of two; page table slots per physical page. */
  readonly pageSize: number; readonly physicalMemory: number; readonly slotsFactor: number;
  readonly tlbEntries: number;
  /** Frames kept ready for page faults. */
  readonly freePages: number;
  /** The node's own addresses: fixed by the build, there are no registers. */
  readonly mac: bigint; readonly ip: number; readonly nativePort: number; readonly clientPort: number;
}

/** The module's parameters of a configuration (`narrowConfig`); the node's addresses cannot be changed at run time. */
export const smallNodeParameters = (c: NodeConfig, { mac, ip, nativePort, clientPort }: RuntimeSettings): SmallNodeParameters => ({
  beatBytes: 8, frameBytes: c.mtuFrame, maxData: c.maxData, clientPorts: c.clientPorts, pageSize: c.pageSize, physicalMemory: c.physicalMemory, slotsFactor: c.slotsFactor,
  tlbEntries: c.tlbEntries, freePages: c.freePageBuffer, mac, ip, nativePort, clientPort,
});

/** A slot's number has one bit; slot 1 is never given out. */
const slots = 2;
/** AXI IDs: 0 is data, 1 the table; there is no sync unit. */
const idBits = 2, syncId = 3;
/** One request is inside: of everything that waits for it there is one. */
const outstanding = 1, readBeats = 2;

const translation = (p: SmallNodeParameters) => ({
  pageSize: p.pageSize, physicalMemory: p.physicalMemory, slotsFactor: p.slotsFactor, beatBytes: p.beatBytes, addressBits: Math.log2(p.physicalMemory), idBits, misses: 1,
  freePages: p.freePages, slots, tlbEntries: p.tlbEntries, pagesPerRequest: 1 + Math.ceil((p.maxData - 1) / p.pageSize), physicalPid,
});
/** The shape of the node's AXI4 master. */
export const smallBus = (p: SmallNodeParameters): Axi4Parameters => ({ addressBits: Math.log2(p.physicalMemory), idBits, beatBytes: p.beatBytes });

/**
 * The memory node narrowed to one request at a time, for devices that the whole node does not fit: net_rx, match-and-action table, translation with TLB and page
 * faults, read and write, net_tx. READ, WRITE and WRITE_NOREPLY of any alignment and across pages, PINGPONG, ARP and ICMP echo are as in ClioNode; a FENCE is answered at once,
 * as nothing is before it. Left out: atomics and pointers (answered MALFORMED), the retry buffer (a repeated write is done again), counters, registers, rings
 * to a processor: what the table sends to the slow path is dropped, the slow path being at the other end of the network. Its way to memory is `physicalPid`.
 *
 * The request stands in net_rx's header register from its last beat to its reply's last, and nothing on its way copies it: there are no reply contexts,
 * and no registers between the stages of net_rx, the table and net_tx (cells.ts).
 * Latency, a read of a beat of a page that the TLB knows: 8 cycles and the memory's from the request's last beat to its reply's first. Initiation interval: a request's latency and its
 * reply's beats. Full: while a request is inside `rx.ready` is 0 at a frame's start. `busy`: a request is inside. Reset: none is.
 */
export const SmallNode = module("SmallNode",
  (p: SmallNodeParameters) => {
    const t = translation(p), { ppnBits } = geometryOf(t);
    return {
      rx: sink(AxisBeat(p.beatBytes)), tx: source(AxisBeat(p.beatBytes)),
      mem_aw: source(axi4Address(t)), mem_w: source(axi4Write(p.beatBytes)), mem_b: sink(axi4Response(t)), mem_ar: source(axi4Address(t)), mem_r: sink(axi4Read(t)),
      free_page: sink(uint(ppnBits)), free_pages: output(uint(bitsFor(p.freePages))), out_of_memory: input(bit),
      shootdown: sink(Shootdown(t)), shootdown_done: source(bit),
      busy: output(bit),
    };
  },
  (io, p) => {
    const t = translation(p), g = geometryOf(t), w = { slots, beatBytes: p.beatBytes, frameBytes: p.frameBytes };
    const config = { mac: p.mac, ip: p.ip, nativePort: p.nativePort, clientPort: p.clientPort, acceptAnyMac: 0 };

    // Frames in, and what is asked for.
    const net_rx = instance(NetRx({ ...w, clientPorts: p.clientPorts, compact: true }));
    const buffer = instance(FrameBuffer(w));
    const mat = instance(Mat({ slots, maxData: p.maxData, compact: true }));
    connect(io.rx, net_rx.rx);
    net_rx.config.set(config);
    buffer.write.set(net_rx.buffer_write);
    connect(net_rx.request, mat.request);
    mat.mat_write.set({ en: 0, opcode: 0, entry: { action: 0, write: 0, silent: 0, operation: 0, replyOpcode: 0 } });
    mat.rules.toArray().forEach(r => { r.set({ valid: 0, pid: 0, action: 0 }); });
    mat.mat_opcode.set(0);
    // No way to a slow path: its requests end here, in the cycle in which they come.
    mat.slow.ready.set(1);
    const dropped = node(mat.slow.fire);
    mat.slow_release.set(dropped);

    // Virtual memory. There is nothing inside that a fence would wait for, and no unit for atomics.
    const { access, fence } = mat.asked.payload;
    const translate = instance(TranslateOne(t));
    const translates = node(fence.not().and(access.op.eq(plainOp)));
    translate.access.valid.set(mat.asked.valid.and(translates));
    translate.access.payload.set({ ...access, op: plainOp, indirect: 0 });
    const unserved = stream(Reply(w));
    unserved.valid.set(mat.asked.valid.and(translates.not()));
    unserved.payload.set({
      slot: access.slot, form: replyForm.bare, word: replyWord.none, opcode: access.replyOpcode, status: mux(fence, constant(status.OK, 4), status.MALFORMED),
    });
    mat.asked.ready.set(mux(translates, translate.access.ready, unserved.ready));
    connect(io.free_page, translate.free_page);
    io.free_pages.set(translate.free_pages);
    translate.out_of_memory.set(io.out_of_memory);
    connect(io.shootdown, translate.shootdown);
    connect(translate.shootdown_done, io.shootdown_done);

    // Memory accesses.
    const burst = { beatBytes: p.beatBytes, pageShift: g.pageShift, ppnBits: g.ppnBits, pagesPerRequest: t.pagesPerRequest, addressBits: t.addressBits, idBits, slots };
    const reader = instance(AccessRead({ ...burst, outstanding, dataBeats: readBeats }));
    const writer = instance(AccessWrite({ ...burst, frameBytes: p.frameBytes, outstanding }));
    connect(translate.reads, reader.request);
    connect(translate.writes, writer.request);
    connect(writer.buffer_job, buffer.write_job);
    connect(buffer.write_data, writer.buffer);
    buffer.slow_job.valid.set(0);
    buffer.slow_job.payload.set({ slot: 0, first: 0, beats: 0 });
    buffer.slow_data.ready.set(0);
    const share = instance(AxiShare({ beatBytes: p.beatBytes, addressBits: t.addressBits, idBits, syncId, writes: outstanding }));
    connect(reader.ar, share.data_ar); connect(share.data_r, reader.r);
    connect(writer.aw, share.data_aw); connect(writer.w, share.data_w); connect(share.data_b, writer.b);
    connect(translate.ar, share.table_ar); connect(share.table_r, translate.r);
    connect(translate.aw, share.table_aw); connect(translate.w, share.table_w); connect(share.table_b, translate.b);
    for (const a of [share.sync_ar, share.sync_aw]) { a.valid.set(0); a.payload.set({ addr: 0, id: 0, len: 0, size: 0, burst: 0 }); }
    share.sync_w.valid.set(0);
    share.sync_w.payload.set({ data: 0, strb: 0, last: 0 });
    share.sync_r.ready.set(1);
    share.sync_b.ready.set(1);
    connect(share.ar, io.mem_ar); connect(io.mem_r, share.r);
    connect(share.aw, io.mem_aw); connect(share.w, io.mem_w); connect(io.mem_b, share.b);

    // Ends: a reply, or with none to give the slot at once.
    const refused = stream(Reply(w)), written = stream(Reply(w));
    const refusal = translate.refused.payload, ending = writer.ending.payload;
    refused.payload.set({ slot: refusal.slot, form: replyForm.short, word: replyWord.none, opcode: refusal.replyOpcode, status: refusal.status });
    written.payload.set({ slot: ending.slot, form: ending.form, word: replyWord.none, opcode: ending.opcode, status: ending.status });
    const unanswered = ([[translate.refused, refused, refusal.silent], [writer.ending, written, ending.silent]] as const).map(([from, to, silent], i) => {
      to.valid.set(from.valid.and(silent.not()));
      from.ready.set(to.ready.or(silent));
      return node(from.valid.and(silent), { name: `unanswered_${i}` });
    });

    // Frames out.
    const net_tx = instance(NetTx({ ...w, compact: true }));
    connect(arbiter([reader.reply, written, refused, unserved, mat.reply] as StreamIn<ReturnType<typeof Reply>>[], { policy: "priority", name: "replies" }), net_tx.reply);
    net_tx.config.set(config);
    net_tx.context.set(net_rx.context_write.value);
    net_tx.word.set(0);
    connect(reader.data, net_tx.data);
    net_tx.raw.valid.set(0);
    net_tx.raw.payload.set({ data: 0, keep: 0, last: 0, user: 0 });
    connect(net_tx.echo_job, buffer.echo_job);
    connect(buffer.echo_data, net_tx.echo_data);
    connect(net_tx.tx, io.tx);

    // The slot.
    const taken = reg(bit, { init: 0 });
    net_rx.slot.valid.set(taken.not());
    net_rx.slot.payload.set(0);
    const back = node(unanswered.reduce((a, b) => a.or(b), net_rx.release.valid.or(mat.release.valid).or(net_tx.release.valid).or(dropped)));
    when(net_rx.slot.fire, () => { taken.set(1); }).elseWhen(back, () => { taken.set(0); });
    translate.busy.set(taken);
    io.busy.set(taken);
  });
