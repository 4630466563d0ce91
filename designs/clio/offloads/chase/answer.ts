import {
  bit,
  cat,
  connect,
  constant,
  input,
  instance,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  sink,
  source,
  stage,
  stream,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { opcodeBits, statusBits } from "../../wire/index.ts";
import { Align } from "../../../shared/frame/index.ts";
import { beatsOf, BodyBeat, bodyLengthBits, OffloadReply } from "../../offload/index.ts";
import {
  type ChaseParameters,
  contextBits,
  Ending,
  Found,
  indexBits,
  JobWrite,
  laneBits,
  NodeBeat,
  replyHead,
  replyOpcode,
} from "./types.ts";

/**
 * Answers: a reply's header, and with status OK the value, behind its address and length. The value comes from the kept
 * node or by `value`. All other statuses have no body. `busy` names the context whose value is still being sent: its
 * kept bytes are still needed.
 *
 * Latency: from `ended` to `reply` 1 cycle, to the first beat of the body 4 (a kept value). Initiation interval: 2
 * cycles for a reply without a body, 4 cycles and a value's beats for one with. Full: one reply at a time; it waits for
 * `reply`, `reply_data` and `value`. Reset: no reply under way.
 */
export const ChaseAnswer = module(
  "ChaseAnswer",
  (p: ChaseParameters) => ({
    ended: sink(Ending(p)),
    value: sink(BodyBeat(p)),
    job: input(JobWrite(p)),
    found: input(Found(p)),
    beat: input(NodeBeat(p)),
    reply: source(OffloadReply(p)),
    replyData: source(BodyBeat(p)),
    busy: output(struct({ valid: bit, context: uint(contextBits(p)) })),
  }),
  (io, p) => {
    const { beatBytes } = p,
      lanes = laneBits(p),
      width = beatBytes * 8,
      whole = Math.floor(replyHead / beatBytes),
      rest = replyHead % beatBytes;
    const memory = { depth: p.contexts, collision: "undefined", style: "distributed" } as const;
    const values = ram(struct({ bytes: uint(bodyLengthBits), offset: uint(8) }), memory);
    values.write(io.job.en, io.job.context, { bytes: io.job.job.valueBytes, offset: io.job.job.valueOffset });
    const addresses = ram(uint(64), memory);
    addresses.write(io.found.en, io.found.context, io.found.va);
    const nodes = ram(uint(width), { ...memory, depth: p.contexts * 2 ** indexBits(p) });
    nodes.write(io.beat.en, cat(io.beat.context, io.beat.index), io.beat.data);

    // ---- The reply at hand.
    const busy = reg(bit, { init: 0 });
    const headLeft = reg(bit);
    const bodyLeft = reg(bit);
    const now = reg(Ending(p));
    const va = reg(uint(64));
    const bytes = reg(uint(bodyLengthBits));
    /** The value has no bytes. */
    const bare = reg(bit);
    const ok = node(now.status.eq(statusBits.OK));
    io.ended.ready.set(busy.not());
    const asked = values.readAsync(io.ended.payload.context),
      begins = node(io.ended.fire),
      succeeds = node(io.ended.payload.status.eq(statusBits.OK));
    const headDone = node(headLeft.not().or(io.reply.fire));
    const out = stream(BodyBeat(p)),
      bodyDone = node(bodyLeft.not().or(out.fire.and(out.payload.last)));
    when(begins, () => {
      busy.set(1);
      headLeft.set(1);
      bodyLeft.set(succeeds);
      now.set(io.ended.payload);
      va.set(addresses.readAsync(io.ended.payload.context));
      bytes.set(asked.bytes);
      bare.set(asked.bytes.eq(0));
    }).elseWhen(busy, () => {
      headLeft.set(headDone.not());
      bodyLeft.set(bodyDone.not());
      busy.set(headDone.and(bodyDone).not());
    });
    io.busy.set({ valid: busy, context: now.context });
    io.reply.valid.set(busy.and(headLeft));
    io.reply.payload.set({
      context: now.context,
      status: now.status,
      opcode: mux(now.status.eq(statusBits.MALFORMED), opcodeBits.POINTER_CHASE, replyOpcode),
      length: mux(ok, bytes.add(replyHead), 0),
      more: 0,
    });

    // ---- The value's bytes, turned to where the header ends.
    const align = instance(Align({ beatBytes, tagBits: 1 }));
    const from = reg(uint(lanes));
    const jobLeft = reg(bit, { init: 0 });
    align.job.valid.set(jobLeft);
    align.job.payload.set({ from, to: constant(rest, lanes), length: bytes, tag: 0 });
    const index = reg(uint(indexBits(p)));
    const inputsLeft = reg(uint(bodyLengthBits + 1 - lanes), { init: 0 });
    const firstLane = node(mux(io.ended.payload.streamed, constant(0, lanes), asked.offset.zext(9).trunc(lanes)));
    when(align.job.fire, () => jobLeft.set(0));
    const feeds = node(inputsLeft.any());
    align.input.valid.set(feeds.and(now.streamed.not().or(io.value.valid)));
    align.input.payload.set({
      data: mux(now.streamed, io.value.payload.data, nodes.readAsync(cat(now.context, index))),
      bad: 0,
    });
    io.value.ready.set(feeds.and(now.streamed).and(align.input.ready));
    when(align.input.fire, () => {
      inputsLeft.set(inputsLeft.sub(1));
      index.set(index.add(1));
    });
    when(begins, () => {
      jobLeft.set(succeeds.and(asked.bytes.any()));
      from.set(firstLane);
      index.set(asked.offset.zext(9).bits(lanes, indexBits(p)));
      // Beats in which the value lies; none when it has no bytes.
      inputsLeft.set(
        mux(succeeds.and(asked.bytes.any()), beatsOf(asked.bytes.add(firstLane.zext(bodyLengthBits)), p), 0),
      );
    });

    // ---- The body: the header's beats, the one that it shares with the value, the value's.
    const header = cat(bytes.zext(32), va),
      turned = align.output;
    const beats = reg(uint(Math.ceil(Math.log2(whole + 2))));
    const inHead = node(whole === 0 ? constant(0, 1) : beats.lt(whole));
    const shares = node(beats.eq(whole));
    const needs = node(inHead.not().and(bare.not()));
    out.valid.set(busy.and(bodyLeft).and(needs.not().or(turned.valid)));
    turned.ready.set(busy.and(bodyLeft).and(needs).and(out.ready));
    const shared = cat(
      turned.payload.data.bits(rest * 8, width - rest * 8),
      mux(shares, header.bits(whole * width, rest * 8), turned.payload.data.bits(0, rest * 8)),
    );
    const heads = Array.from({ length: whole }, (_, i) => header.bits(i * width, width));
    const data = heads.reduceRight((behind: UInt, h, i) => mux(beats.eq(i), h, behind), shared);
    out.payload.set({ data, last: inHead.not().and(bare.or(turned.payload.last)) });
    when(begins, () => beats.set(0)).elseWhen(out.fire.and(beats.le(whole)), () => beats.set(beats.add(1)));
    connect(stage(out, "full"), io.replyData);
  },
  { nameOf: p => `ChaseAnswer_b${p.beatBytes}_c${p.contexts}_d${p.maxData}` },
);
