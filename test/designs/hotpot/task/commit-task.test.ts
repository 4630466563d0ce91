/** The commit task alone: clients at one port, memory nodes at others, packets between them. */
import { describe, expect, it } from "vitest";
import { commitTask } from "../../../../designs/hotpot/task/index.ts";
import { declarationFaults } from "../../../../designs/supernic/wire/index.ts";
import { runBench } from "../../../../sim/index.ts";
import {
  conflictRun,
  failRun,
  forgedRun,
  fullRun,
  heldRun,
  hostileRun,
  lossSweepRun,
  lostClientRun,
  nodesRun,
  onceRun,
  ratesRun,
  resetsRun,
} from "./support/special-runs.ts";
import { carriesRun, lateCopiesRun, refusedHomeRun } from "./support/rare-runs.ts";
import { type B, bad, crowdRun, pauses, small, smallDut, usual, usualDut } from "./support/task-runs.ts";

const long = process.env["MNEMO_LONG"] !== undefined;
const run = <T>(name: string, dut: typeof usualDut, seed: number, body: (b: B) => Promise<T>): Promise<T> =>
  runBench(name, dut, { seed, wave: false, limitCycles: long ? 30_000_000 : 2_000_000, hangCycles: 200_000 }, body);

describe.each([
  ["8 contexts", usual, usualDut],
  ["2 contexts", small, smallDut],
] as const)("commits in a SmartNIC, %s", (_, p, dut) => {
  it("of several clients, with pauses at every port", async () => {
    await run("pauses", dut, 1, b => crowdRun(b, p, long ? 400 : 24, pauses(b, 0.25)));
  });
  it("on a network that loses, doubles and reorders", async () => {
    const { host } = await run("bad", dut, 2, b => crowdRun(b, p, long ? 400 : 24, bad));
    expect(host.sent["prepare"]).toBeGreaterThan(24);
  });
  it("opposite orders end", async () => {
    await run("conflict", dut, 3, b => conflictRun(b, p, long ? 200 : 20));
  });
  it("full: BUSY, and each is served", () => run("full", dut, 4, b => fullRun(b, p)));
  it("asked again: the same answer, and no second commit", () => run("once", dut, 5, b => onceRun(b, p)));
  it("a client that is lost", () => run("lost client", dut, 6, b => lostClientRun(b, p)));
  it("messages that are none", () => run("hostile", dut, 7, b => hostileRun(b, p)));
  it("answers that are none", () => run("forged", dut, 8, b => forgedRun(b, p, long ? 400 : 24)));
  it("nodes that are reset", () => run("nodes", dut, 9, b => nodesRun(b, p, long ? 400 : 20, "kept")));
  it("nodes that lose their memory", () => run("lost", dut, 10, b => nodesRun(b, p, long ? 400 : 20, "zeroed")));
  it("a node is lost at some time of a commit, with its memory and without", async () => {
    for (const memory of ["kept", "zeroed"] as const)
      await run(`sweep ${memory}`, dut, 15, b => lossSweepRun(b, p, memory, long ? 3 : 60));
  });
  it("memory that says no", () => run("fail", dut, 11, b => failRun(b, p)));
  it("memory that says no to what is decided", () => run("home", dut, 16, b => refusedHomeRun(b, p)));
  it.each([0, 1, 2])("copies that come late, while node %i hears of no end", deaf =>
    run("late", dut, 17, b => lateCopiesRun(b, p, deaf)),
  );
  it("sums of headers that carry twice", () => run("carries", dut, 18, b => carriesRun(b, p)));
  it("resets beside traffic", () => run("resets", dut, 12, b => resetsRun(b, p, long ? 60 : 8)));
  it("frames that cannot leave hold up no packet", () => run("held", dut, 13, b => heldRun(b, p)));
  it("packets are answered within what it declares", async () => {
    const { busy, alone } = await run("rates", dut, 14, b => ratesRun(b, p));
    expect(busy).toBeLessThanOrEqual(commitTask(p).declared.latency);
    expect(alone).toBeLessThan(busy);
  });
});
it("contexts are a power of two, and what it declares can be", () => {
  expect(() => commitTask({ contexts: 3 })).toThrow("3 contexts: give 2, 4, 8 or 16");
  expect(declarationFaults(commitTask(usual).declared)).toEqual([]);
});
