import {
  assertAlways,
  axi4Address,
  axi4Read,
  bit,
  cat,
  connect,
  constant,
  Fifo,
  fork,
  instance,
  map,
  module,
  mux,
  node,
  output,
  reg,
  sink,
  source,
  stage,
  struct,
  uint,
  unpack,
  when,
} from "../../../../hdl-dsl/index.ts";
import { statusBits } from "../../wire/index.ts";
import { Align, AlignJob, lengthBits, ReadBeat, slotBits } from "../../../shared/frame/index.ts";
import { addressStage, type BurstParameters, bursts } from "../../../shared/axi/index.ts";
import { dataOffset, Reply, replyForm, Translated, wordOf } from "../records/records.ts";

export interface AccessReadParameters extends BurstParameters {
  readonly slots: number;
  /** Requests issued to memory and not yet turned, at most. */
  readonly outstanding: number;
  /** Beats kept in front of net_tx: data of the next reply gather here while the one before leaves. */
  readonly dataBeats: number;
}

/**
 * One-cycle events for the counters; `readBytes` is the number of bytes read, valid when the read's last beat has come.
 */
export const ReadEvents = struct({ reads: bit, readBytes: uint(lengthBits) });

/**
 * Reads of any alignment and length (1 byte to a frame's data) from AXI4, across pages, on the lanes of the reply
 * frame. The first beat of `data` holds frame byte 70; its lanes below that byte carry nothing. The reply is issued
 * when its first beat is there; `data` follow in the order of the replies. When the memory reports an error, `bad` is
 * set on the read's last beat.
 *
 * Latency: 1 cycle from `request` to `ar`; 1 from `r` to `reply`, 2 from `r` to `data`. Both grow by one when the first
 * beat of `data` needs two beats of `r`. Initiation interval: one burst and one beat per cycle, no bubble between
 * requests. A request takes as many cycles as its memory beats or its frame beats, whichever are more. Full: with
 * `outstanding` requests behind the one being turned no more is issued; with `dataBeats` beats waiting `r` stalls.
 */
export const AccessRead = module(
  "AccessRead",
  (p: AccessReadParameters) => ({
    request: sink(Translated(p)),
    ar: source(axi4Address(p)),
    r: sink(axi4Read(p)),
    reply: source(Reply(p)),
    data: source(ReadBeat(p.beatBytes)),
    events: output(ReadEvents),
  }),
  (io, p) => {
    const laneBits = Math.log2(p.beatBytes);
    const Tag = struct({ slot: uint(slotBits(p)), opcode: uint(8), length: uint(lengthBits), indirect: bit });
    const alignShape = { beatBytes: p.beatBytes, tagBits: slotBits(p) + 8 + lengthBits + 1 };
    const [toBursts, waitingOf] = fork(io.request, 2, "eager", { name: "request_to" });
    // The memory takes longer than this stage, which keeps `request.ready` off the queue.
    const toWaiting = stage(waitingOf, "full", { name: "waiting_of" });
    addressStage(
      map(bursts(toBursts, p), axi4Address(p), v => v.address, { name: "ar_next" }),
      io.ar,
      "ar_stage",
    );

    const waiting = instance(Fifo({ shape: AlignJob(alignShape), depth: p.outstanding, style: "distributed" }));
    const jobs = map(
      toWaiting,
      AlignJob(alignShape),
      v => ({
        from: v.offset.trunc(laneBits),
        to: constant(dataOffset % p.beatBytes, laneBits),
        length: v.length,
        tag: cat(v.indirect, v.length, v.replyOpcode, v.slot),
      }),
      { name: "job_next" },
    );
    connect(jobs, waiting.push);
    const align = instance(Align(alignShape));
    connect(waiting.pop, align.job);
    align.input.valid.set(io.r.valid);
    io.r.ready.set(align.input.ready);
    align.input.payload.set({ data: io.r.payload.data, bad: io.r.payload.resp.any() });
    when(io.r.fire, () =>
      assertAlways(align.inputLast.not().or(io.r.payload.last), "a read's last beat is the last of a burst"),
    );
    when(io.r.valid, () => assertAlways(io.r.payload.id.eq(0), "only beats of ID 0 come here"));

    // The first beat goes to both, the reply and the queue of data; each takes it when it can.
    const turned = align.output;
    const tag = unpack(Tag, turned.payload.tag);
    const queue = instance(Fifo({ shape: ReadBeat(p.beatBytes), depth: p.dataBeats, style: "distributed" }));
    const begun = reg(bit, { init: 0 });
    const replyDone = reg(bit, { init: 0 });
    const dataDone = reg(bit, { init: 0 });
    const replyDue = node(begun.not().and(replyDone.not()));
    io.reply.valid.set(turned.valid.and(replyDue));
    io.reply.payload.set({
      slot: tag.slot,
      form: replyForm.data,
      word: wordOf(tag.indirect),
      opcode: tag.opcode,
      status: statusBits.OK,
    });
    queue.push.valid.set(turned.valid.and(dataDone.not()));
    queue.push.payload.set({
      data: turned.payload.data,
      last: turned.payload.last,
      bad: turned.payload.bad.and(turned.payload.last),
    });
    const replied = node(replyDue.not().or(io.reply.ready));
    const queued = node(dataDone.or(queue.push.ready));
    turned.ready.set(replied.and(queued));
    when(turned.valid, () => {
      replyDone.set(begun.not().and(replied).and(queued.not()));
      dataDone.set(queued.and(replied.not()));
    });
    when(turned.fire, () => begun.set(turned.payload.last.not()));
    connect(queue.pop, io.data);

    const complete = node(turned.fire.and(turned.payload.last).and(turned.payload.bad.not()));
    io.events.set({ reads: complete, readBytes: mux(complete, tag.length, 0) });
  },
);
