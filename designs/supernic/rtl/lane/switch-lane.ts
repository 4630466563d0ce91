import {
  arrayOf,
  assertAlways,
  bit,
  type Bit,
  bitsFor,
  cat,
  connect,
  constant,
  encodeOnehot,
  fromBits,
  instance,
  module,
  mux,
  node,
  onehotMux,
  priority,
  reg,
  stage,
  stream,
  type StreamIn,
  struct,
  toBits,
  uint,
  type UInt,
  type Val,
  when,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { joinBytes, joinFields, pickOf } from "../../../shared/frame/index.ts";
import { earlyQueue } from "../../../shared/stream/index.ts";
import { ethernetHeader } from "../../../shared/wire/index.ts";
import { snicEtherType, snicKind } from "../../wire/index.ts";
import { PlainBeat, ShimInsert } from "../deparse/index.ts";
import {
  beatBytes,
  type FrameBeat,
  FrameFacts,
  inlets,
  isSmallAlone,
  promises,
  redirectName,
  returnClass,
  shimOf,
  sizeBits,
  softwareClass,
  switchedClass,
  ttlOf,
  wholeShimOf,
} from "../inside/index.ts";
import { portBits } from "../match/index.ts";
import { blindChoices, choose, peerOf } from "./choice.ts";
import { type LaneConfig, laneCountBits, laneFrames, type LaneParameters, lanePorts, redirectBytes } from "./ports.ts";
import { eventsOf } from "./events.ts";
import { Bound, Coming, laneSizes, type OwnBeat, Source } from "./records.ts";
import { Reshape, type Shape } from "./reshape.ts";
import { ownFrames, softwareBuffer } from "./software.ts";
import { spread } from "./spread.ts";

/** Places for what is known of the frames in the lane: a power of two of `laneFrames` or more. */
const notedFrames = 8;

/** The frame that has been chosen, as it is kept for a cycle. */
const Held = (p: LaneParameters) =>
  struct({
    valid: bit,
    from: Source(p),
    isSoftware: bit,
    late: bit,
    size: uint(sizeBits),
    to: uint(inlets(p)),
    facts: FrameFacts(p),
  });

/** What becomes of it. */
function boundOf(p: LaneParameters, config: Val<ReturnType<typeof LaneConfig>>, chosen: Val<ReturnType<typeof Held>>) {
  const n = inlets(p),
    { facts, isSoftware } = chosen,
    isOwn = chosen.from.bit(n),
    switched = node(isSoftware.or(isOwn).not(), { name: "is_switched" }),
    ingress = encodeOnehot(chosen.from.bits(0, n)).zext(portBits),
    ttl = ttlOf(facts),
    peer = peerOf(config, facts.peer);
  const redirect = node(facts.outcome.is("redirect").and(switched), { name: "redirects" }),
    unwrap = node(facts.outcome.is("unwrap").and(switched), { name: "unwraps" }),
    onward = node(facts.outcome.is("onward").and(switched), { name: "goes_onward" }),
    toPeer = node(chosen.to.trunc(p.ports).and(config.rings).any(), { name: "to_peer" });
  // It is nobody's any more but its receiver's, if that is behind the next link.
  const kinds = (far: Bit): UInt<4> => mux(far, constant(snicKind.onward, 4), constant(snicKind.redirect, 4)),
    kind = mux(onward, kinds(facts.peer.bit(0)), constant(snicKind.data, 4));
  const shim = {
    kind,
    ttl: mux(onward, facts.ttl.sub(1), ttl),
    uid: facts.uid,
    origin: config.origin,
    ingress,
  };
  return {
    bound: {
      redirect,
      unwrap,
      to: cat(isSoftware.andNot(chosen.late), chosen.to).is(n + 1),
      class: priority(
        [isOwn, constant(softwareClass, 3)],
        [redirect.or(onward), constant(p.redirectClass ?? switchedClass, 3)],
        [toPeer, mux(facts.peer.bit(0), constant(softwareClass, 3), constant(returnClass, 3))],
        constant(switchedClass, 3),
      ),
      mac: peer.mac,
      far: peer.far,
      ingress,
      shimmed: facts.shimmed,
      ttl,
      uid: facts.uid,
      late: isSoftware,
      size: chosen.size,
    },
    inserted: {
      // Software's frame has no facts, and so no tag.
      tagged: facts.tagged.andNot(unwrap.or(onward)),
      tag: facts.tag,
      shimmed: mux(onward, constant(1, 1), facts.shimmed.and(redirect)),
      shim: shimOf(shim),
    },
    coming: {
      from: encodeOnehot(chosen.from).resize(bitsFor(n)),
      lastBytes: cat(facts.length.bits(0, 6).any().not(), facts.length.bits(0, 6)).is(7),
    },
  };
}

/** Beats of the frames in the order in which they were chosen. */
function beatsOf(
  coming: StreamIn<ReturnType<typeof Coming>>,
  frames: readonly StreamIn<typeof FrameBeat>[],
  own: StreamIn<ReturnType<typeof OwnBeat>>,
): StreamIn<typeof PlainBeat> {
  const { from, lastBytes } = coming.payload,
    picks = [...frames, own].map((_, i) => node(from.eq(i), { name: `beats_from_${i}` })),
    isOwn = picks[frames.length] ?? constant(0, 1),
    out = stream(PlainBeat, { name: "beats" });
  const last = onehotMux(picks, [...frames.map(f => f.payload.last), own.payload.last]),
    there = onehotMux(picks, [...frames.map(f => f.valid), own.valid]);
  out.valid.set(coming.valid.and(there));
  out.payload.set({
    data: pickOf(from, [...frames.map(f => f.payload.data), own.payload.data]),
    count: mux(isOwn, own.payload.count, mux(last, lastBytes, constant(beatBytes, 7))),
    last,
    bad: constant(0, 1),
  });
  const takes = node(coming.valid.and(out.ready), { name: "takes_beat" });
  frames.forEach((f, i) => f.ready.set(takes.and(picks[i] ?? isOwn)));
  own.ready.set(takes.and(isOwn));
  coming.ready.set(takes.and(there).and(last));
  return out;
}

/** Its shape, and the 22 bytes for the peer. */
function shapeOf(
  { redirect, unwrap, ...b }: Val<ReturnType<typeof Bound>>,
  config: Val<ReturnType<typeof LaneConfig>>,
) {
  const etherType = snicEtherType.snicShim,
    macs = joinFields(ethernetHeader, { dst: b.mac, src: config.mac, etherType }),
    kind = mux(b.far, constant(snicKind.onward, 4), constant(snicKind.redirect, 4)),
    shim = { kind, ttl: b.ttl, uid: b.uid, origin: config.origin, ingress: b.ingress };
  const front = joinBytes(macs, wholeShimOf(shim, snicEtherType.frameInside)).is(redirectBytes * 8);
  return { redirect, unwrap, front } satisfies { readonly [K in keyof Val<typeof Shape>]: unknown };
}

/** The frame that was chosen, in the cycle behind. */
function heldOf(p: LaneParameters, chosen: ReturnType<typeof choose>) {
  const held = reg(Held(p), { init: { valid: 0 }, name: "held_frame" });
  held.set({
    valid: chosen.valid,
    from: chosen.from,
    isSoftware: chosen.isSoftware,
    late: chosen.late,
    size: chosen.size,
    to: chosen.to,
    facts: chosen.facts,
  });
  return held;
}

/** By port, the loop port last, whether a class is open: switched frames, a cycle late; redirects; results. */
function openings(
  p: LaneParameters,
  {
    paused,
    config,
  }: { readonly paused: { readonly at: (port: number) => UInt }; readonly config: Val<ReturnType<typeof LaneConfig>> },
) {
  const n = inlets(p),
    open = reg(uint(n), { init: 0, name: "open" });
  const openFor = (of: number): UInt =>
    fromBits([...Array.from({ length: p.ports }, (_, q) => paused.at(q).bit(of)), constant(0, 1)])
      .not()
      .is(n);
  open.set(openFor(switchedClass));
  const rings = config.rings.zext(n),
    openReturned = node(rings.and(openFor(returnClass)).or(openFor(switchedClass).andNot(rings)), {
      name: "open_returned",
    });
  return { open, openRedirect: openFor(p.redirectClass ?? switchedClass), openReturned };
}

/**
 * The switch lane (paper §5.4; docs/supernic/lane.md): frames that are not processed here go to ports, to a peer with
 * 22 bytes in front, from one peer to the next, to the loop port with these bytes off, and to software; frames of
 * software go to their ports. The tag that was taken off is put back. Latency: 3 cycles from a head to its take, 5 from
 * a frame's first beat to that at its ports. Initiation interval: a beat a cycle; a frame of an inlet in 4 cycles.
 * Full: a frame waits until all its ports have room and none has its class paused, and others go on; a frame for
 * software waits at most `softwareCycles` and is then dropped. Reset: no frame is inside.
 */
export const SwitchLane = module(
  "SwitchLane",
  (p: LaneParameters) => lanePorts(p),
  (io, p) => {
    const n = inlets(p),
      heads = io.heads.toArray(),
      insert = instance("insert", ShimInsert()),
      reshape = instance("reshape", Reshape()),
      own = ownFrames(p, io.fromSoftware),
      buffer = softwareBuffer(p, heads, io.toSoftware);

    // Who goes.
    const inside = reg(uint(laneCountBits), { init: 0, name: "frames_inside" }),
      ownFirst = reg(bit, { init: 1, name: "own_is_first" });
    const shapes = stream(Bound(p), { name: "shapes" }),
      targets = stream(Bound(p), { name: "targets" }),
      coming = stream(Coming(p), { name: "coming" }),
      // What is done to a frame and where it goes is wanted cycles later: from a register, and not from a memory.
      target = stage(earlyQueue(targets, notedFrames, "target"), "forward", { name: "target_now" });
    const begins = Array.from({ length: n }, (_, q) => wire(bit, { name: `begins_${q}` })),
      sizes = laneSizes(p),
      promised = { to: wire(uint(n), { name: "promise_to" }), size: wire(uint(sizeBits), { name: "promise_size" }) };
    const fits = promises(sizes, n, blindChoices, {
      chosen: { by: toBits(promised.to), size: promised.size },
      begins,
      begunSize: target.payload.size,
    });
    const chosen = choose(
      {
        p,
        config: io.config,
        room: io.room,
        ...openings(p, io),
        fits,
        smallAlone: isSmallAlone(sizes, blindChoices),
        softwareRoom: buffer.room,
        softwareLate: buffer.late,
        mayGo: node(inside.lt(laneFrames - 1), { name: "may_go" }),
      },
      heads,
      arrayOf(io, "take", n),
      { valid: own.frames.valid.and(ownFirst), ports: own.frames.payload.ports },
    );
    when(chosen.ownTaken, () => ownFirst.set(0)).elseWhen(own.frames.fire.and(own.frames.payload.last), () =>
      ownFirst.set(1),
    );
    const held = heldOf(p, chosen);

    const what = boundOf(p, io.config, held);
    promised.to.set(chosen.to);
    promised.size.set(chosen.size);
    shapes.payload.set(what.bound);
    targets.payload.set(what.bound);
    coming.payload.set(what.coming);
    insert.what.payload.set(what.inserted);
    for (const s of [shapes, targets, coming, insert.what]) {
      s.valid.set(held.valid);
      assertAlways(s.valid.not().or(s.ready), "there is a place for each frame in the lane");
    }

    // Its beats: tag and shim go in, then what stands in front.
    const beats = beatsOf(
      earlyQueue(coming, notedFrames, "coming_frames", "front"),
      arrayOf(io, "frames", n),
      own.frames,
    );
    connect(stage(beats, "forward", { name: "taken" }), insert.plain);
    const inserted = stage(insert.frame, "forward", { name: "inserted" }),
      shape = stage(earlyQueue(shapes, notedFrames, "shape"), "forward", { name: "shape_now" });
    connect(inserted, reshape.frame);
    reshape.shape.valid.set(shape.valid);
    reshape.shape.payload.set(shapeOf(shape.payload, io.config));
    shape.ready.set(reshape.shape.ready);

    // To all that get it.
    const { to, ingress, shimmed, uid } = target.payload,
      ports = arrayOf(io, "out", n).map(out => ({
        ready: out.ready,
        give: (valid: Bit): void => {
          out.valid.set(valid);
          out.payload.set({ ...reshape.out.payload, class: target.payload.class });
        },
      }));
    const software = {
      ready: buffer.input.ready,
      give: (valid: Bit): void => {
        buffer.input.valid.set(valid);
        buffer.input.payload.set({ ...reshape.out.payload, ingress, shimmed, uid });
      },
    };
    const { ends, begins: begun } = spread(reshape.out, target, [...ports, software]);
    begins.forEach((b, q) => b.set(begun[q] ?? ends));
    inside.set(inside.add(chosen.valid.zext(laneCountBits)).sub(ends.zext(laneCountBits)));
    io.held.set(inside);
    buffer.note(chosen.isSoftware.andNot(chosen.late), ends.and(to.bit(n)));

    const events = eventsOf(n, target.payload, ends, {
      badSoftware: own.dropped,
      own: io.fromSoftware.fire.and(io.fromSoftware.payload.last),
    });
    io.events.set(events);
  },
  { nameOf: p => `SwitchLane_p${p.ports}_f${p.frameBytes}_t${p.softwareCycles}${redirectName(p)}` },
);
