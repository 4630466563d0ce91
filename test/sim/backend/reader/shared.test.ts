/** What designs have in common is read once: an edit is seen all the same, above it and below. */
import { expect, test } from "vitest";
import { emit, input, instance, module, output, reg, uint } from "../../../../hdl-dsl/index.ts";
import { compileBuiltin } from "../../../../sim/index.ts";
import { asText } from "../../../support/as-text.ts";
import { plant } from "../../../support/plant.ts";
import { faulty } from "../../designs/faulty.ts";

const Step = module(
  "SharedStep",
  () => ({ a: input(uint(8)), q: output(uint(8)) }),
  io => io.q.set(io.a.add(3).trunc(8)),
);
const Middle = module(
  "SharedMiddle",
  () => ({ a: input(uint(8)), q: output(uint(8)) }),
  io => {
    const step = instance("step", Step());
    step.a.set(io.a);
    io.q.set(step.q);
  },
);
const Top = module(
  "SharedTop",
  () => ({ a: input(uint(8)), q: output(uint(8)) }),
  io => {
    const middle = instance("middle", Middle()),
      q = reg(uint(8), { init: 0, name: "held" });
    middle.a.set(io.a);
    q.set(middle.q);
    io.q.set(q);
  },
);

const plain = asText(emit(Top()));
const edited = plant(Top(), "8'd3", "8'd5").emitted;

/** What each text makes of 10, one after the other in one copy of the simulator. */
const results = (compile: typeof compileBuiltin): number[] =>
  [plain, edited, plain].map(design => {
    // A text of its own: the same design would be the same program.
    const model = compile(asText(design)).create({ seed: 1, clocks: {} }),
      word = (name: string): number => model.slots.get(name)?.word ?? 0;
    model.words[word("a")] = 10;
    model.step(1);
    model.settle();
    const q = model.words[word("q")] ?? 0;
    model.free();
    return q;
  });

test("an edit two instances below is seen after the text without it, and the text after the edit", () => {
  expect(results(compileBuiltin)).toEqual([13, 15, 13]);
});

test.each([
  {
    file: "reader/parsed.ts",
    from: "for (const i of m.instances) for (const p of this.#partsOf(i.module)) parts.add(p);",
    to: "",
  },
  { file: "reader/parsed.ts", from: "${f.name}\\n${f.text}", to: "${f.name}" },
])("a fault in it is found: $from", async fault => {
  expect(results(await faulty(fault))).not.toEqual([13, 15, 13]);
});
