/** A struct register of which reset sets some fields, and leaves the others alone. */
import { expect, test } from "vitest";
import { bit, input, module, output, reg, struct, uint, when } from "../../../hdl-dsl/index.ts";
import { runBench } from "../../../sim/index.ts";

const Held = struct({ valid: bit, value: uint(8) });
const Keeps = module(
  "Keeps",
  () => ({ load: input(bit), next: input(Held), held: output(Held) }),
  io => {
    const held = reg(Held, { init: { valid: 0, value: 7 }, resets: ["valid"] });
    when(io.load, () => held.set(io.next));
    io.held.set(held);
  },
)();

test("reset sets the fields that are named, and no other", () =>
  runBench("resets", Keeps, { wave: false }, async b => {
    b.io.load.value = 1;
    b.io.next.valid.value = 1;
    b.io.next.value.value = 42;
    await b.cycles(2);
    b.io.load.value = 0;
    await b.cycles(2);
    expect([b.io.held.valid.value, b.io.held.value.value]).toEqual([1, 42]);
    b.sim.reset(1);
    await b.cycles(1);
    expect([b.io.held.valid.value, b.io.held.value.value]).toEqual([0, 42]);
  }));
