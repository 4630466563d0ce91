import { expect, test } from "vitest";
import {
  bit,
  connect,
  constant,
  emit,
  map,
  module,
  output,
  sink,
  source,
  stage,
  struct,
  uint,
} from "../../../hdl-dsl/index.ts";
import { simulate } from "../support/icarus.ts";
import { lint } from "../support/lint.ts";

const Beat = struct({ id: uint(4), data: uint(8), last: bit });

test("streams that only pass on, and fields that never change, take no wire of their own", () => {
  const Through = module(
    "Through",
    () => ({ from: sink(uint(8)), to: source(Beat), copy: output(Beat) }),
    io => {
      const tagged = map(io.from, Beat, v => ({ id: constant(5, 4), data: v, last: constant(1, 1) }));
      const again = map(tagged, Beat, v => v);
      const out = map(again, Beat, v => ({ ...v, data: v.data.add(1) }));
      connect(out, io.to);
      io.copy.set(again.payload);
    },
  );
  const design = emit(Through()),
    text = design.files[0]?.text ?? "";
  expect(text).not.toMatch(/\b(tagged|again|out)_/);
  expect(text).toContain("assign to_payload_id = 4'd5;");
  expect(text).toContain("assign copy_data = from_payload;");
  expect(lint(design)).toBe("");
  expect(simulate(design, [{ from_valid: 1n, from_payload: 7n, to_ready: 1n }])).toEqual([
    {
      from_ready: 1n,
      to_valid: 1n,
      to_payload_id: 5n,
      to_payload_data: 8n,
      to_payload_last: 1n,
      copy_id: 5n,
      copy_data: 7n,
      copy_last: 1n,
    },
  ]);
});

test("names that the source gives stay", () => {
  const Staged = module(
    "Staged",
    () => ({ from: sink(uint(8)), to: source(uint(8)) }),
    io => connect(stage(io.from, "full", { name: "slice" }), io.to),
  );
  const { text } = emit(Staged()).files[0] as { text: string };
  expect(text).toContain("reg slice_full, slice_skid_full;");
  expect(text).toContain("assign to_payload = slice_held;");
});
