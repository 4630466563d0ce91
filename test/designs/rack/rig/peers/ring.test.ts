/**
 * DAGs that run two links away: redirects and results pass the sNIC in between. Beside each sNIC the model follows
 * every frame, byte by byte (docs/supernic/peers.md, "Over another sNIC").
 */
import { describe, expect, it } from "vitest";
import { BuildError } from "../../../../../sim/index.ts";
import { plant } from "../../../../support/plant.ts";
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
  // The same ways come about when one pair goes round sNIC 2, and another one still goes over it.
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

// Each builds a device of its own: MNEMO_LONG=1 runs them.
describe.skipIf(process.env["MNEMO_LONG"] !== "1")("a planted fault in one of four is found", () => {
  /** What is wrong, in sentences, when the first sNIC's DAG runs at the third; one that breaks off says why. */
  const says = async (at: string, from: string | RegExp, to: string, count: number): Promise<readonly string[]> => {
    try {
      return await inRing(
        ring(4, fewest),
        { seed: 2, device: name => (name === at ? { change: d => plant(d, from, to) } : {}) },
        async run => {
          run.flood(count, 500, [0]);
          await run.stands();
          const { devices, problems } = await run.rack.finish(),
            full = [...devices.values()].map(c => fullOf(c.ports.slice(2), [0, 1, 2, 3, 4, 5])),
            gone = devices.get("snic0")?.ports[0]?.["inFull4"] ?? 0,
            lost = full.flatMap((n, i) => (n > 0 ? [`snic${i}: ${n} had no room`] : []));
          if (run.total() + gone !== count) lost.push(`${run.total()} of ${count} came back`);
          return [...problems, ...lost];
        },
      );
    } catch (e) {
      if (e instanceof BuildError) throw e;
      return [String(e)];
    }
  };
  const onwardOf = "? match_outcome_drop : match_outcome_onward";
  it.each<readonly [string, string, string | RegExp, string, number]>([
    ["who is in between answers it", "snic1", onwardOf, "? match_outcome_drop : match_outcome_unwrap", 10],
    ["who is in between drops it", "snic1", onwardOf, "? match_outcome_drop : match_outcome_drop", 10],
    ["the owner takes the far one for a neighbour", "snic0", "shape_now_held_far ? 4'd3 : 4'd2", "4'd2", 10],
    ["it passes one time more than it says", "snic1", "held_frame_facts_ttl - 4'd1", "held_frame_facts_ttl", 10],
    ["it goes on for ever", "snic1", "(held_frame_facts_peer[0] ? 4'd3 : 4'd2)", "4'd3", 10],
    ["results do not pass", "snic1", /passes = from_peer &[^;]*;/, "passes = 1'b0;", 10],
  ])("%s", async (_, at, from, to, count) => {
    expect(await says(at, from, to, count)).not.toEqual([]);
  });
  it("and nothing without one", async () => {
    expect(await says("nobody", "", "", 10)).toEqual([]);
  });
});
