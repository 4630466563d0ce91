/**
 * A ring of five, cycle by cycle: the first sNIC has both ways to each. One in between is off, and its tables and those
 * of the far one are turned under load (docs/supernic/peers.md, "A way round").
 */
import { describe, expect, it } from "vitest";
import { peersOf, type RackDevice } from "../../../../../designs/rack/rig/fabric/index.ts";
import { readRack } from "../../../../../designs/rack/setup/index.ts";
import { tableWrites, wayWrites } from "../../../../../designs/supernic/software/index.ts";
import { inRing, next, notThroughTheFirst, otherThan, ring, ringText, type Way } from "./ring.ts";

const count = 5,
  round = otherThan(notThroughTheFirst),
  rack = () => readRack(ringText(count, notThroughTheFirst, 2, round), "ring"),
  sameEnds = (a: number, b: number): boolean => Math.min(a, b) === 0 && Math.max(a, b) === 2;
/** The first and the third go round. */
const turned: Way = (a, b, n) => (sameEnds(a, b) ? round : notThroughTheFirst)(a, b, n);

const turn = async ({ device, setup }: RackDevice, to: string, isRound: boolean): Promise<void> => {
  const at = setup.peers.findIndex(p => p.name === to),
    peer = setup.peers[at];
  if (peer?.around === undefined) throw new RangeError(`${to} has one way`);
  await device.driver.write([...wayWrites(setup, at, isRound ? peer.around : peer)]);
};
/** It hears nothing, and says nothing. */
function off(d: RackDevice): void {
  for (const jack of d.jacks) {
    jack.receive = () => undefined;
    jack.plug(() => undefined);
  }
}
const at = (all: readonly RackDevice[], n: number): RackDevice => {
  const found = all[n];
  if (found === undefined) throw new RangeError(`there is no sNIC ${n}`);
  return found;
};

describe("entries of a way", () => {
  it("are those of a setup that has it as its first one, for the peer and all behind it; and back", () => {
    const first = rack(),
      second = ring(count, turned, notThroughTheFirst);
    for (const [n, to] of [
      [0, 2],
      [2, 0],
    ] as const) {
      const setup = first.devices[n]?.setup,
        wanted = second.devices[n]?.setup;
      if (setup === undefined || wanted === undefined) throw new RangeError("there are five");
      const index = setup.peers.findIndex(p => p.name === `snic${to}`),
        peer = setup.peers[index],
        key = (w: { readonly table: string; readonly index: number }): string => `${w.table} ${w.index}`,
        tables = (s: typeof setup) => new Map(tableWrites(s).map(w => [key(w), w.value]));
      const now = tables(setup);
      for (const w of wayWrites(setup, index, peer?.around ?? { port: 0, hops: 0 }))
        if (w.table !== "peer") now.set(key(w), w.value);
      expect(now).toEqual(tables(wanted));
      for (const w of wayWrites(setup, index, peer ?? { port: 0, hops: 0 }))
        if (w.table !== "peer") now.set(key(w), w.value);
      expect(now).toEqual(tables(setup));
    }
  });
});

