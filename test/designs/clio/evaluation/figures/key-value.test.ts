import { expect, it } from "vitest";
import { checkValue, keyOf, valueOf } from "../../../../../designs/clio/evaluation/measure/key-value.ts";
import { valueBytes } from "../../../../../designs/shared/workload/index.ts";

it("a value that was set for its key is taken", () => {
  for (const i of [0, 1, 4095]) for (const stamp of [0, 7, 1000]) checkValue(i, valueOf(i, stamp));
});
it("planted faults: nothing, another key's value, parts of two values and a short one are found", () => {
  const own = valueOf(3, 5),
    torn = own.slice(),
    refused = /key 3 gives what was never set/;
  torn.set(valueOf(3, 6).subarray(valueBytes / 2), valueBytes / 2);
  for (const wrong of [undefined, valueOf(4, 5), torn, own.subarray(0, valueBytes - 1)])
    expect(() => checkValue(3, wrong)).toThrow(refused);
});
it("keys are all different, and spread over 64 bits", () => {
  const keys = Array.from({ length: 10_000 }, (_, i) => keyOf(i));
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys.filter(k => k >> 63n === 1n).length / keys.length).toBeCloseTo(0.5, 2);
});
