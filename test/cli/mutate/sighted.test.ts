/** A bench that checks the values after reset: it finds faults in them (mutate.test.ts). */
import { expect, test } from "vitest";
import { emit } from "../../../hdl-dsl/index.ts";
import { compileBuiltin } from "../../../sim/index.ts";
import { Subject } from "../../sim/mutate/subject.ts";

test("after reset the level is 3", () => {
  const model = compileBuiltin(emit(Subject())).create({ seed: 1, clocks: {} }),
    wordOf = (port: string): number => model.slots.get(port)?.word ?? -1;
  model.words[wordOf("rst")] = 1;
  model.step(2);
  model.words[wordOf("rst")] = 0;
  model.settle();
  expect(model.words[wordOf("level")]).toBe(3);
  model.free();
});
