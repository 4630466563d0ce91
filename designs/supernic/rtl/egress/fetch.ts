import {
  arrayOf,
  assertAlways,
  type Bit,
  bit,
  bitsFor,
  cat,
  constant,
  input,
  mergePorts,
  module,
  mux,
  node,
  output,
  pack,
  portArray,
  priority,
  ram,
  reg,
  repeat,
  sink,
  source,
  type StreamIn,
  type StreamOut,
  struct,
  uint,
  type UInt,
  type Val,
  when,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { lateCount, passQueue } from "../../../shared/stream/index.ts";
import { snicKind, templateEntries, trailerBytes } from "../../wire/index.ts";
import { Leaving } from "../deparse/index.ts";
import { HeaderJob, HeaderRead } from "../headers/index.ts";
import { ctxBits, EntryWrite, shimOf, tableEntry, ttlOf } from "../inside/index.ts";
import { type EgressParameters, payloadBeatBits, PayloadJob, puttersOf, trailerName, TrailerOf } from "./ports.ts";
import { beatsOf, Going, goingBits, Picked, Waiting } from "./records.ts";
import { trailerStore } from "./trailers.ts";

/** Packets that have been chosen and wait for their header; those that come when no more are chosen. */
const pickedPackets = 8;
const pickedLate = 4;
/** Packets whose header and payload have been asked for: a power of two. */
const asked = 4;
/** Cycles without a packet, before one that comes is fetched early. */
const quietCycles = 4;

/** The shim of a packet that keeps it: one pass less. */
const shimOfWaiting = (w: Val<ReturnType<typeof Waiting>>, origin: Val<ReturnType<typeof uint>>) =>
  shimOf({
    kind: snicKind.data,
    ttl: mux(w.shimmed, w.ttl.sub(1), ttlOf(w)),
    uid: w.uid,
    origin,
    ingress: w.ingress,
  });

/** A packet that has been asked for; `early`: before it was known where it goes; `late`: and it is of no use. */
const Asked = (p: EgressParameters) => struct({ ctx: uint(ctxBits(p)), early: bit, late: bit, going: Going(p) });
/** The same, with what was noted of it. */
const Noted = (p: EgressParameters) => struct({ ...Asked(p).fields, waiting: Waiting(p) });
const rest = { restLength: uint(8) } as const;
/** The same, with what the deparser wants to know of its lengths. */
const Ready = (p: EgressParameters) =>
  struct({
    ...Noted(p).fields,
    ...(puttersOf(p) > 0 ? rest : ({} as typeof rest)),
    headTurn: uint(6),
    headLength: uint(7),
    hasHead: bit,
    payloadBeats: uint(9),
  });
const readyOf = (p: EgressParameters, noted: Val<ReturnType<typeof Noted>>) => {
  const { headBytes, dropFront, payloadBytes, keepShim, tagged } = noted.waiting,
    inserted = cat(keepShim, tagged, constant(0, 2)).zext(6);
  const headLength = headBytes.sub(dropFront),
    withTrailer = (): UInt =>
      headLength.zext(8).add(mux(noted.waiting.trails.any(), constant(trailerBytes, 8), constant(0, 8)));
  return {
    ...noted,
    ...(puttersOf(p) > 0 ? { restLength: withTrailer() } : ({} as { restLength: UInt })),
    headTurn: inserted.sub(dropFront.trunc(6)),
    headLength,
    hasHead: headBytes.ne(dropFront),
    payloadBeats: beatsOf(payloadBytes, 9),
  };
};
const jobOf = (p: EgressParameters, { firstCell, payloadBytes }: Val<ReturnType<typeof Waiting>>) => ({
  first: firstCell,
  beats: beatsOf(payloadBytes, payloadBeatBits(p)),
});

type Tail = Pick<Val<ReturnType<typeof Leaving>>, "hasTail" | "tail" | "restLength">;
interface Fetched {
  readonly ready: Val<ReturnType<typeof Ready>>;
  readonly going: Val<ReturnType<typeof Going>>;
  readonly template: Val<ReturnType<typeof tableEntry<"template">>>;
  readonly header: UInt;
  readonly origin: UInt;
  /** Of a packet that has one. */
  readonly tail: UInt | undefined;
}
/** A packet as the deparser wants it. */
function leavingOf({ ready, going, template, header, origin, tail }: Fetched) {
  const { waiting, headTurn, headLength, hasHead, payloadBeats, ctx } = ready,
    { hasFront, hasBody, payloadBytes, tagged, tag, keepShim } = waiting;
  return {
    ctx,
    about: { to: pack(going), tagged, tag, shimmed: keepShim, shim: shimOfWaiting(waiting, origin) },
    template: {
      data: template.data.is(512),
      bytes: template.bytes.is(7).and(repeat(hasFront, 7)),
      lengths: template.lengths.bit(0).and(hasFront),
      sum: template.sum.is(16),
    },
    hasFront,
    header,
    headTurn,
    headLength,
    hasHead,
    payloadBytes,
    payloadBeats,
    hasBody,
    ...(tail === undefined
      ? ({} as Tail)
      : { hasTail: waiting.trails.any(), tail: tail.is(8 * trailerBytes), restLength: ready.restLength }),
  };
}

/**
 * Headers are asked for: of a packet that has been chosen, or of one that has just come (`early`) when there is no
 * other. When that is not taken at once it comes too late, and is of no use; but what is on offer stays.
 */
function headersOf(
  io: {
    readonly early: { readonly valid: Bit; readonly ctx: Val<ReturnType<typeof uint>> };
    readonly leave: StreamOut<ReturnType<typeof HeaderJob>>;
    readonly cleared: StreamOut<ReturnType<typeof uint>>;
  },
  picked: StreamIn<ReturnType<typeof Picked>>,
  { none, room }: { readonly none: Bit; readonly room: Bit },
) {
  const { ctx, dropped, list, size } = picked.payload,
    late = reg(bit, { init: 0, name: "early_is_late" }),
    lateCtx = reg(uint(io.early.ctx.width), { name: "late_ctx" });
  const early = node(io.early.valid.and(none).andNot(picked.valid.or(late)), { name: "tries_early" }),
    other = node(picked.valid.andNot(late), { name: "is_picked" }),
    at = node(priority([late, lateCtx], [picked.valid, ctx], io.early.ctx), { name: "asked_ctx" });
  late.set(early.or(late).andNot(io.leave.ready));
  when(early, () => lateCtx.set(io.early.ctx));
  io.leave.valid.set(late.or(early).or(room.and(other.andNot(dropped))));
  io.leave.payload.set({ ctx: at });
  io.cleared.valid.set(other.and(dropped));
  io.cleared.payload.set(ctx);
  picked.ready.set(mux(dropped, io.cleared.ready, io.leave.ready.and(room)).andNot(late));
  return {
    at,
    fetched: node(io.leave.fire, { name: "fetched" }),
    early: node(early.and(io.leave.ready), { name: "takes_this" }),
    of: { ctx: at, early, late, going: { list, size } },
  };
}

/**
 * Fetches what the deparser needs of packets that have been chosen: their header, their payload, what was noted of
 * them, their template. Those that were dropped from their list go to `cleared` instead. Latency 2 from `picked` to
 * `packet`, initiation interval 1. Full: `stalls` rises so early that what has been chosen has room.
 *
 * A packet that comes while nothing is here, and none came for 4 cycles, is fetched at once (`takesEarly`), before it
 * is known where it goes. Two cycles later `decided` says that; with `goes`, which needs `mayPass`, it is a packet as
 * others are from the next cycle on. Else its header is thrown away, and it will be picked. Reset: none is under way;
 * templates stay.
 */
export const Fetch = module(
  "Fetch",
  (p: EgressParameters) =>
    mergePorts(portArray("trailer", puttersOf(p), input(TrailerOf(p))), {
      note: input(struct({ en: bit, ctx: uint(ctxBits(p)), waiting: Waiting(p) })),
      templates: input(EntryWrite("template")),
      origin: input(uint(8)),
      /** A packet that has come; it is noted in this cycle. */
      early: input(struct({ valid: bit, ctx: uint(ctxBits(p)) })),
      takesEarly: output(bit),
      decided: input(struct({ valid: bit, goes: bit, going: Going(p) })),
      mayPass: output(bit),
      picked: input(struct({ valid: bit, packet: Picked(p) })),
      stalls: output(bit),
      leave: source(HeaderJob(p)),
      left: sink(HeaderRead(p)),
      read: source(PayloadJob(p)),
      packet: source(Leaving({ ...p, toBits: goingBits(p), trailers: puttersOf(p) > 0 })),
      cleared: source(uint(ctxBits(p))),
    } as const),
  (io, p) => {
    const picked = passQueue("picks", Picked(p), pickedPackets, io.picked.valid, io.picked.packet),
      inside = reg(uint(4), { init: 0, name: "picks_inside" });
    inside.set(lateCount(inside, io.picked.valid, picked.fire));
    io.stalls.set(inside.ge(pickedPackets - pickedLate));
    const waiting = ram(Waiting(p), { depth: p.contexts, collision: "new", style: "block" }),
      templates = ram(tableEntry("template"), {
        depth: templateEntries,
        collision: "old",
        style: "block",
        init: [0],
      });
    waiting.write(io.note.en, io.note.ctx, io.note.waiting);
    templates.write(io.templates.en, io.templates.index, io.templates.value);

    const trailers = trailerStore(p, arrayOf(io, "trailer", puttersOf(p)));

    // 1: its header is asked for. 2: what was noted is there, and its payload is asked for. 3: so is its template.
    const valid2 = reg(bit, { init: 0, name: "noted_valid" }),
      of2 = reg(Asked(p), { name: "noted_of" }),
      valid3 = reg(bit, { init: 0, name: "ready_valid" }),
      at3 = reg(Ready(p), { name: "ready_of" }),
      fresh3 = reg(bit, { init: 0, name: "ready_is_new" }),
      stays3 = reg(bit, { name: "early_stays" }),
      going3 = reg(Going(p), { name: "early_going" }),
      under = reg(uint(Math.log2(asked) + 1), { init: 0, name: "asked_packets" });
    // What became of one that came early is known in its first cycle here, and counts from the next one on.
    const isEarly = node(valid3.and(at3.early).and(fresh3), { name: "is_early" }),
      isVoid = node(at3.late.or(at3.early.andNot(fresh3.or(stays3))), { name: "is_void" }),
      none = node(valid2.or(under.any()).not(), { name: "is_idle" });
    const body2 = wire(bit, { name: "noted_body" }),
      reads2 = node(valid2.and(body2).andNot(of2.early.or(of2.late)), { name: "reads_noted" }),
      late3 = reg(bit, { init: 0, name: "reads_late" }),
      reads3 = node(isEarly.or(late3), { name: "reads_ready" }),
      held2 = node(reads2.and(reads3.or(io.read.ready.not())), { name: "noted_waits" }),
      moves2 = node(valid2.andNot(held2), { name: "noted_moves" });
    // Headers have no cycles to spare when packets come all the time.
    const since = reg(uint(bitsFor(quietCycles)), { init: 0, name: "since_packet" }),
      quiet = node(since.any().not(), { name: "is_quiet" });
    since.set(priority([io.note.en, constant(quietCycles, since.width)], [quiet, since], since.sub(1)));
    const first = headersOf(io, picked, { none: none.and(quiet), room: under.bit(Math.log2(asked)).or(held2).not() });
    io.takesEarly.set(first.early);
    const word = waiting.readSync(first.at, {
      en: first.fetched,
      name: "waiting_word",
    });
    body2.set(word.hasBody);
    valid2.set(first.fetched.or(held2));
    when(first.fetched, () => of2.set(first.of));

    // Late in the cycle: with a packet that goes its header does, and that is not asked again. So nothing hangs on it
    // but what stage 3 loads.
    const going = passQueue("asked", Noted(p), asked, moves2, { ...of2, waiting: word }, { lateReady: true }),
      goes = node(io.packet.fire, { name: "goes" }),
      leaves3 = node(goes.or(io.left.valid.and(valid3).and(isVoid)), { name: "ready_leaves" }),
      moves3 = node(valid3.not().or(leaves3), { name: "ready_moves" }),
      template = templates.readSync(going.payload.waiting.prepend, { en: moves3, name: "template_word" }),
      trailer = puttersOf(p) === 0 ? undefined : trailers(going.payload.ctx, moves3);
    going.ready.set(moves3);
    fresh3.set(moves3);
    when(moves3, () => {
      valid3.set(going.valid);
      at3.set(readyOf(p, going.payload));
    });
    when(fresh3, () => {
      stays3.set(io.decided.goes);
      going3.set(io.decided.going);
    });

    // A packet that came early goes when that is decided, or is void.
    const passes = io.decided.goes,
      body3 = at3.waiting.hasBody;
    assertAlways(passes.not().or(isEarly.and(io.decided.valid)), "who passes has come early");
    io.mayPass.set(isEarly.andNot(valid2).andNot(picked.valid));
    assertAlways(isEarly.not().or(io.decided.valid), "who came early is decided in its first cycle behind that");
    // Its payload is asked for now; it cannot leave before that is taken.
    const asks3 = node(passes.and(body3).or(late3), { name: "asks_ready" });
    late3.set(asks3.andNot(io.read.ready));
    io.read.valid.set(asks3.or(reads2.andNot(reads3)));
    io.read.payload.set(jobOf(p, mux(reads3, at3.waiting, word)));
    io.left.ready.set(goes.or(valid3.and(isVoid)));
    under.set(lateCount(under, first.fetched, leaves3));
    assertAlways(leaves3.eq(io.left.fire), "who leaves has its header");

    // In the cycle behind the decision: else the deparser's room would hang on where the packet goes.
    io.packet.valid.set(valid3.and(io.left.valid).andNot(isVoid.or(isEarly)));
    io.packet.payload.set(
      leavingOf({
        ready: at3,
        going: mux(at3.early, going3, at3.going),
        template,
        header: io.left.payload.header,
        origin: io.origin,
        tail: trailer?.(at3.waiting.trails),
      }),
    );
  },
  { nameOf: p => `Fetch_c${p.contexts}_k${p.cells}_f${p.frameBytes}${trailerName(p)}` },
);
