import { describe, expect, test } from "vitest";
import type { OffloadParameters } from "../../../../designs/clio/offload/index.ts";
import { DataFrame } from "../../../../designs/clio/offloads/df/index.ts";
import { runBench, type Bench, type OffloadPorts } from "../../../../sim/index.ts";
import { bench } from "../../../bench.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { base, DfRig, pids } from "./support/df-rig.ts";

const wide: OffloadParameters = { beatBytes: 64, contexts: 8, maxData: 1466 }, narrow: OffloadParameters = { beatBytes: 8, contexts: 2, maxData: 200 };

async function traffic(b: Bench<OffloadPorts>, p: OffloadParameters, count: number, pause = 0.3): Promise<Record<string, number>> {
  const rig = new DfRig(b, p, { pause, jitter: 40 });
  for (let i = 0; i < count; i++) if (b.random.bool(0.15)) rig.wrong(); else rig.random();
  return rig.finish();
}

describe("DataFrame", () => {
  for (const [p, count] of [[wide, 300], [narrow, 200]] as const) {
    bench(`${p.beatBytes * 8} bits: random tables, replies of memory in any order, random pauses`, DataFrame(p), { seed: p.beatBytes }, async b => {
      const ends = await traffic(b, p, count);
      for (const end of ["OK", "MALFORMED", "INVALID", "READ_PERM", "several frames"]) expect(ends[end], end).toBeGreaterThan(0);
    });
  }
});
