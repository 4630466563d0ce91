import { input, output, sink } from "../../types/ports.ts";
import { bit, struct, uint } from "../../types/shape.ts";
import type { Bit, End, Stream, StreamIn, UInt } from "../../types/value.ts";
import { enumOf } from "../../build/enumeration.ts";
import { node, reg } from "../../build/declare.ts";
import { endOf } from "../../build/ends.ts";
import { instance, module } from "../../build/module.ts";
import { mux, when } from "../../build/statements.ts";
import { cat, constant, repeat } from "../../build/value.ts";
import { connect } from "../../stream/connect.ts";
import { stage } from "../../stream/stage.ts";
import { stream } from "../../stream/stream.ts";
import {
  type Axi4Address,
  axi4Address,
  axi4Bus,
  type Axi4Channels,
  axi4Master,
  type Axi4Parameters,
} from "../axi/index.ts";
import { Fifo } from "../queues/index.ts";
import { byteCutter, placeOf, realigned } from "./any-byte.ts";
import { cutter, MOST } from "./bursts.ts";
import { DESCRIPTOR_BYTES, descriptorAt, DmaCounts, DmaEvent, fieldsOf } from "./descriptor.ts";

/** Widths of the memory's bus, and how much is under way. */
export interface AxiDmaParameters extends Axi4Parameters {
  /** Bursts that are read but not yet answered as written; 8 when left out. */
  readonly outstanding?: number;
  /** Addresses, rows and strides of any number of bytes; left out: multiples of the bus's bytes, others are refused. */
  readonly anyByte?: boolean;
}
const Phase = enumOf("DmaPhase", ["idle", "ask", "gather", "begin", "move", "drain", "report", "reported"]);
const INCR = 1;
interface Sizes extends Axi4Parameters {
  readonly outstanding: number;
  readonly anyByte: boolean;
}
function sizesOf(p: AxiDmaParameters): Sizes {
  if (![8, 16, 32, 64].includes(p.beatBytes))
    throw new RangeError(`AxiDma: beatBytes is ${p.beatBytes}; choose 8, 16, 32 or 64`);
  if (p.addressBits < 13 || p.addressBits > 64)
    throw new RangeError(`AxiDma: addresses have ${p.addressBits} bits; choose 13 to 64`);
  return { ...p, outstanding: p.outstanding ?? 8, anyByte: p.anyByte ?? false };
}
const burst = (s: Sizes) => struct({ addr: uint<number>(s.addressBits), len: uint(8) });
const arrived = (s: Sizes) => struct({ addr: uint<number>(s.addressBits), len: uint(8), bad: bit });
type Bus = End<Axi4Channels>;
/** The places of bursts under way, for addresses of any byte. */
const placesOf = (s: Sizes) =>
  instance("places", Fifo({ shape: placeOf(Math.log2(s.beatBytes)), depth: s.outstanding, style: "distributed" }));
type Places = ReturnType<typeof placesOf>["pop"];

/** Bursts that have been asked for, and those whose data are here; the data wait in one FIFO. */
function reading(s: Sizes, m: Bus, gathers: Bit) {
  const fifo = { depth: s.outstanding, style: "distributed" } as const;
  const asked = instance("asked", Fifo({ shape: burst(s), ...fifo })),
    here = instance("here", Fifo({ shape: arrived(s), ...fifo })),
    data = instance("data", Fifo({ shape: uint<number>(8 * s.beatBytes), depth: 4 * MOST, style: "auto" }));
  const spoilt = reg(bit, { init: 0, name: "burst_spoilt" }),
    comes = node(m.r.valid.andNot(gathers), { name: "data_come" }),
    wrong = node(m.r.payload.resp.any(), { name: "beat_is_wrong" }),
    ends = node(comes.and(m.r.payload.last), { name: "burst_is_here" });
  // There is room for all that was asked for.
  m.r.ready.set(1);
  data.push.valid.set(comes);
  data.push.payload.set(m.r.payload.data);
  when(comes, () => spoilt.set(m.r.payload.last.not().and(spoilt.or(wrong))));
  asked.pop.ready.set(ends);
  here.push.valid.set(ends);
  here.push.payload.set({ addr: asked.pop.payload.addr, len: asked.pop.payload.len, bad: spoilt.or(wrong) });
  return { asked, here, data, failed: node(ends.and(spoilt.or(wrong)), { name: "read_failed" }) };
}

