import { describe, expect } from "vitest";
import { status } from "../../../../designs/clio/wire/index.ts";
import { usualEngine } from "../../../../designs/wickit/config/index.ts";
import { WicEngine } from "../../../../designs/wickit/rtl/index.ts";
import { bench } from "../../../bench.ts";
import { randomRun, small } from "../support/random-run.ts";

describe("random programs, as the interpreter has it", () => {
  bench("under random back-pressure, answers out of order, some refused", WicEngine(small), { seed: 1 }, async b => {
    const { host, statuses } = await randomRun(b, small, {
      count: 300,
      failing: 0.02,
      pause: 0.3,
      options: { jitter: 60 },
    });
    for (const s of [status.OK, status.FAIL, status.INVALID, status.MALFORMED, status.QUOTA, status.WRITE_PERM])
      expect(statuses.get(s), `status ${s}`).toBeGreaterThan(3);
    expect(host.mostInside).toBe(4);
    expect(host.mostInFlight).toBe(3);
  });
});
void usualEngine;
