/** UART: the line while it rests, the time of a character, and the rules of streams. */
import { bit, uint } from "../../types/shape.ts";
import { node, reg } from "../../build/declare.ts";
import { assertAlways, assumeAlways, cover, when } from "../../build/statements.ts";
import { stable } from "../../build/past.ts";
import { pack } from "../../build/view.ts";
import { UartReceiver, UartTransmitter } from "../../lib/index.ts";
import { around } from "../harness/around.ts";
import type { Proof } from "../harness/proof.ts";
import { moduleObeys, producerObeys } from "../harness/rules.ts";

const transmitter = around("UartTransmitterProof", UartTransmitter({ dataBits: 5, divisorBits: 1 }), io => {
  assumeAlways(stable(io.divisor), "the divisor stays");
  assumeAlways(io.parity.asUint().bit(2).or(io.parity.is("none")), "a parity that there is");
  producerObeys(io.from, "from");
  // Cycles of the character that are left, its first one behind its handshake.
  const left = reg(uint(6), { init: 0, name: "model_left" }),
    at = reg(uint(6), { init: 0, name: "model_at" }),
    data = reg(uint(5), { name: "model_data" });
  const bits = node(io.parity.is("none").not().zext(6).add(io.twoStops.zext(6)).add(7), { name: "model_bits" });
  const cycles = node(bits.shl(io.divisor), { name: "model_cycles" });
  when(io.from.fire, () => {
    left.set(cycles);
    at.set(0);
    data.set(io.from.payload);
  }).elseWhen(left.any(), () => {
    left.set(left.sub(1));
    at.set(at.add(1));
  });
  const place = node(at.shr(io.divisor), { name: "model_place" });
  assertAlways(left.any().or(io.txd), "the line rests at 1");
  assertAlways(io.from.ready.eq(left.le(1)), "a character is taken in the last cycle of the one before, or at rest");
  assertAlways(left.eq(0).or(place.ne(0)).or(io.txd.not()), "a character begins with a start bit");
  assertAlways(
    left
      .eq(0)
      .or(place.ne(3))
      .or(io.txd.eq(data.bit(2))),
    "the third bit stands in its place",
  );
  const rest = node(left.shr(io.divisor), { name: "model_rest" });
  assertAlways(left.eq(0).or(rest.ge(1)).or(io.txd), "a character ends with a stop bit");
  cover(io.from.fire.and(left.eq(1)), "one character right behind another");
});

const receiver = around("UartReceiverProof", UartReceiver({ dataBits: 5, divisorBits: 1 }), io => {
  assumeAlways(stable(io.divisor), "the divisor stays");
  assumeAlways(io.parity.is("none"), "no parity");
  const waited = moduleObeys({ ...io.to, payload: pack(io.to.payload) }, "to");
  assertAlways(io.overrun.not().or(io.to.valid.andNot(io.to.ready)), "only a character that waits makes an overrun");
  const high = reg(uint(4), { init: 0, name: "model_high" }),
    seen = reg(bit, { init: 0, name: "model_seen" });
  // Without an edge of the line for long, nothing comes: a break is one character.
  when(io.rxd, () => high.set(0)).elseWhen(high.ne(15), () => high.set(high.add(1)));
  when(io.to.fire, () => seen.set(1));
  assertAlways(io.to.valid.not().or(io.to.payload.parityError.not()), "no parity error without parity");
  cover(io.overrun.and(waited), "an overrun");
  cover(seen.and(io.to.fire).and(io.to.payload.framingError), "a second character, with a framing error");
});

export const uartProofs: readonly Proof[] = [
  {
    module: "UartTransmitter, 5 bits",
    long: true,
    harness: transmitter,
    reach: 20,
    faults: [{ what: "a zero follows the last bit", from: "{1'b1, shift[6:1]}", to: "{1'b0, shift[6:1]}" }],
  },
  {
    module: "UartReceiver, 5 bits",
    long: true,
    harness: receiver,
    reach: 60,
    faults: [
      {
        what: "a new character takes the place of one that waits",
        from: "if (within_ & stop & room)",
        to: "if (within_ & stop)",
      },
    ],
  },
];
