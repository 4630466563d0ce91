import { describe, expect, test } from "vitest";
import { counters, makeSettings, type CounterName } from "../../../designs/clio/config/index.ts";
import { malformedFrames, type MixtureOptions } from "../../../designs/clio/workload/index.ts";
import { bernoulli } from "../../../sim/index.ts";
import { randomRun, type RandomRunResult } from "../../../sim/node/index.ts";

/** Requests of the long run; CI's default is the project's promise, more by the environment. */
const long = Number(process.env["MNEMO_REQUESTS"] ?? 100_000);

/** Counters that depend on memory: the scoreboard's model does not follow it, so the replies stand for them. */
const ofMemory = new Set<CounterName>(["invalid", "writePermission", "readPermission", "outOfMemory", "pageFaults", "reads", "writes", "writesNoReply", "readBytes", "writeBytes", "unanswered", "txFrames", "shootdowns"]);
function expectCounters(r: RandomRunResult): void {
  for (const [i, name] of (Object.keys(r.counters) as CounterName[]).entries()) {
    if (counters[i]?.exact === true && !ofMemory.has(name)) expect(`${name} ${r.counters[name]}`).toBe(`${name} ${r.expected[name]}`);
  }
}

describe("random requests end to end, judged by the model", () => {
  test(`${long} requests of four processes, more pages than the TLB holds, a slow and disorderly memory`, async () => {
    const mixture: MixtureOptions = { seed: 20261120, pages: 40 };
    const r = await randomRun("random-512", makeSettings(), {
      requests: long, mixture, bench: { wave: false },
      ram: { jitter: 30, outOfOrder: true, pause: { ar: bernoulli(0.1, 1), aw: bernoulli(0.1, 2), w: bernoulli(0.1, 3), r: bernoulli(0.1, 4), b: bernoulli(0.1, 5) } },
      mac: { pauseTx: bernoulli(0.1, 6), pauseRx: bernoulli(0.05, 7) },
    });
    expect(r.problems).toEqual([]);
    expect(r.completed).toBeGreaterThan(long * 0.95);
    // What the run must have met to mean anything: faults, evictions, merged misses, refusals.
    for (const name of ["pageFaults", "tlbEvictions", "missesMerged", "invalid", "writePermission", "writesNoReply"] as const) expect(r.counters[name], name).toBeGreaterThan(0n);
    expectCounters(r);
  }, 600_000);

  test.each([64, 128, 256])("%i bits, 4 KB pages, a TLB of 16, memory and network without a pause", async dataWidth => {
    const settings = makeSettings({ dataWidth, pageSize: "4KB", physicalMemory: "64MB", tlbEntries: 16, outstandingMisses: 4, requestSlots: 16, freePageBuffer: 8 });
    const r = await randomRun(`random-${dataWidth}`, settings, { requests: 3000, mixture: { seed: dataWidth, pages: 24, hotBytes: 300, crossingShare: 0.3 }, bench: { wave: false } });
    expect(r.problems).toEqual([]);
    expect(r.counters.tlbEvictions).toBeGreaterThan(0n);
    expectCounters(r);
  }, 300_000);

  test("10,000 malformed frames, each followed by a good one that is served", async () => {
    const settings = makeSettings();
    const bad = malformedFrames(settings, 77);
    const good = { left: false };
    const r = await randomRun("malformed", settings, {
      requests: 20_000, mixture: { seed: 3, pages: 4 }, bench: { wave: false },
      next: mixture => {
        good.left = !good.left;
        if (!good.left) return { frame: mixture.next() };
        const m = bad.next().value;
        return { frame: m.frame, damaged: m.fcsBad };
      },
    });
    expect(r.problems).toEqual([]);
    expect(r.counters.malformed).toBeGreaterThan(0n);
    expect(r.counters.nacks).toBeGreaterThan(0n);
    expectCounters(r);
  }, 300_000);
});
