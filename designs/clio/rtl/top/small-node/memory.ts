/** Virtual memory, and accesses to memory. */
import { connect, instance, type InstanceOf, mux, node, stream } from "../../../../../hdl-dsl/index.ts";
import { AxiShare } from "../../../../shared/axi/index.ts";
import { tableOf } from "../../../config/index.ts";
import { statusBits } from "../../../wire/index.ts";
import { AccessRead } from "../../memory/access-read.ts";
import { AccessWrite } from "../../memory/access-write.ts";
import { TranslateOne } from "../../memory/translate-one.ts";
import { memoryMasters } from "../../ports/widths.ts";
import { plainOp, Reply, replyForm, replyWord } from "../../records/records.ts";
import type { FramesIn } from "./frames.ts";
import { type Build, idBits, outstanding, readBeats, slots, syncId } from "./ports.ts";

/** There is nothing inside that a fence would wait for, and no unit for atomics. */
export function virtualMemory({ io, p, t, w }: Build, { mat }: FramesIn) {
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

  return { translate, unserved };
}

/** Reads and writes. */
export function accesses({ p, t }: Build, { buffer }: FramesIn, translate: InstanceOf<typeof TranslateOne>) {
  const g = tableOf(t);
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
  return { reader, writer };
}

/** The bus is shared with the page table; there is no unit for atomics. */
export function shareBus(
  { io, p, t }: Build,
  translate: InstanceOf<typeof TranslateOne>,
  { reader, writer }: ReturnType<typeof accesses>,
): void {
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
}

/** Ends: a reply, or with none to give the slot at once. */
export function ends(
  { w }: Build,
  translate: InstanceOf<typeof TranslateOne>,
  { writer }: ReturnType<typeof accesses>,
) {
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

  return { refused, written, unanswered };
}
