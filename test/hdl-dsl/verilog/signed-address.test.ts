import { expect, test } from "vitest";
import { bit, emit, input, module, output, ram, sint, uint } from "../../../hdl-dsl/index.ts";
import { simulate } from "../support/icarus.ts";

/** A memory addressed by the bits of signed values: in Verilog a signed name as an index would be a negative number. */
const Signed = module(
  "SignedAddress",
  () => ({
    we: input(bit),
    wa: input(sint(2)),
    ra: input(sint(2)),
    d: input(uint(8)),
    q: output(uint(8)),
    now: output(uint(8)),
  }),
  io => {
    const store = ram(uint(8), { depth: 4, collision: "old" });
    store.write(io.we, io.wa.asUint(), io.d);
    io.q.set(store.readSync(io.ra.asUint(), { name: "front" }));
    io.now.set(store.readAsync(io.ra.asUint()));
  },
);

test("a word at the bits of a negative number is written and read (found by the fuzz: seed 20300500)", () => {
  const steps = [3, 2, 1, 0].map(a => ({ we: 1n, wa: BigInt(a), ra: 0n, d: BigInt(0x10 + a) }));
  const reads = [3, 2, 1, 0, 0].map(a => ({ we: 0n, wa: 0n, ra: BigInt(a), d: 0n }));
  const rows = simulate(emit(Signed()), [...steps, ...reads]).slice(-5);
  expect(rows.map(r => r["now"])).toEqual([0x13n, 0x12n, 0x11n, 0x10n, 0x10n]);
  expect(rows.slice(1).map(r => r["q"])).toEqual([0x13n, 0x12n, 0x11n, 0x10n]);
});
