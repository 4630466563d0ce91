/** Packets: marking their ends, headers put before and taken off. */
import { output, sink, source } from "../types/ports.ts";
import { bit, struct, type StructShape, uint, type UIntShape } from "../types/shape.ts";
import type { StreamIn } from "../types/value.ts";
import { reg } from "../build/declare.ts";
import { module } from "../build/module.ts";
import { assertAlways, cover, mux, when } from "../build/statements.ts";
import { cat, constant } from "../build/value.ts";
import { pack } from "../build/view.ts";
import { framed, insertHeader, packetise, splitHeader } from "../stream/framing.ts";
import { connect } from "../stream/connect.ts";
import type { Proof } from "./harness/proof.ts";
import { moduleObeys, producerObeys, type Watched } from "./harness/rules.ts";

const Beat = struct({ value: bit, last: bit });
const seen = (s: {
  readonly valid: Watched["valid"];
  readonly ready: Watched["ready"];
  readonly payload: unknown;
}): Watched => ({
  valid: s.valid,
  ready: s.ready,
  payload: pack(s.payload),
});

const BEATS = 3;
const packetiseHarness = module(
  "PacketiseProof",
  () => ({ from: sink(uint(2)), to: source(framed(uint(2))) }),
  io => {
    connect(packetise(io.from, BEATS, { name: "dut" }), io.to);
    producerObeys(io.from, "from");
    const waited = moduleObeys(seen(io.to), "to");
    const since = reg(uint(2), { init: 0, name: "model_since_last" });
    when(io.to.fire, () => since.set(mux(io.to.payload.last, constant(0, 2), since.add(1))));
    assertAlways(io.to.valid.eq(io.from.valid).and(io.to.fire.eq(io.from.fire)), "in and out happen together");
    assertAlways(io.to.valid.not().or(io.to.payload.value.eq(io.from.payload)), "the value is unchanged");
    assertAlways(
      io.to.valid.not().or(io.to.payload.last.eq(since.eq(BEATS - 1))),
      `every ${BEATS}rd is the last of its packet, and no other`,
    );
    cover(waited.and(io.to.fire).and(io.to.payload.last), "a packet ends after a stall");
  },
);

const insertHarness = module(
  "InsertHeaderProof",
  () => ({ header: sink(Beat), body: sink(Beat), to: source(Beat) }),
  io => {
    connect(insertHeader(io.header, io.body, "last", { name: "dut" }), io.to);
    producerObeys(seen(io.header), "header");
    producerObeys(seen(io.body), "body");
    const waited = moduleObeys(seen(io.to), "to");
    // Part that the next beat belongs to, derived from the beats that have gone in.
    const afterHeader = reg(bit, { init: 0, name: "model_after_header" });
    when(io.header.fire, () => afterHeader.set(io.header.payload.last));
    when(io.body.fire, () => afterHeader.set(io.body.payload.last.not()));
    assertAlways(io.header.fire.not().or(afterHeader.not()), "no header within a body");
    assertAlways(io.body.fire.not().or(afterHeader), "no body without its header");
    assertAlways(io.to.fire.eq(io.header.fire.xor(io.body.fire)), "what goes in comes out, one at a time");
    assertAlways(
      io.header.fire.not().or(io.to.payload.value.eq(io.header.payload.value).and(io.to.payload.last.not())),
      "a header's beat is unchanged, and never the last",
    );
    assertAlways(
      io.body.fire
        .not()
        .or(io.to.payload.value.eq(io.body.payload.value).and(io.to.payload.last.eq(io.body.payload.last))),
      "a body's beat is unchanged",
    );
    assertAlways(
      mux(afterHeader, io.body.valid, io.header.valid).eq(io.to.valid),
      "the part whose turn it is is offered",
    );
    cover(waited.and(io.body.fire).and(io.body.payload.last), "a packet ends after a stall");
    cover(io.body.valid.and(afterHeader.not()).and(io.header.valid.not()), "a body waits for its header");
  },
);

const HEADER = 2;
const splitHarness = module(
  "SplitHeaderProof",
  () => ({ from: sink(Beat), header: source(Beat), body: source(Beat), place: output(uint(2)) }),
  io => {
    const { header, body } = splitHeader(
      io.from as StreamIn<StructShape<{ readonly value: UIntShape<1>; readonly last: UIntShape<1> }>>,
      HEADER,
      v => v.last,
      { name: "dut" },
    );
    connect(header, io.header);
    connect(body, io.body);
    producerObeys(seen(io.from), "from");
    const waited = moduleObeys(seen(io.header), "header"),
      waitedBody = moduleObeys(seen(io.body), "body");
    // Place of the next beat in its packet; stays when it is past the header.
    const place = reg(uint(2), { init: 0, name: "model_place" });
    when(io.from.fire, () =>
      place.set(mux(io.from.payload.last, constant(0, 2), mux(place.eq(HEADER), place, place.add(1)))),
    );
    io.place.set(place);
    assertAlways(io.header.valid.eq(io.from.valid.and(place.ne(HEADER))), "the first beats are offered as the header");
    assertAlways(io.body.valid.eq(io.from.valid.and(place.eq(HEADER))), "the others are offered as the body");
    assertAlways(io.from.fire.eq(io.header.fire.or(io.body.fire)), "a beat leaves the input when it is taken");
    for (const [name, s] of [
      ["header", io.header],
      ["body", io.body],
    ] as const) {
      assertAlways(
        s.valid.not().or(cat(s.payload.value, s.payload.last).eq(cat(io.from.payload.value, io.from.payload.last))),
        `${name}: its beats are unchanged`,
      );
    }
    cover(waited.and(io.header.fire).and(io.header.payload.last), "a packet without a body");
    cover(waitedBody.and(io.body.fire).and(io.body.payload.last), "a body ends after a stall");
  },
);

export const packetProofs: readonly Proof[] = [
  {
    module: `packetise, ${BEATS} beats`,
    harness: packetiseHarness(),
    faults: [
      {
        what: "the count goes on while stalled",
        from: /if \(from_valid & \w+_ready\) dut_index/,
        to: "if (from_valid) dut_index",
      },
    ],
  },
  {
    module: "insertHeader",
    harness: insertHarness(),
    faults: [
      {
        what: "a body is let through before its header",
        from: /assign body_ready = [^;]*;/,
        to: "assign body_ready = to_ready;",
      },
    ],
  },
  {
    module: `splitHeader, ${HEADER} beats`,
    harness: splitHarness(),
    faults: [
      {
        what: "a packet that ends within its header is not seen to end",
        from: /if \(from_payload_last\)/,
        to: "if (from_payload_last & (dut_index == 2'd2))",
      },
    ],
  },
];
