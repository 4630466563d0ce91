/** The commit task in a whole SuperNIC, beside memory nodes whose side of the commits is the hardware. */
import { describe, expect, it, type TestContext } from "vitest";
import { crashesRun, crowdRun, faults, faultsOf, oppositeRun, refusingRun } from "./support/device-runs.ts";

const long = process.env["MNEMO_LONG"] === "1",
  /** More of them: MNEMO_COMMITS. */
  commits = Number(process.env["MNEMO_COMMITS"] ?? (long ? 24 : 12));
const onlyLong = (ctx: TestContext): void => {
  if (!long) ctx.skip("a whole device and three engines, a minute or more: MNEMO_LONG=1 runs it");
};

describe("commits through a whole SuperNIC", () => {
  it("on a network that loses, doubles, swaps and damages frames", async () => {
    const host = await crowdRun(commits, { seed: 1 });
    for (const n of Object.values(faultsOf(host))) expect(n).toBeGreaterThan(commits / 4);
  });
  it("nodes that are reset in the midst, their memory kept", async () => {
    const { crashes } = await crashesRun(commits, "kept", { seed: 4, faults });
    expect(crashes).toBeGreaterThan(2);
  });
  it("nodes that lose their memory in the midst", async ctx => {
    onlyLong(ctx);
    const { crashes } = await crashesRun(commits, "zeroed", { seed: 5, faults });
    expect(crashes).toBeGreaterThan(2);
  });
  it("opposite orders end", async ctx => {
    onlyLong(ctx);
    await oppositeRun(commits, { seed: 2 });
  });
  it("memory that refuses what is decided", async ctx => {
    onlyLong(ctx);
    await refusingRun(commits, { seed: 3 });
  });
});
