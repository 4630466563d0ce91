/** The command on two benches: one that checks nothing, and one that checks something. */
import { expect, it } from "vitest";
import { hunt, see } from "../../../cli/mutate/hunt.ts";
import { score, withFate } from "../../../cli/mutate/outcome.ts";
import { survivorLines } from "../../../cli/mutate/report.ts";

const where = { module: "Subject", file: "test/sim/mutate/subject.ts" };
const quiet = (): void => undefined;
const choice = { seed: 1, onlyOperator: ["reset-value", "reset-missing"] };

it("a bench that checks nothing finds nothing", async () => {
  const found = await see(where, ["test/cli/mutate/blind.test.ts"], quiet),
    outcomes = await hunt(where, found, choice, 60_000, quiet);
  expect(outcomes.length).toBeGreaterThan(3);
  expect(withFate(outcomes, "survived")).toHaveLength(outcomes.length);
  expect(score(outcomes)).toBe(0);
  const text = survivorLines({ ...where, testFiles: [], seconds: 1, outcomes });
  expect(text).toContain("test/sim/mutate/subject.ts:");
  expect(text).toContain("fill is not reset");
});

it("a bench that checks finds what it checks, and no more", async () => {
  const found = await see(where, ["test/cli/mutate/sighted.test.ts"], quiet),
    outcomes = await hunt(where, found, choice, 60_000, quiet);
  const killed = withFate(outcomes, "killed").map(o => o.mutant.says);
  expect(killed).toEqual(["fill is not reset", "fill is 2 after reset, not 3"]);
  expect(withFate(outcomes, "survived").length).toBeGreaterThan(1);
});

it("a bench of a copy that says less about the same text is seen", async () => {
  const found = await see(where, ["test/cli/mutate/copied.test.ts"], quiet),
    outcomes = await hunt(where, found, choice, 60_000, quiet);
  expect(withFate(outcomes, "killed").map(o => o.mutant.says)).toContain("fill is not reset");
});

it("a module that no test simulates is told", async () => {
  await expect(see({ ...where, module: "Nothing" }, ["test/cli/mutate/blind.test.ts"], quiet)).rejects.toThrow(
    "no test simulates Nothing: write a bench of it, or name test files with --tests",
  );
});
