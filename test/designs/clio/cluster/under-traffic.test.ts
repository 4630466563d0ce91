/** Clients read, write and add while regions migrate under them: no write is lost, every read is legal. */
import { describe, expect, test } from "vitest";
import { lossy, migrating, migrationSeeds, veryLate } from "./migrating.ts";
import { hangMs } from "../../../support/hang-ms.ts";

describe.each(["stopAll", "pageByPage"] as const)("%s", mode => {
  test("no faults on the network: no operation fails", async () => {
    const r = await migrating(mode);
    expect(r.failed).toBe(0);
    expect(Math.min(r.readsDuring, r.writesDuring)).toBeGreaterThan(30);
    expect(r.judgedBytes).toBeGreaterThan(50_000);
  });
  test("10 % loss, duplication, reordering and corruption", async () => {
    const r = await migrating(mode, { seed: 2, link: lossy, betweenNs: 400_000 });
    expect(Math.min(r.readsDuring, r.writesDuring)).toBeGreaterThan(30);
    expect(r.judgedBytes).toBeGreaterThan(50_000);
    expect(r.failed).toBeLessThan(0.2 * (r.reads + r.writes + r.atomics));
  });
});

test("page by page, operations are not held up by the whole region's copy", async () => {
  const stopped = await migrating("stopAll"),
    served = await migrating("pageByPage");
  expect(served.longestReadNs).toBeLessThan(stopped.longestReadNs / 2);
  expect(served.longestWriteNs).toBeLessThan(stopped.longestWriteNs / 2);
});

test("an answer whose damaged ID is that of a request to the other node ends nothing there", async () => {
  expect(
    (await migrating("pageByPage", { seed: 13, times: 2, link: lossy, betweenNs: 200_000, limitNs: 6e7 })).problems,
  ).toEqual([]);
});

test.each(["stopAll", "pageByPage"] as const)(
  "%s, faults with frames later than the time until they are sent again",
  async mode => {
    // 33 once declared a region lost.
    for (const seed of migrationSeeds([33, 5])) {
      const r = await migrating(mode, { seed, times: 2, link: veryLate, betweenNs: 200_000, limitNs: 1e8 });
      expect([seed, r.problems, r.judgedBytes > 10_000]).toEqual([seed, [], true]);
    }
  },
  hangMs + 5000 * migrationSeeds([]).length,
);
