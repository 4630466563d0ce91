/** The table of both simulators tells which goals were reached. */
import { expect, it } from "vitest";
import { simulatorTable } from "../../../../designs/shared/command-line/index.ts";

it("each row and each load is held against its goal", () => {
  const row = (name: string, builtin: number, goal: number) => ({
    speeds: { name, cycles: 10, builtin, verilator: 1000 },
    goal,
  });
  const lines = simulatorTable(
    "what",
    [row("fast", 4000, 4), row("slow", 1299, 1.3)],
    [
      { what: "the first", ms: 499.9, below: 500 },
      { what: "the second", ms: 20, below: 20 },
    ],
  ).split("\n");
  expect(lines.slice(3, 5).map(l => l.trim().split(/ {2,}/))).toEqual([
    ["fast", "4,000", "1,000", "4.00", "4", "reached"],
    ["slow", "1,299", "1,000", "1.30", "1.3", "missed"],
  ]);
  expect(lines.slice(5)).toEqual([
    "the first is loaded in 500 ms from its emitted circuit (goal < 500): reached",
    "the second is loaded in 20 ms from its emitted circuit (goal < 20): missed",
  ]);
});
