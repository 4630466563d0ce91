import {
  arbiter,
  cat,
  connect,
  constant,
  input,
  instance,
  map,
  module,
  mux,
  node,
  output,
  priority,
  reg,
  stage,
  uint,
  type UInt,
} from "../../../../hdl-dsl/index.ts";
import {
  type CounterName,
  counterNames,
  deriveConfig,
  makeSettings,
  type NodeConfig,
  type Parameters,
} from "../../config/index.ts";
import { opcodeBits, statusBits } from "../../wire/index.ts";
import { resetValues } from "../../registers/index.ts";
import { ActivityStamp, ActivityTable, regionIndexOf } from "../activity/index.ts";
import { activityPorts, activityTableOf } from "../ports/activity-ports.ts";
import { AccessRead } from "../memory/access-read.ts";
import { AccessWrite } from "../memory/access-write.ts";
import { AxiShare } from "../../../shared/axi/index.ts";
import { Control } from "../dispatch/control.ts";
import { FenceUnit } from "../dispatch/fence.ts";
import { OffloadControl, OffloadEvents, OffloadState } from "../dispatch/events.ts";
import { Finish } from "../dispatch/finish.ts";
import { FrameBuffer, Release, SlotPool, SlotWords, WordWrite } from "../../../shared/frame/index.ts";
import { Mat } from "../dispatch/mat.ts";
import { configPort, framePorts, memoryPorts } from "../ports/node-ports.ts";
import { NetRx } from "../network/net-rx.ts";
import { ProcessKeys } from "../network/process-keys.ts";
import { NetTx } from "../network/net-tx.ts";
import { ReplyContexts } from "../network/reply-contexts.ts";
import { AnswerKind } from "../retry/retry-results.ts";
import { RetryBuffer } from "../retry/retry-buffer.ts";
import { SlowRx } from "../slow-path/slow-rx.ts";
import { syncOp, SyncRequest, wordBits } from "../sync/sync-ops.ts";
import { SyncUnit } from "../sync/sync-unit.ts";
import { Translate } from "../memory/translate.ts";
import { memoryMasters, translateParameters, widthsOf } from "../ports/widths.ts";
import { Ending, firstPointerOp, operandBits, replyForm, replyWord, wordOf } from "../records/records.ts";

/**
 * Reads issued ahead of the one being answered, and beats that wait for the wire: enough to hide a memory of 100
 * cycles and more.
 */
const readsAhead = 32,
  beatsAhead = 64;

