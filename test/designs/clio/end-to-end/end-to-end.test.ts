/**
 * The end-to-end check against a node in TypeScript; the cycle-accurate one has
 * it in test/designs/clio/rig/node/clib.test.ts.
 */
import { describe, expect, test } from "vitest";
import { endToEnd, type RunOptions, type RunResult } from "../../../../designs/clio/end-to-end/index.ts";
import { accessBody, dissect, frameOffsets, opcode } from "../../../../designs/clio/wire/index.ts";
import { asNew } from "../client/model-station.ts";
import { onNetwork, type RigOptions, tenPercent } from "../client/rig.ts";

/** Operations of the long run; more by the environment. */
const long = Number(process.env["MNEMO_OPERATIONS"] ?? 5_000);

const run = (operations: number, rig: RigOptions = {}, o: Partial<RunOptions> = {}): Promise<RunResult> =>
  onNetwork({ clients: 8, limitNs: 1e13, ...rig }, ({ clients, address }) =>
    endToEnd({ clients, address, seed: rig.seed ?? 1, operations, ...o }),
  );

describe("random operations of eight clients, every result judged", () => {
  test("on a good network all are done", async () => {
    const r = await run(3000);
    expect(r).toMatchObject({ operations: 3000, done: 3000, unknown: 0, problems: [] });
    expect(r.judgedOperations).toBeGreaterThan(1000);
    expect(r.judgedBytes).toBeGreaterThan(100_000);
  });
  test(`${long} operations with 10 % loss, duplication, reordering and corruption each way: none lost, none twice, none hangs`, async () => {
    const r = await run(long, { seed: 7, link: tenPercent });
    expect(r.problems).toEqual([]);
    const failed = [...r.failed.values()].reduce((a, b) => a + b, 0);
    expect(r.operations).toBe(r.done + failed);
    expect(r.operations).toBeGreaterThanOrEqual(long);
    expect(failed).toBeLessThan(long * 0.15);
    expect([...r.failed.keys()].filter(k => !["TIMEOUT", "NACK", "BUSY", "EXPIRED", "INVALID"].includes(k))).toEqual(
      [],
    );
  });

  /** One frame in `every` of an opcode comes with a byte of its data or operand changed, or with zeros for them. */
  const sometimes = (code: number, every: number, what: "changed" | "zeroed") => {
    let seen = 0;
    return (frame: Uint8Array): Uint8Array | undefined => {
      if (dissect(frame).clio?.opcode !== code || ++seen % every !== 0) return frame;
      const out = frame.slice(),
        at = frameOffsets.body + accessBody.bytes;
      if (what === "changed") out[at] = (out[at] ?? 0) ^ 0x10;
      else out.fill(0, at);
      return out;
    };
  };
  test.each<[string, NonNullable<RigOptions["node"]>, RegExp]>([
    ["executes retries", { alter: asNew }, /is not linearizable|it can be/],
    ["writes a wrong byte, one write in 100", { alter: sometimes(opcode.WRITE, 100, "changed") }, /it can be/],
    ["writes zeros for data, one write in 100", { alter: sometimes(opcode.WRITE, 100, "zeroed") }, /it can be/],
    [
      "adds a wrong number, one addition in 100",
      { alter: sometimes(opcode.ATOMIC_FAA, 100, "changed") },
      /word \d+ is not linearizable/,
    ],
    [
      "adds nothing, one addition in 100",
      { alter: sometimes(opcode.ATOMIC_FAA, 100, "zeroed") },
      /word \d+ is not linearizable/,
    ],
    [
      "stores a wrong value, one update in 10",
      { alter: sometimes(opcode.KV_UPDATE, 10, "changed") },
      /key \d+ is not linearizable/,
    ],
  ])("planted fault: a node that %s is caught", async (_what, node, problem) => {
    const r = await run(2000, { seed: 7, link: tenPercent, node }, { keyValue: 0.3, keys: 12 });
    expect(r.problems.join("\n")).toMatch(problem);
  });
});
