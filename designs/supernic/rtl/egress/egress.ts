import {
  arrayOf,
  type Bit,
  bit,
  constant,
  fifo,
  fifoWithLevel,
  fromBits,
  instance,
  module,
  mux,
  node,
  orTree,
  ram,
  reg,
  repeat,
  stream,
  struct,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { passQueue } from "../../../shared/stream/index.ts";
import { snicKind, templateEntries } from "../../wire/index.ts";
import { Deparser } from "../deparse/index.ts";
import { ctxBits, inlets, payloadBeats, shimOf, tableEntry, ttlOf, userClasses } from "../inside/index.ts";
import { Destination, EgressDrop } from "./destination.ts";
import { Lists } from "./lists.ts";
import { Pauses } from "./pauses.ts";
import { EgressEvents, type EgressParameters, egressPorts } from "./ports.ts";
import { beatsOf, besidesPayload, frameBeatBits, ListOf, payloadBeatBits, Picked, Waiting } from "./records.ts";
import { Releases } from "./releases.ts";
import { underWay } from "./under-way.ts";

/** Packets that are dropped and wait for their release; and those that may come when no more are taken. */
const droppedPackets = 8;
/** Packets that have been chosen and wait for their header. */
const pickedPackets = 8;
/** Frames in the deparser, at most. */
const frames = 16;

/** Where a frame of the deparser goes. */
const Leaving = (p: EgressParameters) => struct({ list: ListOf(p), beats: uint(frameBeatBits(p)) });

/**
 * The egress (paper §5.4; docs/supernic/egress.md): packets that are finished go to the list of their port and class,
 * leave through the deparser when the port has room, and give back what they held. Latency: 13 cycles from `finished`
 * to the first beat of a packet without payload. Initiation interval: a beat a cycle, a frame a cycle. Full: `finished`
 * waits only for dropped packets to be released; each list has room for all contexts. A port without room, or a class
 * that is paused, holds up no other; after a pause that is too long its packets are dropped until it opens. Reset: no
 * packet is inside; the tables stay.
 */
export const Egress = module(
  "Egress",
  (p: EgressParameters) => egressPorts(p),
  (io, p) => {
    const destination = instance("destination", Destination(p)),
      lists = instance("lists", Lists(p)),
      pauses = instance("pauses", Pauses(p)),
      releases = instance("releases", Releases(p)),
      deparser = instance("deparser", Deparser({ ...p, payloadBeats: payloadBeats(p) }));

    // In: where it goes.
    const dropped = stream(uint(ctxBits(p)), { name: "dropped" }),
      { out: toDrop, level } = fifoWithLevel(dropped, droppedPackets, { name: "dropped_queue", style: "distributed" });
    const mayCome = reg(bit, { init: 0, name: "may_come" });
    mayCome.set(level.lt(droppedPackets / 2 - 1));
    const come = node(io.finished.fire, { name: "comes" }),
      asks = reg(struct({ valid: bit, ctx: uint(ctxBits(p)), dropped: bit }), { init: { valid: 0 }, name: "asks" });
    io.finished.ready.set(mayCome);
    io.look.set({ valid: come, ctx: io.finished.payload.ctx });
    asks.set({ valid: come, ctx: io.finished.payload.ctx, dropped: io.finished.payload.dropped });
    destination.asks.set(asks);
    destination.known.set(io.known);
    destination.config.set(io.config);
    destination.users.set(io.users);
    destination.dags.set(io.dags);
    destination.macs.set(io.macs);
    destination.entries.set(io.entries);
    const { goes } = destination,
      stays = node(goes.valid.and(goes.drop.is("none")), { name: "goes_on" });
    lists.push.set({ valid: stays, ctx: goes.ctx, list: goes.list });
    dropped.valid.set(goes.valid.andNot(stays));
    dropped.payload.set(goes.ctx);

    // What is known of it stays here until it leaves.
    const waiting = ram(Waiting(p), { depth: p.contexts, collision: "undefined", style: "block" }),
      beats = ram(uint(payloadBeatBits(p)), { depth: p.contexts, collision: "undefined", style: "distributed" }),
      { known } = io,
      knownBeats = node(beatsOf(known.payloadBytes, payloadBeatBits(p)), { name: "known_beats" });
    waiting.write(asks.valid, asks.ctx, {
      uid: known.uid,
      ingress: known.ingress,
      firstCell: known.firstCell,
      payloadBytes: known.payloadBytes,
      headBytes: known.headBytes,
      prepend: known.prepend,
      dropFront: known.dropFront,
      tagged: known.tagged,
      tag: known.tag,
      keepShim: destination.keepShim,
      shimmed: known.shimmed,
      ttl: known.ttl,
    });
    beats.write(asks.valid, asks.ctx, knownBeats);
    releases.note.set({
      en: asks.valid,
      ctx: asks.ctx,
      holds: { user: known.user, firstCell: known.firstCell, beats: knownBeats },
    });

    // Out: whose turn it is.
    const picked = passQueue("picked", Picked(p), pickedPackets, lists.picked.valid, lists.picked.packet),
      inside = reg(uint(4), { init: 0, name: "picked_inside" });
    inside.set(inside.add(lists.picked.valid.zext(4)).sub(picked.fire.zext(4)));
    lists.stalls.set(inside.gt(pickedPackets / 2 - 1));
    const isFrame = node(lists.picked.valid.andNot(lists.picked.packet.dropped), { name: "frame_is_chosen" }),
      said = beats.readAsync(lists.picked.packet.ctx).zext(frameBeatBits(p)).add(besidesPayload);

    // Its header, what is known of it, and its template.
    const { ctx } = picked.payload,
      clears = node(picked.payload.dropped, { name: "clears" }),
      known2 = reg(bit, { init: 0, name: "known_valid" }),
      at2 = reg(Picked(p), { name: "known_packet" }),
      beats2 = reg(uint(payloadBeatBits(p)), { name: "known_payload" }),
      read3 = reg(bit, { init: 0, name: "fetched_valid" }),
      at3 = reg(Picked(p), { name: "fetched_packet" }),
      beats3 = reg(uint(payloadBeatBits(p)), { name: "fetched_payload" }),
      waiting3 = reg(Waiting(p), { name: "fetched_waiting" });
    const leaving = stream(Leaving(p), { name: "leaving" }),
      going = fifo(leaving, frames, { name: "going", style: "distributed" });
    const there = node(read3.and(io.left.valid), { name: "header_there" }),
      go3 = node(there.and(deparser.packet.ready).and(leaving.ready), { name: "packet_goes" }),
      moves = node(read3.not().or(go3), { name: "known_moves" }),
      room2 = node(known2.not().or(moves), { name: "known_room" });
    io.leave.valid.set(picked.valid.andNot(clears).and(room2));
    io.leave.payload.set({ ctx });
    releases.cleared.valid.set(picked.valid.and(clears));
    releases.cleared.payload.set(ctx);
    picked.ready.set(mux(clears, releases.cleared.ready, io.leave.ready.and(room2)));
    const fetched = node(io.leave.fire, { name: "fetched" }),
      waiting2 = waiting.readSync(ctx, { en: fetched, name: "waiting_word" });
    when(room2, () => known2.set(fetched));
    when(fetched, () => {
      at2.set(picked.payload);
      beats2.set(beats.readAsync(ctx));
    });
    const templates = ram(tableEntry("template"), {
      depth: templateEntries,
      collision: "old",
      style: "block",
      init: [0],
    });
    templates.write(io.templates.en, io.templates.index, io.templates.value);
    const template = templates.readSync(waiting2.prepend, { en: moves, name: "template_word" });
    when(moves, () => {
      read3.set(known2);
      at3.set(at2);
      beats3.set(beats2);
      waiting3.set(waiting2);
    });
    const prepends = waiting3.prepend.any(),
      ttl = waiting3.ttl;
    deparser.packet.valid.set(there.and(leaving.ready));
    leaving.valid.set(there.and(deparser.packet.ready));
    leaving.payload.set({ list: at3.list, beats: beats3.zext(frameBeatBits(p)).add(besidesPayload) });
    io.left.ready.set(read3.and(deparser.packet.ready).and(leaving.ready));
    deparser.packet.payload.set({
      ctx: at3.ctx,
      header: io.left.payload.header,
      headBytes: waiting3.headBytes,
      dropFront: waiting3.dropFront,
      firstCell: waiting3.firstCell,
      payloadBytes: waiting3.payloadBytes,
      template: {
        data: template.data.is(512),
        bytes: template.bytes.is(7).and(repeat(prepends, 7)),
        lengths: template.lengths.bit(0).and(prepends),
        sum: template.sum.is(16),
      },
      tagged: waiting3.tagged,
      tag: waiting3.tag,
      shimmed: waiting3.keepShim,
      shim: shimOf({
        kind: snicKind.data,
        ttl: mux(waiting3.shimmed, ttl.sub(1), ttlOf(waiting3)),
        uid: waiting3.uid,
        origin: io.config.origin,
        ingress: waiting3.ingress,
      }),
    });

    // The frame, to its port.
    io.read.valid.set(deparser.read.valid);
    io.read.payload.set(deparser.read.payload);
    deparser.read.ready.set(io.read.ready);
    deparser.payload.valid.set(io.payload.valid);
    deparser.payload.payload.set(io.payload.payload);
    io.payload.ready.set(deparser.payload.ready);
    const outs = arrayOf(io, "out", inlets(p)),
      { frame } = deparser,
      to = going.payload.list.port;
    outs.forEach((out, q) => {
      out.valid.set(frame.valid.and(going.valid).and(to.bit(q)));
      out.payload.set({ ...frame.payload, class: classNumber(going.payload.list.class) });
    });
    const sent = node(orTree(outs.map(o => o.fire)), { name: "beat_leaves" }),
      last = node(frame.payload.last, { name: "frame_ends" });
    frame.ready.set(going.valid.and(orTree(outs.map((o, q) => o.ready.and(to.bit(q))))));
    going.ready.set(sent.and(last));
    releases.left.valid.set(deparser.left.valid);
    releases.left.payload.set(deparser.left.payload.ctx);
    deparser.left.ready.set(releases.left.ready);
    releases.dropped.valid.set(toDrop.valid);
    releases.dropped.payload.set(toDrop.payload);
    toDrop.ready.set(releases.dropped.ready);
    io.release.set(releases.release);
    io.releaseCells.valid.set(releases.cells.valid);
    io.releaseCells.payload.set(releases.cells.payload);
    releases.cells.ready.set(io.releaseCells.ready);
    io.released.set(releases.released);

    // Which lists may go.
    const few = underWay(p, {
      begins: isFrame,
      port: lists.picked.packet.list.port,
      beats: said,
      leaves: sent,
      to,
      last,
      said: going.payload.beats,
    });
    few.forEach((f, q) => {
      const room = f.and(io.room.bit(q)),
        isPort = q < p.ports,
        paused = isPort ? io.paused.at(q).bits(0, userClasses) : constant(0, userClasses);
      lists.open.at(q).set(repeat(room, userClasses).andNot(paused));
      lists.drops.at(q).set(isPort ? pauses.expired.at(q) : constant(0, userClasses));
      if (isPort) pauses.paused.at(q).set(paused);
    });
    const events = reg(EgressEvents, { init: 0 }),
      why = (drop: Bit): Bit => goes.valid.and(drop);
    events.set({
      left: sent.and(last),
      task: why(goes.drop.eq(EgressDrop.task)),
      nowhere: why(goes.drop.eq(EgressDrop.nowhere)),
      again: why(goes.drop.eq(EgressDrop.again)),
      paused: releases.cleared.fire,
    });
    io.events.set(events);
  },
  { nameOf: p => `Egress_p${p.ports}_c${p.contexts}_k${p.cells}_f${p.frameBytes}_m${p.macs}_t${p.pauseCycles}` },
);

/** The number of a class that is one bit. */
const classNumber = (onehot: ReturnType<typeof fromBits>) =>
  fromBits([onehot.bit(1).or(onehot.bit(3)), onehot.bit(2).or(onehot.bit(3)), constant(0, 1)]).is(3);
