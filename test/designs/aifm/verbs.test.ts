import { describe, expect, it } from "vitest";
import { mnemo } from "../../support/command-line.ts";

describe("mnemo run aifm", () => {
  it("prints each size both ways, and each stage of polling", async () => {
    const { code, out } = await mnemo(["run", "aifm", "--sizes", "64", "--accesses", "16", "--threads", "4"]);
    expect(code).toBe(0);
    for (const word of ["objects", "pages", "thread", "runtime", "scheduler"]) expect(out).toContain(word);
  });
  it.each([
    [["--sizes", "100"], '--sizes = "100": each must be one of 64, 256'],
    [["--accesses", "3"], "a whole number from 16 to 10000"],
    [["--set", "cores=1"], "cores"],
    [["--set", "coers=2"], "coers"],
  ])("refuses %s in one sentence", async (options, sentence) => {
    const { code, err } = await mnemo(["run", "aifm", ...options]);
    expect(code).toBe(2);
    expect(err).toContain(sentence);
    expect(err.trim().split("\n")).toHaveLength(1);
  });
});
