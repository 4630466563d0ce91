import {
  arbiter,
  assertAlways,
  atLeast,
  type Bit,
  bit,
  connect,
  constant,
  fromBits,
  input,
  module,
  mux,
  node,
  output,
  priority,
  reg,
  sink,
  source,
  stage,
  stream,
  struct,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { minimumFrame } from "../../../shared/wire/index.ts";
import { cells } from "../../../shared/stream/index.ts";
import {
  AxisBeat,
  BufferBeat,
  BufferJob,
  ipv4Checksum,
  keepAll,
  keepTo,
  ReadBeat,
  Release,
  slotBeatBits,
  slotBits,
} from "../../../shared/frame/index.ts";
import { ContextRead } from "./reply-contexts.ts";
import {
  echoBeats,
  echoBytes,
  fullBytes,
  headerBytes,
  placeChecksum,
  planReply,
  rawLimit,
  replyKind,
  ReplyKind,
} from "./reply-frame.ts";
import { NetConfig, Reply, ReplyContext, waitBits } from "../records/records.ts";

export interface NetTxParameters {
  readonly beatBytes: number;
  readonly slots: number;
  readonly frameBytes: number;
  /**
   * Without the registers between the stages and at the output (cells.ts): 3 cycles from `reply` to its first beat. One
   * reply waits behind the one being sent, and two in front of both.
   */
  readonly compact?: true;
}

/**
 * Builds the reply frames and sends them and the slow path's `raw` frames, frame by frame in turn (round robin) when
 * both wait. A reply's header comes from a register. The rest comes from `data` (form data) or `echo_data` (form
 * echo), lane for lane: no byte is shifted. Rules: designs/clio/model/rules.md, sections 2 and 3. Padding to 60 bytes
 * is zero. `user` is 0, but 1 on the last beat of data that the memory reported bad. The slot is released in the cycle
 * after the reply's last beat has gone into the output register. Latency: 6 cycles from `reply` to its first beat (the
 * frame buffer's 2 are hidden in them), 0 for `raw`. Initiation interval: 1 beat per cycle, frames back to back
 * without a bubble. The next three replies are prepared while one is sent; echo data are requested 2 cycles ahead.
 * Within a frame it waits for nothing but `data` or `echo_data`. Full: five replies wait behind the one being sent,
 * then `reply.ready` is 0. Registers at both ends: `reply.ready` waits for nothing, and what is sent does not see
 * `tx.ready` of the same cycle.
 */
export const NetTx = module(
  "NetTx",
  (p: NetTxParameters) => ({
    config: input(NetConfig),
    reply: sink(Reply(p)),
    contextRead: output(ContextRead(p)),
    context: input(ReplyContext),
    /** The word kept for a slot, in the same cycle. */
    wordSlot: output(uint(slotBits(p))),
    word: input(uint(64)),
    /** Nanoseconds that a client has to wait, as they are when a reply with `replyWord.wait` is built. */
    waitNs: input(uint(waitBits)),
    data: sink(ReadBeat(p.beatBytes)),
    echoJob: source(BufferJob(p)),
    echoData: sink(BufferBeat(p.beatBytes)),
    raw: sink(AxisBeat(p.beatBytes)),
    tx: source(AxisBeat(p.beatBytes)),
    release: output(Release(p)),
  }),
  (io, p) => {
    const { beatBytes } = p,
      compact = p.compact === true,
      { cell, load } = cells(compact),
      laneBits = Math.log2(beatBytes),
      beatBits = slotBeatBits(p);
    const headerBeats = Math.ceil(headerBytes / beatBytes),
      headerLanes = headerBeats * beatBytes;

    // Stage 1: the reply, its context at the memory's output. The echo job is made here, so that its data come in time.
    const askedValid = reg(bit, { init: 0 });
    const asked = reg(Reply(p));
    const knownValid = cell(bit, { init: 0, name: "known_valid" });
    const builtValid = cell(bit, { init: 0, name: "built_valid" });
    const sending = reg(bit, { init: 0 });
    const sent = stream(AxisBeat(beatBytes));
    const final = reg(bit);
    const sendingRoom = node(sending.not().or(sent.fire.and(final)));
    const builtRoom = node(builtValid.not().or(sendingRoom));
    const knownRoom = node(knownValid.not().or(builtRoom));

    const replies = stage(io.reply, "full");
    const told = replyKind(asked, io.context, io.config);
    const job = stream(BufferJob(p));
    const jobSettled = node(told.echoes.not().or(job.ready));
    const askedMoves = node(askedValid.and(knownRoom).and(jobSettled));
    const askedRoom = node(askedValid.not().or(askedMoves));
    replies.ready.set(askedRoom);
    // The head of the queue is read whether it fires or not, so that the memory's address waits for no decision.
    io.contextRead.set({ en: askedRoom, slot: replies.payload.slot });
    when(askedRoom, () => {
      askedValid.set(replies.valid);
      asked.set(replies.payload);
    });

    job.valid.set(askedValid.and(told.echoes).and(knownRoom));
    job.payload.set({ slot: asked.slot, ...echoBeats(io.context, beatBytes, beatBits) });
    connect(stage(job, "full"), io.echoJob);

    // Stage 2: kind of the reply, and the operands of its header.
    io.wordSlot.set(asked.slot);
    const known = cell(struct({ reply: Reply(p), kind: ReplyKind, context: ReplyContext, word: uint(64) }), {
      name: "known",
    });
    load(knownRoom, () => {
      knownValid.set(askedValid.and(jobSettled));
      known.set({ reply: asked, kind: told, context: io.context, word: io.word });
    });
    const plan = planReply(known.kind, known.reply, known.context, known.word, io.waitNs, io.config);
    const lastBeat = node(plan.lastByte.bits(laneBits, beatBits));

    // Stage 3: the header but for the end of the checksum, and what the frame takes from where.
    const built = cell(
      struct({
        slot: uint(slotBits(p)),
        header: uint(headerBytes * 8),
        clio: bit,
        sum: uint(20),
        lastBeat: uint(beatBits),
        lastLane: uint(laneBits),
        /** Number of the last byte that is not padding, up to 63. */
        content: uint(6),
        icmp: bit,
        echo: bit,
        data: bit,
      }),
      { name: "built" },
    );
    load(builtRoom, () => {
      builtValid.set(knownValid);
      const { clio, icmp, echoes, data } = known.kind;
      built.set({
        slot: known.reply.slot,
        header: plan.header,
        clio,
        sum: plan.sum,
        lastBeat,
        lastLane: plan.lastByte.bits(0, laneBits),
        content: plan.content,
        icmp,
        echo: echoes,
        data,
      });
    });
    const builtMoves = node(builtValid.and(sendingRoom));

    // Stage 4: the frame being sent. `header` and `take` (lanes that come from the data) move on by one beat with
    // every beat sent.
    const slot = reg(uint(slotBits(p)));
    const header = reg(uint(headerLanes * 8));
    const take = reg(uint(headerLanes));
    const plain = reg(uint(headerBeats));
    const bearing = reg(bit);
    const echo = reg(bit);
    const left = reg(uint(beatBits));
    const lastKeep = reg(uint(beatBytes));
    const bears = node(built.echo.or(built.data));
    const lane = (i: number): Bit => {
      if (i >= fullBytes) return bears;
      const source = i < echoBytes ? constant(0, 1) : i < rawLimit ? built.icmp : built.echo;
      return i < minimumFrame ? source.and(atLeast(built.content, i)) : source;
    };
    const beatsBefore = (bytes: number): bigint => (1n << BigInt(Math.floor(bytes / beatBytes))) - 1n;
    const all = (1n << BigInt(headerBeats)) - 1n;
    when(sendingRoom, () => sending.set(builtValid));
    when(builtMoves, () => {
      const checksum = ipv4Checksum(built.sum);
      slot.set(built.slot);
      header.set(mux(built.clio, placeChecksum(built.header, checksum), built.header).resize(headerLanes * 8));
      take.set(fromBits(Array.from({ length: headerLanes }, (_, i) => lane(i))));
      plain.set(
        priority(
          [built.data, constant(beatsBefore(fullBytes), headerBeats)],
          [built.echo.not(), constant(all, headerBeats)],
          [built.icmp, constant(beatsBefore(echoBytes), headerBeats)],
          constant(beatsBefore(rawLimit), headerBeats),
        ),
      );
      bearing.set(bears);
      echo.set(built.echo);
      left.set(built.lastBeat);
      final.set(built.lastBeat.eq(0));
      lastKeep.set(keepTo(built.lastLane, beatBytes));
    }).elseWhen(sent.fire, () => {
      header.set(header.shr(beatBytes * 8));
      take.set(
        take
          .shr(beatBytes)
          .or(
            mux(
              bearing,
              constant((1n << BigInt(headerLanes)) - (1n << BigInt(headerLanes - beatBytes)), headerLanes),
              0,
            ),
          ),
      );
      plain.set(plain.shr(1));
      left.set(left.sub(1));
      final.set(left.eq(1));
    });

    const waits = node(plain.bit(0).not());
    // A register for the memory's data: they are there before the header is, and where they come from is far away.
    const data = compact ? io.data : stage(io.data, "forward");
    const behind = node(mux(echo, io.echoData.payload.data, data.payload.data));
    const mask = fromBits(Array.from({ length: beatBytes * 8 }, (_, i) => take.bit(i >> 3)));
    sent.valid.set(sending.and(plain.bit(0).or(mux(echo, io.echoData.valid, data.valid))));
    sent.payload.set({
      data: header.trunc(beatBytes * 8).or(behind.and(mask)),
      keep: mux(final, lastKeep, keepAll(beatBytes)),
      last: final,
      user: final.and(waits).and(echo.not()).and(data.payload.bad),
    });
    const consumes = node(sending.and(waits).and(sent.ready));
    data.ready.set(consumes.and(echo.not()));
    io.echoData.ready.set(consumes.and(echo));
    connect(arbiter([compact ? sent : stage(sent, "full", { name: "staged" }), io.raw], { last: v => v.last }), io.tx);

    const released = reg(bit, { init: 0 });
    const releasedSlot = reg(uint(slotBits(p)));
    released.set(sent.fire.and(final));
    releasedSlot.set(slot);
    io.release.set({ valid: released, slot: releasedSlot });

    const together = data.fire.not().or(data.payload.last.eq(final));
    assertAlways(together, "the data of a reply end with its length");
    assertAlways(io.echoData.fire.not().or(io.echoData.payload.last.eq(final)), "the echoed beats end with the frame");
  },
);
