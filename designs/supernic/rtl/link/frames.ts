import {
  bit,
  type Bit,
  cat,
  connect,
  constant,
  input,
  module,
  mux,
  node,
  onehotMux,
  output,
  priority,
  reg,
  sink,
  source,
  stage,
  stream,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { AxisBeat, joinBytes, joinFields, keepAll, keepTo } from "../../../shared/frame/index.ts";
import { ethernetHeader, minimumFrame } from "../../../shared/wire/index.ts";
import { linkKind, linkShim, macControlAddress, pfcHeader, pfcOpcode, snicEtherType } from "../../wire/index.ts";
import { beatBytes } from "../inside/index.ts";
import { PauseWish } from "./pause.ts";
import { LinkAnswer, LinkPort, LinkTold, RingBeat } from "./records.ts";

const beatBits = 8 * beatBytes,
  macBits = 8 * ethernetHeader.at.etherType.byteOffset,
  /** What the shim adds: its EtherType, and all but `next`, which is the frame's own EtherType. */
  shimBytes = linkShim.bytes,
  shimBits = 8 * shimBytes,
  ownBits = 8 * linkShim.at.next.byteOffset;
const shimType: UInt = constant(((snicEtherType.linkShim & 255) << 8) | (snicEtherType.linkShim >> 8), 16);

/** Frames that the port makes itself, a beat each, zeros behind what they say. */
const pauseFrame = (config: Val<typeof LinkPort>, { enabled, times }: Val<typeof PauseWish>): UInt => {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = Array.from({ length: 8 }, (_, i) => times.at(constant(i, 3)));
  const none = constant(0, 16);
  return joinBytes(
    joinFields(ethernetHeader, {
      dst: constant(macControlAddress, 48),
      src: config.mac,
      etherType: snicEtherType.macControl,
    }),
    joinFields(pfcHeader, {
      opcode: pfcOpcode,
      reserved: 0,
      enabled,
      time0: t0 ?? none,
      time1: t1 ?? none,
      time2: t2 ?? none,
      time3: t3 ?? none,
      time4: t4 ?? none,
      time5: t5 ?? none,
      time6: t6 ?? none,
      time7: t7 ?? none,
    }),
  ).zext(beatBits);
};
const answerFrame = (config: Val<typeof LinkPort>, nack: Bit, ack: UInt): UInt =>
  joinBytes(
    joinFields(ethernetHeader, { dst: config.partner, src: config.mac, etherType: snicEtherType.linkShim }),
    joinFields(linkShim, {
      kind: mux(nack, constant(linkKind.nack, 4), constant(linkKind.ack, 4)),
      class: 0,
      flags: 0,
      sequence: 0,
      ack,
      next: 0,
    }),
  ).zext(beatBits);

/**
 * Frames to the MAC: those of the ring, on a reliable port with a link shim behind their MACs, and those that the port
 * makes itself, each a beat of 60 bytes. Between two frames goes what comes first: PFC, NACK, a frame of the ring (an
 * ACK that is due goes with it), ACK. Frames are filled with zeros to 60 bytes. `idle`: none of the ring's is under
 * way. Nothing of the ring is taken while `goesBack`; `clear` ends the frame that is under way, marked bad. Latency 1
 * cycle, initiation interval 1 beat; a frame that grows into one beat more takes a cycle more. Full: all wait while
 * `tx` does. Reset: no frame is under way.
 */
export const TxFrames = module(
  "TxFrames",
  () => ({
    config: input(LinkPort),
    /** The link is down: no answers. */
    down: input(bit),
    beats: sink(RingBeat),
    /** Number of the frame that is next. */
    sequence: input(uint(16)),
    goesBack: input(bit),
    clear: input(bit),
    idle: output(bit),
    /** The last beat of the ring's frame is taken. */
    sent: output(bit),
    answer: input(LinkAnswer({})),
    told: output(LinkTold),
    pause: input(PauseWish),
    paused: output(bit),
    tx: source(AxisBeat(beatBytes)),
    events: output(struct({ ackSent: bit, nackSent: bit, pfcSent: bit })),
  }),
  io => {
    const { reliable } = io.config,
      beat = io.beats.payload;
    const inFrame = reg(bit, { init: 0, name: "in_frame" }),
      spills = reg(bit, { init: 0, name: "spills" }),
      aborts = reg(bit, { init: 0, name: "aborts" }),
      carry = reg(uint(shimBits), { name: "carry" }),
      spillLane = reg(uint(6), { name: "spill_lane" }),
      spillBad = reg(bit, { name: "spill_bad" });
    const out = stream(AxisBeat(beatBytes), { name: "out" }),
      answers = node(reliable.andNot(io.down), { name: "answers" });

    // What goes now.
    const open = node(io.clear.or(spills).or(aborts).not(), { name: "is_open" }),
      between = node(open.andNot(inFrame).andNot(io.goesBack), { name: "is_between" }),
      pauses = node(between.and(io.pause.due), { name: "gives_pause" }),
      nacks = node(between.and(answers.and(io.answer.nack)).andNot(io.pause.due), { name: "gives_nack" }),
      free = node(between.andNot(io.pause.due).andNot(answers.and(io.answer.nack)), { name: "is_free" });
    const turn = node(free.or(open.and(inFrame)), { name: "turn_of_ring" }),
      gives = node(turn.and(io.beats.valid), { name: "gives_beat" }),
      acks = node(free.andNot(io.beats.valid).and(answers.and(io.answer.ack)), { name: "gives_ack" });
    const rests = node(spills, { name: "gives_rest" }),
      breaks = node(aborts.or(io.clear.and(inFrame)), { name: "gives_break" });
    out.valid.set([pauses, nacks, gives, acks, rests, breaks].reduce((a, b) => a.or(b)));
    io.beats.ready.set(turn.and(out.ready));

    // A beat of the ring: the shim behind the MACs, and all behind it moved up.
    const lane = node(mux(reliable, beat.lane.zext(7).add(shimBytes), beat.lane.zext(7)), { name: "moved_lane" }),
      over = node(lane.bit(6), { name: "grows_over" }),
      ends = node(beat.last.andNot(over), { name: "beat_ends" });
    // The lane as it came: a sum in front of it would make the path longer.
    const least = minimumFrame - 1,
      laneShort = node(mux(reliable, beat.lane.lt(least - shimBytes), beat.lane.lt(least)), { name: "lane_is_short" }),
      short = node(inFrame.not().and(beat.last).and(laneShort), { name: "is_short" });
    const lastLane = node(
      priority([rests, spillLane], [gives.andNot(short), lane.trunc(6)], constant(minimumFrame - 1, 6)),
      { name: "last_lane" },
    );
    const whole = node(breaks.or(gives.andNot(ends)), { name: "is_whole" });
    out.payload.set({
      data: onehotMux(
        [pauses, nacks.or(acks), gives, rests],
        [
          pauseFrame(io.config, io.pause),
          answerFrame(io.config, nacks, io.answer.expected),
          moved(beat, { reliable, first: inFrame.not(), carry, sequence: io.sequence, ack: io.answer.expected }),
          carry.zext(beatBits),
        ],
      ),
      keep: mux(whole, keepAll(beatBytes), keepTo(lastLane, beatBytes)),
      last: gives.not().or(ends),
      user: priority([breaks, constant(1, 1)], [rests, spillBad.or(io.clear)], gives.and(ends).and(beat.bad)),
    });

    const givesNow = node(gives.and(out.ready), { name: "gives_now" }),
      sent = node(givesNow.and(beat.last), { name: "sent_all" });
    when(io.clear, () => inFrame.set(0)).elseWhen(givesNow, () => inFrame.set(beat.last.not()));
    aborts.set(breaks.andNot(out.ready));
    when(sent, () => spills.set(over)).elseWhen(rests.and(out.ready), () => spills.set(0));
    when(io.clear, () => spillBad.set(1)).elseWhen(sent, () => spillBad.set(beat.bad));
    when(givesNow, () => {
      carry.set(beat.data.bits(beatBits - shimBits, shimBits));
      spillLane.set(lane.trunc(6));
    });
    // A register that takes a beat as it gives one: who is ready in front knows it early, and nothing waits beside it.
    connect(stage(out, "forward", { name: "staged" }), io.tx);

    const starts = node(givesNow.andNot(inFrame).and(answers), { name: "starts" }),
      ackGoes = node(acks.and(out.ready), { name: "ack_goes" }),
      nackGoes = node(nacks.and(out.ready), { name: "nack_goes" }),
      pauseGoes = node(pauses.and(out.ready), { name: "pause_goes" });
    io.idle.set(inFrame.not());
    io.sent.set(sent);
    io.told.set({ ack: starts.or(ackGoes), nack: nackGoes });
    io.paused.set(pauseGoes);
    io.events.set({ ackSent: ackGoes, nackSent: nackGoes, pfcSent: pauseGoes });
  },
);

interface Moved {
  readonly reliable: Bit;
  readonly first: Bit;
  readonly carry: UInt;
  readonly sequence: UInt;
  readonly ack: UInt;
}
/** A beat with the link shim in it, or moved up by it; of a port without a link as it is. */
function moved(beat: Val<typeof RingBeat>, { reliable, first, carry, sequence, ack }: Moved): UInt {
  const own = joinFields(linkShim, {
    kind: linkKind.data,
    class: beat.class.zext(4),
    flags: 0,
    sequence,
    ack,
    next: 0,
  }).bits(0, ownBits);
  const { data } = beat;
  const begun = cat(
      data.bits(macBits, beatBits - macBits - shimBits),
      joinBytes(shimType, own),
      data.bits(0, macBits),
    ).is(beatBits),
    further = cat(data.bits(0, beatBits - shimBits), carry).is(beatBits);
  return onehotMux([reliable.and(first), reliable.andNot(first), reliable.not()], [begun, further, data]);
}
