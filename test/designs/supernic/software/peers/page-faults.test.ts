/** Faults in the software that takes pages to peers, each found by what must hold of tasks and of a rack. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MemoryManager } from "../../../../../designs/supernic/software/index.ts";
import { mostPageBytes } from "../../../../../designs/supernic/wire/index.ts";
import { mutantOf } from "../support/mutants.ts";
import { period } from "./support/modelled-rack.ts";
import { Mutants } from "./support/mutant.ts";
import { pageBytes } from "./support/paged-board.ts";
import { inPaged, type PagedOptions, type PagedRack, type PagedTask } from "./support/paged-rack.ts";

type Planted = Pick<PagedOptions, "software" | "manager">;
type Run = (planted: Planted) => Promise<void>;
const need = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(what);
};
const tasksOf = (paged: PagedRack): readonly PagedTask[] => paged.nics.flatMap(n => n.tasks);
const fill = async (paged: PagedRack): Promise<void> => {
  for (const t of tasksOf(paged)) await paged.fill(t);
};
const read = async (paged: PagedRack): Promise<number> => {
  let denied = 0;
  for (const t of tasksOf(paged)) denied += await paged.read(t);
  return denied;
};
/** Two owners at each peer. A page that went first stays there while others come and go. */
const among =
  (count: number): Run =>
  planted =>
    inPaged(
      { count, ...planted },
      Array.from({ length: count }, () => 2),
      async paged => {
        for (const t of tasksOf(paged)) t.isSure = true;
        await fill(paged);
        await Promise.all(tasksOf(paged).map(t => paged.fill(t, t.way === 0 ? [1, 2, 3] : [3, 2, 1])));
        const denied = await Promise.all(tasksOf(paged).map(t => paged.read(t, [1, 2, 3])));
        need(
          denied.every(d => d === 0),
          "a page is lost",
        );
        await paged.rack.periods(3);
        for (const n of paged.nics) need(n.nic.peers.pages.counts.lies === 0, "other bytes come back than went");
        for (const n of paged.nics)
          for (const { nic } of paged.nics.filter(o => o !== n))
            need(
              nic.peers.kept.keptOf(n.nic.number).length === n.nic.peers.pages.keptAt(n.nic.neighbour(nic.number)),
              "a page is kept that nobody needs",
            );
        need((await read(paged)) === 0, "a page is lost");
        await paged.check();
      },
    );
const apart = among(2),
  three = among(3);
/** A peer or its owner starts anew while a page is on its way. */
const restarts: Run = async planted => {
  await inPaged({ count: 2, ...planted }, [2], async paged => {
    await fill(paged);
    const { pages } = paged.nic(0).nic.peers,
      { kept } = paged.nic(1).nic.peers,
      honest = kept.in.bind(kept);
    // It is being read at the peer for as long as that lives.
    kept.in = (owner, piece) => (honest(owner, piece), "BUSY");
    const since = paged.rack.time.now(),
      reading = read(paged);
    await paged.rack.periods(1);
    paged.nic(1).nic.restart();
    const denied = await reading;
    need(paged.rack.time.now() - since < 10 * period, "who waits for a page is not told");
    need(denied > 0 && pages.counts.lost === denied, "lost pages are not counted");
    need(pages.counts.lies + pages.counts.late === 0, "something else is found");
    await paged.check();
  });
  await inPaged({ count: 2, ...planted }, [2], async paged => {
    await fill(paged);
    const owner = paged.nic(0).nic;
    owner.restart();
    await paged.rack.until(() => owner.neighbour(1).presence === "there", "it is there");
    need(await owner.peers.pages.put("first", new Uint8Array(pageBytes)), "a page of the new life is refused");
    need((await owner.peers.pages.get("first")) !== undefined, "it is not what was kept");
    await owner.peers.pages.drop("first");
    await paged.check();
  });
};
/** A third one asks for a page, and a peer gives another page than it got. */
const rights: Run = planted =>
  inPaged({ count: 3, ...planted }, [2], async paged => {
    await fill(paged);
    const b = paged.nic(1).nic.peers,
      [page = 0] = b.kept.keptOf(0);
    need(b.kept.in(2, { page, offset: 0, total: pageBytes }) === "EXPIRED", "another owner gets a page");
    b.kept.drop(2, page);
    need(b.kept.keptOf(0).includes(page), "another owner drops a page");
    b.kept.drop(0, page);
    const again = b.kept.out(0, { page, offset: 0, total: pageBytes }, new Uint8Array(mostPageBytes));
    need(again === "EXPIRED", "a piece that comes too late begins its page again");
    for (const n of [1, 2]) {
      const { kept } = paged.nic(n).nic.peers,
        honest = kept.in.bind(kept);
      kept.in = (owner, piece) => {
        const given = honest(owner, piece);
        return typeof given === "string" ? given : given.map(x => x ^ 1);
      };
    }
    need((await read(paged)) > 0, "bytes that are wrong go unnoticed");
    need(paged.nic(0).nic.peers.pages.counts.lies > 0, "a lie is not counted");
  });
