import { expect, it } from "vitest";
import { makeSettings, parseSettings } from "../../../designs/hotpot/config/index.ts";
import {
  areasOfTask,
  measureCommits,
  measureTaskCommits,
  measureTimes,
  readSetup,
  wayCycles,
} from "../../../designs/hotpot/rig/index.ts";

it("the messages' times; a commit of three phases is three rounds and what its nodes take", async () => {
  const settings = makeSettings({ owners: 2, areas: 2, copies: 1 }),
    times = await measureTimes(settings, 1),
    one = { settings, times, lanes: 1, conflict: false, seed: 1 };
  const prepares = times.prepare.reduce((a, b) => a + b, 0);
  const { cycles, messages } = measureCommits({ ...one, merged: false });
  // Without replicas: PREPARE and COMMIT, there and back. A step of the clock may be lost with each way.
  expect(cycles).toBeGreaterThanOrEqual(4 * wayCycles + prepares + times.commit);
  expect(cycles).toBeLessThanOrEqual(4 * wayCycles + prepares + times.commit + 8);
  expect(messages).toBe(2 * (2 + 1 + 1));
  expect(measureCommits({ ...one, merged: true }).cycles).toBeLessThan(cycles - 2 * wayCycles);
});
it("the task of a SmartNIC sends the messages of the coordinator, and its commit is three rounds from half-way", async () => {
  const settings = makeSettings({ owners: 2, areas: 2, copies: 2 }),
    times = await measureTimes(settings, 1),
    one = { settings, times, merged: false, lanes: 1, conflict: false, seed: 1 },
    task = await measureTaskCommits(one);
  expect(task.messages).toBe(measureCommits(one).messages);
  const work = times.prepare.reduce((a, b) => a + b, 0) + 2 * times.update + times.commit;
  // From the client and back, and three times from the task to the nodes and back.
  expect(task.cycles).toBeGreaterThanOrEqual(4 * wayCycles + work);
  expect(task.cycles).toBeLessThanOrEqual(4 * wayCycles + work + 1_000);
  expect(areasOfTask(makeSettings({ owners: 3, areas: 8 }))).toBe(2);
});
it("the place of what is built, and what it has room for", () => {
  expect(makeSettings({ place: "snic", contexts: 16 }).place).toBe("snic");
  expect(() => makeSettings({ place: "snic", contexts: 32 })).toThrow("contexts = 32: the task of a SmartNIC has 16");
  expect(() => makeSettings({ place: "moon" })).toThrow('must be "node" or "snic"');
});
it("the example's setup is one", () => {
  expect(readSetup("examples/hotpot.json").lanes).toBe(4);
  expect(() => readSetup("none.json")).toThrow("examples/hotpot.json");
  expect(() => parseSettings(["colour=1"])).toThrow("colour");
  expect(parseSettings(["areas=2"], { areas: 3, owners: 1 })).toMatchObject({ areas: 2, owners: 1 });
});
