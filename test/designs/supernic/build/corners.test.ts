/** The device elaborates, without a warning, for sizes that are no power of two and at the ends of their ranges. */
import { describe, it } from "vitest";
import { buildOf, parseSettings } from "../../../../designs/supernic/build/index.ts";
import { elaborate } from "../../../../hdl-dsl/index.ts";

/** Each size has its least and its most, and something odd between them, at least once beside each of another's. */
const corners = [
  "ports=2 regions=3 slots=1 users=1 branches=1",
  "ports=3 regions=3 slots=7 users=3 branches=3",
  "ports=9 regions=3 slots=8 users=64 branches=8",
  "ports=3 regions=8 slots=1 users=64 branches=1",
  "ports=9 regions=8 slots=8 users=1 branches=3",
  "ports=2 regions=3 slots=3 users=2 branches=2 contexts=32 cells=16 credits=1",
  "ports=5 regions=7 slots=7 users=33 branches=4 credits=63 mtuFrame=9018 linkBuffer=128KB",
];

describe("a device of odd sizes", () => {
  it.each(corners)("elaborates without a warning: %s", corner => {
    elaborate(buildOf(parseSettings(corner.split(" "))), { strict: true });
  });
});
