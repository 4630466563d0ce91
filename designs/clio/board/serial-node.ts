import { bit, cat, connect, input, instance, module, node, output, reg, uint, when } from "../../../hdl-dsl/index.ts";
import { smallBus, SmallNode, type SmallNodeParameters } from "../rtl/index.ts";
import { tableOf } from "../config/index.ts";
import { lineRegister, lineStatus } from "../registers/index.ts";
import { BlockMemory } from "./block-memory.ts";
import { FrameGuard } from "../../shared/frame/index.ts";
import { SlipDecoder, SlipEncoder } from "./slip.ts";
import { UartRx, UartTx } from "./uart.ts";

export interface SerialNodeParameters extends SmallNodeParameters {
  /** Clock cycles of a bit on the serial line. */
  readonly divider: number;
}

/**
 * A memory node behind a serial line, its memory in the device's own blocks: Ethernet frames without FCS, framed by
 * SLIP, 8N1. The slow path runs at the other end of the line: process `physicalPid` of the node (small-node.ts) sees
 * physical memory. The registers of ../registers/line.ts lie behind the page table, in the same page: free pages,
 * shootdown, out of memory. Latency: that of the line, 10 bits a byte, and the node's. Initiation interval: a byte a 10
 * bits. Full: the line cannot wait, so a frame that begins before the request in front has been answered is cut and
 * dropped. `busy`: a request is inside; `lost`: a frame has been cut since reset.
 */
export const SerialNode = module(
  "SerialNode",
  (_: SerialNodeParameters) => ({ lineIn: input(bit), lineOut: output(bit), busy: output(bit), lost: output(bit) }),
  (io, p) => {
    const { divider, ...rest } = p,
      { beatBytes } = p,
      table = tableOf(p);
    const receiver = instance(UartRx({ divider })),
      sender = instance(UartTx({ divider }));
    const decoder = instance(SlipDecoder({ beatBytes })),
      encoder = instance(SlipEncoder({ beatBytes }));
    const guard = instance(FrameGuard({ beatBytes }));
    const smallNode = instance(SmallNode(rest));
    receiver.line.set(io.lineIn);
    decoder.byte.set(receiver.byte);
    guard.from.set(decoder.beat);
    connect(guard.to, smallNode.rx);
    connect(smallNode.tx, encoder.from);
    connect(encoder.to, sender.byte);
    io.lineOut.set(sender.line);
    io.busy.set(smallNode.busy);
    const lost = reg(bit, { init: 0 });
    when(guard.lost, () => lost.set(1));
    io.lost.set(lost);

    const memory = instance(
      BlockMemory({
        bytes: p.physicalMemory,
        beatBytes,
        idBits: smallBus(p).idBits,
        windowFrom: table.tableBytes,
        windowEnd: p.pageSize,
      }),
    );
    connect(smallNode.memAr, memory.sAr);
    connect(memory.sR, smallNode.memR);
    connect(smallNode.memAw, memory.sAw);
    connect(smallNode.memW, memory.sW);
    connect(memory.sB, smallNode.memB);

    // The slow path's registers. A written value is kept until it is taken. The writer checks by the status that it
    // has been taken.
    const { valid, word, data } = memory.written;
    const writes = (r: keyof typeof lineRegister) => node(valid.and(word.eq(lineRegister[r])), { name: `writes_${r}` });
    const pageWaits = reg(bit, { init: 0 }),
      page = reg(uint(table.ppnBits));
    when(smallNode.freePage.fire, () => pageWaits.set(0));
    when(writes("freePage"), () => {
      pageWaits.set(1);
      page.set(data.bits(0, table.ppnBits));
    });
    smallNode.freePage.valid.set(pageWaits);
    smallNode.freePage.payload.set(page);
    const shooting = reg(bit, { init: 0 }),
      shotTaken = reg(bit, { init: 0 });
    const shotPid = reg(uint(16)),
      shotVpn = reg(uint(table.vpnBits));
    when(writes("shootdown"), () => {
      shooting.set(1);
      shotTaken.set(0);
      shotPid.set(data.bits(0, 16));
      shotVpn.set(data.bits(16, table.vpnBits));
    });
    smallNode.shootdown.valid.set(shooting.and(shotTaken.not()));
    smallNode.shootdown.payload.set({ pid: shotPid, vpn: shotVpn });
    when(smallNode.shootdown.fire, () => shotTaken.set(1));
    smallNode.shootdownDone.ready.set(1);
    when(smallNode.shootdownDone.fire, () => shooting.set(0));
    const outOfMemory = reg(bit, { init: 0 });
    when(writes("outOfMemory"), () => outOfMemory.set(data.bit(0)));
    smallNode.outOfMemory.set(outOfMemory);
    const pages = smallNode.freePages.zext(lineStatus.pages.width).add(pageWaits.zext(lineStatus.pages.width));
    memory.status.set(cat(shooting, pages).zext(8 * beatBytes));
  },
);
