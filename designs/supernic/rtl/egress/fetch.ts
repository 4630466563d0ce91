import {
  bit,
  input,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  repeat,
  sink,
  source,
  struct,
  uint,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { passQueue } from "../../../shared/stream/index.ts";
import { snicKind, templateEntries } from "../../wire/index.ts";
import { Leaving } from "../deparse/index.ts";
import { HeaderJob, HeaderRead } from "../headers/index.ts";
import { ctxBits, EntryWrite, payloadBeats, shimOf, sizeBits, tableEntry, ttlOf } from "../inside/index.ts";
import type { EgressParameters } from "./ports.ts";
import { ListOf, Picked, Waiting } from "./records.ts";

/** Packets that have been chosen and wait for their header; those that come when no more are chosen. */
const pickedPackets = 8;
const pickedLate = 4;

/** A packet for the deparser, and where its frame goes. */
export const Fetched = (p: EgressParameters) =>
  struct({ packet: Leaving({ ...p, payloadBeats: payloadBeats(p) }), list: ListOf(p), size: uint(sizeBits) });

/** The shim of a packet that keeps it: one pass less. */
const shimOfWaiting = (w: Val<ReturnType<typeof Waiting>>, origin: Val<ReturnType<typeof uint>>) =>
  shimOf({
    kind: snicKind.data,
    ttl: mux(w.shimmed, w.ttl.sub(1), ttlOf(w)),
    uid: w.uid,
    origin,
    ingress: w.ingress,
  });

/**
 * Fetches what the deparser needs of packets that have been chosen: their header, what was noted of them, their
 * template. Those that were dropped from their list go to `cleared` instead. Latency 2 from `picked` to `packet`,
 * initiation interval 1. Full: `stalls` rises so early that what has been chosen has room. Reset: none is under way;
 * templates stay.
 */
export const Fetch = module(
  "Fetch",
  (p: EgressParameters) => ({
    note: input(struct({ en: bit, ctx: uint(ctxBits(p)), waiting: Waiting(p) })),
    templates: input(EntryWrite("template")),
    origin: input(uint(8)),
    picked: input(struct({ valid: bit, packet: Picked(p) })),
    stalls: output(bit),
    leave: source(HeaderJob(p)),
    left: sink(HeaderRead(p)),
    packet: source(Fetched(p)),
    cleared: source(uint(ctxBits(p))),
  }),
  (io, p) => {
    const picked = passQueue("picks", Picked(p), pickedPackets, io.picked.valid, io.picked.packet),
      inside = reg(uint(4), { init: 0, name: "picks_inside" });
    inside.set(inside.add(io.picked.valid.zext(4)).sub(picked.fire.zext(4)));
    io.stalls.set(inside.ge(pickedPackets - pickedLate));
    const waiting = ram(Waiting(p), { depth: p.contexts, collision: "undefined", style: "block" }),
      templates = ram(tableEntry("template"), {
        depth: templateEntries,
        collision: "old",
        style: "block",
        init: [0],
      });
    waiting.write(io.note.en, io.note.ctx, io.note.waiting);
    templates.write(io.templates.en, io.templates.index, io.templates.value);

    // 1: its header is asked for. 2: what was noted is there. 3: so are template and header.
    const valid2 = reg(bit, { init: 0, name: "noted_valid" }),
      at2 = reg(Picked(p), { name: "noted_of" }),
      valid3 = reg(bit, { init: 0, name: "ready_valid" }),
      at3 = reg(Picked(p), { name: "ready_of" }),
      waiting3 = reg(Waiting(p), { name: "ready_waiting" });
    const goes = node(io.packet.fire, { name: "goes" }),
      moves = node(valid3.not().or(goes), { name: "moves" }),
      room = node(valid2.not().or(moves), { name: "room" }),
      { ctx, dropped } = picked.payload;
    io.leave.valid.set(picked.valid.andNot(dropped).and(room));
    io.leave.payload.set({ ctx });
    io.cleared.valid.set(picked.valid.and(dropped));
    io.cleared.payload.set(ctx);
    picked.ready.set(mux(dropped, io.cleared.ready, io.leave.ready.and(room)));
    const fetched = node(io.leave.fire, { name: "fetched" }),
      waiting2 = waiting.readSync(ctx, { en: fetched, name: "waiting_word" });
    when(room, () => valid2.set(fetched));
    when(fetched, () => at2.set(picked.payload));
    const template = templates.readSync(waiting2.prepend, { en: moves, name: "template_word" });
    when(moves, () => {
      valid3.set(valid2);
      at3.set(at2);
      waiting3.set(waiting2);
    });

    io.packet.valid.set(valid3.and(io.left.valid));
    io.left.ready.set(goes);
    const prepends = waiting3.prepend.any();
    io.packet.payload.list.set(at3.list);
    io.packet.payload.size.set(at3.size);
    io.packet.payload.packet.set({
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
      shim: shimOfWaiting(waiting3, io.origin),
    });
  },
  { nameOf: p => `Fetch_c${p.contexts}_k${p.cells}_f${p.frameBytes}` },
);
