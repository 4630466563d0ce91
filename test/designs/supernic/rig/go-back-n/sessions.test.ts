/** Go-Back-N in the whole device: clients over lossy lines, a node without transport, and the model beside each frame. */
import { describe, expect, it } from "vitest";
import { deviceDefinition, leftAtRest, unaccounted } from "../../../../../designs/supernic/rig/device/index.ts";
import { runBench } from "../../../../../sim/index.ts";
import { parameters, SessionsDevice, setup } from "./support/sessions-device.ts";

describe("Go-Back-N in the device", () => {
  it("over lines that lose a tenth every frame that leaves is one that the model knows", async () => {
    await runBench(
      "sessions device",
      deviceDefinition(setup, parameters),
      { limitCycles: 600_000, wave: false, signals: true, seed: 4 },
      async b => {
        const w = new SessionsDevice(b, { lost: 0.1, way: 500 });
        await w.device.bringUp();
        for (const c of w.clients) c.open();
        await b.until(() => w.clients.every(c => c.session !== undefined));
        const requests = 20;
        for (let n = 0; n < requests; n++)
          for (const c of w.clients) {
            c.put(b.random.bytes(b.random.pick([16, 40, 300, 1200])));
            await b.cycles(b.random.below(300));
          }
        await b.until(() => w.clients.every((c, i) => c.session?.idle && w.delivered[i]?.length === requests));
        await b.until(() => w.isStill);
        await b.cycles(600);
        w.device.memory?.stop();
        const counters = await w.device.counters();
        expect(w.delivered).toEqual(w.replied);
        expect([
          ...w.scoreboard.finish(await w.device.counts(counters)),
          ...unaccounted(counters, await w.device.inside()),
          ...leftAtRest(b.sim, parameters),
          ...((await w.device.memory?.leftAtRest()) ?? []),
        ]).toEqual([]);
      },
    );
  }, 120_000);
});
