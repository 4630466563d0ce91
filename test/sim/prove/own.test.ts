import { expect, it } from "vitest";
import { assertAlways, bit, input, instance, module, output, reg } from "../../../hdl-dsl/index.ts";
import { prove } from "../../../sim/index.ts";

const Inner = module(
  "OwnInner",
  () => ({ a: input(bit), b: output(bit) }),
  io => {
    const held = reg(bit, { init: 0 });
    held.set(io.a);
    io.b.set(held);
    assertAlways(held.not(), "a claim of the inner module that does not hold");
  },
);
const Outer = module(
  "OwnOuter",
  (p: { readonly right: boolean }) => {
    void p;
    return { a: input(bit), b: output(bit) };
  },
  (io, p) => {
    const dut = instance("dut", Inner());
    dut.a.set(io.a);
    io.b.set(dut.b);
    const before = reg(bit, { init: 0 });
    before.set(io.a);
    assertAlways(p.right ? dut.b.eq(before) : dut.b.and(before).not(), "a claim of the harness");
  },
);

it("a proof may look at the harness's claims alone", async () => {
  const both = await prove(Outer({ right: true }), { reach: 0 }),
    own = await prove(Outer({ right: true }), { reach: 0, own: true }),
    wrong = await prove(Outer({ right: false }), { reach: 0, own: true });
  expect(both.finding.verdict).toBe("failed");
  expect(own.finding.verdict).toBe("proved");
  expect(own.assertions.map(a => a.message)).toEqual(["a claim of the harness"]);
  expect(wrong.counterexample?.property?.message).toBe("a claim of the harness");
});
