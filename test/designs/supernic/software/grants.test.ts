/** Memory for tasks that users deploy: quotas, what the board has, and whose a task is. */
import { describe, expect, it } from "vitest";
import {
  LocalPages,
  type MemoryDriver,
  MemoryGrants,
  MemoryManager,
  RegionWays,
} from "../../../../designs/supernic/software/index.ts";

const pageBytes = 1024,
  tasks = [
    { label: "kv_lru(64)", way: 0, pages: 4 },
    { label: "kv_fifo(128)", way: 1, pages: 8 },
    { label: "pair", way: 2, pages: 3 },
    { label: "pair", way: 3, pages: 3 },
    { label: "moves", pages: 2 },
    { label: "remembers", pages: 1, keepsPages: true },
  ],
  users = [
    { number: 1, name: "alice", memory: 6 * pageBytes },
    { number: 2, name: "bob" },
    { number: 3, name: "carol", memory: 0 },
  ];
/** Grants over a manager whose hardware does what it is told. */
function grantsOf(frames: number, spaces = 4) {
  const ways = new Map<number, number | undefined>(),
    fence: { answers: Promise<void> } = { answers: Promise.resolve() },
    none = { valid: false, present: false, write: false, remote: false, ppn: 0, stamp: 0 };
  const driver: MemoryDriver = {
    pageBytes,
    setWay: (way, space) => Promise.resolve(void ways.set(way, space)),
    setSpace: () => Promise.resolve(),
    setPage: () => Promise.resolve(),
    page: () => Promise.resolve(none),
    way: () => Promise.resolve({ waits: false, remote: false, page: 0, idle: true, denied: 0, failed: 0 }),
    freePages: () => Promise.resolve(0),
    epoch: () => Promise.resolve(0),
    fence: () => fence.answers,
    zero: () => Promise.resolve(true),
    pageOut: () => Promise.resolve(undefined),
    pageIn: () => Promise.resolve(true),
  };
  const manager = new MemoryManager({
    ...{ driver, remote: new LocalPages(0), pages: 64, spaces, first: 0, frames, ready: 2 },
  });
  return { grants: new MemoryGrants({ manager, tasks, users, pageBytes }), manager, ways, fence };
}

it("a user's task has its space, once; another's is denied, and one without memory needs none", async () => {
  const { grants, manager, ways } = grantsOf(40);
  expect(await grants.give("kv_lru(64)", 1)).toBeUndefined();
  expect(await grants.give("kv_lru(64)", 1)).toBeUndefined();
  expect(await grants.give("firewall", 3)).toBeUndefined();
  expect([manager.promised, ways.get(0), grants.ownerOf("kv_lru(64)"), grants.needs("firewall")]).toEqual([
    4,
    0,
    1,
    false,
  ]);
  expect(await grants.give("kv_lru(64)", 2)).toEqual({
    status: "DENIED",
    why: "kv_lru(64) is that of user alice; use what that user shares",
  });
});
it("a quota is in whole pages, over all tasks of a user; what is refused takes nothing", async () => {
  const { grants, manager } = grantsOf(40);
  expect(await grants.give("kv_lru(64)", 3)).toEqual({
    status: "FULL",
    why: "kv_lru(64) needs 4 pages of 1024 bytes, and user carol may have 0 more; raise memory of that user to 4096",
  });
  expect(manager.promised).toBe(0);
  expect(await grants.give("kv_lru(64)", 1)).toBeUndefined();
  expect((await grants.give("pair", 1))?.why).toContain(
    "user alice may have 2 more; raise memory of that user to 10240",
  );
  expect(grants.pagesOf(1)).toBe(4);
});
it("the board's memory and its spaces are bounds, too: all of a task's spaces, or none", async () => {
  const short = grantsOf(9);
  expect(await short.grants.give("kv_fifo(128)", 2)).toBeUndefined();
  expect((await short.grants.give("pair", 2))?.why).toBe(
    "pair needs 6 pages of 1024 bytes, and the board's memory has no room for them; deploy a smaller one, or set more memory",
  );
  const few = grantsOf(40, 2);
  await few.grants.give("kv_lru(64)", 2);
  expect((await few.grants.give("pair", 2))?.why).toContain("has no space left");
  expect([few.manager.promised, few.manager.spaces.length]).toEqual([4, 1]);
});
it("two that ask at once do not both get what is there for one", async () => {
  const { grants, manager } = grantsOf(10);
  const both = await Promise.all([grants.give("kv_lru(64)", 2), grants.give("kv_fifo(128)", 2)]);
  expect(both.map(b => b?.status)).toEqual([undefined, "FULL"]);
  expect(manager.promised).toBe(4);
});

describe("tasks whose chains come and go", () => {
  it("have their space where they are, whoever comes first; the promise stays when they go", async () => {
    const { grants, manager, ways } = grantsOf(40);
    // Loaded before anybody deploys it: it has no memory until then.
    await grants.enter([{ way: 5, label: "moves" }]);
    expect(ways.get(5)).toBeUndefined();
    expect(await grants.give("moves", 2)).toBeUndefined();
    const space = ways.get(5);
    expect([space === undefined, manager.promised, grants.pagesOf(2)]).toEqual([false, 2, 2]);
    await grants.leave([5], false);
    expect([ways.get(5), manager.promised, grants.pagesOf(2), grants.renewed]).toEqual([undefined, 2, 2, 1]);
    await grants.enter([{ way: 6, label: "moves" }]);
    expect([ways.get(5), ways.get(6)]).toEqual([undefined, space]);
    // Its pages count for the next task of its user.
    expect((await grants.give("moves", 1))?.status).toBe("DENIED");
    expect(grants.needs("moves")).toBe(true);
  });
  it("keep pages that they use again, but not when what they knew of them is lost", async () => {
    const { grants } = grantsOf(40);
    await grants.give("remembers", 2);
    const lost = [false, false, true];
    const renewed: number[] = [];
    for (const is of lost) {
      await grants.enter([{ way: 4, label: "remembers" }]);
      await grants.leave([4], is);
      renewed.push(grants.renewed);
    }
    expect(renewed).toEqual([0, 0, 1]);
  });
  it("memory that never answers is waited for a while; what was asked is done when it answers", async () => {
    const { grants, ways, fence } = grantsOf(40),
      clock = { now: 0 };
    const regions = new RegionWays(grants, {
      ways: [[], [7]],
      time: () => clock.now,
      wait: () => new Promise(done => setImmediate(() => done(void (clock.now += 10)))),
      patience: 500,
    });
    await grants.give("moves", 2);
    expect([regions.has(["moves"]), regions.has(["firewall"])]).toEqual([true, false]);
    expect(await regions.enter(1, ["firewall", "moves"])).toBe(true);
    const space = ways.get(7);
    expect(space).toBeDefined();
    // A region without ways has nothing to wait for.
    let answers = (): void => undefined;
    fence.answers = new Promise<void>(done => (answers = done));
    expect(await regions.leave(0, true)).toBe(true);
    clock.now = 0;
    expect([await regions.leave(1, true), clock.now, regions.late]).toEqual([false, 510, 1]);
    // The next one would get pages of before: it does not come in.
    expect(await regions.enter(1, ["moves"])).toBe(false);
    answers();
    expect(await regions.leave(1, true)).toBe(true);
    expect([ways.get(7), grants.renewed]).toEqual([undefined, 2]);
    expect(await regions.enter(1, ["moves"])).toBe(true);
    expect(ways.get(7)).toBe(space);
  });
});