describe("the first sNIC's DAG runs at the third, and the second is off", () => {
  const managed = { seed: 1, device: () => ({ isManaged: true }) };
  it("under the load of all: what is sent by the first way is lost, what is sent round returns in order; and back", () =>
    inRing(rack(), managed, async run => {
      const { devices } = run.rack,
        sink = (n: number): number => run.came[n]?.length ?? 0;
      run.flood(20, 400, [0, 2, 3]);
      await run.stands();
      expect([sink(0), sink(2), sink(3)]).toEqual([20, 20, 20]);
      off(at(devices, 1));
      // The third's DAG is at the last: it does not pass the second, and nothing of it is lost.
      run.flood(20, 400, [0, 2]);
      await run.stands();
      expect([sink(0), sink(2)]).toEqual([20, 40]);
      run.flood(60, 400, [2]);
      await Promise.all([turn(at(devices, 0), "snic2", true), turn(at(devices, 2), "snic0", true)]);
      run.flood(60, 400, [0]);
      await run.stands();
      expect([sink(0), sink(2)]).toEqual([80, 100]);
      const last = run.came[0]?.slice(-60) ?? [];
      for (let flow = 0; flow < 7; flow++) {
        const of = last.filter(n => n % 7 === flow);
        expect(of).toEqual([...new Set(of)].sort((a, b) => a - b));
      }
      const inside = await Promise.all([0, 2, 3, 4].map(n => at(devices, n).device.inside()));
      expect(inside.map(i => i.core)).toEqual([0, 0, 0, 0]);
    }));
  it("turned at one end only: its redirects are strangers' and counted, and nothing waits", () =>
    inRing(rack(), managed, async run => {
      const { devices } = run.rack;
      await turn(at(devices, 0), "snic2", true);
      run.flood(30, 400);
      await run.stands();
      expect(run.came.map(c => c.length)).toEqual([0, 30, 30, 30, 30]);
      const { counters } = await at(devices, 2).finish();
      expect(counters.ports[next]?.["inStranger"]).toBe(30);
      const inside = await Promise.all(devices.map(d => d.device.inside()));
      expect(inside.map(i => i.core)).toEqual([0, 0, 0, 0, 0]);
    }));
  it("both ways at once, everybody's DAG two away and more than is processed: all that was taken in returns", () =>
    inRing(ring(count, turned, notThroughTheFirst), { seed: 1 }, async run => {
      run.flood(150, 1000);
      await run.stands();
      const { devices, problems } = await run.rack.finish();
      expect(problems).toEqual([]);
      const dropped = [...devices.values()].map(c => c.ports[0]?.["inFull4"] ?? 0).reduce((a, b) => a + b, 0);
      expect(run.total() + dropped).toBe(count * 150);
    }));
});

describe("software of all four, over their own registers and lines", () => {
  it("the second is off: the first and the third are gone, and hear each other round; redirects go with them", () =>
    inRing(
      readRack(ringText(4, notThroughTheFirst, 2, round), "ring"),
      {
        seed: 1,
        build: { bitstreams: [["delay(4,12)"]], sizes: { reprogramCycles: 1_500 } },
        device: () => ({ isManaged: true }),
      },
      async run => {
        const { devices, clockwork } = run.rack,
          period = 10_000,
          gone: string[] = [];
        const software = devices.map(d =>
          peersOf(d, devices, {
            ...{ boot: 1, period, quiet: 3_000, rackKey: new Uint8Array(32).fill(3) },
            onGone: name => gone.push(`${d.name} ${name}`),
          }),
        );
        const pair = [
            [0, 2],
            [2, 0],
          ] as const,
          neighbour = (a: number, b: number) => software[a]?.neighbours.find(n => n.place.number === b),
          until = async (holds: () => boolean, most: number, what: string): Promise<number> => {
            for (let i = 0; i < 2 * most; i++) {
              if (holds()) return i / 2;
              await clockwork.pause(period / 2);
            }
            throw new Error(`not within ${most} periods: ${what}`);
          };
        for (const s of software) s.start();
        const hear = (): boolean => pair.every(([a, b]) => neighbour(a, b)?.presence === "there");
        await until(() => software.every(s => s.neighbours.every(n => n.presence === "there")), 12, "all are there");
        run.flood(10, 400, [0]);
        await run.stands();
        expect(run.came[0]).toHaveLength(10);
        software[1]?.stop();
        off(at(devices, 1));
        await until(() => gone.includes("snic0 snic2") && gone.includes("snic2 snic0"), 8, "they are gone");
        const periods = await until(hear, 12, "they hear each other round");
        expect(periods).toBeLessThan(12);
        for (const [a, b] of pair) expect(neighbour(a, b)?.way).toEqual(neighbour(a, b)?.place.around);
        expect(gone.filter(g => g.startsWith("snic3"))).toEqual(["snic3 snic1"]);
        run.flood(20, 400, [0]);
        await run.stands();
        expect(run.came[0]).toHaveLength(30);
        for (const s of software) {
          s.stop();
          expect(s.failed).toBeUndefined();
        }
      },
    ));
});
