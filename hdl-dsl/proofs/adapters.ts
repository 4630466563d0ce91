/** The width adapter, both ways, against its beats put together and taken apart by hand. */
import { sink, source } from "../types/ports.ts";
import { bit, struct, uint } from "../types/shape.ts";
import type { Bit, UInt } from "../types/value.ts";
import { node, reg } from "../build/declare.ts";
import { instance, module } from "../build/module.ts";
import { assertAlways, assumeAlways, cover, mux, when } from "../build/statements.ts";
import { cat, constant } from "../build/value.ts";
import { WidthAdapter } from "../lib/index.ts";
import type { Proof } from "./harness/proof.ts";
import { moduleObeys, producerObeys } from "./harness/rules.ts";
import { isQueue } from "./harness/shadow.ts";

const RATIO = 4;
/** One bit stands for each byte of data: the adapter only moves them. */
const Narrow = struct({ data: bit, keep: bit, last: bit });
const Wide = struct({ data: uint(RATIO), keep: uint(RATIO), last: bit });

/** Byte `i` of a beat, of which only the lowest bit is used. */
const spread = (bits: UInt): UInt =>
  cat(...Array.from({ length: bits.width }, (_, i) => bits.bit(i).zext(8)).reverse());
const gather = (bytes: UInt): UInt =>
  cat(...Array.from({ length: bytes.width / 8 }, (_, i) => bytes.bit(i * 8)).reverse());

const widen = module(
  "WidenProof",
  () => ({ from: sink(Narrow), to: source(Wide) }),
  io => {
    const dut = instance("dut", WidthAdapter({ fromBytes: 1, toBytes: RATIO }));
    const { data, keep, last } = io.from.payload;
    dut.from.valid.set(io.from.valid);
    dut.from.payload.set({ data: spread(data), keep, last });
    io.from.ready.set(dut.from.ready);
    io.to.valid.set(dut.to.valid);
    io.to.payload.set({
      data: gather(dut.to.payload.data).is(RATIO),
      keep: dut.to.payload.keep.is(RATIO),
      last: dut.to.payload.last,
    });
    dut.to.ready.set(io.to.ready);

    producerObeys({ valid: io.from.valid, ready: io.from.ready, payload: cat(data, keep, last) }, "from");
    assumeAlways(keep.or(last).or(io.from.valid.not()), "only the last beat of a frame may be without its byte");
    // Bytes that do not count may be anything.
    const seen = io.to.payload.data.and(io.to.payload.keep);
    const waited = moduleObeys(
      { valid: io.to.valid, ready: io.to.ready, payload: cat(seen, io.to.payload.keep, io.to.payload.last) },
      "to",
    );
    const bytes = reg(uint(RATIO), { init: 0, name: "model_bytes" }),
      kept = reg(uint(RATIO), { init: 0, name: "model_kept" }),
      lane = reg(uint(2), { init: 0, name: "model_lane" });
    const here = constant(1, RATIO).shl(lane);
    const put = (into: UInt, b: Bit): UInt => mux(b, into.or(here), into);
    const filled = node(put(bytes, data.and(keep)), { name: "model_filled" }),
      marked = node(put(kept, keep), { name: "model_marked" });
    const complete = node(io.from.fire.and(last.or(lane.eq(RATIO - 1))), { name: "model_complete" });
    when(io.from.fire, () => {
      bytes.set(mux(complete, constant(0, RATIO), filled).is(RATIO));
      kept.set(mux(complete, constant(0, RATIO), marked).is(RATIO));
      lane.set(mux(complete, constant(0, 2), lane.add(1)));
    });
    const { full } = isQueue({
      name: "beats",
      capacity: 1,
      offered: constant(0, 1),
      value: cat(filled, marked, last),
      push: complete,
      valid: io.to.valid,
      pop: io.to.fire,
      payload: cat(seen, io.to.payload.keep, io.to.payload.last),
    });
    assertAlways(full.eq(io.to.valid), "a wide beat is offered as soon as it is complete, and no other");
    assertAlways(full.and(io.to.ready.not()).or(io.from.ready), "with room it accepts");
    cover(waited.and(io.to.fire).and(io.to.payload.keep.all()), "a whole beat goes out after a stall");
    cover(io.to.fire.and(io.to.payload.last).and(io.to.payload.keep.eq(3)), "a frame ends within a beat");
  },
);

