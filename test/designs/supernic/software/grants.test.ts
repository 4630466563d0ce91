/** Memory for tasks that users deploy: quotas, what the board has, and whose a task is. */
import { expect, it } from "vitest";
import {
  LocalPages,
  type MemoryDriver,
  MemoryGrants,
  MemoryManager,
} from "../../../../designs/supernic/software/index.ts";

const pageBytes = 1024,
  tasks = [
    { label: "kv_lru(64)", way: 0, pages: 4 },
    { label: "kv_fifo(128)", way: 1, pages: 8 },
    { label: "pair", way: 2, pages: 3 },
    { label: "pair", way: 3, pages: 3 },
  ],
  users = [
    { number: 1, name: "alice", memory: 6 * pageBytes },
    { number: 2, name: "bob" },
    { number: 3, name: "carol", memory: 0 },
  ];
/** Grants over a manager whose hardware does what it is told. */
function grantsOf(frames: number, spaces = 4) {
  const ways = new Map<number, number | undefined>(),
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
    fence: () => Promise.resolve(),
    zero: () => Promise.resolve(true),
    pageOut: () => Promise.resolve(undefined),
    pageIn: () => Promise.resolve(true),
  };
  const manager = new MemoryManager({
    ...{ driver, remote: new LocalPages(0), pages: 64, spaces, first: 0, frames, ready: 2 },
  });
  return { grants: new MemoryGrants({ manager, tasks, users, pageBytes }), manager, ways };
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
