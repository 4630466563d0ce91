import { describe, expect, test } from "vitest";
import { identity } from "../../../../../designs/supernic/model/index.ts";
import { delay, dummy, type Task, type TaskPorts } from "../../../../../designs/supernic/rtl/tasks/index.ts";
import { declarationFaults } from "../../../../../designs/supernic/wire/index.ts";
import { bernoulli, bursts, type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type B, randomPacket, TaskRig } from "./support/task-rig.ts";

const tasks: readonly Task[] = [dummy, delay(1, 1), delay(2, 1), delay(6, 1), delay(4, 10), delay(63, 1), delay(20, 3)];

/** Packets under random pauses, with resets between and beside them. */
async function life(b: B, task: Task): Promise<void> {
  const rig = new TaskRig(b, task.declared, identity, {
    from: bernoulli(0.3, b.random.word()),
    to: bursts({ go: 12, pause: 90 }, b.random.word()),
  });
  for (let round = 0; round < 6; round++) {
    for (let n = 0; n < 60; n++) rig.send(randomPacket(b.random));
    await b.cycles(b.random.between(5, 150));
    rig.reset();
  }
  for (let n = 0; n < 80; n++) rig.send(randomPacket(b.random));
  await rig.end();
}
/** Latency and interval, of one packet and of many. */
async function pace(b: B, task: Task): Promise<void> {
  const { latency, interval } = task.declared,
    rig = new TaskRig(b, task.declared, identity);
  rig.send(randomPacket(b.random));
  await rig.end();
  for (let n = 0; n < 100; n++) rig.send(randomPacket(b.random));
  await rig.end();
  expect(new Set(rig.latencies)).toEqual(new Set([latency]));
  const gaps = rig.answerCycles.slice(2).map((c, i) => c - (rig.answerCycles[i + 1] ?? NaN));
  expect(new Set(gaps)).toEqual(new Set([interval]));
}

describe("dummy and delay", () => {
  for (const task of tasks) {
    bench(`${task.declared.name}: every packet once, in order, and resets`, task.hardware, { seed: 2 }, b =>
      life(b, task),
    );
    bench(`${task.declared.name}: its latency and its interval`, task.hardware, { seed: 3 }, b => pace(b, task));
    test(`${task.declared.name} declares itself rightly`, () => {
      expect(declarationFaults(task.declared)).toEqual([]);
    });
  }
  test("what cannot be is refused", () => {
    expect(() => delay(100, 1)).toThrow("the nearest interval is 2");
    expect(() => delay(0, 1)).toThrow("latency = 0");
    expect(() => delay(1, 0)).toThrow("interval = 0");
    expect(declarationFaults({ ...dummy.declared, writes: 1n << 64n, growth: 65, holds: 0 })).toEqual([
      "dummy: writes = 0x10000000000000000 names bytes behind the header's 64; leave them out",
      "dummy: growth = 65: must be 0 to 64",
      "dummy: holds = 0: must be 1 to 64",
    ]);
  });

  describe("a planted fault is found", () => {
    const task = delay(20, 3);
    const look = async (name: string, design: Dut<TaskPorts>): Promise<void> => {
      for (const [i, run] of [life, pace].entries())
        await runBench(`${name} ${i}`, design, { wave: false, hangCycles: 300, limitCycles: 30_000, seed: 5 }, b =>
          run(b, task),
        );
    };
    test("and nothing without one", () => look("no fault", task.hardware));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a packet is ripe a cycle early", /under_way\[18\]/, "under_way[17]"],
      ["one that ripens while another leaves is forgotten", /\((\S*) & ~gives\)/, "($1)"],
      ["it rests a cycle less", "rests <= 2'd2", "rests <= 2'd1"],
      ["packets under way outlive a reset", /if \(rst\) under_way <= 19'd0;\s*else /, ""],
      ["ripe packets outlive a reset", /if \(rst\) ripe <= 4'd0;\s*else /, ""],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(task.hardware, from, to)));
    });
  });
});
