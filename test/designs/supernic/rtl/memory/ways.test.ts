/** What each way has by itself: its end, its counts, and what software sees of pages, to the cycle. */
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { bernoulli, type Dut, type Pause, peek, poke, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { anyValue } from "../../support/any-value.ts";
import { dut, MemoryRig, type RigOptions, sizes } from "./support/memory-rig.ts";
import type { B } from "./support/rtl-driver.ts";

const ways = [0, 1, 2],
  pageBytes = 2 ** sizes.pageShift;

async function ready(b: B, o: RigOptions = {}): Promise<MemoryRig> {
  const rig = new MemoryRig(b, { ready: 4, frames: 15, ...o });
  for (const way of ways) await rig.attach(way, await rig.space(3));
  await rig.manager.step();
  // Every page is there: a first touch each.
  for (let page = 0; page < 3; page++) {
    for (const way of ways) rig.access(way, true, page * pageBytes, 64);
    await rig.settled();
    await rig.manager.step();
  }
  return rig;
}
/** A task of each way goes in the middle; what the next one asks for in its first cycle is done. */
async function eachGoes(b: B): Promise<void> {
  const rig = await ready(b);
  for (const way of [...ways, ...ways]) {
    await rig.traffic(b.random.between(5, 25));
    // Others go on, and lose nothing.
    await rig.kill(way, () => void rig.access(way, false, 64 * b.random.below(30), 64));
    await rig.traffic(10);
    await rig.settled();
  }
  await rig.end();
}
/** Every stream pauses, on the bus as well, and a page goes out and comes in beside the tasks. */
async function paused(b: B): Promise<void> {
  const pause = (): Pause => bernoulli(0.4, b.random.word()),
    rig = await ready(b, { pause, memory: { latency: 12, jitter: 10 } });
  for (let round = 0; round < 3; round++) {
    await rig.traffic(60);
    await rig.settled();
    const way = b.random.pick(ways),
      space = rig.spaces[way],
      page = space === undefined ? undefined : await rig.driver.page(space.base);
    if (page?.present !== true) continue;
    const bytes = await rig.driver.pageOut(page.ppn);
    if (bytes === undefined) throw new Error("the memory fails");
    await rig.driver.pageIn(page.ppn, bytes);
    for (const w of ways) rig.access(w, false, 0, 1024);
    await rig.settled();
  }
  await rig.end();
}
/** A fence waits for each way by itself; the one that waits for the memory is held, and no other one. */
async function fences(b: B): Promise<void> {
  const { io } = b,
    latency = 60,
    rig = await ready(b, { memory: { latency } });
  for (const way of ways)
    for (const write of [false, true]) {
      rig.access(way, write, 64 * way, 200);
      // Until its burst is out.
      await b.until(() => (write ? io.mAw : io.mAr).valid.value === 1);
      await b.cycles(8);
      expect(io.held.value, `way ${way}`).toBe(1 << way);
      expect(io.idle.value).toBe(7 & ~(1 << way));
      io.fence.value = 1;
      await b.cycles(1);
      io.fence.value = 0;
      await b.cycles(2);
      expect(io.fenced.value).toBe(0);
      await rig.settled();
      await b.cycles(3);
      expect([io.fenced.value, io.held.value, io.idle.value]).toEqual([1, 0, 7]);
    }
  await rig.end();
}
/** The memory fails reads and writes, tasks ask for what they may not have: each way counts its own. */
async function counts(b: B): Promise<void> {
  const rig = await ready(b);
  rig.mayFail = true;
  for (let page = 0; page < sizes.pages; page++) {
    const { valid, present, ppn } = await rig.driver.page(page);
    if (valid && present) rig.ram.failAt({ from: ppn * pageBytes + 1024, to: ppn * pageBytes + 1100 });
  }
  // More of one kind than of another, and by way.
  for (const way of ways)
    for (let i = 0; i < 4 + 3 * way; i++) {
      rig.access(way, i % 2 === 0, 1024 + 64 * b.random.below(2), b.random.between(1, 200));
      rig.access(way, i % 3 === 0, pageBytes * (3 + b.random.below(9)), 64);
      rig.access(way, i % 2 === 1, pageBytes * b.random.below(3), 64);
      await rig.settled();
    }
  // A page that the memory fails never becomes free; it is the last one, which nobody has.
  const last = 5 + 15 - 1;
  rig.ram.failAt({ from: last * pageBytes + 2048, to: last * pageBytes + 2049 });
  expect(await rig.driver.zero(last)).toBe(false);
  expect(rig.seen.failed).toBeGreaterThan(10);
  expect(rig.seen.denied).toBeGreaterThan(10);
  await rig.end();
}
/** The entry that is looked at is seen two cycles later, in all of its fields, whichever it is in each cycle. */
async function seen(b: B): Promise<void> {
  const { io, random: r } = b,
    rig = await ready(b),
    stamps = new Map<number, number>();
  const entries = Array.from({ length: sizes.pages }, () => anyValue(r, io.pageWrite.value)),
    later = 2;
  // Pages of tasks, touched in an epoch each.
  for (const way of ways)
    for (let page = 0; page < 3; page++) {
      io.epoch.value = r.below(1 << 16);
      rig.access(way, false, page * pageBytes, 64);
      await rig.settled();
      stamps.set((rig.spaces[way]?.base ?? 0) + page, io.epoch.value);
    }
  for (const page of entries.keys())
    if (stamps.has(page)) {
      const { stamp, ...entry } = await rig.driver.page(page);
      expect(stamp).toBe(stamps.get(page));
      const of = (is: boolean): number => (is ? 1 : 0);
      entries[page] = {
        ...{ valid: of(entry.valid), present: of(entry.present), write: of(entry.write), remote: of(entry.remote) },
        ppn: entry.ppn,
      };
    } else {
      poke(io.pageWrite, { en: 1, index: page, value: entries[page] ?? anyValue(r, io.pageWrite.value) });
      await b.cycles(1);
      io.pageWrite.en.value = 0;
    }
  const looks: number[] = [];
  for (let n = 0; n < 300; n++) {
    const at = r.pick([...stamps.keys(), ...entries.keys()]);
    looks.push(at);
    io.seeAt.value = at;
    await b.cycles(1);
    const was = looks.at(-1 - later + 1);
    if (was === undefined) continue;
    const { stamp, ...entry } = peek(io.seen);
    if (!isDeepStrictEqual(entry, entries[was])) expect(entry, `entry ${was}`).toEqual(entries[was]);
    const wanted = stamps.get(was);
    if (wanted !== undefined) expect(stamp).toBe(wanted);
  }
}

const runs = { paused, fences, eachGoes, counts, seen };
describe("ways to the memory", () => {
  bench("what software looks at", dut, { seed: 3, hangCycles: 2000 }, seen);
  bench("with pauses everywhere", dut, { seed: 4, hangCycles: 2000 }, paused);
  bench("a fence waits for each", dut, { seed: 5, hangCycles: 2000 }, fences);
  bench("each task goes by itself", dut, { seed: 1, hangCycles: 2000 }, eachGoes);
  bench("each way counts its own", dut, { seed: 2, hangCycles: 2000 }, counts);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<typeof dut.ports>): Promise<void> => {
      for (const [what, run] of Object.entries(runs))
        await runBench(`${name} ${what}`, design, { wave: false, hangCycles: 2000, limitCycles: 30_000, seed: 4 }, run);
    };
    test("and nothing without one", () => look("no fault", dut));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a way goes with its neighbour", /\.off *\(off\[2\]\)/, ".off (off[1])"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut, from, to)));
    });
  });
});
