import { expect, it } from "vitest";
import { Run } from "../task/support/task-runs.ts";
import { contexts, DeviceHost } from "./support/device-host.ts";

it("plain", async () => {
  await DeviceHost.run({ seed: 1 }, async host => {
    const t0 = Date.now(), c0 = host.cycle;
    const run = new Run(host, host);
    await run.crowd(24, 4, 5);
    console.log(host.cycle - c0, Date.now() - t0, JSON.stringify(host.nodes.map(n => n.came)));
    await run.rest(contexts);
    console.log(host.cycle - c0, Date.now() - t0, host.verdicts);
    expect(await host.problems()).toEqual([]);
  });
});
