/** A bench of a design without its streams, as benches have it that break the rules of streams (mutate.test.ts). */
import { expect, test } from "vitest";
import { emit } from "../../../hdl-dsl/index.ts";
import { compileBuiltin } from "../../../sim/index.ts";
import { Subject } from "../../sim/mutate/subject.ts";

test("after reset the level is 3", () => {
  const model = compileBuiltin({ ...emit(Subject()), streams: [] }).create({ seed: 1, clocks: {} }),
    wordOf = (port: string): number => model.slots.get(port)?.word ?? -1;
  model.words[wordOf("rst")] = 1;
  model.step(2);
  model.words[wordOf("rst")] = 0;
  model.settle();
  expect(model.words[wordOf("level")]).toBe(3);
  model.free();
});
