import { describe, expect, it } from "vitest";
import { mnemo } from "../../support/command-line.ts";

describe("mnemo run valet", () => {
  it("moves a region each way, and each thread finds what it wrote", async () => {
    const { code, out } = await mnemo(["run", "valet", "--picks", "0", "--set", "pages=1", "--set", "regions=3"]);
    expect(code).toBe(0);
    const cycles = [...out.matchAll(/in (\d+) cycles/g)].map(m => Number(m[1]));
    expect(cycles).toHaveLength(3);
    // 16 us at 250 MHz.
    expect(Math.max(...cycles)).toBeLessThanOrEqual(4000);
    for (const word of ["pause all", "held", "staged", "least active"]) expect(out).toContain(word);
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
