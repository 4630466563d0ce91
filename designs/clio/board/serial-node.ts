import { bit, cat, connect, input, instance, module, node, output, reg, uint, when } from "../../../hdl-dsl/index.ts";
import { SmallNode, smallBus, type SmallNodeParameters } from "../rtl/index.ts";
import { tableGeometry } from "../../shared/virtual-memory/table/index.ts";
import { lineRegister, lineStatus } from "../registers/index.ts";
import { BlockMemory } from "./block-memory.ts";
import { FrameGuard } from "./frame-guard.ts";
import { SlipDecoder, SlipEncoder } from "./slip.ts";
import { UartRx, UartTx } from "./uart.ts";

export interface SerialNodeParameters extends SmallNodeParameters {
  /** Clock cycles of a bit on the serial line. */
  readonly divider: number;
}

/**
 * A memory node behind a serial line, its memory in the device's own blocks: Ethernet frames without FCS, framed by SLIP, 8N1. The slow path runs at the other
 * end of the line: process `physicalPid` of the node (small_node.ts) sees physical memory, and behind the page table, in the same page, the registers of
 * ../registers/line.ts: free pages, shootdown, out of memory.
 * Latency: that of the line, 10 bits a byte, and the node's. Initiation interval: a byte a 10 bits. Full: the line cannot wait, so a frame
 * that begins before the request in front has been answered is cut and dropped. `busy`: a request is inside; `lost`: a frame has been cut since reset.
 */
export const SerialNode = module("SerialNode",
  (_: SerialNodeParameters) => ({ line_in: input(bit), line_out: output(bit), busy: output(bit), lost: output(bit) }),
  (io, p) => {
    const { divider, ...rest } = p, { beatBytes } = p, table = tableGeometry(p);
    const receiver = instance(UartRx({ divider })), sender = instance(UartTx({ divider }));
    const decoder = instance(SlipDecoder({ beatBytes })), encoder = instance(SlipEncoder({ beatBytes }));
    const guard = instance(FrameGuard({ beatBytes }));
    const small_node = instance(SmallNode(rest));
    receiver.line.set(io.line_in);
    decoder.byte.set(receiver.byte);
    guard.from.set(decoder.beat);
    connect(guard.to, small_node.rx);
    connect(small_node.tx, encoder.from);
    connect(encoder.to, sender.byte);
    io.line_out.set(sender.line);
    io.busy.set(small_node.busy);
    const lost = reg(bit, { init: 0 });
    when(guard.lost, () => { lost.set(1); });
    io.lost.set(lost);

    const memory = instance(BlockMemory({ bytes: p.physicalMemory, beatBytes, idBits: smallBus(p).idBits, windowFrom: table.tableBytes, windowEnd: p.pageSize }));
    connect(small_node.mem_ar, memory.s_ar); connect(memory.s_r, small_node.mem_r);
    connect(small_node.mem_aw, memory.s_aw); connect(small_node.mem_w, memory.s_w); connect(memory.s_b, small_node.mem_b);

    // The slow path's registers. What is written is kept until it is taken; who writes sees to it, by the status, that it has been.
    const { valid, word, data } = memory.written;
    const writes = (r: keyof typeof lineRegister) => node(valid.and(word.eq(lineRegister[r])), { name: `writes_${r}` });
    const page_waits = reg(bit, { init: 0 }), page = reg(uint(table.ppnBits));
    when(small_node.free_page.fire, () => { page_waits.set(0); });
    when(writes("freePage"), () => { page_waits.set(1); page.set(data.bits(0, table.ppnBits)); });
    small_node.free_page.valid.set(page_waits);
    small_node.free_page.payload.set(page);
    const shooting = reg(bit, { init: 0 }), shot_taken = reg(bit, { init: 0 });
    const shot_pid = reg(uint(16)), shot_vpn = reg(uint(table.vpnBits));
    when(writes("shootdown"), () => { shooting.set(1); shot_taken.set(0); shot_pid.set(data.bits(0, 16)); shot_vpn.set(data.bits(16, table.vpnBits)); });
    small_node.shootdown.valid.set(shooting.and(shot_taken.not()));
    small_node.shootdown.payload.set({ pid: shot_pid, vpn: shot_vpn });
    when(small_node.shootdown.fire, () => { shot_taken.set(1); });
    small_node.shootdown_done.ready.set(1);
    when(small_node.shootdown_done.fire, () => { shooting.set(0); });
    const out_of_memory = reg(bit, { init: 0 });
    when(writes("outOfMemory"), () => { out_of_memory.set(data.bit(0)); });
    small_node.out_of_memory.set(out_of_memory);
    const pages = small_node.free_pages.zext(lineStatus.pages.width).add(page_waits.zext(lineStatus.pages.width));
    memory.status.set(cat(shooting, pages).zext(8 * beatBytes));
  });
