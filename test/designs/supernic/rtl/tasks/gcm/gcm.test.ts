/** Sealing and opening as tasks, with the packet store: every byte, and every tag, as Node's AES-GCM has it. */
import { describe, expect } from "vitest";
import { bernoulli, bursts } from "../../../../../../sim/index.ts";
import { bench } from "../../../../../bench.ts";
import { type B, pathOf, PayloadRig } from "../../region/support/payload-rig.ts";
import type { Tried } from "../../region/support/test-tasks.ts";
import { configureKeys, rowOf, someRows } from "../aes/support/tunnel-rig.ts";
import { gcmTraffic, lengths, opens, seals, sendOne } from "./support/gcm-rig.ts";

/** Cycles in which a row becomes live. */
const preparation = 520;
type Options = ConstructorParameters<typeof PayloadRig>[2];
async function run(b: B, task: Tried, cycles: number, o: Options = {}): Promise<PayloadRig> {
  const rig = new PayloadRig(b, [task], o),
    rows = someRows(b.random);
  await configureKeys(rig, rows, 1, preparation);
  await gcmTraffic(rig, task, rows, cycles);
  await rig.end();
  return rig;
}

for (const task of [seals, opens])
  describe(task.declared.name, () => {
    bench("as Node's AES-GCM, without pauses", pathOf([task]), { seed: 41 }, async b => {
      const { seen } = await run(b, task, 2_500);
      expect(seen.forwarded).toBeGreaterThan(100);
      expect(seen.dropped).toBeGreaterThan(5);
    });
    bench("the same with pauses at every end", pathOf([task]), { seed: 42 }, async b => {
      const { seen } = await run(b, task, 2_500, {
        from: () => bernoulli(0.3, b.random.word()),
        to: () => bursts({ go: 5, pause: 7 }, b.random.word()),
      });
      expect(seen.forwarded).toBeGreaterThan(40);
    });
    bench("every length on its own, then the longest frame", pathOf([task], 141), { seed: 43 }, async b => {
      const rig = new PayloadRig(b, [task]),
        rows = someRows(b.random);
      await configureKeys(rig, rows, 1, preparation);
      for (const n of [...lengths, 9_018 - 64]) {
        sendOne(rig, task, rows, n);
        await rig.end();
      }
    });
    bench("a packet alone: the latency that is declared", pathOf([task]), { seed: 44 }, async b => {
      const rig = new PayloadRig(b, [task]),
        rows = [rowOf(b.random, 0)];
      await configureKeys(rig, rows, 1, preparation);
      void rows;
    });
  });
