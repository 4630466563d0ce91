/** The divider: what it gives is a quotient and a remainder of what it was asked. */
import { bit } from "../../types/shape.ts";
import type { Bit, UInt } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { assertAlways, cover, mux, when } from "../../build/statements.ts";
import { pack } from "../../build/view.ts";
import { Divider, dividerRequest } from "../../lib/index.ts";
import { around } from "../harness/around.ts";
import type { Proof } from "../harness/proof.ts";
import { moduleObeys, producerObeys } from "../harness/rules.ts";

const WIDTH = 3;
const harness = around("DividerProof", Divider({ width: WIDTH, bitsPerCycle: 2 }), io => {
  producerObeys({ ...io.request, payload: pack(io.request.payload) }, "request");
  const waited = moduleObeys({ ...io.result, payload: pack(io.result.payload) }, "result");
  const asked = reg(dividerRequest(WIDTH), { name: "model_asked" }),
    open = reg(bit, { init: 0, name: "model_open" });
  when(io.result.fire, () => open.set(0));
  when(io.request.fire, () => {
    asked.set(io.request.payload);
    open.set(1);
  });
  const below = (v: UInt): Bit => asked.signed.and(v.bit(WIDTH - 1)),
    size = (v: UInt): UInt => mux(below(v), v.not().add(1), v);
  const { quotient, remainder } = io.result.payload,
    { dividend, divisor } = asked,
    given = io.result.valid;
  assertAlways(given.not().or(open), "a result is a request's");
  assertAlways(
    given.not().or(quotient.mul(divisor).trunc(WIDTH).add(remainder).eq(dividend)),
    "quotient times divisor and the remainder make the dividend",
  );
  const byZero = divisor.eq(0);
  assertAlways(
    given
      .not()
      .or(byZero)
      .or(size(remainder).lt(size(divisor))),
    "the remainder is below the divisor",
  );
  assertAlways(
    given
      .not()
      .or(remainder.eq(0))
      .or(below(remainder).eq(below(dividend))),
    "it has the dividend's sign",
  );
  assertAlways(given.not().or(byZero.not()).or(quotient.all()), "a quotient by 0 is all ones");
  cover(waited.and(io.result.fire).and(io.request.fire), "one is asked as the one before is taken");
  cover(
    node(given.and(asked.signed).and(quotient.eq(dividend)).and(divisor.all()).and(dividend.any())),
    "the least number by -1",
  );
});

export const dividerProof: Proof = {
  module: `Divider, ${WIDTH} bits`,
  harness,
  faults: [{ what: "a quotient by 0 has a sign", from: " & (|request_payload_divisor)", to: "" }],
};
