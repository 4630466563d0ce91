/** The end-to-end check against a node in TypeScript; the cycle-accurate one has it in test/sim/clib.test.ts. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { endToEnd, type RunOptions, type RunResult } from "../../../../designs/clio/end-to-end/index.ts";
import { onNetwork, tenPercent, type RigOptions } from "../client/rig.ts";

afterEach(() => { vi.restoreAllMocks(); });
/** Operations of the long run; more by the environment. */
const long = Number(process.env["MNEMO_OPERATIONS"] ?? 5_000);

const run = (operations: number, rig: RigOptions = {}, o: Partial<RunOptions> = {}): Promise<RunResult> =>
  onNetwork({ clients: 8, limitNs: 1e13, ...rig },
    ({ clients, address }) => endToEnd({ clients, address, seed: rig.seed ?? 1, operations, ...o }));

describe("random operations of eight clients, every result judged", () => {
  test("on a good network all are done", async () => {
    const r = await run(3000);
    expect(r).toMatchObject({ operations: 3000, done: 3000, unknown: 0, problems: [] });
    expect(r.judgedOperations).toBeGreaterThan(1000);
    expect(r.judgedBytes).toBeGreaterThan(100_000);
  });
  test(`${long} operations with 10 % loss, duplication, reordering and corruption each way: none lost, none twice, none hangs`,
    async () => {
    const r = await run(long, { seed: 7, link: tenPercent });
    expect(r.problems).toEqual([]);
    const failed = [...r.failed.values()].reduce((a, b) => a + b, 0);
    expect(r.operations).toBe(r.done + failed);
    expect(r.operations).toBeGreaterThanOrEqual(long);
    expect(failed).toBeLessThan(long * 0.15);
    expect([...r.failed.keys()].filter(k => !["TIMEOUT", "NACK", "BUSY", "EXPIRED", "INVALID"].includes(k))).toEqual([]);
  }, 1_200_000);
  test("planted fault: a node that executes retries is caught", async () => {
    const r = await run(2000, { seed: 7, link: tenPercent, node: { forgetful: true } });
    expect(r.problems.join("\n")).toMatch(/is not linearizable|it can be/);
  });
});
