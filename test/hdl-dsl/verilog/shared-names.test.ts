import { expect, test } from "vitest";
import { assertAlways, bit, emit, input, instance, module, output, reg, uint } from "../../../hdl-dsl/index.ts";
import { lint } from "../support/lint.ts";

test("properties of one call site keep their own messages", () => {
  const Checked = module(
    "Checked",
    () => ({ d: input(uint(4)), q: output(uint(4)) }),
    io => {
      const r = reg(uint(4), { init: 0 });
      r.set(io.d);
      io.q.set(r);
      for (let i = 0; i < 3; i++) assertAlways(r.ne(i + 3), `not ${i + 3}`);
    },
  );
  const text = emit(Checked()).files[0]?.text ?? "";
  for (const n of [3, 4, 5]) expect(text).toContain(`assertion failed: not ${n} (`);
});

test("an instance named as something inside its module makes no hidden name", () => {
  const Inner = module(
    "Inner",
    () => ({ d: input(bit), q: output(bit) }),
    io => {
      const held = reg(bit, { init: 0 });
      held.set(io.d);
      io.q.set(held);
    },
  );
  const Outer = module(
    "Outer",
    () => ({ d: input(bit), q: output(bit) }),
    io => {
      const held = instance(Inner());
      held.d.set(io.d);
      io.q.set(held.q);
    },
  );
  const design = emit(Outer());
  expect(design.files.at(-1)?.text).toContain("Inner held_i (");
  expect(lint(design)).toBe("");
});
