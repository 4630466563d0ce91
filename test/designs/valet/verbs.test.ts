import { describe, expect, it } from "vitest";
import { mnemo } from "../../support/command-line.ts";

describe("mnemo run valet", { timeout: 600_000 }, () => {
  it("moves a region each way, and each thread finds what it wrote", async () => {
    const { code, out } = await mnemo(["run", "valet", "--picks", "0", "--set", "pages=1", "--set", "regions=3"]);
    expect(code).toBe(0);
    for (const word of ["pause all", "held", "staged", "least active", "1032 cycles"]) expect(out).toContain(word);
  });
  it.each([
    [["--picks", "101"], "a whole number from 0 to 100"],
    [["--set", "window=0"], "window"],
    [["--set", "stageBytes=1000"], "stageBytes"],
    [["--set", "stage=1"], "stage"],
  ])("refuses %s in one sentence", async (options, sentence) => {
    const { code, err } = await mnemo(["run", "valet", ...options]);
    expect(code).toBe(2);
    expect(err).toContain(sentence);
    expect(err.trim().split("\n")).toHaveLength(1);
  });
});