/** Bits that are 1, counted the slow way. */
const ones = (v: UInt): UInt =>
  Array.from({ length: v.width }, (_, i) => v.bit(i).zext(3) as UInt).reduce((a, b) => a.add(b));

const narrow = module(
  "NarrowProof",
  () => ({ from: sink(Wide), to: source(Narrow) }),
  io => {
    const dut = instance("dut", WidthAdapter({ fromBytes: RATIO, toBytes: 1 }));
    const { data, keep, last } = io.from.payload;
    dut.from.valid.set(io.from.valid);
    dut.from.payload.set({ data: spread(data), keep, last });
    io.from.ready.set(dut.from.ready);
    io.to.valid.set(dut.to.valid);
    io.to.payload.set({
      data: dut.to.payload.data.bit(0),
      keep: dut.to.payload.keep.bit(0),
      last: dut.to.payload.last,
    });
    dut.to.ready.set(io.to.ready);

    producerObeys({ valid: io.from.valid, ready: io.from.ready, payload: cat(data, keep, last) }, "from");
    assumeAlways(keep.and(keep.add(1)).any().not(), "bytes that count are the low ones");
    assumeAlways(io.from.valid.not().or(last).or(keep.all()), "only the last beat of a frame may be without some");
    const waited = moduleObeys(
      {
        valid: io.to.valid,
        ready: io.to.ready,
        payload: cat(io.to.payload.data, io.to.payload.keep, io.to.payload.last),
      },
      "to",
    );
    // Bytes of the wide beat that have gone out: the next one is the oldest left.
    const sent = reg(uint(3), { init: 0, name: "model_sent" });
    when(io.to.fire, () => sent.set(sent.add(io.to.payload.keep.zext(3))));
    when(io.from.fire, () => sent.set(0));
    const total = node(ones(keep), { name: "model_total" });
    const now = node(sent.add(io.to.payload.keep.zext(3)), { name: "model_now" });
    assertAlways(io.to.valid.eq(io.from.valid), "a byte is offered while there is a beat");
    assertAlways(
      io.to.valid.not().or(io.to.payload.keep.not()).or(data.shr(sent).bit(0).eq(io.to.payload.data)),
      "the byte is the next one of the beat",
    );
    assertAlways(io.to.valid.not().or(now.le(total)), "no byte goes out that does not count");
    assertAlways(
      io.from.fire.not().or(io.to.fire.and(now.eq(total))),
      "a beat is done when its last byte goes out, and not before",
    );
    assertAlways(io.to.fire.not().or(now.ne(total)).or(io.from.fire), "after its last byte a beat is done");
    assertAlways(
      io.to.fire.not().or(io.to.payload.last.eq(last.and(io.from.fire))),
      "the last byte of a frame says so, and only it",
    );
    assertAlways(
      io.to.valid.not().or(io.to.payload.keep).or(total.eq(0)),
      "a beat without a byte stands for a frame's empty end only",
    );
    cover(waited.and(io.to.fire).and(sent.eq(RATIO - 1)), "the last lane goes out after a stall");
    cover(io.from.fire.and(last).and(total.eq(2)), "a frame ends within a beat");
    cover(io.from.fire.and(total.eq(0)), "a frame ends with nothing");
  },
);

export const adapterProofs: readonly Proof[] = [
  {
    module: `WidthAdapter, 1 to ${RATIO} bytes`,
    harness: widen(),
    reach: 16,
    faults: [
      {
        what: "it accepts while a whole beat waits",
        from: /assign from_ready = [^;]*;/,
        to: "assign from_ready = 1'b1;",
      },
    ],
  },
  {
    module: `WidthAdapter, ${RATIO} bytes to 1`,
    harness: narrow(),
    reach: 16,
    faults: [
      {
        what: "the wide beat is taken with its first lane",
        from: /assign from_ready = [^;]*;/,
        to: "assign from_ready = to_ready;",
      },
    ],
  },
];
