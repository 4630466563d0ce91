/** A memory whose depth is no power of two: the promise about its addresses is checked while the design runs. */
import { describe, expect, test } from "vitest";
import { bit, input, module, output, ram, uint, when } from "../../../hdl-dsl/index.ts";
import { DesignStopped, simulate } from "../../../sim/index.ts";

const Ten = module(
  "TenWords",
  () => ({
    we: input(bit),
    at: input(uint(4)),
    d: input(uint(8)),
    re: input(bit),
    from: input(uint(4)),
    look: input(bit),
    kept: output(uint(8)),
    seen: output(uint(8)),
  }),
  io => {
    const store = ram(uint(8), { depth: 10, collision: "old", outside: "unreached" });
    store.write(io.we, io.at, io.d);
    io.kept.set(store.readSync(io.from, { en: io.re, name: "word" }));
    io.seen.set(0);
    when(io.look, () => io.seen.set(store.readAsync(io.from)));
  },
);

describe("an address beyond the last word", () => {
  test.each([
    ["we", "at"],
    ["re", "from"],
    ["look", "from"],
  ] as const)("stops the simulation when %s is 1, and else is nobody's affair", async (enable, address) => {
    using sim = await simulate(Ten());
    sim.io[address].value = 9;
    sim.io[enable].value = 1;
    sim.step(4);
    sim.io[enable].value = 0;
    sim.io[address].value = 10;
    sim.step(4);
    sim.io[enable].value = 1;
    let stopped: unknown;
    try {
      sim.step(2);
    } catch (e) {
      stopped = e;
    }
    expect(stopped).toBeInstanceOf(DesignStopped);
    expect((stopped as Error).message).toContain("`store` is addressed within its 10 words");
  });
});
