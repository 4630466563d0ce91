import { describe, expect, test } from "vitest";
import { keepAll, keepTo } from "../../../../designs/shared/frame/index.ts";
import { input, module, output, uint } from "../../../../hdl-dsl/index.ts";
import { type Bench, runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

const parameterSets = [{ beatBytes: 8 }, { beatBytes: 64 }];
const Keep = module(
  "KeepHarness",
  ({ beatBytes }: { beatBytes: number }) => ({
    last: input(uint(Math.log2(beatBytes))),
    to: output(uint(beatBytes)),
    all: output(uint(beatBytes)),
  }),
  (io, { beatBytes }) => {
    io.to.set(keepTo(io.last, beatBytes));
    io.all.set(keepAll(beatBytes));
  },
);
function run(b: Bench<ReturnType<typeof Keep>["ports"]>, beatBytes: number): Promise<void> {
  for (let last = 0; last < beatBytes; last++) {
    b.io.last.value = last;
    b.sim.settle();
    expect(b.io.to.big, `bytes to lane ${last}`).toBe((1n << BigInt(last + 1)) - 1n);
    expect(b.io.all.big).toBe((1n << BigInt(beatBytes)) - 1n);
  }
  return Promise.resolve();
}
describe.each(parameterSets)("keep, beats of $beatBytes bytes", ({ beatBytes }) => {
  test("every last lane", () => runBench("keep", Keep({ beatBytes }), {}, b => run(b, beatBytes)));
  test("a planted fault is found: the last lane is left out", () =>
    findsFault(
      runBench("keep planted", plant(Keep({ beatBytes }), /last >= /, "last > "), { wave: false }, b =>
        run(b, beatBytes),
      ),
      /bytes to lane/,
    ));
});
