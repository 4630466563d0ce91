/** No access outside a process's pages and rights, judged at the AXI4 port. */
import { describe, expect, test } from "vitest";
import { makeSettings } from "../../../../../designs/clio/config/index.ts";
import { clioNode } from "../../../../../designs/clio/build/index.ts";
import { permissionRun } from "../../../../../designs/clio/rig/node/permission-run.ts";
import { plant } from "../../../../support/plant.ts";

/** Requests; more by the environment. */
const requests = Number(process.env["MNEMO_REQUESTS"] ?? 3000);
const settings = makeSettings({ hashKey: 0x9d39_247e_3377_6d41n });

describe("permission fuzz: every data address at the AXI4 port is granted to a request under way", () => {
  test(`${requests} accesses of five processes with random rights: crossing pages, atomics, behind pointers`, async () => {
    const r = await permissionRun(settings, { seed: 4, requests });
    expect(r.problems).toEqual([]);
    // Both kinds, or the run says nothing.
    expect(Math.min(r.allowed, r.refused, r.crossing)).toBeGreaterThan(requests / 5);
    expect(r.bursts).toBeGreaterThan(requests / 3);
  });

  // In each of these the replies of other requests stay right; the guard names the address.
  const permitted = "wire permitted =([^;]*);";
  test.each<[string, RegExp, string]>([
    [
      "rights of a crossing access's second page are not looked at",
      new RegExp(`${permitted}([\\s\\S]*?wire complete = ([^;]*);)`),
      "wire permitted = ($3) | ($1);$2",
    ],
    [
      "rights of a pointer's target are not looked at",
      new RegExp(`${permitted}([\\s\\S]*?decision_indirect <= ([^;]*);)`),
      "wire permitted = ($3) | ($1);$2",
    ],
    [
      "rights are only looked at when the TLB learns a page",
      new RegExp(permitted),
      "wire permitted = ~misses_served_valid | ($1);",
    ],
  ])("planted fault: %s", async (_what, from, to) => {
    const r = await permissionRun(settings, {
      seed: 5,
      requests: 3000,
      design: plant(clioNode(settings.config), from, to),
    });
    expect(r.problems.join("\n")).toMatch(/is granted to no request under way/);
  });
});