/** One side alone takes the other for silent. */
const forgets: Run = planted =>
  inPaged({ count: 2, ...planted }, [2], async paged => {
    await fill(paged);
    const { kept } = paged.nic(1).nic.peers,
      before = kept.keptOf(0);
    paged.nic(0).nic.peers.pages.gone(paged.nic(0).nic.neighbour(1));
    await paged.rack.until(() => !kept.keptOf(0).some(n => before.includes(n)), "all is dropped", 3);
    await paged.check();
  });
/** A peer that does not answer for pages; one whose memory fails; less room than was promised. */
const troubled: Run = async planted => {
  await inPaged({ count: 2, ...planted }, [2], async paged => {
    await fill(paged);
    paged.nic(1).nic.peers.kept.in = () => "BUSY";
    const since = paged.rack.time.now(),
      denied = await read(paged);
    need(denied > 0 && paged.rack.time.now() - since < 21 * denied * period, "a task waits for too long");
  });
  await inPaged({ count: 3, aside: 8, ...planted }, [2], async paged => {
    for (const page of [6, 7, 8, 9]) paged.nic(1).board.bad.add(page);
    await fill(paged);
    need((await read(paged)) === 0, "a page that was not kept is lost");
    await paged.check();
  });
  await inPaged({ count: 2, ...planted }, [2], async paged => {
    paged.nic(1).nic.peers.kept.out = () => "FULL";
    let filled = false;
    void fill(paged).then(() => (filled = true));
    await paged.rack.until(() => filled, "all are told", 350);
    await paged.check();
  });
};
/** A space ends while its page is on its way, and another user has its place. */
const spacesEnd: Run = planted =>
  inPaged({ count: 2, ...planted }, [2], async paged => {
    const owner = paged.nic(0),
      { manager, board } = owner,
      task = paged.task(0, 0),
      { pages } = owner.nic.peers,
      honest = pages.get.bind(pages);
    await fill(paged);
    for (const way of ["in", "out"] as const) {
      let got = way === "out",
        release = (): void => undefined;
      const released = new Promise<void>(resolve => (release = resolve));
      // What has come is held until another user has the place.
      if (way === "in")
        pages.get = async key => {
          const bytes = await honest(key);
          got = true;
          await released;
          return bytes;
        };
      else {
        pages.get = honest;
        await paged.fill(paged.task(0, 1));
      }
      const from = owner.tasks.length,
        space = owner.tasks.find(t => t.way === 0)?.space ?? task.space;
      for (let page = 0; page < 4; page++) void board.access(0, page, page);
      await paged.rack.until(() => got && manager.moving > 0, "a page is on its way");
      await manager.destroy(space);
      // Peers tell of the room in their next LOAD.
      await paged.rack.periods(2);
      const next = await manager.create({ user: 7, limit: 4, write: true });
      if (typeof next === "string") throw new Error(`no space: ${next}`);
      await manager.attach(0, next);
      release();
      // It reads zeros, and not what the other one left.
      for (let page = 0; page < 4; page++) need((await board.access(0, page, page)) === 0, "another user's bytes");
      owner.tasks.splice(0, from, ...owner.tasks.filter(t => t.way !== 0));
      owner.tasks.push(owner.newTask(0, next));
    }
    await paged.check();
  });

