/** Faults planted in the device's task and in the nodes' engines: runs through the whole of it find each. */
import { describe, it } from "vitest";
import { findsFault, plant } from "../../../support/plant.ts";
import type { DeviceHostOptions } from "./support/device-host.ts";
import { crowdRun } from "./support/device-runs.ts";
import { engineDut } from "./support/engine-node.ts";

const long = process.env["MNEMO_LONG"] === "1";
type Runs = (o: Omit<DeviceHostOptions, "seed">) => Promise<unknown>;
/** Without a fault none of them takes half as long. */
const limit = 600_000;
const crowd: Runs = o => crowdRun(24, { seed: 1, limit, ...o });

describe("a planted fault is found through a whole SuperNIC", () => {
  const finds = (name: string, run: () => Promise<unknown>) =>
    it(name, async ctx => {
      if (!long) ctx.skip("a whole device and three engines, half a minute each: MNEMO_LONG=1 runs it");
      await findsFault(run());
    });
  const inEngine = (name: string, from: string | RegExp, to: string, run: Runs) =>
    finds(name, () => {
      const dut = plant(engineDut, from, to);
      return run({ node: () => ({ latency: 30, jitter: 40, pause: 0.1, dut }) });
    });
  const inTask = (name: string, from: string | RegExp, to: string, run: Runs) =>
    finds(name, () => run({ change: device => plant(device, from, to) }));
  inEngine("FORGET frees no place", /(ended_0\) begin\s+)state_0 <= commit_state_free;/, "$1", crowd);
  inTask(
    "packets for the task go on as well",
    /drops \? task_verdict_drop : task_verdict_forward/,
    "task_verdict_forward",
    crowd,
  );
});
