/** Encryption and decryption as tasks, with the packet store: every byte as Node's AES has it. */
import { describe, expect, it } from "vitest";
import { bernoulli, bursts, runBench } from "../../../../../../sim/index.ts";
import { bench } from "../../../../../bench.ts";
import { findsFault, plant } from "../../../../../support/plant.ts";
import { type B, pathOf, PayloadRig } from "../../region/support/payload-rig.ts";
import type { Tried } from "../../region/support/test-tasks.ts";
import { cipherTraffic, configureKeys, decrypts, encrypts, goodPacket, rowOf, someRows } from "./support/tunnel-rig.ts";

type Options = ConstructorParameters<typeof PayloadRig>[2];
async function run(b: B, task: Tried, cycles: number, o: Options = {}): Promise<PayloadRig> {
  const rig = new PayloadRig(b, [task], o);
  await configureKeys(rig, someRows(b.random), 1);
  await cipherTraffic(rig, task, cycles);
  await rig.end();
  return rig;
}

for (const task of [encrypts, decrypts])
  describe(task.declared.name, () => {
    bench("as Node's AES, without pauses", pathOf([task]), { seed: 31 }, async b => {
      const { seen } = await run(b, task, 1_500);
      expect(seen.forwarded).toBeGreaterThan(100);
      expect(seen.dropped).toBeGreaterThan(5);
    });
    bench("the same with pauses at every end", pathOf([task]), { seed: 32 }, async b => {
      const { seen } = await run(b, task, 2_000, {
        from: () => bernoulli(0.3, b.random.word()),
        to: () => bursts({ go: 5, pause: 7 }, b.random.word()),
      });
      expect(seen.forwarded).toBeGreaterThan(40);
    });
    bench("a packet alone: the latency that is declared", pathOf([task]), { seed: 38 }, async b => {
      const rig = new PayloadRig(b, [task]);
      await configureKeys(rig, [rowOf(b.random, 0)], 1);
      for (let i = 0; i < 5; i++) {
        const { payloadBytes: _, ...packet } = goodPacket(b.random, task, 0);
        rig.send([0], 0, packet);
        await rig.end();
      }
      // A cycle each for the slot and for the region's end.
      expect(new Set(rig.latencies)).toEqual(new Set([task.declared.latency + 2]));
    });
    bench("a beat a cycle, headers included", pathOf([task]), { seed: 33 }, async b => {
      const rig = new PayloadRig(b, [task]),
        bytes = 1_472;
      await configureKeys(rig, [rowOf(b.random, 0)], 1);
      for (let i = 0; i < 6_000 && rig.seen.forwarded < 120; i++) {
        const { payloadBytes: _, ...packet } = goodPacket(b.random, task, 0);
        while (rig.canSend() && rig.write.pending < 60) rig.send([0], bytes, packet);
        await b.cycles(1);
      }
      const perPacket = ((rig.leaveCycles.at(-1) ?? 0) - (rig.leaveCycles[20] ?? 0)) / (rig.leaveCycles.length - 21),
        gbps = ((bytes + 64) * 8) / (perPacket * 4);
      console.log(
        `${task.declared.name}: ${perPacket.toFixed(2)} cycles a packet of 24 beats, ${gbps.toFixed(1)} Gbit/s`,
      );
      expect(gbps).toBeGreaterThan(100);
    });
  });

describe("a planted fault is found", () => {
  const finds = (name: string, task: Tried, from: RegExp, to: string) =>
    it(name, () =>
      findsFault(
        runBench(
          `aes task fault ${name}`,
          plant(pathOf([task]), from, to),
          { seed: 37, wave: false, limitCycles: 20_000, hangCycles: 3_000 },
          b => run(b, task, 400),
        ),
      ),
    );
  finds("another user's row serves", encrypts, /(wire good =)[^;]*;/, "$1 row_is_good & launched;");
  finds(
    "a key of another number serves",
    decrypts,
    /(wire good =)[^;]*;/,
    "$1 row_is_good & (first_held_user == row_user);",
  );
  finds("bytes behind the end are not 0", encrypts, /(wire \[511:0\] beats_payload_data =)[^;]*;/, "$1 body;");
});
