import {
  arrayOf,
  type Bit,
  bit,
  connect,
  constant,
  encodeOnehot,
  instance,
  module,
  mux,
  node,
  orTree,
  portOf,
  reg,
  stream,
  type StreamIn,
  type StreamOut,
  struct,
  toBits,
  uint,
  type UInt,
  unpack,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { earlyQueue, earlyQueueWithLevel } from "../../../shared/stream/index.ts";
import { Deparser, type LeavingBeat } from "../deparse/index.ts";
import {
  classBits,
  ctxBits,
  type Finished,
  inlets,
  isSmallAlone,
  type Known,
  promises,
  sizeBits,
  type TxBeat,
  userClasses,
} from "../inside/index.ts";
import { Destination, EgressDrop } from "./destination.ts";
import { Fetch } from "./fetch.ts";
import { blindPicks, Lists } from "./lists.ts";
import { Pauses } from "./pauses.ts";
import {
  EgressEvents,
  type EgressParameters,
  egressPorts,
  payloadBeatBits,
  puttersOf,
  trailerName,
  trailersOf,
} from "./ports.ts";
import { beatsOf, egressSizes, Going, goingBits } from "./records.ts";
import { Releases } from "./releases.ts";
import { trailerMarks, withoutTrailer } from "./trailers.ts";

/** Packets that are dropped and wait for their release. Half of them may come when no more are taken. */
const droppedPackets = 8;

/** Packets that are finished, in the cycle in which they are known; as long as those that are dropped have room. */
function comes(
  p: EgressParameters,
  finished: StreamIn<ReturnType<typeof Finished>>,
  look: { set(v: { readonly valid: Bit; readonly ctx: Val<ReturnType<typeof uint>> }): void },
  room: Bit,
) {
  const asks = reg(struct({ valid: bit, ctx: uint(ctxBits(p)), dropped: bit }), { init: { valid: 0 }, name: "asks" }),
    { ctx, dropped } = finished.payload;
  finished.ready.set(room);
  look.set({ valid: finished.fire, ctx });
  asks.set({ valid: finished.fire, ctx, dropped });
  return asks;
}

/** What stays of a packet until it leaves, and until it is released. */
function noted(
  p: EgressParameters,
  known: Val<ReturnType<typeof Known>>,
  keepShim: Bit,
  trailer: ReturnType<typeof trailerMarks>,
) {
  const { uid, ingress, firstCell, payloadBytes, headBytes, prepend, dropFront, tagged, tag, shimmed, ttl } = known,
    bodyBytes = trailer === undefined ? payloadBytes : withoutTrailer(payloadBytes, trailer.cut);
  return {
    waiting: {
      ...(puttersOf(p) > 0 ? { trails: trailer?.trails ?? constant(0, 1) } : ({} as { trails: UInt })),
      uid,
      ingress,
      firstCell,
      payloadBytes: bodyBytes,
      hasBody: bodyBytes.any(),
      hasFront: prepend.any(),
      headBytes,
      prepend,
      dropFront,
      tagged,
      tag,
      keepShim,
      shimmed,
      ttl,
    },
    holds: { user: known.user, firstCell, beats: beatsOf(payloadBytes, payloadBeatBits(p)) },
  };
}

/** The deparser's frames, each to its port. Tells which port's frame begins, of what size, and when one ends. */
function send(
  p: EgressParameters,
  frame: StreamIn<ReturnType<typeof LeavingBeat>>,
  outs: readonly StreamOut<typeof TxBeat>[],
) {
  const { data, keep, last, user } = frame.payload,
    { list, size } = unpack(Going(p), frame.payload.to.is(goingBits(p))),
    first = reg(bit, { init: 1, name: "is_first_beat" });
  outs.forEach((out, q) => {
    out.valid.set(frame.valid.and(list.port.bit(q)));
    out.payload.set({ data, keep, last, user, class: encodeOnehot(list.class).zext(classBits) });
  });
  const sent = node(orTree(outs.map(o => o.fire)), { name: "beat_leaves" }),
    ends = node(sent.and(last), { name: "frame_leaves" });
  frame.ready.set(orTree(outs.map((o, q) => o.ready.and(list.port.bit(q)))));
  when(sent, () => first.set(last));
  return { ends, size, begins: outs.map(o => o.fire.and(first)) };
}

/**
 * The egress (paper §5.4; docs/supernic/egress.md): packets that are finished go to the list of their port and class,
 * leave through the deparser when the port has room, and give back what they held. Latency: 5 cycles from `finished`
 * to the first beat of a packet without payload, while nothing else is on its way out. Initiation interval: a beat a
 * cycle, a frame a cycle. Full: `finished` waits only for dropped packets to be released; each list has room for all
 * contexts. A port without room, or a class that is paused, holds up no other; after a pause that is too long its
 * packets are dropped until it opens. Reset: no packet is inside; the tables stay.
 */
export const Egress = module(
  "Egress",
  (p: EgressParameters) => egressPorts(p),
  (io, p) => {
    const sizes = egressSizes(p),
      destination = instance("destination", Destination(p)),
      lists = instance("lists", Lists({ ...p, smallAlone: isSmallAlone(sizes, blindPicks) })),
      fetch = instance("fetch", Fetch(p)),
      pauses = instance("pauses", Pauses(p)),
      releases = instance("releases", Releases(p)),
      deparser = instance("deparser", Deparser({ ...p, toBits: goingBits(p), trailers: puttersOf(p) > 0 }));

    // In: where it goes.
    const dropped = stream(uint(ctxBits(p)), { name: "dropped" }),
      { out: toDrop, level } = earlyQueueWithLevel(dropped, droppedPackets, "dropped_queue"),
      mayCome = reg(bit, { init: 0, name: "may_come" });
    mayCome.set(level.lt(droppedPackets / 2 - 1));
    const asks = comes(p, io.finished, io.look, mayCome),
      told = arrayOf(io, "trailer", trailersOf(p).length),
      marks = trailerMarks(p, told, io.look, io.release),
      { waiting, holds } = noted(p, io.known, destination.keepShim, marks);
    told.filter((_, i) => trailersOf(p)[i] === "puts").forEach((said, i) => portOf(fetch, "trailer", i).set(said));
    const early = { valid: asks.valid.andNot(asks.dropped), ctx: asks.ctx };
    fetch.early.set(early);
    destination.asks.set({ ...asks, early: fetch.takesEarly });
    destination.dst.set(io.dst);
    destination.known.set(io.known);
    destination.config.set(io.config);
    destination.users.set(io.users);
    destination.dags.set(io.dags);
    destination.macs.set(io.macs);
    destination.entries.set(io.entries);
    fetch.note.set({ en: asks.valid, ctx: asks.ctx, waiting });
    releases.note.set({ en: asks.valid, ctx: asks.ctx, holds });
    const { goes } = destination,
      isEarly = node(goes.valid.and(goes.early), { name: "goes_early" }),
      { list, size, stays } = goes;
    const mayPass = goes.early.and(fetch.mayPass),
      passes = node(mayPass.and(lists.couldPass), { name: "passes" });
    lists.push.set({ valid: stays, mayPass, ctx: goes.ctx, list, size });
    fetch.decided.set({ valid: isEarly, goes: passes, going: { list, size } });
    dropped.valid.set(goes.valid.andNot(stays));
    dropped.payload.set(goes.ctx);
    io.decided.set({ valid: goes.valid, ctx: goes.ctx, dropped: stays.not(), ports: list.port });
    connect(toDrop, releases.dropped);

    // Out: whose turn it is, what is known of it, and its frame.
    fetch.picked.set(lists.picked);
    lists.stalls.set(fetch.stalls);
    lists.urgent.set(io.config.urgent);
    fetch.templates.set(io.templates);
    fetch.origin.set(io.config.origin);
    connect(fetch.leave, io.leave);
    connect(io.left, fetch.left);
    connect(fetch.read, io.read);
    connect(earlyQueue(fetch.cleared, 4, "cleared"), releases.cleared);
    connect(fetch.packet, deparser.packet);
    connect(io.payload, deparser.payload);
    connect(deparser.left, releases.left);
    const { ends, begins, size: begunSize } = send(p, deparser.frame, arrayOf(io, "out", inlets(p)));
    io.release.set(releases.release);
    connect(releases.cells, io.releaseCells);
    io.released.set(releases.released);

    // Which lists may go.
    const passed = {
      ports: reg(uint(inlets(p)), { init: 0, name: "passed_ports" }),
      size: reg(uint(sizeBits), { name: "passed_size" }),
    };
    // A cycle late: what is pushed behind it is picked no sooner than its promise shows.
    passed.ports.set(mux(passes, list.port, constant(0, inlets(p))));
    passed.size.set(size);
    const picked = lists.picked.packet,
      fits = promises(sizes, inlets(p), blindPicks, {
        chosen: {
          by: toBits(picked.list.port).map(q => q.and(lists.picked.valid).andNot(picked.dropped)),
          size: picked.size,
        },
        passing: { by: toBits(passed.ports), size: passed.size },
        begins,
        begunSize,
      });
    lists.room.set(io.room);
    fits.forEach((f, i) => lists.fits.at(i).set(f));
    for (let q = 0; q < inlets(p); q++) {
      const isPort = q < p.ports,
        paused = isPort ? io.paused.at(q).bits(0, userClasses) : constant(0, userClasses);
      lists.open.at(q).set(paused.not());
      lists.drops.at(q).set(isPort ? pauses.expired.at(q) : constant(0, userClasses));
      if (isPort) pauses.paused.at(q).set(paused);
    }
    const events = reg(EgressEvents, { init: 0 }),
      why = (drop: Bit): Bit => goes.valid.and(drop);
    events.set({
      left: ends,
      task: why(goes.drop.eq(EgressDrop.task)),
      nowhere: why(goes.drop.eq(EgressDrop.nowhere)),
      again: why(goes.drop.eq(EgressDrop.again)),
      paused: releases.cleared.fire,
    });
    io.events.set(events);
  },
  {
    nameOf: p =>
      `Egress_p${p.ports}_c${p.contexts}_k${p.cells}_f${p.frameBytes}_m${p.macs}_t${p.pauseCycles}${trailerName(p)}`,
  },
);
