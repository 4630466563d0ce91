/**
 * Regions that software writes while a miss waits to tell it of one: the events are not looked at, and the map is
 * written in each cycle around the one in which there is room for the next event. No write is missed: each access is
 * answered without another.
 */
import { expect, test } from "vitest";
import { withExCache } from "../../../designs/legoos/rig/index.ts";
import { ExCache } from "../../../designs/legoos/rtl/index.ts";
import type { Design } from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { allIsBack, small } from "./traffic.ts";

const all = (1n << 64n) - 1n,
  /** Events that are kept: in the queue, and in the stage in front of it. */
  kept = 6,
  around = 12;

const four = small({ misses: 4, waiting: 8 });

const races = (design?: Design<ReturnType<typeof ExCache>["ports"]>): Promise<void> => {
  let looks = false;
  return withExCache(
    "regions",
    {
      ...{ parameters: small(), seed: 1, wave: false, nodes: 2, limitCycles: 200_000, hangCycles: 3000 },
      eventPause: () => !looks,
      ...(design && { design }),
    },
    async rig => {
      const { bench } = rig;
      await rig.begin([1]);
      for (let offset = -around; offset <= around; offset++)
        for (const victim of [false, true]) {
          // Regions of this round: nobody has them yet.
          const region = 2 * (offset + around) + (victim ? 1 : 0) + 1,
            va = BigInt(region) << 30n;
          looks = true;
          await bench.cycles(10);
          const told = rig.events.length;
          looks = false;
          if (victim) {
            // The line is there and dirty; its region is taken away, and then the line is to leave.
            await rig.mapRegion(3, 1, region, 1);
            await rig.ask({ asid: 1, va, write: true, strb: all, data: va });
            await rig.settled();
            await rig.mapRegion(3, 99, region, 1);
            for (let way = 0; way < rig.p.ways; way++) rig.evict(0, way);
          } else await rig.ask({ asid: 1, va, write: true, strb: all, data: va });
          // Each write of the map has it looked up again, and told again: until nothing more can be told.
          for (let i = 0; i < kept + 2; i++) {
            await bench.cycles(60);
            await rig.mapRegion(4, 99, i, 0);
          }
          await bench.cycles(60);
          expect(bench.io.busy.value, "the miss waits").not.toBe(0);
          // Room comes at 0, the region's owner `offset` cycles later or sooner.
          for (let cycle = -around; cycle <= around; cycle++) {
            if (cycle === 0) looks = true;
            if (cycle === offset) await rig.mapRegion(3, 1, region, 1);
            else await bench.risingEdge();
          }
          await rig.settled();
          expect(bench.io.busy.value, `owner ${offset} cycles from room: a miss still waits`).toBe(0);
          expect(rig.events.length - told, "each event comes").toBeGreaterThanOrEqual(kept);
          for (const e of rig.events.slice(told)) expect([e.kind, e.page]).toEqual(["unknownRegion", region * 2 ** 22]);
          if (!victim) rig.evict(0, 0);
          for (let way = 0; way < rig.p.ways; way++) rig.evict(0, way);
          await rig.settled();
        }
      rig.judge((_asid, va) => (va >> 30n === 0n ? 0 : 1));
      await allIsBack(rig, 1, 0x100000n);
    },
  );
};

/**
 * As many misses as there can be wait for regions of their own, and words are told of each: once when it comes, and
 * once more for each write of the map. Then their regions come, one after the other, the last asked for first.
 */
const toldOnce = (design?: Design<ReturnType<typeof ExCache>["ports"]>): Promise<void> =>
  withExCache(
    "told once",
    { parameters: four, seed: 2, wave: false, limitCycles: 60_000, ...(design && { design }) },
    async rig => {
      const { bench } = rig,
        waiting = Array.from({ length: four.misses }, (_, i) => i + 1),
        told = async (): Promise<number[]> => {
          await bench.cycles(200);
          return rig.events.splice(0).map(e => Math.floor(e.page / 2 ** 22));
        };
      await rig.begin([1]);
      for (let round = 0; round < 3; round++) {
        const regions = waiting.map(i => 10 * round + i);
        for (const region of regions) {
          // In different sets, so that none waits for another.
          const va = (BigInt(region) << 30n) + BigInt(256 * (region % 4));
          await rig.ask({ asid: 1, va, write: round % 2 === 0, strb: all, data: va });
          expect(await told(), "a miss is told of once").toEqual([region]);
        }
        for (let write = 0; write < 3; write++) {
          await rig.mapRegion(7, 99, write, 0);
          expect(
            (await told()).sort((x, y) => x - y),
            "once more for a write of the map",
          ).toEqual(regions);
        }
        for (const [i, region] of regions.toReversed().entries()) {
          await rig.mapRegion(1, 1, region, 0);
          const left = regions.slice(0, regions.length - 1 - i);
          expect(
            (await told()).sort((x, y) => x - y),
            "those that still wait",
          ).toEqual(left);
          expect(rig.open).toBe(left.length);
        }
        // What is dirty leaves while its region is known.
        for (const region of regions) {
          await rig.mapRegion(1, 1, region, 0);
          for (let way = 0; way < four.ways; way++) rig.evict(region % 4, way);
          await rig.settled();
        }
        rig.events.length = 0;
      }
    },
  );
test("misses that wait for regions are told of once for each write of the map", () => toldOnce());
test("a planted fault: a miss that was told of is told of again", () =>
  findsFault(toldOnce(plant(ExCache(four), /entries_1_todo & ~entries_1_held/g, "entries_1_todo"))));

test("no write of a region is missed, whenever the event before it finds room", () => races());
test.each<readonly [string, RegExp, string]>([
  ["a write before the event finds room is forgotten", /~\(changed \| region_write_valid\)/, "~region_write_valid"],
  ["a write in the cycle of the event is missed", /~\(changed \| region_write_valid\)/, "~changed"],
  ["a miss that was told of waits for ever", /~\(changed \| region_write_valid\)/, "1'b1"],
])("a planted fault: %s", (_, from, to) => findsFault(races(plant(ExCache(small()), from, to))));
