/** Stream combinators without storage: map, filter, gate, join, demux. */
import { input, sink, source } from "../types/ports.ts";
import { bit, struct, uint } from "../types/shape.ts";
import type { Bit } from "../types/value.ts";
import { reg } from "../build/declare.ts";
import { module } from "../build/module.ts";
import { assertAlways, assumeAlways, cover } from "../build/statements.ts";
import { pack } from "../build/view.ts";
import { connect } from "../stream/connect.ts";
import { demux, filter, gate, join, map } from "../stream/stream.ts";
import type { Proof } from "./harness/proof.ts";
import { moduleObeys, producerObeys } from "./harness/rules.ts";
import { streamUnit } from "./harness/stream-unit.ts";

/** Open may only close when no transfer waits: `gate` requires that of its user, and the proof assumes no more. */
const gateHarness = module(
  "GateProof",
  () => ({ from: sink(uint(2)), open: input(bit), to: source(uint(2)) }),
  io => {
    connect(gate(io.from, io.open, { name: "dut" }), io.to);
    producerObeys(io.from, "from");
    const waited = moduleObeys(io.to, "to");
    const heldOpen = reg(bit, { init: 0 });
    heldOpen.set(io.open.and(io.from.valid).and(io.from.ready.not()));
    assumeAlways(heldOpen.not().or(io.open), "open holds until what waits has gone");
    assertAlways(io.to.valid.eq(io.from.valid.and(io.open)), "open lets through, closed does not");
    assertAlways(io.to.fire.eq(io.from.fire), "in and out happen together");
    assertAlways(io.to.valid.not().or(io.to.payload.eq(io.from.payload)), "the payload is unchanged");
    cover(waited.and(io.to.fire), "one passes after a stall");
    cover(io.from.valid.and(io.open.not()).and(io.to.ready), "one is kept out");
  },
);

const joinHarness = module(
  "JoinProof",
  () => ({ a: sink(uint(2)), b: sink(uint(2)), to: source(struct({ a: uint(2), b: uint(2) })) }),
  io => {
    connect(join({ a: io.a, b: io.b }, { name: "dut" }), io.to);
    producerObeys(io.a, "a");
    producerObeys(io.b, "b");
    const waited = moduleObeys({ valid: io.to.valid, ready: io.to.ready, payload: pack(io.to.payload) }, "to");
    assertAlways(io.to.valid.eq(io.a.valid.and(io.b.valid)), "offered when both are there");
    assertAlways(io.a.fire.eq(io.to.fire).and(io.b.fire.eq(io.to.fire)), "one of each is taken for one that goes out");
    assertAlways(
      io.to.valid.not().or(io.to.payload.a.eq(io.a.payload).and(io.to.payload.b.eq(io.b.payload))),
      "the fields are the inputs'",
    );
    cover(io.a.valid.and(io.b.valid.not()).and(io.to.ready), "one waits for the other");
    cover(waited.and(io.to.fire), "a pair goes out after a stall");
  },
);

/** Three outputs chosen by two bits: the fourth number is dropped. */
const demuxHarness = module(
  "DemuxProof",
  () => ({ from: sink(uint(3)), to0: source(uint(3)), to1: source(uint(3)), to2: source(uint(3)) }),
  io => {
    const select = io.from.payload.bits(0, 2);
    const outs = [io.to0, io.to1, io.to2];
    demux(io.from, select, 3, { name: "dut" }).forEach((s, i) => {
      connect(s, outs[i] as typeof io.to0);
    });
    producerObeys(io.from, "from");
    const waited = outs.map((out, i) => moduleObeys(out, `to_${i}`));
    outs.forEach((out, i) => {
      assertAlways(
        out.valid.eq(io.from.valid.and(select.eq(i))),
        `to_${i}: shows what is meant for it and nothing else`,
      );
      assertAlways(
        out.fire.not().or(io.from.fire.and(out.payload.eq(io.from.payload))),
        `to_${i}: what it takes leaves the input, unchanged`,
      );
      cover((waited[i] as Bit).and(out.fire), `to_${i}: takes one after a stall`);
    });
    const taken = outs.map(out => out.fire).reduce((a, b) => a.or(b));
    assertAlways(
      io.from.fire.eq(taken.or(io.from.valid.and(select.eq(3)))),
      "leaves the input when it is taken, or when nobody is meant",
    );
    cover(io.from.fire.and(select.eq(3)), "one is dropped");
  },
);

export const combinatorProofs: readonly Proof[] = [
  {
    module: "map",
    harness: streamUnit("MapProof", {
      width: 2,
      capacity: 0,
      expected: v => v.sub(3),
      build: s => map(s, uint(2), v => v.add(1) as never, { name: "dut" }),
    }),
    faults: [{ what: "valid waits for ready", from: /to_valid = (\w+);/, to: "to_valid = $1 & to_ready;" }],
  },
  {
    module: "filter",
    harness: streamUnit("FilterProof", {
      width: 2,
      capacity: 0,
      passes: v => v.bit(0),
      build: s => filter(s, v => v.bit(0), { name: "dut" }),
    }),
    faults: [
      {
        what: "what does not pass waits for the consumer",
        from: /from_ready = (\w+) \| ~from_payload\[0\]/,
        to: "from_ready = $1",
      },
    ],
  },
  {
    module: "gate",
    harness: gateHarness(),
    faults: [{ what: "a closed gate shows what waits", from: "_valid = from_valid & open", to: "_valid = from_valid" }],
  },
  {
    module: "join",
    harness: joinHarness(),
    faults: [
      {
        what: "one input is taken without the other",
        from: /assign a_ready = (\w+) & a_valid & b_valid;/,
        to: "assign a_ready = $1 & a_valid;",
      },
    ],
  },
  {
    module: "demux, 3 outputs",
    harness: demuxHarness(),
    faults: [
      {
        what: "an output takes what nobody is meant to get",
        from: "1_valid = from_valid & (from_payload[1:0] == 2'd1)",
        to: "1_valid = from_valid & from_payload[0]",
      },
    ],
  },
];
