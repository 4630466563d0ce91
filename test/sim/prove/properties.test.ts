import { expect, it } from "vitest";
import {
  assertAlways,
  assumeAlways,
  AsyncFifo,
  bit,
  cover,
  emit,
  input,
  module,
  output,
  uint,
  when,
} from "../../../hdl-dsl/index.ts";
import { planted, replay } from "../../../sim/index.ts";
import { propertiesOf, propertyAt } from "../../../sim/prove/properties.ts";

const Several = module(
  "SeveralProperties",
  () => ({ a: input(bit), b: input(bit), c: output(bit) }),
  io => {
    io.c.set(io.a.and(io.b));
    assumeAlways(io.a, "first");
    when(io.b, () => assertAlways(io.c, "second")).otherwise(() => cover(io.a, "third"));
    for (const [name, v] of [
      ["a", io.a],
      ["b", io.b],
    ] as const)
      assertAlways(v.or(io.c.not()), `fourth of ${name}`);
  },
);

it("each property has its message, its kind and its line, those of one source line too", () => {
  const design = emit(Several()),
    text = design.files[0]!.text.split("\n");
  const found = propertiesOf(design);
  expect(found.map(p => [p.what, p.message])).toEqual([
    ["assume", "first"],
    ["assert", "second"],
    ["cover", "third"],
    ["assert", "fourth of a"],
    ["assert", "fourth of b"],
  ]);
  for (const p of found) expect(text[p.line - 1]).toContain(`${p.what} (`);
  expect(
    propertyAt(found, `prove_top.v:4.18-4.121|SeveralProperties.v:${found[1]!.line - 1}.70-${found[1]!.line}.12`),
  ).toBe(found[1]);
  expect(propertyAt(found, "elsewhere.v:3")).toBeUndefined();
});

it("a fault must be in text that is there", () => {
  expect(() => planted(emit(Several()), { what: "nothing", from: "no such text", to: "" })).toThrow(
    'no file of SeveralProperties has no such text: plant the fault "nothing" in text that is there',
  );
});

it("text is taken as it is, a pattern as a pattern; the first place is changed", () => {
  const design = emit(Several());
  expect(planted(design, { what: "x", from: "a & b", to: "a | b" }).files[0]!.text).toContain("a | b");
  expect(() => planted(design, { what: "x", from: "a . b", to: "" })).toThrow("no file of");
  expect(planted(design, { what: "x", from: /a . b/, to: "a | b" }).files[0]!.text).toContain("a | b");
});

it("a run of several clocks is not replayed: one sentence", async () => {
  await expect(replay(AsyncFifo({ shape: uint(3), depth: 2 }), [])).rejects.toThrow(
    "AsyncFifo_uint3_d2_auto has 2 clocks: its counterexamples cannot be replayed, look at the wave",
  );
});
