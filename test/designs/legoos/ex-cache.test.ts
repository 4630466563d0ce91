import { expect, test } from "vitest";
import { run, small } from "./traffic.ts";

test("random traffic of two address spaces on one node", async () => {
  const rig = await run("excache", {});
  expect(rig.counts["hit"]).toBeGreaterThan(50);
  expect(rig.counts["dirtyEviction"]).toBeGreaterThan(10);
  expect(small().ways).toBe(2);
});
