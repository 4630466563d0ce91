/** Virtual memory: docs/supernic/memory.md. */
import { describe, expect, test } from "vitest";
import { LocalPages, MemoryManager } from "../../../../../designs/supernic/software/index.ts";
import { bernoulli, bursts, legalMemories } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { dut, MemoryRig } from "./support/memory-rig.ts";
import {
  fenceAlone,
  manyReads,
  memoryFails,
  nothingIsLeft,
  pagesGoBack,
  pagesInTurns,
  pagesJump,
  pagesMove,
  rights,
  sameTouch,
  tasksGo,
  twoSpaces,
} from "./support/runs.ts";

describe("memory of tasks", () => {
  bench("every byte is as the model says, while pages come and go", dut, { seed: 1 }, async b => {
    const { seen, manager } = await pagesMove(b, 4_000);
    expect(seen.reads).toBeGreaterThan(200);
    expect(seen.writes).toBeGreaterThan(200);
    expect(seen.denied).toBeGreaterThan(20);
    expect(seen.crossed).toBeGreaterThan(50);
    expect(manager.counted.out).toBeGreaterThan(5);
    expect(manager.counted.in).toBeGreaterThan(5);
  });
  for (const [name, memory] of Object.entries(legalMemories))
    bench(`with pauses at every end, and a memory with ${name}`, dut, { seed: 2 }, async b => {
      let turn = 0;
      const { seen } = await pagesMove(b, 700, {
        memory,
        pause: () =>
          turn++ % 2 === 0 ? bernoulli(0.3, b.random.word()) : bursts({ go: 9, pause: 12 }, b.random.word()),
      });
      expect(seen.reads + seen.writes).toBeGreaterThan(25);
    });
  bench(
    "a task goes in the middle: the next one gets no old answer, the others all of theirs",
    dut,
    { seed: 3 },
    async b => {
      const { seen } = await tasksGo(b, 16, { memory: { latency: 30, jitter: 20, outOfOrder: true } });
      expect(seen.reads + seen.writes).toBeGreaterThan(50);
    },
  );
  bench(
    "a chain that goes gives its pages back, wherever they are; nobody else notices it",
    dut,
    { seed: 4 },
    async b => {
      const { seen, manager } = await pagesGoBack(b, 14, { memory: { latency: 30, jitter: 20, outOfOrder: true } });
      expect(seen.reads + seen.writes).toBeGreaterThan(100);
      expect(manager.counted.out).toBeGreaterThan(5);
    },
  );
  bench("who may only read does not write; who has no space has nothing", dut, { seed: 11 }, async b => {
    const { seen } = await rights(b);
    expect(seen.denied).toBeGreaterThan(60);
    expect(seen.reads).toBeGreaterThan(40);
  });
  bench("pages move under tasks that use them, and no burst is behind a fence", dut, { seed: 12 }, async b => {
    const { seen } = await pagesJump(b, 24);
    expect(seen.reads + seen.writes).toBeGreaterThan(60);
  });
  bench("two that share a space touch a page first, both at once", dut, { seed: 14 }, sameTouch);
  bench("a fence with nothing else under way", dut, { seed: 15 }, fenceAlone);
  bench("more reads than there is room for", dut, { seed: 13 }, async b => {
    expect((await manyReads(b)).seen.reads).toBe(24);
  });
  bench("nobody reads what another one left in a page", dut, { seed: 4, limitCycles: 40_000 }, async b => {
    const { manager } = await nothingIsLeft(b);
    expect(manager.counted.zeroed).toBeGreaterThan(12);
  });
  bench(
    "the board's memory fails: who has the page is told, pages that fail are left alone",
    dut,
    { seed: 5 },
    async b => {
      const { seen, manager } = await memoryFails(b);
      expect(seen.failed).toBeGreaterThan(3);
      expect(manager.counted.bad).toBeGreaterThan(0);
    },
  );
  bench("without a free page one task waits, and nobody else", dut, { seed: 6 }, async b => {
    const rig = new MemoryRig(b, { ready: 1 });
    await twoSpaces(rig);
    await rig.manager.step();
    rig.access(2, true, 100, 700);
    await rig.settled();
    // No software: no page comes any more.
    rig.access(0, true, 0, 64);
    await b.cycles(100);
    expect(b.io.state[0]?.waits.value).toBe(1);
    expect(Number(b.io.held.value) & 1).toBe(1);
    for (let i = 0; i < 20; i++) rig.access(2, i % 2 === 0, 50 * i, 40);
    await rig.settled([2]);
    expect(rig.pending(0)).toBe(1);
    await rig.manager.step();
    await rig.settled();
    await rig.end();
  });
  bench("pages go to who waits in turns, and not to who comes", dut, { seed: 7 }, pagesInTurns);
  bench("an access alone, pieces of one way, and look-ups of all: their cycles", dut, { seed: 8 }, async b => {
    const latency = 20,
      rig = new MemoryRig(b, { ready: 3, frames: 15, memory: { latency } });
    await twoSpaces(rig);
    await rig.manager.step();
    for (const way of [0, 2]) rig.access(way, true, 0, 1024);
    await rig.settled();
    const asked: number[] = [];
    b.onEdge({
      sample: () => void (b.io.mAr.valid.value === 1 && b.io.mAr.ready.value === 1 && asked.push(b.cycle)),
    });
    const from = b.cycle;
    rig.access(0, false, 0, 64);
    await rig.settled();
    // The source offers in the next cycle.
    expect((asked[0] ?? 0) - from - 1).toBe(10);
    console.log(
      `memory: a read of 64 B answers ${(rig.latencies.at(-1) ?? 0) - latency} cycles beside the memory's own`,
    );
    asked.splice(0);
    for (let i = 0; i < 8; i++) rig.access(0, false, 64 * i, 64);
    await rig.settled();
    expect((asked.at(-1) ?? 0) - (asked[0] ?? 0)).toBe(7 * 10);
  });
  bench("a fence ends when the memory has answered, whatever tasks do", dut, { seed: 9 }, async b => {
    const rig = new MemoryRig(b, { ready: 3, frames: 15, memory: { latency: 60 } });
    await twoSpaces(rig);
    await rig.manager.step();
    for (const way of [0, 2]) rig.access(way, true, 0, 1024);
    await rig.settled();
    let longest = 0;
    for (let i = 0; i < 12; i++) {
      rig.access(0, false, 0, 1024);
      rig.access(2, false, 0, 1024);
      const from = b.cycle;
      await rig.driver.fence();
      longest = Math.max(longest, b.cycle - from);
      await b.cycles(b.random.below(20));
    }
    expect(longest).toBeLessThan(60 + 2 * 2 * 17 + 30);
    await rig.settled();
  });
  bench("what cannot be promised is refused", dut, { seed: 10 }, async b => {
    const none = new MemoryRig(b, { remote: new LocalPages(0), frames: 10 }).manager;
    expect(await none.create({ user: 0, limit: 11, write: true })).toBe("noMemory");
    const space = await none.create({ user: 0, limit: 10, write: true });
    expect(await none.create({ user: 1, limit: 1, write: true })).toBe("noMemory");
    if (typeof space === "string") throw new Error("refused");
    await none.destroy(space);
    expect(none.unused).toBe(10);
    for (let i = 0; i < 4; i++) expect(typeof (await none.create({ user: i, limit: 2, write: true }))).toBe("object");
    expect(await none.create({ user: 5, limit: 1, write: true })).toBe("noSpace");
  });
  test("a table without a gap has no room", async () => {
    const nothing = new Proxy({}, { get: () => () => Promise.resolve() }) as ConstructorParameters<
      typeof MemoryManager
    >[0]["driver"];
    const manager = new MemoryManager({
      ...{ driver: nothing, remote: new LocalPages(100), pages: 8, spaces: 4, first: 0, frames: 8, ready: 1 },
    });
    expect(typeof (await manager.create({ user: 0, limit: 5, write: true }))).toBe("object");
    expect(await manager.create({ user: 0, limit: 4, write: true })).toBe("noEntries");
  });
});