/** Writes one burst at a time, or drops the data of one that was read with an error; or writes a status. */
function writing(
  s: Sizes,
  m: Bus,
  r: ReturnType<typeof reading>,
  report: { readonly now: Bit; readonly at: UInt; readonly status: UInt },
  places: Places | undefined,
) {
  const address = reg(bit, { init: 0, name: "address_waits" }),
    beats = reg(bit, { init: 0, name: "beats_wait" }),
    drops = reg(bit, { init: 0, name: "drops" }),
    tells = reg(bit, { init: 0, name: "tells" }),
    addr = reg(uint<number>(s.addressBits), { name: "write_addr" }),
    len = reg(uint(8), { name: "write_len" }),
    left = reg(uint(8), { name: "beats_left" });
  const free = node(address.or(beats).not(), { name: "write_is_free" }),
    last = node(left.eq(0), { name: "last_beat" });
  m.aw.valid.set(address);
  m.aw.payload.set({ addr, id: 0, len, size: Math.log2(s.beatBytes), burst: INCR });
  m.w.valid.set(beats.andNot(drops));
  const beat = node(m.w.fire.or(beats.and(drops)), { name: "beat_goes" }),
    lane = addr.trunc(Math.log2(s.beatBytes)),
    whole = constant((1n << BigInt(s.beatBytes)) - 1n, s.beatBytes),
    take = r.here.pop;
  const moved =
    places === undefined
      ? {
          data: r.data.pop.payload,
          strb: mux(tells, constant(0xff, s.beatBytes).shl(lane), whole),
          pops: beat.andNot(tells),
        }
      : realigned(s.beatBytes, r.data.pop, places, {
          takes: take.fire,
          report: report.now,
          beat: beat.andNot(tells),
          last,
          lane,
        });
  m.w.payload.set({
    data: mux(tells, repeat(report.status.zext(64), s.beatBytes / 8), moved.data),
    strb: moved.strb,
    last,
  });
  r.data.pop.ready.set(moved.pops);
  when(m.aw.fire, () => address.set(0));
  when(beat, () => {
    left.set(left.sub(1));
    when(last, () => beats.set(0));
  });
  take.ready.set(free);
  when(take.fire, () => {
    const b = take.payload;
    addr.set(b.addr);
    len.set(b.len);
    left.set(b.len);
    address.set(b.bad.not());
    drops.set(b.bad);
    tells.set(0);
    beats.set(1);
  }).elseWhen(report.now, () => {
    addr.set(report.at);
    len.set(0);
    left.set(0);
    address.set(1);
    drops.set(0);
    tells.set(1);
    beats.set(1);
  });
  return {
    beat: node(moved.pops, { name: "room_comes" }),
    dropped: node(beat.and(drops).and(last), { name: "burst_dropped" }),
  };
}

/** Counts events, modulo 2^16. */
function counter(event: Bit, name: string): UInt<16> {
  const n = reg(uint(16), { init: 0, name });
  when(event, () => n.set(n.add(1)));
  return n;
}

/**
 * DMA engine: copies blocks of rows from memory to memory, as descriptors in memory say (`descriptorAt`), one after the
 * other along a chain. `start` gives the address of the first; the low six bits of such an address do not count.
 *
 * Source, destination, row and strides are multiples of the bus's bytes: other descriptors are refused, and nothing is
 * moved. With `anyByte` they are any numbers of bytes, and none is refused; a read may touch the rest of its last beat.
 * A descriptor without rows, or with rows of no bytes, moves nothing and is done. Bursts have 16 beats at most (reads
 * 17 with `anyByte`), and none crosses 4 KB. Rows are copied in order; source and destination must not overlap.
 *
 * When all writes of a descriptor are answered, its status is written (8 bytes), and `event` tells of it. Errors of
 * memory: a burst that was read with one is not written; after an error no new burst of the descriptor begins, its
 * status says so, and the chain ends. An error of the descriptor's own read ends the chain without a status. All are
 * counted. With `stop` the chain ends after the descriptor at hand, whose status is written.
 *
 * Latency 2 cycles from `start` to the descriptor's read. Initiation interval 1 beat while bursts are of 16 beats and
 * the memory answers within 64: as many beats may be under way. `outstanding` bursts, or 64 beats: then reads wait.
 * A burst is cut every 3 cycles, with `anyByte` every 4.
 * `start.ready` is 0 until a chain ends. Accesses have ID 0. Reset forgets all that is under way, also at the memory.
 */
