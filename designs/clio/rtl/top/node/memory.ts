/** Accesses to memory, and the one AXI4 master that they share. */
import { cat, connect, instance, type InstanceOf, map, stage, type UInt } from "../../../../../hdl-dsl/index.ts";
import { AxiShare } from "../../../../shared/axi/index.ts";
import { SlotWords } from "../../../../shared/frame/index.ts";
import { AccessRead } from "../../memory/access-read.ts";
import { AccessWrite } from "../../memory/access-write.ts";
import type { Translate } from "../../memory/translate.ts";
import { memoryMasters } from "../../ports/widths.ts";
import { operandBits } from "../../records/records.ts";
import type { RetryBuffer } from "../../retry/retry-buffer.ts";
import { SyncRequest, wordBits } from "../../sync/sync-ops.ts";
import type { FramesIn } from "./frames.ts";
import type { Build } from "./ports.ts";
import type { virtualMemory } from "./virtual-memory.ts";

/**
 * Reads issued ahead of the one being answered, and beats that wait for the wire: enough to hide a memory of 100
 * cycles and more.
 */
const readsAhead = 32,
  beatsAhead = 64;

type Translating = ReturnType<typeof virtualMemory>;
interface Accessing extends Translating {
  readonly retry: InstanceOf<typeof RetryBuffer>;
  readonly frames: FramesIn;
}

/** Data is read and written. */
function accesses({ w }: Build, translate: InstanceOf<typeof Translate>) {
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
  return { reader, writer };
}

/** Operations on words go to their unit, with the PID of the pointer that one fetches. */
function syncAccesses({ w }: Build, { sync, translate, retry, frames: { operands } }: Accessing) {
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
  return found;
}

/** All units share one master. */
function shareBus(
  { io, w }: Build,
  { reader, writer, translate, sync }: ReturnType<typeof accesses> & Translating,
): void {
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
}

/** @returns the units, and `found`: what an operation on a word has found there, by slot */
export function memoryOf(build: Build, accessing: Accessing) {
  const { reader, writer } = accesses(build, accessing.translate),
    found = syncAccesses(build, accessing),
    { buffer } = accessing.frames;
  connect(writer.bufferJob, buffer.writeJob);
  connect(buffer.writeData, writer.buffer);
  shareBus(build, { reader, writer, ...accessing });
  return { reader, writer, found };
}
