import { expect, test } from "vitest";
import { output, uint } from "../../../../../hdl-dsl/index.ts";
import { bernoulli, compareSpeed, fromVerilog, StreamSink, StreamSource } from "../../../../../sim/index.ts";
import { fifo, twoClocks } from "../../../../sim/designs/hand-written.ts";

test("C++ and TypeScript play the same cycles of a model and read the same outputs", async () => {
  const speeds = await compareSpeed(fifo, { seed: 4, repeats: 1 }, async b => {
    const push = new StreamSource(b.sim, b.io.push, { pause: bernoulli(0.3, 1) });
    new StreamSink(b.sim, b.io.pop, { pause: bernoulli(0.3, 2) });
    for (let i = 0; i < 2000; i++) push.send(b.random.word());
    await push.drained();
  });
  // compareSpeed itself throws when the outputs differ; the figures are for `mnemo bench`, no verdict.
  expect(speeds.cycles).toBeGreaterThan(2000);
  for (const s of [speeds.bench, speeds.typescript, speeds.cxx]) expect(Number.isFinite(s) && s > 0).toBe(true);
});

test("a design that does not play back the same is found out", async () => {
  // The C++ program keeps no simulated time, so a design that shows it reads differently there.
  const clockwork = fromVerilog(
    "Clockwork",
    { now: output(uint(32)) },
    "module Clockwork (input wire clk, input wire rst, output reg [31:0] now); always @(posedge clk) now <= $time; endmodule\n",
  );
  await expect(
    compareSpeed(clockwork, { repeats: 1 }, async b => {
      await b.cycles(5);
    }),
  ).rejects.toThrow(/^Clockwork: C\+\+ and TypeScript read different outputs \(\d+, \d+\) from the same inputs$/);
});

test("a design with two clocks is refused", async () => {
  await expect(
    compareSpeed(twoClocks, {}, async b => {
      await b.cycles(1);
    }),
  ).rejects.toThrow("TwoClocks: the speed of a design is compared with one clock; it has more, or none");
});