export const AxiDma = module(
  "AxiDma",
  (p: AxiDmaParameters) => {
    const s = sizesOf(p);
    return {
      start: sink(uint<number>(s.addressBits)),
      stop: input(bit),
      event: output(DmaEvent),
      counts: output(DmaCounts),
      ...axi4Master("m", s),
    };
  },
  (io, p) => {
    const s = sizesOf(p),
      m = endOf(axi4Bus(s), io, "m");
    const phase = reg(Phase, { init: "idle" }),
      current = reg(uint<number>(s.addressBits)),
      held = reg(uint(8 * DESCRIPTOR_BYTES)),
      failed = reg(struct({ descriptor: bit, read: bit, write: bit }), { init: { descriptor: 0, read: 0, write: 0 } });
    const asks = phase.is("ask"),
      gathers = phase.is("gather"),
      begins = phase.is("begin"),
      moves = phase.is("move"),
      reports = phase.is("report");
    const fields = fieldsOf(held, s.addressBits, s.beatBytes),
      refused = reg(bit, { init: 0 });

    // Bursts under way, and beats that have no room yet.
    const open = reg(uint(8), { init: 0 }),
      room = reg(uint(7), { init: 4 * MOST });
    const reads = reading(s, m, gathers),
      address: Stream<Axi4Address> = stream(axi4Address(s), { name: "read_address" });
    const taken = node(address.fire.and(moves)),
      isRefused = s.anyByte ? constant(0, 1) : fields.refused,
      goesOn = { begin: begins.andNot(isRefused), taken };
    const bytewise = s.anyByte ? { places: placesOf(s), cuts: byteCutter(s, fields, goesOn) } : undefined,
      cuts = bytewise?.cuts ?? cutter(s, fields, goesOn);
    bytewise?.places.push.valid.set(taken);
    bytewise?.places.push.payload.set(bytewise.cuts.place);
    const needs = bytewise?.cuts.reads ?? MOST;
    const allowed = node(room.ge(needs).and(open.lt(s.outstanding)).andNot(failed.read.or(failed.write)));
    address.valid.set(asks.or(moves.and(cuts.there).and(allowed)));
    address.payload.set({
      addr: mux(asks, cat(current.shr(6).trunc(s.addressBits - 6), constant(0, 6)), cuts.source),
      id: 0,
      len: mux(asks, constant(DESCRIPTOR_BYTES / s.beatBytes - 1, 8), cuts.readLen),
      size: Math.log2(s.beatBytes),
      burst: INCR,
    });
    connect(stage(address as StreamIn<Axi4Address>, "forward", { name: "ar" }), m.ar);
    reads.asked.push.valid.set(taken);
    reads.asked.push.payload.set({ addr: cuts.destination, len: cuts.len });

    const status = cat(refused, failed.write, failed.read, constant(1, 1)),
      at = cat(current.shr(6).trunc(s.addressBits - 6), constant(descriptorAt.status, 6));
    const writes = writing(s, m, reads, { now: reports, at, status }, bytewise?.places.pop);
    m.b.ready.set(1);
    const answered = node(m.b.fire.andNot(phase.is("reported"))),
      wrong = node(m.b.fire.and(m.b.payload.resp.any()));
    const bursts = (b: Bit): UInt<8> => b.zext(8);
    open.set(open.add(bursts(taken)).sub(bursts(answered)).sub(bursts(writes.dropped)));
    const reserved = mux(taken, cuts.reads, constant(0, 7));
    room.set(room.sub(reserved).add(writes.beat.zext(7)));

    when(phase.is("idle").and(io.start.fire), () => {
      current.set(io.start.payload);
      phase.set("ask");
    });
    io.start.ready.set(phase.is("idle").andNot(io.stop));
    when(asks.and(address.ready), () => {
      phase.set("gather");
      failed.set({ descriptor: 0, read: 0, write: 0 });
    });
    const gathered = node(gathers.and(m.r.valid));
    when(gathered, () => {
      held.set(
        s.beatBytes === DESCRIPTOR_BYTES
          ? m.r.payload.data
          : cat(m.r.payload.data, held.bits(8 * s.beatBytes, 8 * (DESCRIPTOR_BYTES - s.beatBytes))),
      );
      when(m.r.payload.resp.any(), () => failed.descriptor.set(1));
      when(m.r.payload.last, () => phase.set("begin"));
    });
    const lost = node(begins.and(failed.descriptor));
    when(begins, () => {
      refused.set(isRefused);
      phase.set("move");
      when(isRefused, () => phase.set("drain"));
      when(failed.descriptor, () => phase.set("idle"));
    });
    const stopped = failed.read.or(failed.write);
    when(moves.and(cuts.ended.or(stopped)), () => phase.set("drain"));
    when(phase.is("drain").and(open.eq(0)), () => phase.set("report"));
    when(reports, () => phase.set("reported"));
    const done = node(phase.is("reported").and(m.b.fire)),
      bad = node(stopped.or(refused).or(wrong)),
      chainEnds = node(bad.or(io.stop).or(fields.next.shr(6).any().not()));
    when(done, () => {
      current.set(fields.next);
      phase.set("ask");
      when(chainEnds, () => phase.set("idle"));
    });
    when(reads.failed, () => failed.read.set(1));
    when(wrong, () => failed.write.set(1));

    io.event.set({
      interrupt: lost.or(done.and(fields.interrupt.or(bad).or(chainEnds))),
      failed: lost.or(done.and(bad)),
      chainEnds: lost.or(done.and(chainEnds)),
    });
    io.counts.set({
      descriptors: counter(done, "descriptors"),
      descriptorErrors: counter(lost, "descriptor_errors"),
      readErrors: counter(reads.failed, "read_errors"),
      writeErrors: counter(wrong, "write_errors"),
      refused: counter(done.and(refused), "refusals"),
    });
  },
);
