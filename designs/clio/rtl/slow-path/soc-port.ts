import { bit, fromBits, module, reg } from "../../../../hdl-dsl/index.ts";
import { reads, writes } from "./soc-port/bus.ts";
import { exchanges, freePages, shootdowns } from "./soc-port/commands.ts";
import { partsOf, socPortPorts } from "./soc-port/ports.ts";
import { receiveRing, sendRing } from "./soc-port/rings.ts";

/**
 * The slow path's side of the node as memory that a processor reads and writes (paper §4.5). The memory holds two rings
 * of frames, the free-page buffer, shootdowns and exchanges of table entries. The registers and where the rings stand:
 * ../registers/soc-port.ts. `irq` is up, a cycle late, while an enabled state holds.
 *
 * Rings: `slots` frames each way in block memory. A received frame stands in slot rxHead mod slots until software
 * counts rxTail up. A frame to be sent is written to slot txHead mod slots, and committed by its length in txCommit.
 * Full: with a full receive ring `soc_rx.ready` is 0, and the node answers BUSY when its own queue is full too. A
 * commit to a full send ring is refused (`refused`) and changes nothing. Empty: rxHead = rxTail; rxLength means
 * nothing. In and out in one cycle: both happen. Commands (page, shootdown, exchange): one of each under way at a time;
 * one more is refused. Bus: AXI4-Lite, one access at a time in each direction. Latency: registers 4 cycles, a word of
 * the receive ring 3, a write 3. A write to a window that is not a whole word is answered SLVERR, a read of the send
 * ring DECERR. Latency of a frame: it can be seen in the cycle after its last beat. The first beat of a committed frame
 * is on `soc_tx` 3 cycles later; then comes one beat per cycle. Reset: rings empty, nothing enabled.
 */
export const SocPort = module("SocPort", socPortPorts, (io, p) => {
  const parts = partsOf(io, p),
    { registers } = parts;
  const rxBeats = reads(parts),
    written = writes(parts);
  const rxHead = receiveRing(parts, rxBeats);
  const { commits, txFull } = sendRing(parts, written);
  const { pageOrdered, pagePending } = freePages(parts);
  const shotPending = shootdowns(parts);
  const swapPending = exchanges(parts);

  registers.refused.set(
    commits
      .and(txFull)
      .or(registers.freePageGo.and(pagePending.or(pageOrdered)))
      .or(registers.shootdownGo.and(shotPending))
      .or(registers.exchangeGo.and(swapPending)),
  );

  const states = {
    rxWaiting: rxHead.ne(registers.rxTail),
    pagesLow: io.lowWater,
    shootdownIdle: shotPending.not(),
    exchangeIdle: swapPending.not(),
  };
  registers.rxWaiting.set(states.rxWaiting);
  registers.pagesLow.set(states.pagesLow);
  registers.shootdownIdle.set(states.shootdownIdle);
  registers.exchangeIdle.set(states.exchangeIdle);
  registers.freePageIdle.set(pagePending.or(pageOrdered).not());
  const interrupt = reg(bit, { init: 0 });
  interrupt.set(fromBits(Object.values(states)).and(registers.interruptEnable).any());
  io.irq.set(interrupt);
});
