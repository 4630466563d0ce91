/** Sealing and opening as tasks, with the packet store: every byte, and every tag, as Node's AES-GCM has it. */
import { describe, expect } from "vitest";
import { bernoulli, bursts } from "../../../../../../sim/index.ts";
import { bench } from "../../../../../bench.ts";
import { pathOf, PayloadRig } from "../../region/support/payload-rig.ts";
import { configureKeys, rowOf, someRows } from "../aes/support/tunnel-rig.ts";
import { lengths, opens, preparation, run, seals, sendOne } from "./support/gcm-rig.ts";

for (const task of [seals, opens])
  describe(task.declared.name, () => {
    bench("as Node's AES-GCM, without pauses", pathOf([task]), { seed: 41 }, async b => {
      const { seen } = await run(b, task, 1_200);
      expect(seen.forwarded).toBeGreaterThan(100);
      expect(seen.dropped).toBeGreaterThan(5);
    });
    bench("the same with pauses at every end", pathOf([task]), { seed: 42 }, async b => {
      const { seen } = await run(b, task, 1_200, {
        from: () => bernoulli(0.3, b.random.word()),
        to: () => bursts({ go: 5, pause: 7 }, b.random.word()),
      });
      expect(seen.forwarded).toBeGreaterThan(40);
    });
    bench("every length on its own, and the longest frame", pathOf([task], 141), { seed: 43 }, async b => {
      const rig = new PayloadRig(b, [task]),
        rows = someRows(b.random);
      await configureKeys(rig, rows, 1, preparation);
      for (const n of [...lengths, 9_018 - 64]) {
        sendOne(rig, task, rows, n);
        await rig.end();
      }
      // What was opened has had 50 bytes more behind its header than it has now; 2 of the text stand in the header.
      expect(rig.bytes).toBeGreaterThan(9_018 - 64);
    });
    bench(
      "a packet alone: the latency that is declared, and two cycles more a packet",
      pathOf([task]),
      { seed: 44 },
      async b => {
        const rig = new PayloadRig(b, [task]),
          rows = [rowOf(b.random, 0)],
          send = (bytes: number): void => sendOne(rig, task, rows, bytes, { mixed: false });
        await configureKeys(rig, rows, 1, preparation);
        for (let i = 0; i < 5; i++) {
          send(task === seals ? 0 : 3);
          await rig.end();
        }
        // A cycle each for the slot and for the region's end. What is opened has a beat of payload, which comes later.
        const alone = new Set(rig.latencies);
        expect(alone.size).toBe(1);
        if (task === seals) expect(alone).toEqual(new Set([task.declared.latency + 2]));
        const bytes = 1_472,
          // What is opened has a tag behind it, and 2 bytes of text in its header.
          text = task === seals ? bytes : bytes - 14,
          begins = rig.leaveCycles.length;
        for (let i = 0; i < 6_000 && rig.leaveCycles.length < begins + 120; i++) {
          while (rig.canSend() && rig.write.pending < 60) send(text);
          await b.cycles(1);
        }
        const [first = 0, last = 0] = [rig.leaveCycles[begins + 20], rig.leaveCycles.at(-1)],
          cycles = (last - first) / (rig.leaveCycles.length - begins - 21);
        // A cycle of 4 ns; the frame as it comes in.
        const gbps = ((bytes + 64) * 8) / (cycles * 4);
        console.log(
          `${task.declared.name}: ${cycles.toFixed(2)} cycles a packet of 24 beats, ${gbps.toFixed(1)} Gbit/s`,
        );
        expect(gbps).toBeGreaterThan(120);
      },
    );
  });
