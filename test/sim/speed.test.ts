import { expect, test } from "vitest";
import { bernoulli, compareSpeed, StreamSink, StreamSource } from "../../sim/index.ts";
import { fifo } from "./designs/hand-written.ts";

test("C++ and TypeScript play the same cycles of a model and read the same outputs", async () => {
  const speeds = await compareSpeed(fifo, { seed: 4, repeats: 1 }, async (b) => {
    const push = new StreamSource(b.sim, b.io.push, { pause: bernoulli(0.3, 1) });
    new StreamSink(b.sim, b.io.pop, { pause: bernoulli(0.3, 2) });
    for (let i = 0; i < 2000; i++) push.send(b.random.u32());
    await push.drained();
  });
  // compareSpeed itself throws when the outputs differ; the figures are for `mnemo bench`, no verdict.
  expect(speeds.cycles).toBeGreaterThan(2000);
  for (const s of [speeds.bench, speeds.typescript, speeds.cxx]) expect(Number.isFinite(s) && s > 0).toBe(true);
});
