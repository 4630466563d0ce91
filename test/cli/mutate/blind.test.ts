/** A bench that runs a design and checks nothing: `mnemo mutate` must say so (mutate.test.ts). */
import { test } from "vitest";
import { simulate } from "../../../sim/index.ts";
import { Subject } from "../../sim/mutate/subject.ts";

test("runs and looks at nothing", async () => {
  const sim = await simulate(Subject());
  sim.step(50);
  sim.free();
});
