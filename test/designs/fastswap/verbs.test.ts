import { describe, expect, it } from "vitest";
import { mnemo } from "../../support/command-line.ts";

describe("mnemo run fastswap", () => {
  it("prints what a fault waits, for each way", async () => {
    const { code, out } = await mnemo(["run", "fastswap", "--rounds", "1", "--window", "2"]);
    expect(code).toBe(0);
    for (const way of ["one queue", "fault first", "two queues"]) expect(out).toContain(way);
    // Against a hang: three whole nodes are built and run.
  });
  it.each([
    [["--window", "1"], "option '--window <pages>' argument '1' is invalid. It must be a whole number from 2 to 32"],
    [["--set", "patience=256"], "patience"],
    [["--set", "patiense=1"], "patiense"],
    [["--set", "bulkIn=100"], "bulkIn"],
  ])("refuses %s in one sentence", async (options, sentence) => {
    const { code, err } = await mnemo(["run", "fastswap", ...options]);
    expect(code).toBe(2);
    expect(err).toContain(sentence);
    expect(err.trim().split("\n")).toHaveLength(1);
  });
});
