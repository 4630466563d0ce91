import {
  arbiter,
  axi4Address,
  axi4Read,
  axi4Response,
  axi4Write,
  type Bit,
  bit,
  bitsFor,
  connect,
  constant,
  Fifo,
  fork,
  input,
  instance,
  module,
  mux,
  node,
  output,
  pack,
  priority,
  ram,
  reg,
  sink,
  source,
  stage,
  stream,
  type StreamIn,
  struct,
  type UInt,
  uint,
  unpack,
  when,
  widthOf,
} from "../../../../hdl-dsl/index.ts";
import { ethernetHeader, etherType, ipProtocol, ipv4Header, udpHeader } from "../../../shared/wire/index.ts";
import { frameOffsets } from "../../wire/index.ts";
import { gbnFrameKind, gbnHeader, gbnTypes, managementSlot } from "../../../shared/go-back-n/wire/index.ts";
import { AxisBeat, cutFields, joinFields } from "../../../shared/frame/index.ts";
import {
  Acknowledgement,
  FramePlace,
  gbnBytes,
  GbnFrames,
  gbnFramesKept,
  GbnReorder,
  GbnResend,
  GbnSender,
  type GbnSenderParameters,
  GbnStore,
  type GbnStoreParameters,
  lengthBitsOf,
  sessionBits,
  SessionControl,
  ticketBits,
  Turn,
  wireSequenceBits,
  wireSlotBits,
  writtenBits,
} from "../../../shared/go-back-n/rtl/index.ts";
import { partBit, tagBits, tagPrefix } from "./tags.ts";
import { headerBytes } from "./gbn-opcode.ts";
import { changedChecksum, contextBits, GbnContext, GbnContextWrite } from "./gbn-rx.ts";
import { gbnAction, GbnInsert, InsertPlan } from "./gbn-shift.ts";

export interface GbnTxParameters extends GbnSenderParameters, GbnStoreParameters {
  /** As in gbn-rx.ts. */
  readonly managed: number;
  /** As in reorder.ts. */
  readonly waiting: number;
  readonly patience: number;
  /** Whether replies that others to the same request follow are marked (`partBit` of tags.ts). */
  readonly marksParts?: true;
}

/** One pulse for each. */
export const GbnTxEvents = struct({
  /** Replies with a number; of management; passed as they were; dropped because their session is closed. */
  sent: bit,
  management: bit,
  passed: bit,
  closed: bit,
  /** Frames sent again; sessions that went back on a NACK, on a timeout, that were given up. */
  resent: bit,
  nacked: bit,
  timeouts: bit,
  failed: bit,
  /** The memory reported an error. */
  memoryErrors: bit,
  /**
   * Replies that waited for earlier ones; replies that were not waited for any longer; replies to an earlier life of
   * their session, dropped.
   */
  waited: bit,
  skipped: bit,
  stale: bit,
});

/**
 * The Go-Back-N shim behind the node: plain Clio frames in, frames to the MAC out (wire-format.md "Go-Back-N build").
 *
 * A reply is known by the tag in its receiver's MAC (gbn-rx.ts). The reply waits until those to the session's earlier
 * requests have gone (reorder.ts). The reply goes to the MAC and the slot kept for the session, with the session's next
 * number. A copy is kept in memory until the reply is acknowledged. Of a reply of several frames only the last waits
 * for its turn; the marked ones before it are numbered as they come. So each request has one waiting frame here,
 * however many frames answer it. Replies to management, and UDP frames that the slow path sends by itself (slot 0 to
 * slot 0), have number 0 and are not kept. Everything else passes. `acks` and the timer decide what is sent again
 * (sender.ts); while a session sends again, its new replies are kept and follow in their turn. ACKs and NACKs of the
 * receiving half (`answers`), frames sent again, and new frames take turns, frame by frame.
 *
 * Latency: 11 cycles from a frame's last beat to its first one at `tx`. Initiation interval: one beat per cycle, one
 * reply every 2 cycles (the shortest has 2 beats of 64 bytes), table: see there. Full: a reply of a session with
 * `window` unacknowledged replies waits, and those behind it wait too. The wait ends with an ACK, or when the session
 * is given up (`tries` timeouts). ACKs do not come through here, so they are not held up. Reset: nothing is taken for
 * one cycle per session. Frames with a wrong `user` on their last beat are dropped without a number.
 */
