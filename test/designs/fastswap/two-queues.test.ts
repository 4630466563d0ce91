import { describe, expect, it, test } from "vitest";
import { findsFault, plant } from "../../support/plant.ts";
import { play, queuesOf, run, sizes, type Traffic } from "./queues.ts";

const worlds: Readonly<Record<string, Traffic>> = {
  "back to back": { cycles: 3000, idle: 0, stalls: 0, bulkShare: 0.5, longest: 4 },
  "pauses on both sides": { cycles: 6000, idle: 0.3, stalls: 0.3, bulkShare: 0.5, longest: 6 },
  "a slow receiver": { cycles: 6000, idle: 0.1, stalls: 0.7, bulkShare: 0.6, longest: 5 },
  "mostly critical frames": { cycles: 4000, idle: 0, stalls: 0.1, bulkShare: 0.1, longest: 2 },
  "frames longer than a queue": { cycles: 5000, idle: 0.1, stalls: 0.4, bulkShare: 0.5, longest: 20 },
  "resets at any time": { cycles: 6000, idle: 0.1, stalls: 0.5, bulkShare: 0.25, longest: 3, resets: 0.02 },
};

describe.each([
  ["a full queue loses frames", true],
  ["a full queue waits", false],
])("TwoQueues, %s", (_name, drops) => {
  test.each(Object.entries(worlds))("%s: every cycle as the model says", async (_world, traffic) => {
    const seen = await run("two queues", queuesOf(drops), b =>
      play(b, { ...traffic, drops, patience: sizes.patience }),
    );
    expect(seen.sent).toBeGreaterThan(300);
    if (traffic.resets === undefined) expect(seen.left + seen.lost).toBe(seen.sent);
    if (traffic.longest > sizes.bulkDepth || (drops && traffic.stalls > 0.5)) expect(seen.lost).toBeGreaterThan(20);
  });
  it("with any patience: 0 lets bulk frames wait as long as critical ones come", async () => {
    for (const patience of [0, 1, 8]) {
      const traffic = worlds["pauses on both sides"] as Traffic;
      const { turns } = await run("two queues", queuesOf(drops, patience), b =>
        play(b, { ...traffic, drops, patience }),
      );
      if (patience === 0) expect(turns).toBe(0);
      if (patience === 1) expect(turns).toBeGreaterThan(50);
    }
  });
});

describe("TwoQueues, its bench", () => {
  const faults: readonly (readonly [what: string, from: string | RegExp, to: string])[] = [
    ["bulk frames go first", "bulk_more & (bulk_is_due | ~critical_more)", "bulk_more"],
    ["a bulk frame never has its turn", "bulk_is_due <= passed == 2'd2;", "bulk_is_due <= 1'b0;"],
    ["its turn comes one frame late", "bulk_is_due <= passed == 2'd2;", "bulk_is_due <= passed == 2'd3;"],
    ["its turn comes one frame early", "bulk_is_due <= passed == 2'd2;", "bulk_is_due <= passed == 2'd1;"],
    ["patience is not new for the next bulk frame", "if (starts & starts_bulk) begin", "if (1'b0) begin"],
    [
      "a critical frame cuts into a bulk one",
      "wire chooses = ~serving | ends;",
      "wire chooses = ~serving | ends | (goes & of_bulk & critical_more);",
    ],
    ["half a frame can leave", "critical_ahead != critical_whole", "critical_ahead != critical_tail"],
    [
      "a lost frame keeps its room",
      "if (bulk_ends & bulk_bad) bulk_tail <= bulk_whole;",
      "if (1'b0) bulk_tail <= bulk_whole;",
    ],
    ["the rest of a lost frame is kept", "critical_lost <= critical_bad & ~from_payload_last", "critical_lost <= 1'b0"],
    ["a frame behind a lost one is lost, too", "bulk_lost <= bulk_bad & ~from_payload_last", "bulk_lost <= bulk_bad"],
    ["full is one beat early", "(bulk_tail ^ bulk_head) == 5'd16", "(bulk_behind ^ bulk_head) == 5'd16"],
    [
      "full is never seen",
      "wire critical_full = (critical_tail ^ critical_head) == 4'd8;",
      "wire critical_full = 1'b0;",
    ],
    ["a loss is told for the other class", "{bulk_loses, critical_loses}", "{critical_loses, bulk_loses}"],
    ["a reset leaves a frame half lost", "if (rst) bulk_lost <= 1'b0;", "if (1'b0) bulk_lost <= 1'b0;"],
    ["a reset leaves what was whole", "if (rst) critical_whole <= 4'd0;", "if (1'b0) critical_whole <= 4'd0;"],
    [
      "a reset leaves patience",
      "passed <= 2'd0; bulk_is_due <= 1'b0;",
      "passed <= passed; bulk_is_due <= bulk_is_due;",
    ],
    ["a bubble between frames", "wire chooses = ~serving | ends;", "wire chooses = ~serving;"],
  ];
  it.each(faults)("a planted fault is found: %s", (_what, from, to) =>
    findsFault(
      (async () => {
        for (const traffic of Object.values(worlds))
          await run("two queues", plant(queuesOf(true), from, to), b =>
            play(b, { ...traffic, drops: true, patience: sizes.patience }),
          );
      })(),
    ),
  );
  it.each([
    [
      "a frame that fills the queue alone waits for ever",
      "wire bulk_ready = ~bulk_full | bulk_alone | bulk_lost;",
      "wire bulk_ready = ~bulk_full;",
    ],
    ["a waiting class stops the other one", "bulk ? bulk_ready : critical_ready", "bulk_ready & critical_ready"],
  ] as const)("a planted fault is found, where a full queue waits: %s", (_what, from, to) =>
    findsFault(
      (async () => {
        for (const traffic of Object.values(worlds))
          await run("two queues", plant(queuesOf(false), from, to), b =>
            play(b, { ...traffic, drops: false, patience: sizes.patience }),
          );
      })(),
    ),
  );
});
