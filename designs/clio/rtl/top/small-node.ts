import { bit, module, node, reg, when } from "../../../../hdl-dsl/index.ts";
import { framesIn, framesOut } from "./small-node/frames.ts";
import { accesses, ends, shareBus, virtualMemory } from "./small-node/memory.ts";
import { slots, smallNodePorts, translation } from "./small-node/ports.ts";

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
export const SmallNode = module("SmallNode", smallNodePorts, (io, p) => {
  const build = {
    io,
    p,
    t: translation(p),
    w: { slots, beatBytes: p.beatBytes, frameBytes: p.frameBytes },
  };
  const frames = framesIn(build),
    { netRx, mat, dropped } = frames;
  const { translate, unserved } = virtualMemory(build, frames),
    { reader, writer } = accesses(build, frames, translate);
  shareBus(build, translate, { reader, writer });
  const { refused, written, unanswered } = ends(build, translate, { reader, writer });
  const netTx = framesOut(build, frames, reader.data, [reader.reply, written, refused, unserved, mat.reply]);

  // The slot.
  const taken = reg(bit, { init: 0 });
  netRx.slot.valid.set(taken.not());
  netRx.slot.payload.set(0);
  const back = node(
    unanswered.reduce((a, b) => a.or(b), netRx.release.valid.or(mat.release.valid).or(netTx.release.valid).or(dropped)),
  );
  when(netRx.slot.fire, () => taken.set(1)).elseWhen(back, () => taken.set(0));
  translate.busy.set(taken);
  io.busy.set(taken);
});