export const GbnTx = module(
  "GbnTx",
  (p: GbnTxParameters) => ({
    rx: sink(AxisBeat(p.beatBytes)),
    tx: source(AxisBeat(p.beatBytes)),
    answers: sink(AxisBeat(p.beatBytes)),
    acks: sink(Acknowledgement(p)),
    control: sink(SessionControl(p)),
    failed: source(uint(sessionBits(p))),
    contextWrite: input(GbnContextWrite(p)),
    silent: sink(Turn(p)),
    crowded: output(bit),
    events: output(GbnTxEvents),
    memAw: source(axi4Address(p)),
    memW: source(axi4Write(p.beatBytes)),
    memB: sink(axi4Response(p)),
    memAr: source(axi4Address(p)),
    memR: sink(axi4Read(p)),
  }),
  (io, p) => {
    const frames = instance(
      "frames",
      GbnFrames({ beatBytes: p.beatBytes, frameBytes: p.frameBytes - gbnBytes, headerBytes, waits: true }),
    );
    connect(io.rx, frames.rx);
    frames.discard.set(0);
    const sender = instance(
      "sender",
      GbnSender({
        sessions: p.sessions,
        sequenceBits: p.sequenceBits,
        window: p.window,
        timeoutCycles: p.timeoutCycles,
        tries: p.tries,
        first: p.first,
      }),
    );
    connect(io.acks, sender.heard);
    const [toSender, toReorder] = fork(io.control, 2, "eager", { name: "control_to" });
    connect(toSender, sender.control);
    connect(sender.failed, io.failed);

    // A whole frame: its kind, and its lengths with the header.
    const end = frames.end,
      header = end.header;
    const ethernet = cutFields(ethernetHeader, header),
      ip = cutFields(ipv4Header, header, frameOffsets.network),
      udp = cutFields(udpHeader, header, frameOffsets.transport);
    const bytesBits = lengthBitsOf(p),
      written = contextBits(p);
    const Queued = struct({
      kind: uint(2),
      index: uint(written),
      mac: uint(48),
      bytes: uint(bytesBits),
      ipLength: uint(16),
      checksum: uint(16),
      udpLength: uint(16),
    });
    const isUdp = node(ethernet.etherType.eq(etherType.ipv4).and(ip.protocol.eq(ipProtocol.udp)));
    const tagged = node(ethernet.dst.bits(tagBits + ticketBits, 48 - tagBits - ticketBits).eq(tagPrefix)),
      managed = ethernet.dst.bit(15);
    const Arrived = struct({
      turn: Turn(p),
      queued: Queued,
      ...(p.marksParts === true ? { part: bit } : ({} as { part: typeof bit })),
    });
    const entry = reg(Arrived);
    const entryValid = reg(bit, { init: 0 });
    const kind = (k: number): UInt<2> => constant(k, 2);
    entryValid.set(frames.ends.and(end.bad.or(end.long).not()).and(end.stored));
    entry.set({
      turn: { session: ethernet.dst.bits(0, sessionBits(p)), ticket: ethernet.dst.bits(tagBits, ticketBits) },
      queued: {
        kind: priority(
          [isUdp.not(), gbnFrameKind.raw],
          [tagged.not(), gbnFrameKind.loose],
          [managed, gbnFrameKind.management],
          kind(gbnFrameKind.session),
        ),
        index: mux(
          managed,
          ethernet.dst.bits(0, Math.log2(p.managed)).zext(written).add(p.sessions),
          ethernet.dst.bits(0, sessionBits(p)).zext(written),
        ),
        mac: ethernet.dst,
        bytes: end.lastByte.add(1 + gbnBytes).resize(bytesBits),
        ipLength: ip.totalLength.add(gbnBytes),
        checksum: changedChecksum(ip.checksum, gbnBytes),
        udpLength: udp.length.add(gbnBytes),
      },
      ...(p.marksParts === true ? { part: ethernet.dst.bit(partBit) } : ({} as { part: Bit })),
    });
    const queue = instance("queue", Fifo({ shape: Arrived, depth: 16, style: "distributed" }));
    queue.push.valid.set(entryValid);
    queue.push.payload.set(entry);
    const held = reg(bit, { init: 1 });
    held.set(queue.level.gt(8));
    frames.hold.set(held);

    // Replies of a session in the order of its requests.
    const metaBits = widthOf(Queued);
    const reorder = instance(
      "reorder",
      GbnReorder({
        sessions: p.sessions,
        metaBits,
        beatBytes: p.beatBytes,
        frameBytes: p.frameBytes - gbnBytes,
        waiting: p.waiting,
        first: p.first,
        patience: p.patience,
      }),
    );
    reorder.reply.valid.set(queue.pop.valid);
    queue.pop.ready.set(reorder.reply.ready);
    const arrived = queue.pop.payload;
    const ofRequest = arrived.queued.kind.eq(gbnFrameKind.session);
    reorder.reply.payload.set({
      ordered: p.marksParts === true ? ofRequest.and(arrived.part.not()) : ofRequest,
      turn: arrived.turn,
      meta: pack(arrived.queued),
    });
    connect(frames.beats, reorder.beats);
    connect(io.silent, reorder.silent);
    connect(toReorder, reorder.control);
    io.crowded.set(reorder.crowded);

    // Its number and its receiver: asked in one cycle, known in the next.
    const next = stage(reorder.out, "full", { name: "next" });
    const head = unpack(Queued, next.payload);
    // A power of two, so that any index names a word: block memory comes in such sizes anyway.
    const contexts = ram(GbnContext, {
      depth: 2 ** bitsFor(p.sessions + p.managed - 1),
      collision: "new",
      style: "block",
    });
    contexts.write(io.contextWrite.en, io.contextWrite.index, io.contextWrite.value);
    const to = contexts.readSync(head.index);
    const known = reg(bit, { init: 0 });
    const planned = instance("planned", Fifo({ shape: InsertPlan, depth: gbnFramesKept, style: "distributed" }));
    const Out = struct({ send: bit, store: bit });
    const outs = instance("outs", Fifo({ shape: Out, depth: gbnFramesKept, style: "distributed" }));
    const places = instance(
      "places",
      Fifo({
        shape: struct({ at: FramePlace(p), bytes: uint(bytesBits) }),
        depth: gbnFramesKept,
        style: "distributed",
      }),
    );
    // A cycle old; one may be on its way.
    const room = reg(bit, { init: 0 });
    room.set([planned, outs, places].map((f): Bit => f.level.le(gbnFramesKept - 2)).reduce((a, b) => a.and(b)));
    const ofSession = node(head.kind.eq(gbnFrameKind.session));
    // Hold the request until it is answered.
    const asking = reg(bit, { init: 0 });
    const asks = node(next.valid.and(known.not()).and(room.or(asking)));
    const answered = node(ofSession.not().or(sender.request.ready));
    asking.set(asks.and(answered.not()));
    sender.request.valid.set(asks.and(ofSession));
    sender.request.payload.set(head.index.trunc(sessionBits(p)));
    known.set(asks.and(answered));
    const granted = sender.granted;
    const numbered = node(known.and(ofSession).and(granted.granted)),
      gone = node(known.and(ofSession).and(granted.closed));
    const decided = node(known.and(ofSession.not().or(granted.granted).or(granted.closed)));
    next.ready.set(decided);
    const raw = node(head.kind.eq(gbnFrameKind.raw)),
      replies = node(ofSession.or(head.kind.eq(gbnFrameKind.management)));
    planned.push.valid.set(decided);
    planned.push.payload.set({
      action: mux(raw, kind(gbnAction.asIs), mux(gone, kind(gbnAction.discard), gbnAction.shift)),
      mac: mux(replies, to.mac, head.mac),
      header: joinFields(gbnHeader, {
        type: gbnTypes.data,
        sequence: mux(ofSession, granted.sequence.resize(wireSequenceBits), 0),
        srcSlot: mux(ofSession, head.index.trunc(sessionBits(p)).resize(wireSlotBits), managementSlot),
        dstSlot: mux(replies, to.slot, managementSlot),
        unused: 0,
      }).is(gbnBytes * 8),
      ipLength: head.ipLength,
      checksum: head.checksum,
      udpLength: head.udpLength,
    });
    outs.push.valid.set(decided.and(gone.not()));
    outs.push.payload.set({ send: ofSession.not().or(granted.now), store: ofSession });
    places.push.valid.set(numbered);
    places.push.payload.set({
      at: { session: head.index.trunc(sessionBits(p)), place: granted.sequence.trunc(Math.log2(p.window)) },
      bytes: head.bytes,
    });
    const given = reg(uint(writtenBits), { init: 0 });
    when(numbered, () => given.set(given.add(1)));

    // The frame with its header, to the network, to memory, or to both.
    const insert = instance("insert", GbnInsert({ beatBytes: p.beatBytes, frameBytes: p.frameBytes }));
    connect(planned.pop, insert.plan);
    connect(reorder.outBeats, insert.beats);
    const store = instance(
      "store",
      GbnStore({
        sessions: p.sessions,
        sequenceBits: p.sequenceBits,
        window: p.window,
        beatBytes: p.beatBytes,
        frameBytes: p.frameBytes,
        addressBits: p.addressBits,
        idBits: p.idBits,
        base: p.base,
      }),
    );
    connect(places.pop, store.place);
    const out = insert.tx,
      way = outs.pop;
    const fresh = stream(AxisBeat(p.beatBytes)),
      kept = stream(AxisBeat(p.beatBytes));
    const freshRoom = node(fresh.ready.or(way.payload.send.not())),
      keptRoom = node(kept.ready.or(way.payload.store.not()));
    fresh.valid.set(out.valid.and(way.valid).and(way.payload.send).and(keptRoom));
    kept.valid.set(out.valid.and(way.valid).and(way.payload.store).and(freshRoom));
    fresh.payload.set(out.payload);
    kept.payload.set(out.payload);
    out.ready.set(way.valid.and(freshRoom).and(keptRoom));
    way.ready.set(out.fire.and(out.payload.last));
    const beat = (s: unknown): StreamIn<ReturnType<typeof AxisBeat>> => s as StreamIn<ReturnType<typeof AxisBeat>>;
    connect(stage(beat(kept), "full", { name: "kept_stage" }), store.beats);
    connect(store.aw, io.memAw);
    connect(store.w, io.memW);
    connect(io.memB, store.b);
    connect(store.ar, io.memAr);
    connect(io.memR, store.r);

    // Frames that are sent again.
    const resend = instance(
      "resend",
      GbnResend({
        sessions: p.sessions,
        sequenceBits: p.sequenceBits,
        window: p.window,
        beatBytes: p.beatBytes,
        frameBytes: p.frameBytes,
        addressBits: p.addressBits,
        idBits: p.idBits,
        base: p.base,
      }),
    );
    connect(sender.again, resend.again);
    connect(resend.step, sender.step);
    resend.stepped.set(sender.stepped);
    sender.reading.set(resend.busy);
    resend.given.set(given);
    resend.written.set(store.written);
    resend.reading.set(store.reading);
    connect(resend.read, store.read);
    connect(
      stage(
        arbiter(
          [
            io.answers,
            stage(store.frame, "full", { name: "again_stage" }),
            stage(beat(fresh), "full", { name: "fresh_stage" }),
          ],
          { last: v => v.last, name: "frames_out" },
        ),
        "full",
        { name: "sent" },
      ),
      io.tx,
    );

    const events = reg(GbnTxEvents, { init: 0 });
    events.set({
      sent: numbered,
      management: decided.and(ofSession.or(raw).not()),
      passed: decided.and(raw),
      closed: decided.and(gone),
      resent: store.frame.fire.and(store.frame.payload.last),
      nacked: sender.events.nacked,
      timeouts: sender.events.timeouts,
      failed: io.failed.fire,
      memoryErrors: store.errors,
      waited: reorder.events.waited,
      skipped: reorder.events.skipped,
      stale: reorder.events.stale,
    });
    io.events.set(events);
  },
  {
    nameOf: p =>
      `GbnTx_b${p.beatBytes * 8}_u${p.frameBytes}_s${p.sessions}_w${p.window}_t${p.timeoutCycles}_n${p.tries}_m${p.managed}_r${p.waiting}_y${p.patience}_f${p.first >>> 0}_a${p.addressBits}_o${p.base}${p.marksParts === true ? "_q" : ""}`,
  },
);
