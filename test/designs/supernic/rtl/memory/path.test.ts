/** Tasks with memory in their slots: docs/supernic/memory.md. */
import { describe, expect, it } from "vitest";
import { deviceSizes, memoryOf } from "../../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../../designs/supernic/config/index.ts";
import { regions } from "../../../../../designs/supernic/rtl/core/index.ts";
import { region } from "../../../../../designs/supernic/rtl/region/index.ts";
import { dummy, superNic } from "../../../../../designs/supernic/rtl/index.ts";
import { emit } from "../../../../../hdl-dsl/index.ts";
import { runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { memo, type MemoMisdeed } from "./support/memo-task.ts";
import { type B, dut, PathRig } from "./support/path-rig.ts";

/** Good, bad, found stuck, good again; the other task has memory too, and notices nothing. */
async function misbehaves(b: B, misdeed: MemoMisdeed): Promise<PathRig> {
  const rig = new PathRig(b);
  await rig.begin();
  await rig.traffic(30);
  await b.until(() => rig.pending === 0);
  rig.mayKill = true;
  rig.control(0, { patience: 150 });
  await rig.misdeed(0, misdeed);
  await rig.traffic(10);
  await b.until(() => b.io.state[0]?.stuck.value === 1);
  // Isolated it is off, and with that taken back it is there again, when its memory has answered.
  rig.control(0, { isolate: true });
  await b.until(() => rig.pending === 0);
  rig.forget();
  rig.control(0, { patience: 150 });
  await b.until(() => b.io.state[0]?.off.value === 0);
  rig.mayKill = false;
  await rig.traffic(30);
  await rig.end();
  return rig;
}
/** Held off in the middle of its accesses, again and again. */
async function heldOff(b: B): Promise<PathRig> {
  const rig = new PathRig(b, 60);
  await rig.begin();
  await rig.traffic(20);
  for (let i = 0; i < 12; i++) {
    await rig.traffic(6);
    await b.cycles(b.random.below(60));
    rig.mayKill = true;
    rig.control(0, { isolate: true });
    await b.cycles(2);
    rig.control(0, {});
    await b.until(() => b.io.state[0]?.off.value === 0 && rig.pending === 0);
    rig.mayKill = false;
    rig.forget();
  }
  await rig.traffic(30);
  await rig.end();
  return rig;
}

describe("tasks with memory in a chain, with the memory's registers and software", () => {
  bench(
    "each keeps what is its own, and waits without being stuck while pages come",
    dut,
    { seed: 1, limitCycles: 200_000 },
    async b => {
      const rig = new PathRig(b);
      for (const slot of [0, 2]) rig.control(slot, { patience: 120 });
      await rig.begin();
      await rig.traffic(220);
      await rig.end();
      expect(rig.seen.right).toBeGreaterThan(150);
      expect(rig.seen.denied).toBeGreaterThan(0);
      expect(rig.manager.counted.zeroed).toBeGreaterThan(8);
    },
  );
  for (const misdeed of ["takesNoAnswer", "givesNoBeats"] as const)
    bench(`${misdeed}: it is stuck, and comes back`, dut, { seed: 2, limitCycles: 200_000 }, async b => {
      const { seen } = await misbehaves(b, misdeed);
      expect(seen.killed).toBeGreaterThan(0);
    });
  bench(
    "held off in the middle of accesses: no answer of before comes to the next task",
    dut,
    { seed: 3, limitCycles: 200_000 },
    async b => {
      const { seen } = await heldOff(b);
      expect(seen.killed).toBeGreaterThan(3);
    },
  );
  describe("a planted fault is found", () => {
    const finds = (name: string, from: string | RegExp, to: string, run: (b: B) => Promise<unknown>) =>
      it(name, () =>
        findsFault(
          runBench(
            `memory path fault ${name}`,
            plant(dut, from, to),
            { seed: 5, wave: false, limitCycles: 60_000, hangCycles: 5_000 },
            run,
          ),
        ),
      );
    finds("a task comes back while its memory still answers", /& memory_idle/, "& 1'b1", heldOff);
    finds(
      "what comes back for a task that is off waits for it",
      /got_ready = task_got_ready \| off/,
      "got_ready = task_got_ready",
      heldOff,
    );
  });
});
it("a chain of tasks without memory has no ports for it, and a device no registers", () => {
  const { ports } = region([dummy, dummy])({ contexts: 64, places: 4 }),
    device = superNic([[dummy]])(deviceSizes(makeParameters())).ports;
  expect(
    Object.keys({ ...ports, ...device }).filter(n => /^(ask|put|got|wrote)\d|^memory|^m(Ar|Aw)|^page/.test(n)),
  ).toEqual([]);
});
it("a device with tasks that have memory has ports for it; one way more or less is refused", () => {
  const parameters = makeParameters({ ports: 2, regions: 3, slots: 2, contexts: 32, cells: 16 }),
    sizes = deviceSizes(parameters),
    chains = [[memo, dummy], [memo]],
    memory = memoryOf(parameters, 2);
  expect(Object.keys(superNic(chains)({ ...sizes, memory }).ports)).toContain("memoryAw");
  // The whole device takes most of a minute.
  if (process.env["MNEMO_LONG"] !== undefined) expect(() => emit(superNic(chains)({ ...sizes, memory }))).not.toThrow();
  expect(() => emit(superNic(chains)(sizes))).toThrow(/have 2 ways to memory/);
  expect(() => emit(superNic(chains)({ ...sizes, memory: memoryOf(parameters, 3) }))).toThrow(/have 2 ways to memory/);
  expect(() => emit(regions([Array<typeof memo>(9).fill(memo)])({ ...sizes, slots: 9 }))).toThrow(
    /9 tasks have memory/,
  );
});
