import { describe, expect, test } from "vitest";
import {
  bit,
  constant,
  emit,
  input,
  module,
  output,
  ram,
  reg,
  sint,
  switchOn,
  uint,
  when,
  wire,
} from "../../../hdl-dsl/index.ts";
import { simulate } from "../support/icarus.ts";

/** An arithmetic shift read as bits, in each place where an unsigned neighbour could make it a logical one. */
const Shifts = module(
  "SignedShifts",
  () => ({
    a: input(sint(4)),
    n: input(uint(2)),
    one: input(sint(1)),
    cases: output(uint(2)),
    single: output(bit),
    sum: output(bit),
    lanes: output(uint(16)),
    enabled: output(uint(4)),
  }),
  io => {
    const shifted = () => io.a.shr(io.n).asUint();
    // A register, so that the text has a `case`.
    const cases = reg(uint(2), { init: 0 });
    switchOn(shifted())
      .is(15, () => cases.set(1))
      .is(7, () => cases.set(2))
      .is([0, 1, 2], () => cases.set(0))
      .otherwise(() => cases.set(3));
    io.cases.set(cases);
    const single = wire(bit);
    switchOn(shifted())
      .is(14, () => single.set(1))
      .otherwise(() => single.set(0));
    io.single.set(single);
    const sum = wire(bit);
    switchOn(io.a.shr(io.n).add(1).asUint())
      .is(0, () => sum.set(1))
      .is(8, () => sum.set(0))
      .otherwise(() => sum.set(0));
    io.sum.set(sum);
    const lanes = reg(uint(16), { init: 0 });
    for (let i = 0; i < 16; i++) when(shifted().eq(i), () => lanes.setBits(i, constant(1, 1)));
    io.lanes.set(lanes);
    const store = ram(uint(4), { depth: 2, collision: "new" });
    store.write(io.one.shr(io.n).asUint(), constant(0, 1), io.a.asUint());
    io.enabled.set(store.readSync(constant(0, 1), { name: "read" }));
  },
);

describe("an arithmetic shift stays one beside unsigned text", () => {
  const rows = (a: bigint, n: bigint, one: bigint) =>
    simulate(emit(Shifts()), [...Array.from({ length: 4 }, () => ({ a, n, one }))]).at(-1) as Readonly<
      Record<string, bigint>
    >;
  test.each(Array.from({ length: 16 }, (_, i) => [i, i % 4] as const))("a = %i shifted by %i", (a, n) => {
    const signed = a < 8 ? a : a - 16,
      result = (signed >> n) & 15;
    const row = rows(BigInt(a), BigInt(n), BigInt(a & 1));
    expect(row["cases"]).toBe(result === 15 ? 1n : result === 7 ? 2n : result < 3 ? 0n : 3n);
    expect(row["single"]).toBe(result === 14 ? 1n : 0n);
    expect(row["sum"]).toBe(((result + 1) & 15) === 0 ? 1n : 0n);
    expect(row["lanes"]).toBe(1n << BigInt(result));
    if ((a & 1) === 1) expect(row["enabled"]).toBe(BigInt(a));
  });
  test("the text says so where it has to", () => {
    const text = emit(Shifts()).files.map(f => f.text);
    expect(text.join("")).toContain("case ($signed(a >>> n))");
  });
});
