import {
  arbiter, cat, connect, constant, input, instance, module, mux, node, output, pack, ram, sink, source, stream, uint, unpack,
} from "../../../hdl-dsl/index.ts";
import { status } from "../../packets/index.ts";
import { FrameBuffer } from "./frame_buffer.ts";
import { Mat } from "./mat.ts";
import { NetRx } from "./net_rx.ts";
import { NetTx } from "./net_tx.ts";
import { ContextRead, ContextWrite } from "./reply_contexts.ts";
import { SlotPool } from "./slot_pool.ts";
import { AxisBeat, Reply, ReplyContext, replyForm, replyWord } from "./types.ts";

export interface ResponderParameters {
  readonly beatBytes: number; readonly slots: number;
  /** Largest frame without FCS, bytes; largest `length` of an access. */
  readonly frameBytes: number; readonly maxData: number;
  readonly clientPorts: number;
  /** Bits of a reply context that go to block memory; the rest is kept in registers. */
  readonly blockBits: number;
  /** The node's own addresses: fixed by the build, there are no registers. */
  readonly mac: bigint; readonly ip: number; readonly nativePort: number; readonly clientPort: number;
}

/**
 * The reply contexts of few slots on a device whose memory blocks are narrow: `blockBits` of a context stand in block memory, as many as the device has blocks
 * to spare, the others in registers. Otherwise as ReplyContexts: latency 1 cycle, initiation interval 1, always taken.
 */
const SmallContexts = module("SmallContexts",
  (p: { readonly slots: number; readonly blockBits: number }) => ({ write: input(ContextWrite(p)), read: input(ContextRead(p)), value: output(ReplyContext) }),
  (io, p) => {
    const whole = pack(io.write.value), low = p.blockBits;
    const blocks = ram(uint(low), { depth: p.slots, collision: "undefined", style: "block" });
    const kept = ram(uint(whole.width - low), { depth: p.slots, collision: "undefined", style: "auto" });
    blocks.write(io.write.en, io.write.slot, whole.bits(0, low));
    kept.write(io.write.en, io.write.slot, whole.bits(low, whole.width - low));
    const front = blocks.readSync(io.read.slot, { en: io.read.en });
    const rest = kept.readSync(io.read.slot, { en: io.read.en });
    io.value.set(unpack(ReplyContext, cat(rest, front)));
  });

/**
 * The node's network side alone, for devices that the whole node does not fit: net_rx, match-and-action table, frame buffer, reply contexts and net_tx as
 * they are, without memory behind. ARP, ICMP echo and PINGPONG are answered; a corrupt request with NACK, an impossible one with MALFORMED. No page is
 * mapped here, so an access is answered INVALID as the node would answer it; what is for the slow path goes nowhere, its slot is given back at once.
 *
 * Latency: net_rx's 3, the table's 2 and net_tx's 6 cycles from a request's last beat to its reply's first. Initiation interval: 1 beat. Full: with all slots
 * in use `rx.ready` is 0 at a frame's start. `busy`: slots in use, one bit each. Reset: all slots free, the table as it is built (nothing writes it).
 */
export const Responder = module("Responder",
  (p: ResponderParameters) => ({ rx: sink(AxisBeat(p.beatBytes)), tx: source(AxisBeat(p.beatBytes)), busy: output(uint(p.slots)) }),
  (io, p) => {
    const config = { mac: p.mac, ip: p.ip, nativePort: p.nativePort, clientPort: p.clientPort, acceptAnyMac: 0 };
    const pool = instance(SlotPool({ slots: p.slots, releases: 5 }));
    const net_rx = instance(NetRx({ beatBytes: p.beatBytes, slots: p.slots, frameBytes: p.frameBytes, clientPorts: p.clientPorts }));
    const buffer = instance(FrameBuffer({ slots: p.slots, beatBytes: p.beatBytes, frameBytes: p.frameBytes }));
    const reply_contexts = instance(SmallContexts({ slots: p.slots, blockBits: p.blockBits }));
    connect(io.rx, net_rx.rx);
    connect(pool.offer, net_rx.slot);
    net_rx.config.set(config);
    buffer.write.set(net_rx.buffer_write);
    reply_contexts.write.set(net_rx.context_write);

    const mat = instance(Mat({ slots: p.slots, maxData: p.maxData }));
    connect(net_rx.request, mat.request);
    mat.mat_write.set({ en: 0, opcode: 0, entry: { action: 0, write: 0, silent: 0, operation: 0, replyOpcode: 0 } });
    mat.rules.toArray().forEach(r => { r.set({ valid: 0, pid: 0, action: 0 }); });
    mat.mat_opcode.set(0);

    // No slow path: its requests end here. They are taken in the cycle in which they come.
    mat.slow.ready.set(1);
    const dropped = node(mat.slow.fire);
    mat.slow_release.set(dropped);

    // No memory: no page is mapped, and nothing is ever inside that a fence would wait for.
    const { access, fence } = mat.asked.payload;
    const silent = node(mat.asked.valid.and(access.silent));
    const refusal = stream(Reply(p));
    refusal.valid.set(mat.asked.valid.and(access.silent.not()));
    refusal.payload.set({
      slot: access.slot, form: mux(fence, constant(replyForm.bare, 2), replyForm.short), word: replyWord.none, opcode: access.replyOpcode,
      status: mux(fence, constant(status.OK, 4), status.INVALID),
    });
    mat.asked.ready.set(refusal.ready.or(access.silent));

    const net_tx = instance(NetTx({ beatBytes: p.beatBytes, slots: p.slots, frameBytes: p.frameBytes }));
    net_tx.config.set(config);
    connect(arbiter([refusal, mat.reply], { name: "replies" }), net_tx.reply);
    reply_contexts.read.set(net_tx.context_read);
    net_tx.context.set(reply_contexts.value);
    net_tx.word.set(0);
    net_tx.data.valid.set(0);
    net_tx.data.payload.set({ data: 0, last: 0, bad: 0 });
    net_tx.raw.valid.set(0);
    net_tx.raw.payload.set({ data: 0, keep: 0, last: 0, user: 0 });
    connect(net_tx.echo_job, buffer.echo_job);
    connect(buffer.echo_data, net_tx.echo_data);
    for (const job of [buffer.write_job, buffer.slow_job]) { job.valid.set(0); job.payload.set({ slot: 0, first: 0, beats: 0 }); }
    for (const out of [buffer.write_data, buffer.slow_data]) out.ready.set(0);
    connect(net_tx.tx, io.tx);

    const releases = [
      net_rx.release, mat.release, net_tx.release, { valid: dropped, slot: mat.slow.payload.slot }, { valid: silent, slot: access.slot },
    ];
    releases.forEach((r, i) => { pool.release.at(i).set(r); });
    io.busy.set(pool.busy);
  });
