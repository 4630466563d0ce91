/** Keys of `mnemo bench --json`. */
import { describe, expect, it } from "vitest";
import { figuresFor } from "../../../cli/bench/run-bench.ts";

const keysOf = async (what: string | undefined): Promise<readonly string[]> => (await figuresFor(what)).map(f => f.key);

describe("the keys of the figures' JSON", () => {
  it("are distinct over all designs", async () => {
    const keys = await keysOf(undefined);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).toEqual(expect.arrayContaining(["clio.throughput", "supernic.throughput", "turnaround"]));
  });
  it("of one design are those that it has among all", async () => {
    const all = await keysOf(undefined),
      own = await keysOf("supernic");
    expect(own.length).toBeGreaterThan(3);
    expect(own.every(k => k.startsWith("supernic.") && all.includes(k))).toBe(true);
  });
  it("of a rack have what more sNICs cost the simulator", async () => {
    expect(await keysOf("rack")).toEqual(["rack.path", "rack.rackSimulation"]);
  });
  it("of the simulators name their designs, too", async () => {
    expect(await keysOf("simulators")).toEqual(
      expect.arrayContaining(["clio.simulators", "supernic.deviceSimulators"]),
    );
  });
});
