/** The commit task alone: clients at one port, memory nodes at others, packets between them. */
import { describe, expect, it } from "vitest";
import { runBench } from "../../../../sim/index.ts";
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
});
