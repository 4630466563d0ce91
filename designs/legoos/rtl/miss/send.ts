import {
  bit,
  type Bit,
  cat,
  connect,
  constant,
  fsm,
  input,
  module,
  mux,
  node,
  onesAdd,
  output,
  ram,
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
  wire,
} from "../../../../hdl-dsl/index.ts";
import { accessBody, opcodeBits } from "../../../clio/wire/index.ts";
import { AxisBeat, joinFields, keepAll } from "../../../shared/frame/index.ts";
import { asidBits, beatBytes, derived, type Parameters, vaBits } from "../../config/index.ts";
import { compoundBody, flushAndFetch, part, partShift } from "../../wire/index.ts";
import { Own, Peer } from "../records/miss-records.ts";
import { addressSum, requestBytes, requestHeader, restSum } from "./header.ts";

/** A request to send: the line `line`, and of a compound the victim, which is in the buffer of the miss. */
export const Order = (p: Parameters) =>
  struct({
    miss: uint(derived(p).missBits),
    part: uint(2),
    compound: bit,
    asid: uint(asidBits),
    page: uint(derived(p).pageBits),
    /** Of a compound: the line that is fetched. */
    fetched: uint(derived(p).pageBits),
    peer: Peer,
    requestId: uint(32),
    retry: bit,
    retryOf: uint(32),
  });

/**
 * Makes frames of requests: READ, WRITE with the miss's victim, or both in one. Latency 6 cycles to the first beat.
 * Initiation interval: the frame's beats and 5 cycles. Full: one order at a time; `order.ready` is 0 until its frame
 * has gone. Victims are kept here, one of each miss, from `keep` until the next one of that miss.
 */
export const Sender = module(
  "ExCacheSender",
  (p: Parameters) => ({
    own: input(Own),
    order: sink(Order(p)),
    /** A beat of a victim. */
    keep: input(
      struct({
        valid: bit,
        miss: uint(derived(p).missBits),
        beat: uint(derived(p).beatBits),
        data: uint(8 * beatBytes),
      }),
    ),
    tx: source(AxisBeat(beatBytes)),
    sending: output(bit),
  }),
  (io, p) => {
    const { missBits, beatBits, beats } = derived(p);
    const victims = ram(uint(8 * beatBytes), {
      depth: p.misses * beats,
      collision: "undefined",
      style: "block",
      name: "victims",
    });
    victims.write(io.keep.valid, cat(io.keep.miss, io.keep.beat), io.keep.data);

    const held = reg(Order(p)),
      ownSum = reg(uint(16), { name: "own_sum" }),
      sum = reg(uint(16)),
      header = reg(uint(8 * requestBytes)),
      data = node(held.part.ne(part.fetch), { name: "with_data" });
    ownSum.set(addressSum(io.own.ip));
    io.order.ready.set(0);
    io.sending.set(1);
    const asking = reg(bit, { init: 0 }),
      beat = reg(uint(beatBits)),
      full = reg(bit, { init: 0 }),
      last = reg(bit);
    // The headers are a beat and `rest` bytes: each beat of data moves up by so much.
    const rest = 8 * (requestBytes - beatBytes),
      tail = reg(uint(rest), { name: "tail" }),
      out = stream(AxisBeat(beatBytes), { name: "frame" }),
      takes = wire(bit);
    const asks = node(asking.and(full.not().or(takes))),
      word = victims.readSync(cat(held.miss.is(missBits), beat), { en: asks });
    const whole = { keep: keepAll(beatBytes), last: 0, user: 0 };
    out.valid.set(0);
    out.payload.set({ ...whole, data: header.trunc(8 * beatBytes) });
    takes.set(0);
    fsm(["Idle", "Sum", "Both", "All", "Header", "Head", "Data", "Tail"], "Idle", s => ({
      Idle: () => {
        io.order.ready.set(1);
        io.sending.set(0);
        when(io.order.valid, () => {
          held.set(io.order.payload);
          s.go("Sum");
        });
      },
      Sum: () => {
        sum.set(addressSum(held.peer.ip));
        beat.set(0);
        s.go("Both");
      },
      Both: () => {
        sum.set(onesAdd(sum, ownSum));
        s.go("All");
      },
      All: () => {
        sum.set(onesAdd(sum, either(data, restSum(p.lineBytes), restSum(0))));
        s.go("Header");
      },
      Header: () => {
        header.set(headerOf(p, io.own, held, sum, data));
        asking.set(data);
        s.go("Head");
      },
      Head: () => {
        out.valid.set(1);
        when(out.ready, () => {
          tail.set(header.bits(8 * beatBytes, rest));
          when(data, () => s.go("Data")).otherwise(() => s.go("Tail"));
        });
      },
      Data: () => {
        out.valid.set(full);
        out.payload.set({ ...whole, data: cat(word.bits(0, 8 * beatBytes - rest), tail) });
        takes.set(out.ready);
        when(full.and(out.ready), () => {
          tail.set(word.bits(8 * beatBytes - rest, rest));
          when(last, () => s.go("Tail"));
        });
      },
      Tail: () => {
        out.valid.set(1);
        out.payload.set({
          data: tail.zext(8 * beatBytes),
          keep: constant((1n << BigInt(rest / 8)) - 1n, beatBytes),
          last: 1,
          user: 0,
        });
        when(out.ready, () => s.go("Idle"));
      },
    }));
    when(asks, () => {
      beat.set(beat.add(1));
      last.set(beat.eq(beats - 1));
      when(beat.eq(beats - 1), () => asking.set(0));
    });
    when(full.not().or(takes), () => full.set(asking));
    connect(stage(out, "full"), io.tx);
  },
  { nameOf: p => `ExCacheSender_l${p.lineBytes}_m${p.misses}` },
);

/** With a victim's bytes, and without. */
const either = (data: Bit, long: number, short: number): UInt => mux(data, constant(long, 16), constant(short, 16));

/** The frame's headers. @param data a victim's bytes follow */
function headerOf(p: Parameters, own: Val<typeof Own>, held: Val<ReturnType<typeof Order>>, sum: UInt, data: Bit) {
  const { lineBits } = derived(p),
    from = { mac: own.mac, ip: own.ip, port: own.port };

  const va = (page: typeof held.page) => cat(page, constant(0, lineBits)).is(vaBits);
  const access = joinFields(accessBody, { va: va(held.page).zext(64), length: p.lineBytes }),
    compound = joinFields(compoundBody, { flushVa: va(held.page), fetchVa: va(held.fetched) });
  return requestHeader(from, held.peer, sum, {
    pid: held.asid,
    tag: cat(constant(0, 8 - partShift - 2), held.part, held.miss.zext(partShift)),
    opcode: mux(held.compound, constant(flushAndFetch, 8), mux(data, opcodeBits.WRITE, opcodeBits.READ)),
    tracked: data,
    retry: held.retry,
    requestId: held.requestId,
    retryOf: held.retryOf,
    body: mux(held.compound, compound, access),
    dataBytes: more => either(data, p.lineBytes + more, more),
  });
}