/** In the peers' software. */
const faults: readonly (readonly [name: string, file: string, from: string, to: string, run: Run])[] = [
  [
    "a page comes back stale",
    "pages-kept.ts",
    "(await this.#frames?.write(coming.frame, coming.bytes)) === true",
    "(this.counts.kept > 2 || (await this.#frames?.write(coming.frame, coming.bytes)) === true)",
    apart,
  ],
  ["a page of the board is given to two owners", "pages-kept.ts", "(_, n) => i * each + n", "(_, n) => n", three],
  ["a number is given twice", "pages-away.ts", "(this.#number + 1) >>> 0", "(this.#number | 1) >>> 0", apart],
  [
    "a freed page is not returned",
    "pages-kept.ts",
    "      o.free.push(frame);\n      this.counts",
    "      this.counts",
    apart,
  ],
  [
    "a page that is not needed is not dropped",
    "pages-away.ts",
    "void this.#dropThere(page);",
    "this.#there.delete(page);",
    apart,
  ],
  [
    "a piece that is late begins its page again",
    "pages-kept.ts",
    "o.newest !== undefined && !after(page, o.newest)",
    "false",
    rights,
  ],
  ["the last piece is not waited for", "pages-kept.ts", "lacks.size > 0", "lacks.size > 1", apart],
  [
    "any number is anybody's",
    "pages-kept.ts",
    "frame = o.kept.get(p.page);",
    "frame = [...this.#owners.values()].map(x => x.kept.get(p.page)).find(x => x !== undefined);",
    rights,
  ],
  [
    "what comes back is not held against what went",
    "pages-away.ts",
    "digestOf(bytes) === page.digest",
    "digestOf(bytes) !== ''",
    rights,
  ],
  [
    "the peer dies while a page is on its way, and nobody is told",
    "pages-away.ts",
    "this.#there.delete(page);\n      page.end();",
    "this.#there.delete(page);",
    restarts,
  ],
  ["a peer that is gone has pages", "service.ts", "this.pages.gone(peer);", "", restarts],
  [
    "pages of an owner's earlier life are kept",
    "service.ts",
    "this.kept.ownerGone(peer.place.number, anew);",
    "",
    restarts,
  ],
  ["an earlier life's numbers bind", "pages-kept.ts", "o.newest = undefined;\n    o.refused", "o.refused", restarts],
  ["LOAD's oldest number is ignored", "service.ts", "this.kept.floor(from.place.number, said.oldest);", ";", forgets],
  ["the oldest number frees what counts", "pages-kept.ts", "n => after(oldest, n)", "n => !after(n, oldest)", apart],
  ["a page that lags is waited for", "pages-away.ts", '() => tell("late")', "() => undefined", troubled],
  [
    "a page is told as kept before it is",
    "pages-kept.ts",
    'return "BUSY";\n  }\n  #begin',
    'return "OK";\n  }\n  #begin',
    troubled,
  ],
];
/** In the memory's. */
const managerFaults: readonly (readonly [name: string, from: string, to: string, run: Run])[] = [
  [
    "a page is in use while it goes",
    "await driver.setPage(page.at, { ...entry, present: false, remote: true });",
    "",
    apart,
  ],
  [
    "a page that came back stays at the peer",
    "    await remote.drop(keyOf(space.number, page));\n    this.counted.in++",
    "    this.counted.in++",
    apart,
  ],
  [
    "a page of the board is used again before its bytes are away",
    "this.#leaving = page.at;",
    "this.#leaving = page.at; this.#unused.push(page.ppn);",
    apart,
  ],
  ["nobody is refused for want of room", "ageOf(since, now) >= ", "ageOf(since, now) >= 1e9 + ", troubled],
  [
    "a page of a space that has ended comes to the next one",
    "    if (this.#spaces.get(space.number) !== space) {",
    "    if (!this.#spaces.has(space.number)) {",
    spacesEnd,
  ],
  [
    "a page of a space that has ended is kept",
    "    if (!isWanted) await remote.drop(keyOf(space.number, at));\n",
    "",
    spacesEnd,
  ],
];

describe("a planted fault in the software of pages is found", () => {
  const mutants = new Mutants();
  beforeAll(() => mutants.prepare());
  afterAll(() => mutants.remove());
  it("and nothing without one", async () => {
    for (const run of [apart, three, restarts, rights, forgets, troubled, spacesEnd]) await run({});
  });
  it.each(faults)("%s", async (_, file, from, to, run) => {
    const software = await mutants.of(file, from, to);
    await expect(run({ software })).rejects.toThrow();
  });
  it.each(managerFaults)("%s", async (name, from, to, run) => {
    const made = await mutantOf<{ MemoryManager: typeof MemoryManager }>(
      "../../../designs/supernic/software/memory/manager.ts",
      { name, file: "software/memory/manager.ts", from, to },
    );
    await expect(run({ manager: made.MemoryManager })).rejects.toThrow();
  });
});