const offloadsPort = {
  offloadEvents: input(OffloadEvents),
  offloadState: input(OffloadState),
  offloadControl: output(OffloadControl),
};

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
  (
    p: Parameters & {
      /** Whether there is an output `net_config`, for a transport in front of the node (gbn-node.ts). */
      readonly exportsConfig?: true;
      /**
       * Whether there are `offload_events`, `offload_state` and `offload_control`, for offloads in front of the node.
       */
      readonly countsOffloads?: true;
    },
  ) => {
    const c = deriveConfig(p),
      w = widthsOf(c);
    return {
      ...framePorts(w),
      ...memoryPorts(c, w, translateParameters(c)),
      ...(p.exportsConfig === true ? configPort : ({} as typeof configPort)),
      ...(p.countsOffloads === true ? offloadsPort : ({} as typeof offloadsPort)),
      ...(c.activityRegions > 0 ? activityPorts(c) : ({} as ReturnType<typeof activityPorts>)),
    };
  },
  (io, p) => {
    const c = deriveConfig(p),
      w = widthsOf(c),
      t = translateParameters(c);

    const control = instance(Control({ reset: resetValues({ config: c, runtime: makeSettings().runtime }) }));
    connect(io.sAw, control.sAw);
    connect(io.sW, control.sW);
    connect(control.sB, io.sB);
    connect(io.sAr, control.sAr);
    connect(control.sR, io.sR);

    // Frames in.
    const pool = instance(SlotPool({ slots: w.slots, releases: 5 }));
    const operands = instance("operands", SlotWords({ slots: w.slots, width: operandBits }));
    const netRx = instance(
      NetRx({
        beatBytes: w.beatBytes,
        slots: w.slots,
        frameBytes: w.frameBytes,
        clientPorts: c.clientPorts,
        ...(p.countsOffloads === true && { internal: true }),
        ...(c.processKeys > 0 && { keys: true }),
      }),
    );
    if (c.processKeys > 0) {
      const keys = instance("keys", ProcessKeys({ keys: c.processKeys }));
      keys.order.set(control.keyOrder);
      keys.read.set(netRx.keyRead);
      netRx.key.set(keys.key);
      netRx.keysClearing.set(keys.clearing);
      control.keysClearing.set(keys.clearing);
    }
    const buffer = instance(FrameBuffer({ slots: w.slots, beatBytes: w.beatBytes, frameBytes: w.frameBytes }));
    const replyContexts = instance(ReplyContexts({ slots: w.slots }));
    connect(io.rx, netRx.rx);
    connect(pool.offer, netRx.slot);
    netRx.config.set(control.config);
    if (p.exportsConfig === true) io.netConfig.set(control.config);
    buffer.write.set(netRx.bufferWrite);
    replyContexts.write.set(netRx.contextWrite);
    operands.write.set(netRx.operandsWrite);

    // The three paths.
    const mat = instance(Mat({ slots: w.slots, maxData: c.maxData }));
    connect(netRx.request, mat.request);
    mat.matWrite.set(control.matWrite);
    mat.rules.set(control.rules);
    mat.matOpcode.set(control.matOpcode);
    control.matEntry.set(mat.matEntry);
    const slowRx = instance(SlowRx({ slots: w.slots, beatBytes: w.beatBytes, frameBytes: w.frameBytes }));
    connect(mat.slow, slowRx.frame);
    // The slow path may take its time: whether it can have the buffer is not for the fast path to wait for.
    connect(stage(slowRx.job, "full", { name: "slow_job" }), buffer.slowJob);
    connect(buffer.slowData, slowRx.beats);
    connect(slowRx.socRx, io.socRx);
    mat.slowRelease.set(slowRx.release.valid);

    // A repeated operation is answered, not done again; fences wait for the requests inside.
    const retry = instance(
      "retry",
      RetryBuffer({ slots: w.slots, entries: c.retryEntries, clients: c.retryClients, timeoutCycles: c.retryCycles }),
    );
    connect(mat.asked, retry.request);
    retry.hashKey.set(control.hashKey);
    const fences = instance("fences", FenceUnit({ slots: w.slots, fences: c.fences }));
    // Both a cycle later, so in their order still.
    connect(stage(retry.fence, "forward", { name: "fence" }), fences.fence);
    const entered = reg(Release(w), { init: 0, name: "entered" });
    entered.set({ valid: retry.pass.fire, slot: retry.pass.payload.slot });
    fences.entered.set(entered);
    fences.busy.set(pool.busy);

    // Virtual memory. An access behind a pointer goes before new ones.
    const sync = instance(
      "sync",
      SyncUnit({
        slots: w.slots,
        beatBytes: w.beatBytes,
        addressBits: w.addressBits,
        idBits: w.idBits,
        id: w.syncId,
        lanes: c.syncLanes,
      }),
    );
    const translate = instance(Translate(t));
    translate.hashKey.set(control.hashKey);
    // Registers between the units: a unit's ready, or a decision late in a cycle, does not go on into the next unit.
    connect(
      arbiter([stage(sync.access, "full", { name: "behind_pointer" }), retry.pass], {
        policy: "priority",
        name: "accesses",
      }),
      translate.access,
    );
    connect(io.freePage, translate.freePage);
    connect(io.shootdown, translate.shootdown);
    connect(translate.shootdownDone, io.shootdownDone);
    translate.outOfMemory.set(control.outOfMemory);
    translate.busy.set(pool.busy);
    io.freePages.set(translate.freePages);
    io.lowWater.set(translate.freePages.le(c.freePageLowWater));
    control.freePages.set(translate.freePages.zext(16));
    if (p.countsOffloads === true) control.offloadState.set(io.offloadState);
    else
      control.offloadState.set({
        held: 0,
        stuck: 0,
        active: 0,
        since: Array.from({ length: 4 }, () => constant(0, 24)),
        processes: { busy: 0, used: 0, forgetting: 0, forgotten: 0, failed: 0 },
      });
    if (p.countsOffloads === true) io.offloadControl.set(control.offloadControl);

    // Memory accesses.
    const burst = {
      beatBytes: w.beatBytes,
      pageShift: w.pageShift,
      ppnBits: w.ppnBits,
      pagesPerRequest: w.pagesPerRequest,
      addressBits: w.addressBits,
      idBits: w.idBits,
    };
    const reader = instance(AccessRead({ ...burst, slots: w.slots, outstanding: readsAhead, dataBeats: beatsAhead }));
    const writer = instance(AccessWrite({ ...burst, slots: w.slots, frameBytes: w.frameBytes, outstanding: w.slots }));
    connect(stage(translate.reads, "full", { name: "to_read" }), reader.request);
    connect(translate.writes, writer.request);
    // PID of the pointer that an operation fetches: the translated request does not carry it.
    const pids = instance("pids", SlotWords({ slots: w.slots, width: 16 }));
    pids.write.set({ en: retry.pass.fire, slot: retry.pass.payload.slot, value: retry.pass.payload.pid });
    const toSync = stage(translate.syncs, "backward");
    pids.slot.set(toSync.payload.slot);
    const firstPage = (ppns: UInt, offset: UInt): UInt => cat(ppns.bits(0, w.ppnBits), offset);
    connect(
      map(
        toSync,
        SyncRequest(w),
        v => ({
          slot: v.slot,
          op: v.op,
          address: firstPage(v.ppns, v.offset),
          pid: pids.value.is(16),
          length: v.length,
          silent: v.silent,
          replyOpcode: v.replyOpcode,
        }),
        { name: "sync_request" },
      ),
      sync.request,
    );
    operands.slot.set(sync.operandSlot);
    sync.operands.set(operands.value.is(operandBits));
    const found = instance("found", SlotWords({ slots: w.slots, width: wordBits }));
    found.write.set({ en: sync.result.valid, slot: sync.result.slot, value: sync.result.word });
    connect(writer.bufferJob, buffer.writeJob);
    connect(buffer.writeData, writer.buffer);
    const share = instance(
      AxiShare({
        beatBytes: w.beatBytes,
        addressBits: w.addressBits,
        idBits: w.idBits,
        masters: memoryMasters(w.syncId),
        writes: 16,
      }),
    );
    connect(reader.ar, share.dataAr);
    connect(share.dataR, reader.r);
    connect(stage(writer.aw, "backward", { name: "data_aw" }), share.dataAw);
    connect(writer.w, share.dataW);
    connect(share.dataB, writer.b);
    connect(translate.ar, share.tableAr);
    connect(share.tableR, translate.r);
    connect(translate.aw, share.tableAw);
    connect(translate.w, share.tableW);
    connect(share.tableB, translate.b);
    connect(sync.ar, share.syncAr);
    connect(share.syncR, sync.r);
    connect(sync.aw, share.syncAw);
    connect(sync.w, share.syncW);
    connect(share.syncB, sync.b);
    connect(share.ar, io.memAr);
    connect(io.memR, share.r);
    connect(share.aw, io.memAw);
    connect(share.w, io.memW);
    connect(io.memB, share.b);

    // Every request to memory ends here.
    const ending = Ending(w),
      finish = instance("finish", Finish({ slots: w.slots }));
    const reads = map(reader.reply, ending, v => ({ ...v, silent: 0, done: 1 }), { name: "read_ending" });
    const refused = map(
      translate.refused,
      ending,
      v => ({
        slot: v.slot,
        form: replyForm.short,
        word: wordOf(v.indirect).is(2),
        opcode: v.replyOpcode,
        status: v.status,
        silent: v.silent,
        done: 1,
      }),
      { name: "refusal" },
    );
    // An atomic that succeeds has a number to tell; a STORE has none.
    const synced = map(
      sync.reply,
      ending,
      v => ({
        slot: v.slot,
        form: replyForm.short,
        word: mux(
          v.op.lt(syncOp.store).and(v.status.eq(statusBits.OK)),
          constant(replyWord.behind, 2),
          constant(replyWord.none, 2),
        ),
        opcode: v.replyOpcode,
        status: v.status,
        silent: v.silent,
        done: 1,
      }),
      { name: "sync_ending" },
    );
    found.slot.set(finish.wordSlot);
    finish.word.set(found.value.is(wordBits));
    retry.done.set(finish.done);

    // When each region was written last: noted beside the fast path, once memory has answered the write.
    if (c.activityRegions > 0) {
      const size = activityTableOf(c),
        entryBits = Math.log2(size.regions),
        words = { slots: w.slots, width: entryBits + 1 },
        { access } = translate,
        { slot, pid, va, write } = access.payload,
        note = reg(WordWrite(words), { init: 0, name: "note" }),
        noted = instance("noted", SlotWords(words)),
        table = instance("activity", ActivityTable(size)),
        stamp = reg(ActivityStamp(size), { init: 0, name: "stamp" });
      // A cycle later: memory answers no sooner.
      note.set({ en: access.fire, slot, value: cat(write, regionIndexOf(pid, va, entryBits)) });
      noted.write.set(note);
      const { done } = finish,
        accessDone = node(done.valid.and(done.status.eq(statusBits.OK)), { name: "access_done" }),
        isWrite = node(noted.value.bit(entryBits), { name: "noted_write" });
      noted.slot.set(done.slot);
      stamp.set({ en: accessDone.and(isWrite), region: noted.value.bits(0, entryBits) });
      table.stamp.set(stamp);
      connect(io.activityCommand, table.command);
      connect(table.result, io.activityResult);
      io.activityOverdue.set(table.overdue);
    }

    // Repetitions are answered as the first was. Only the replies of atomics have the reply opcode of READ here.
    const again = retry.answer;
    const replayed = node(again.payload.kind.eq(AnswerKind.replayed));
    const waits = node(again.payload.kind.eq(AnswerKind.full).or(again.payload.kind.eq(AnswerKind.yields)), {
      name: "waits",
    });
    const unheard = node(again.fire.and(again.payload.silent), { name: "unheard" });
    const answers = map(
      again,
      ending,
      v => {
        const tells = v.kind
          .eq(AnswerKind.replayed)
          .and(v.status.eq(statusBits.OK))
          .and(v.replyOpcode.eq(opcodeBits.READ_REPLY));
        return {
          slot: v.slot,
          form: mux(v.kind.eq(AnswerKind.busy).or(waits), constant(replyForm.bare, 2), replyForm.short),
          word: priority(
            [waits, constant(replyWord.wait, 2)],
            [tells, constant(replyWord.behind, 2)],
            constant(replyWord.none, 2),
          ),
          opcode: v.replyOpcode,
          status: v.status,
          silent: v.silent,
          done: 0,
        };
      },
      { name: "answer" },
    );
    const fenced = map(
      fences.reply,
      ending,
      v => ({
        slot: v.slot,
        form: replyForm.bare,
        word: replyWord.none,
        opcode: 0,
        status: mux(v.refused, statusBits.BUSY, statusBits.OK),
        silent: 0,
        done: 0,
      }),
      { name: "fenced" },
    );
    const bare = map(mat.reply, ending, v => ({ ...v, silent: 0, done: 0 }), { name: "bare" });

    // Registers in both directions: each block's own logic ends here, and what it says of its readiness begins.
    const endings = [reads, writer.ending, refused, synced, answers, fenced].map((e, i) =>
      stage(e, "full", { name: `ending_${i}` }),
    );
    connect(
      arbiter([...endings, stage(bare, "backward", { name: "bare_ending" })], { name: "endings" }),
      finish.ending,
    );

    // Frames out.
    const netTx = instance(NetTx({ beatBytes: w.beatBytes, slots: w.slots, frameBytes: w.frameBytes }));
    netTx.config.set(control.config);
    connect(finish.reply, netTx.reply);
    retry.wordSlot.set(netTx.wordSlot);
    netTx.word.set(retry.word.is(wordBits));
    netTx.waitNs.set(retry.waitNs);
    replyContexts.read.set(netTx.contextRead);
    netTx.context.set(replyContexts.value);
    connect(reader.data, netTx.data);
    connect(netTx.echoJob, buffer.echoJob);
    connect(buffer.echoData, netTx.echoData);
    connect(io.socTx, netTx.raw);
    connect(netTx.tx, io.tx);

    // Slots back. The slow path's is released when its frame has left for the ring.
    const releases = [netRx.release, mat.release, finish.release, netTx.release, slowRx.release];
    releases.forEach((r, i) => pool.release.at(i).set(r));
    io.busy.set(pool.busy);

    // Counters: each block's pulses, added where two blocks can report the same.
    const m = mat.events,
      x = translate.events,
      r = retry.events;
    const refusedSilent = node(translate.refused.fire.and(translate.refused.payload.silent), {
      name: "refused_silent",
    });
    const atomic = node(
      sync.reply.fire.and(sync.reply.payload.status.eq(statusBits.OK)).and(sync.reply.payload.op.lt(firstPointerOp)),
      { name: "atomic_done" },
    );
    const pulses: Readonly<Partial<Record<CounterName, readonly UInt[]>>> = {
      rxFrames: [netRx.received],
      txFrames: [io.tx.fire.and(io.tx.payload.last)],
      dropLong: [netRx.drops.long],
      dropFcs: [netRx.drops.fcs],
      dropShort: [netRx.drops.short],
      dropMac: [netRx.drops.mac],
      dropEtherType: [netRx.drops.etherType],
      dropArp: [netRx.drops.arp],
      dropIpHeader: [netRx.drops.ipHeader],
      dropIpOptions: [netRx.drops.ipOptions],
      dropIpChecksum: [netRx.drops.ipChecksum],
      dropFragment: [netRx.drops.fragment],
      dropIp: [netRx.drops.ip],
      dropLength: [netRx.drops.length],
      dropProtocol: [netRx.drops.protocol],
      dropIcmp: [netRx.drops.icmp],
      dropPort: [netRx.drops.port],
      dropSource: [netRx.drops.source],
      dropReply: [m.dropReply],
      dropRule: [m.dropRule],
      arpReplies: [m.arpReplies],
      icmpReplies: [m.icmpReplies],
      nacks: [m.nacks],
      malformed: [m.malformed],
      busy: [m.busy, node(fences.reply.fire.and(fences.reply.payload.refused))],
      pingpongs: [m.pingpongs],
      slowRequests: [m.slowRequests],
      extendRequests: [m.extendRequests],
      invalid: [x.invalid, m.invalid],
      writePermission: [x.writePermission],
      readPermission: [x.readPermission],
      outOfMemory: [x.outOfMemory],
      unanswered: [refusedSilent, m.unanswered, writer.events.unanswered, node(unheard.and(replayed.not()))],
      reads: [reader.events.reads],
      writes: [writer.events.writes],
      writesNoReply: [writer.events.writesNoReply],
      readBytes: [reader.events.readBytes],
      writeBytes: [writer.events.writeBytes],
      pageFaults: [x.pageFaults],
      tableWriteErrors: [x.tableWriteErrors],
      tlbHits: [x.tlbHits],
      tlbMisses: [x.tlbMisses],
      missesMerged: [x.missesMerged],
      bucketFetches: [x.bucketFetches],
      tlbEvictions: [x.tlbEvictions],
      shootdowns: [x.shootdowns],
      atomics: [atomic],
      dereferences: [sync.access.fire],
      fences: [node(fences.reply.fire.and(fences.reply.payload.refused.not()))],
      retriesAnswered: [r.retriesAnswered],
      retriesBusy: [r.retriesBusy],
      retriesExpired: [r.retriesExpired],
      retryEvictions: [r.retryEvictions],
      retryClientsReplaced: [r.retryClientsReplaced],
    };
    const e = io.offloadEvents;
    const offloads: Partial<Record<CounterName, UInt>> =
      p.countsOffloads === true
        ? {
            offload0Requests: e.requests.bit(0),
            offload1Requests: e.requests.bit(1),
            offload2Requests: e.requests.bit(2),
            offload3Requests: e.requests.bit(3),
            offload0Accesses: e.accesses.bit(0),
            offload1Accesses: e.accesses.bit(1),
            offload2Accesses: e.accesses.bit(2),
            offload3Accesses: e.accesses.bit(3),
            offloadBusy: e.busy,
            offloadRepeated: e.repeated,
          }
        : {};
    // Counted a cycle later: the events are decided late in a cycle.
    for (const name of counterNames) {
      const target = control.events[name],
        of = pulses[name] ?? (offloads[name] === undefined ? [] : [offloads[name]]);
      // Events that a build lacks are not counted.
      if (of.length === 0) {
        target.set(0);
        continue;
      }
      const counted = reg(uint(target.width), { init: 0, name: `counted_${name}` });
      counted.set(of.map((v): UInt => v.zext(target.width)).reduce((x1, x2) => x1.add(x2)));
      target.set(counted);
    }
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
