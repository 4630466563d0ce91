import { describe, test } from "vitest";
import { runBench } from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { tlbDut as dut, fillMany, runTlb as run } from "./support/tlb-rig.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

describe("Tlb", () => {
  for (const entries of [4, 16, 64] as const) {
    test(`${entries} entries: hits, mappings and evictions as in the reference`, () =>
      runBench("tlb", dut(entries), {}, b => run(b, entries, 6000)));
  }
  test("the 65th, 66th and 1000th page find their place (fault 2)", () =>
    runBench("tlb fill", dut(64), {}, b => fillMany(b, 64, 1000)));

  testOfResets(dut(4), {}, b => run(b, 4, 600));
  describe("planted faults are caught", () => {
    test("fault 2: fills do not move the order once", () =>
      findsFault(
        runBench(
          "tlb planted",
          plant(dut(64), "touched <= touch | fill_valid", "touched <= touch"),
          { wave: false },
          b => fillMany(b, 64, 80),
        ),
        /evicts|page/,
      ));
    test("fault 2: fills stop when every entry is valid", () =>
      findsFault(
        runBench(
          "tlb planted",
          plant(dut(4), /_when = fill_valid & /, "_when = fill_valid & ~(valid_0 & valid_1 & valid_2 & valid_3) & "),
          { wave: false },
          b => fillMany(b, 4, 20),
        ),
        /evicts|page/,
      ));
    test("fault 1: the comparison does not see the fill of the same cycle", () =>
      findsFault(
        runBench("tlb planted", plant(dut(4), /fill_key == key/, "1'b0"), { wave: false }, b => run(b, 4, 6000)),
        /hit/,
      ));
    test("a clear leaves the entry", () =>
      findsFault(
        runBench("tlb planted", plant(dut(4), "else if (clear & found", "else if (1'b0 & found"), { wave: false }, b =>
          run(b, 4, 6000),
        ),
        /hit|evicts/,
      ));
  });
});
