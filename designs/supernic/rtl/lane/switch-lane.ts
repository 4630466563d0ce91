import {
  arrayOf,
  assertAlways,
  bit,
  type Bit,
  cat,
  connect,
  constant,
  encodeOnehot,
  fifo,
  fifoWithLevel,
  fromBits,
  instance,
  module,
  mux,
  node,
  onehotMux,
  orTree,
  PacketFifo,
  reg,
  repeat,
  stream,
  type StreamIn,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { joinBytes, joinFields } from "../../../shared/frame/index.ts";
import { ethernetHeader } from "../../../shared/wire/index.ts";
import { snicEtherType, snicKind } from "../../wire/index.ts";
import { ShimInsert } from "../deparse/index.ts";
import {
  beatBytes,
  type FrameBeat,
  inlets,
  shimOf,
  softwareClass,
  switchedClass,
  ttlOf,
  wholeShimOf,
} from "../inside/index.ts";
import { portBits } from "../match/index.ts";
import { choose, portsOf } from "./choice.ts";
import {
  FromSoftware,
  LaneEvents,
  laneFrameBeats,
  laneFrames,
  type LaneParameters,
  lanePorts,
  softwareBeats,
  ToSoftware,
} from "./ports.ts";
import { Bound, Coming } from "./records.ts";
import { Reshape } from "./reshape.ts";
import { spread } from "./spread.ts";

/** Places for what is known of the frames in the lane: a power of two of `laneFrames` or more. */
const notedFrames = 8;
/** The style of a buffer of so many beats. */
const styleOf = (beats: number) => (beats > 32 ? "block" : "distributed");

/** Beats of the frames in the order in which they were chosen. */
function beatsOf(
  coming: StreamIn<ReturnType<typeof Coming>>,
  frames: readonly StreamIn<typeof FrameBeat>[],
  own: StreamIn<ReturnType<typeof FromSoftware>>,
) {
  const { from, lastBytes } = coming.payload,
    n = frames.length,
    isOwn = from.bit(n),
    kept = cat(
      ...Array.from({ length: beatBytes }, (_, i) =>
        own.payload.data.bits(8 * i, 8).and(repeat(own.payload.keep.bit(i), 8)),
      ).reverse(),
    ).is(beatBytes * 8);
  const edge = node(own.payload.keep.andNot(own.payload.keep.shr(1)), { name: "own_edge" }),
    picks = [...frames.map((_, i) => from.bit(i)), isOwn];
  const last = onehotMux(picks, [...frames.map(f => f.payload.last), own.payload.last]),
    there = onehotMux(picks, [...frames.map(f => f.valid), own.valid]);
  const bytes = mux(isOwn, encodeOnehot(edge).zext(7).add(1), cat(lastBytes.any().not(), lastBytes).is(7));
  return {
    valid: node(coming.valid.and(there), { name: "beat_is_there" }),
    payload: {
      data: onehotMux(picks, [...frames.map(f => f.payload.data), kept]),
      count: mux(last.or(isOwn), bytes, constant(beatBytes, 7)),
      last,
      bad: constant(0, 1),
    },
    take: (ready: Bit): void => {
      const takes = coming.valid.and(ready);
      frames.forEach((f, i) => f.ready.set(takes.and(from.bit(i))));
      own.ready.set(takes.and(isOwn));
      coming.ready.set(takes.and(there).and(last));
    },
  };
}

/**
 * The switch lane (paper §5.4; docs/supernic/lane.md): frames that are not processed here go to ports, to a peer with
 * 22 bytes in front, to the loop port with these bytes off, and to software; frames of software go to their ports. The
 * tag that was taken off is put back. Latency: 6 cycles from a frame's first beat to its first beat at a port, 4 from a
 * head to its take. Initiation interval: a beat a cycle. Full: a frame waits until all its ports have room and none has
 * its class paused, and others go on; a frame for software waits at most `softwareCycles` and is then dropped. Reset:
 * no frame is inside.
 */
export const SwitchLane = module(
  "SwitchLane",
  (p: LaneParameters) => lanePorts(p),
  (io, p) => {
    const n = inlets(p),
      depth = softwareBeats(p),
      style = styleOf(depth);
    const insert = instance("insert", ShimInsert()),
      reshape = instance("reshape", Reshape()),
      sent = instance("sent", PacketFifo({ shape: FromSoftware(p), depth, last: "last", drop: "user", style }));
    connect(io.fromSoftware, sent.push);

    // Software's buffer: a frame is taken for it only when all of it has room.
    const toBuffer = stream(ToSoftware, { name: "to_buffer" }),
      { out: buffered, level } = fifoWithLevel(toBuffer, depth, { name: "for_software", style });
    connect(buffered, io.toSoftware);
    const onItsWay = reg(bit, { init: 0, name: "software_on_its_way" }),
      hasRoom = node(level.le(depth - laneFrameBeats(p)), { name: "software_has_room" }),
      softwareRoom = node(hasRoom.andNot(onItsWay), { name: "software_room" });
    const timeBits = Math.ceil(Math.log2(p.softwareCycles + 1)),
      time = reg(uint(timeBits), { init: 0, name: "software_time" }),
      isLate = node(time.eq(p.softwareCycles), { name: "software_late" });
    const wantsSoftware = node(orTree(io.heads.toArray().map(h => h.at(softwareClass).valid)), {
      name: "waits_for_software",
    });
    when(hasRoom.or(wantsSoftware.not()), () => time.set(0)).elseWhen(isLate.not(), () => time.set(time.add(1)));

    // Who goes.
    const inside = reg(uint(4), { init: 0, name: "frames_inside" }),
      open = reg(uint(n), { init: 0, name: "open" }),
      room = reg(uint(n), { init: 0, name: "room_q" });
    const paused = Array.from({ length: p.ports }, (_, q) => io.paused.at(q).bit(switchedClass));
    room.set(io.room);
    open.set(io.room.andNot(fromBits([...paused, constant(0, 1)]).is(n)));
    const ownFirst = reg(bit, { init: 1, name: "own_is_first" });
    const chosen = choose(
      { p, config: io.config, open, room, softwareRoom, softwareLate: isLate },
      io.heads.toArray(),
      arrayOf(io, "take", n),
      { valid: sent.pop.valid.and(ownFirst), ports: sent.pop.payload.ports },
      node(inside.lt(laneFrames - 1), { name: "may_go" }),
    );
    const { facts } = chosen,
      isOwn = chosen.from.bit(n),
      ownPorts = reg(uint(p.ports), { name: "own_ports" });
    ownPorts.set(sent.pop.payload.ports);
    when(chosen.ownTaken, () => ownFirst.set(0)).elseWhen(sent.pop.fire.and(sent.pop.payload.last), () =>
      ownFirst.set(1),
    );

    const isRedirect = node(facts.outcome.is("redirect").andNot(isOwn).andNot(chosen.isSoftware), {
        name: "redirects",
      }),
      isUnwrap = node(facts.outcome.is("unwrap").andNot(isOwn).andNot(chosen.isSoftware), { name: "unwraps" });
    const software = node(chosen.isSoftware.andNot(chosen.late), { name: "is_for_software" }),
      switched = node(chosen.isSoftware.or(isOwn).not(), { name: "is_switched" }),
      ports = mux(isOwn, ownPorts.zext(n), portsOf(p, io.config, facts).and(repeat(switched, n)));
    const ingress = encodeOnehot(chosen.from.bits(0, n)).zext(portBits);
    const bound = stream(Bound(p), { name: "bound" }),
      coming = stream(Coming(p), { name: "coming" });
    bound.valid.set(chosen.valid);
    bound.payload.set({
      redirect: isRedirect,
      unwrap: isUnwrap,
      to: cat(software, ports).is(n + 1),
      class: mux(isOwn, constant(softwareClass, 3), constant(switchedClass, 3)),
      mac: peerMac(
        io.config.peers.toArray().map(x => x.mac),
        facts.peer,
      ),
      ingress,
      shimmed: facts.shimmed,
      ttl: ttlOf(facts),
      uid: facts.uid,
      late: chosen.isSoftware,
    });
    const target = stream(Bound(p), { name: "target" });
    target.valid.set(chosen.valid);
    target.payload.set(bound.payload);
    coming.valid.set(chosen.valid);
    coming.payload.set({ from: chosen.from, lastBytes: facts.length.trunc(6) });
    const shim = { kind: snicKind.data, ttl: ttlOf(facts), uid: facts.uid, origin: io.config.origin, ingress };
    insert.what.valid.set(chosen.valid);
    insert.what.payload.set({
      tagged: facts.tagged.andNot(isOwn).andNot(isUnwrap),
      tag: facts.tag,
      shimmed: facts.shimmed.and(isRedirect),
      shim: shimOf(shim),
    });
    for (const s of [bound, target, coming, insert.what])
      assertAlways(s.valid.not().or(s.ready), "there is a place for each frame in the lane");

    // Its beats: tag and shim go in, then what stands in front.
    const beats = beatsOf(
      fifo(coming, notedFrames, { name: "coming_frames", style: "distributed" }),
      arrayOf(io, "frames", n),
      sent.pop,
    );
    insert.plain.valid.set(beats.valid);
    insert.plain.payload.set(beats.payload);
    beats.take(insert.plain.ready);
    const shapes = fifo(bound, notedFrames, { name: "shapes", style: "distributed" }),
      targets = fifo(target, notedFrames, { name: "targets", style: "distributed" });
    connect(insert.frame, reshape.frame);
    const wrap = shapes.payload,
      front = {
        kind: snicKind.redirect,
        ttl: wrap.ttl,
        uid: wrap.uid,
        origin: io.config.origin,
        ingress: wrap.ingress,
      };
    const macs = joinFields(ethernetHeader, {
      dst: wrap.mac,
      src: io.config.mac,
      etherType: snicEtherType.snicShim,
    });
    reshape.shape.valid.set(shapes.valid);
    reshape.shape.payload.set({
      redirect: wrap.redirect,
      unwrap: wrap.unwrap,
      front: joinBytes(macs, wholeShimOf(front, snicEtherType.frameInside)).is(22 * 8),
    });
    shapes.ready.set(reshape.shape.ready);
    const outs = arrayOf(io, "out", n);
    const ends = spread(reshape.out, targets, [
      ...outs.map(out => ({
        ready: out.ready,
        give: (valid: Bit): void => {
          out.valid.set(valid);
          out.payload.set({ ...reshape.out.payload, class: targets.payload.class });
        },
      })),
      {
        ready: toBuffer.ready,
        give: valid => {
          const { ingress: inlet, shimmed, uid } = targets.payload;
          toBuffer.valid.set(valid);
          toBuffer.payload.set({ ...reshape.out.payload, ingress: inlet, shimmed, uid });
        },
      },
    ]);
    inside.set(inside.add(orTree([chosen.valid]).zext(4)).sub(ends.zext(4)));
    when(chosen.valid.and(software), () => onItsWay.set(1)).elseWhen(ends.and(targets.payload.to.bit(n)), () =>
      onItsWay.set(0),
    );

    const events = reg(LaneEvents, { init: 0 }),
      toPorts = targets.payload.to.bits(0, n).any(),
      toSoftware = targets.payload.to.bit(n),
      none = toPorts.or(toSoftware).not();
    events.set({
      left: ends.and(toPorts),
      toSoftware: ends.and(toSoftware),
      notTaken: ends.and(none).and(targets.payload.late),
      nowhere: ends.and(none).andNot(targets.payload.late),
      badSoftware: sent.dropped,
    });
    io.events.set(events);
  },
  { nameOf: p => `SwitchLane_p${p.ports}_f${p.frameBytes}_t${p.softwareCycles}` },
);

const peerMac = (macs: readonly UInt[], peer: UInt): UInt =>
  onehotMux(
    macs.map((_, i) => peer.eq(i)),
    macs,
  );
