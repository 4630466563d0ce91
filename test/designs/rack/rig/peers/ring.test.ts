/**
 * DAGs that run two links away: redirects and results pass the sNIC in between. Beside each sNIC the model follows
 * every frame, byte by byte (docs/supernic/peers.md, "Over another sNIC").
 */
import { describe, expect, it } from "vitest";
import { fewest, inRing, notThroughTheFirst, ring } from "./ring.ts";

const frames = 150,
  bytes = 400;
const merged = { sizes: { redirectClass: 3 } } as const;
const fullOf = (ports: readonly Readonly<Record<string, number>>[], of: readonly number[]): number =>
  ports.reduce((n, p) => n + of.reduce((m, k) => m + (p[`inFull${k}`] ?? 0), 0), 0);

describe("a ring of four: everybody's DAG runs at the opposite sNIC, more than is processed", () => {
  it("a class each for redirects and results: all that was taken in returns, in order, once", () =>
    inRing(ring(4, fewest), { seed: 1 }, async run => {
      run.flood(frames, bytes);
      const came = await run.stands(),
        { devices, problems } = await run.rack.finish();
      expect(problems).toEqual([]);
      const counts = [...devices.values()],
        dropped = counts.map(c => c.ports[0]?.["inFull4"] ?? 0).reduce((a, b) => a + b, 0);
      expect(counts.map(c => fullOf(c.ports.slice(2), [0, 1, 2, 3, 4, 5]))).toEqual([0, 0, 0, 0]);
      expect(came + dropped).toBe(4 * frames);
      expect(came).toBeGreaterThan(frames);
      for (const numbers of run.came)
        for (let flow = 0; flow < 7; flow++) {
          const of = numbers.filter(n => n % 7 === flow);
          expect(of).toEqual([...new Set(of)].sort((a, b) => a - b));
        }
      // The second and the third are in between: what comes from peers passes there, and is not theirs.
      const passed = counts.map(c => c.middle["laneLeft"] ?? 0);
      expect(Math.min(passed[1] ?? 0, passed[2] ?? 0)).toBeGreaterThan(Math.max(passed[0] ?? 0, passed[3] ?? 0));
    }));
  it("one class for both: the same stands still for ever", () =>
    inRing(ring(4, fewest), { seed: 1, build: merged }, async run => {
      run.flood(frames, bytes);
      const came = await run.stands();
      await run.rack.clockwork.pause(60_000);
      expect(run.total()).toBe(came);
      const inside = await Promise.all(run.rack.devices.map(d => d.device.inside()));
      expect(inside.filter(i => i.core === 32).length).toBeGreaterThanOrEqual(2);
    }));
});

describe("a ring of five, in which each sNIC is in between", () => {
  it("ways that pass the first one close a circle, and the setup is refused", () => {
    expect(() => ring(5, fewest)).toThrow(
      /^ring: devices: the ways of peers close a circle over snic0:2, snic1:2, snic2:2, snic3:2, snic4:2, in which/,
    );
  });
  it("with those ways it stands still for ever", () =>
    inRing(ring(5, fewest, notThroughTheFirst), { seed: 1 }, async run => {
      run.flood(200, 1000);
      const came = await run.stands();
      await run.rack.clockwork.pause(60_000);
      expect(run.total()).toBe(came);
      const inside = await Promise.all(run.rack.devices.map(d => d.device.inside()));
      expect(inside.every(i => i.ports.some(p => p.queued > 0))).toBe(true);
    }));
  it("with those that do not pass it all returns", () =>
    inRing(ring(5, notThroughTheFirst), { seed: 1 }, async run => {
      run.flood(200, 1000);
      await run.stands();
      const { devices, problems } = await run.rack.finish();
      expect(problems).toEqual([]);
      const counts = [...devices.values()],
        dropped = counts.map(c => c.ports[0]?.["inFull4"] ?? 0).reduce((a, b) => a + b, 0);
      expect(run.total() + dropped).toBe(5 * 200);
    }));
});
