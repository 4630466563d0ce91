import { connect, instance, module } from "../../../../hdl-dsl/index.ts";
import { deriveConfig, makeSettings, type NodeConfig } from "../../config/index.ts";
import { resetValues } from "../../registers/index.ts";
import { Control } from "../dispatch/control.ts";
import { Finish } from "../dispatch/finish.ts";
import { widthsOf } from "../ports/widths.ts";
import { wordBits } from "../sync/sync-ops.ts";
import { noteActivity } from "./node/activity.ts";
import { countEvents } from "./node/counters.ts";
import { joinEndings, memoryEndings, repeatedEndings } from "./node/endings.ts";
import { framesIn, framesOut, paths } from "./node/frames.ts";
import { memoryOf } from "./node/memory.ts";
import { orderOf } from "./node/order.ts";
import { nodePorts } from "./node/ports.ts";
import { virtualMemory } from "./node/virtual-memory.ts";

/**
 * The memory node (paper §4.3.2): frames in, frames out, one AXI4 master to DRAM, and the slow path's port.
 * docs/clio/node.md has the picture.
 *
 * The network and the memory take and give one beat per cycle. Requests finish in any order, at most `requestSlots` at
 * a time. When all slots are in use `rx.ready` is 0 at a frame's start, and nothing is lost inside. `free_page`,
 * `shootdown`, `soc_rx`, `soc_tx` and the AXI4-Lite port belong to the slow path. The fast path waits for them only at
 * a page fault that finds `free_page` dry.
 */
export const ClioNode = module(
  "ClioNode",
  nodePorts,
  (io, p) => {
    const c = deriveConfig(p),
      w = widthsOf(c),
      build = { io, p, c, w };
    const control = instance(Control({ reset: resetValues({ config: c, runtime: makeSettings().runtime }) }));
    connect(io.sAw, control.sAw);
    connect(io.sW, control.sW);
    connect(control.sB, io.sB);
    connect(io.sAr, control.sAr);
    connect(control.sR, io.sR);

    const frames = framesIn(build, control),
      { pool, netRx } = frames,
      { mat, slowRx } = paths(build, control, frames);
    const { retry, fences } = orderOf(build, control, mat.asked, pool.busy);
    const { sync, translate } = virtualMemory(build, control, { retry, busy: pool.busy });
    const { reader, writer, found } = memoryOf(build, { sync, translate, retry, frames });

    // Every request to memory ends in `finish`.
    const finish = instance("finish", Finish({ slots: w.slots }));
    const endings = memoryEndings(build, { reader, translate, sync });
    found.slot.set(finish.wordSlot);
    finish.word.set(found.value.is(wordBits));
    retry.done.set(finish.done);

    if (c.activityRegions > 0) noteActivity(build, translate, finish);
    const { answers, unheard, replayed } = repeatedEndings(build, retry.answer);
    connect(joinEndings(build, { mat, fences, sync, translate, reader, writer }, endings, answers), finish.ending);

    const netTx = framesOut(build, control, frames, { retry, finish, reader });
    // Slots back. The slow path's is released when its frame has left for the ring.
    const releases = [netRx.release, mat.release, finish.release, netTx.release, slowRx.release];
    releases.forEach((r, i) => pool.release.at(i).set(r));
    io.busy.set(pool.busy);

    countEvents(build, control, { netRx, mat, fences, retry, translate, sync, reader, writer, replayed, unheard });
  },
  {
    nameOf: p =>
      nodeName(deriveConfig(p)) + (p.exportsConfig === true ? "_x" : "") + (p.countsOffloads === true ? "o" : ""),
  },
);

/**
 * `ClioNode_d512_p22_m31_t64_n64`: data bits, page and memory as powers of two, TLB entries, slots, and what else is
 * not the default.
 */
const nodeName = (c: NodeConfig): string =>
  `ClioNode_d${c.dataWidth}_p${c.pageShift}_m${c.physAddrBits}_t${c.tlbEntries}_n${c.requestSlots}` +
  (c.outstandingMisses === 16 ? "" : `_o${c.outstandingMisses}`) +
  (c.freePageBuffer === 64 ? "" : `_f${c.freePageBuffer}`) +
  (c.mtuFrame === 1536 ? "" : `_u${c.mtuFrame}`) +
  (c.retryClients === 64 ? "" : `_r${c.retryClients}`) +
  (c.retryTimeout === 4000 ? "" : `_y${c.retryTimeout}`) +
  (c.syncLanes === 4 ? "" : `_l${c.syncLanes}`) +
  (c.fences === 4 ? "" : `_e${c.fences}`) +
  (c.slotsFactor === 4 ? "" : `_s${c.slotsFactor}`) +
  (c.clientPorts === 1024 ? "" : `_c${c.clientPorts}`) +
  (c.processKeys === 0 ? "" : `_k${c.processKeys}`) +
  (c.activityRegions === 0 ? "" : `_a${c.activityRegions}`);
