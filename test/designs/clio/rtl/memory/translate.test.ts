import { describe, expect, test } from "vitest";
import { Translate, type TranslateParameters } from "../../../../../designs/clio/rtl/memory/translate.ts";
import { status } from "../../../../../designs/clio/wire/index.ts";
import { type Bench, type BenchOptions, legalMemories, type Random, runBench } from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { addMany, quiet, small, to } from "./support/quiet-rig.ts";
import { type Page, type PageKind, type Ports, type RigOptions, TranslateRig } from "./support/translate-rig.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const big: TranslateParameters = {
  ...small,
  pageSize: 2 ** 22,
  physicalMemory: 2 ** 31,
  addressBits: 31,
  misses: 16,
  freePages: 64,
  slots: 64,
  tlbEntries: 64,
};
const spaceEnd = 1n << 50n;

interface Load extends RigOptions {
  readonly accesses: number;
  /** Pages in use; more than the TLB holds makes evictions. */
  readonly pages: number;
  /** Share of pages that fault on their first use. */
  readonly faulting: number;
  /** Cycles between unmappings, on average; 0: none. */
  readonly churn?: number;
  /** Frames beyond those mapped at first. */
  readonly frames?: number;
  /** Behaviour of the slow path without frames. */
  readonly whenOut?: "waits" | "fails";
}

const kindOf = (random: Random, faulting: number): PageKind => ({
  read: random.chance(0.9),
  write: random.chance(0.8),
  faults: random.chance(faulting),
});

/** Pages in runs of neighbours, of several processes, in the last page of the address space too. */
function makePages(rig: TranslateRig, random: Random, load: Load): Page[] {
  const pages: Page[] = [],
    top = (1n << BigInt(rig.g.vpnBits)) - 1n;
  const put = (pid: number, vpn: bigint): void => {
    const p = rig.add(pid, vpn, kindOf(random, load.faulting));
    if (p) pages.push(p);
  };
  put(7, top);
  put(7, 0n);
  while (pages.length < load.pages) {
    const pid = random.between(0, 5) * 13107,
      start = random.bits(rig.g.vpnBits);
    for (let i = 0n, n = BigInt(random.between(1, 6)); i < n && start + i <= top && pages.length < load.pages; i++)
      put(pid, start + i);
  }
  return pages;
}

/** Random accesses with everything going on at once. */
async function traffic(b: Bench<Ports>, p: TranslateParameters, load: Load): Promise<TranslateRig> {
  const random = b.random.fork("traffic"),
    rig = new TranslateRig(b, p, load),
    size = p.pageSize;
  const frames = Array.from({ length: rig.g.usablePages }, (_, i) => rig.g.firstPpn + i);
  // Random frames, so that a wrong bit shows.
  for (let i = frames.length - 1; i > 0; i--) {
    const k = random.between(0, i);
    [frames[i], frames[k]] = [frames[k] as number, frames[i] as number];
  }
  const spare = frames.splice(0, load.frames ?? 200);
  rig.pool.push(...frames);
  rig.supply = 0;
  const pages = makePages(rig, random, load);
  rig.pool.splice(0, rig.pool.length, ...spare);
  rig.supply = load.whenOut ? 0.05 : 1;
  let ended = false;
  const going = (): boolean => !ended;
  const churn = b.spawn(async () => {
    if (!load.churn) return;
    while (going()) {
      await b.cycles(random.between(1, 2 * load.churn));
      // Pages that are in use are the interesting ones.
      const page = random.chance(0.7) && hot.length > 0 ? random.pick(hot) : random.pick(pages);
      await rig.unmap(page);
      if (random.chance(0.5)) await b.cycles(random.between(1, 60));
      const kind = kindOf(random, load.faulting);
      rig.map(page, kind.faults || rig.pool.length > 0 ? kind : { ...kind, faults: true });
    }
  });
  const slow = b.spawn(async () => {
    if (!load.whenOut) return;
    for (let n = 0; going(); n++) {
      await b.cycles(random.between(50, 300));
      rig.supply = n % 2 === 0 ? 0 : 0.3;
      if (load.whenOut === "fails") rig.outOfMemory = n % 4 === 0;
    }
  });
  let hot: Page[] = [];
  for (let n = 0; n < load.accesses; n++) {
    if (n % 64 === 0) hot = Array.from({ length: random.between(1, 12) }, () => random.pick(pages));
    const page = random.chance(0.6) ? random.pick(hot) : random.pick(pages),
      length = random.chance(0.2) ? random.between(1, 4) : random.between(1, 1430);
    const near = random.chance(0.3),
      offset = near ? size - random.between(1, Math.min(size, 1430)) : random.between(0, size - 1);
    const pid = random.chance(0.02) ? random.between(0, 65535) : page.pid;
    const va = random.chance(0.02)
      ? random.pick([spaceEnd, spaceEnd + 4096n, spaceEnd - 1n, (1n << 64n) - 1n, 1n << 63n, random.bits(64)])
      : rig.addressOf(page, offset);
    // Some are the sync unit's: 8 aligned bytes, whatever the length says.
    const op = random.chance(0.2) ? random.between(1, 6) : 0;
    await rig.sendWhenFree({ pid, va: op ? va & ~7n : va, length, write: random.chance(), op });
    if (random.chance(0.02)) await b.cycles(random.between(1, 100));
  }
  ended = true;
  await b.all([churn, slow]);
  rig.outOfMemory = false;
  rig.supply = 1;
  await rig.finish();
  expect(rig.outcomes.length).toBe(load.accesses);
  return rig;
}

const bench = (
  name: string,
  p: TranslateParameters,
  body: (b: Bench<Ports>) => Promise<void>,
  o: BenchOptions = {},
): void => {
  test(name, () => runBench(`translate ${name}`, Translate(p), { hangCycles: 5000, ...o }, body));
};

/** More misses than there is room for, and behind them hits without end: none of those waits for the hits to end. */
async function parkedAmongHits(b: Bench<Ports>, p: TranslateParameters): Promise<void> {
  const L = 60,
    rig = quiet(b, p, { latency: L }),
    [warm, ...cold] = addMany(rig, 2 * p.misses + 2, {}) as [Page, ...Page[]];
  await rig.one(to(rig, warm));
  await b.cycles(20);
  rig.outcomes.length = 0;
  const from = b.cycle,
    waiting = rig.fetches + cold.length;
  for (const page of cold) rig.send(to(rig, page));
  for (let sent = 0; rig.fetches < waiting;) {
    for (; sent < rig.outcomes.length + p.slots; sent++) rig.send(to(rig, warm));
    await b.risingEdge();
    expect(b.cycle - from, "cycles until the last of them is asked for").toBeLessThan(6 * L);
  }
  await b.until(() => rig.inFlight === 0);
  await rig.finish();
}

describe("Translate under random traffic", () => {
  for (const beatBytes of [8, 16, 32, 64]) {
    const p = { ...small, beatBytes };
    bench(
      `${beatBytes * 8} bits, 4 KB pages: hits, misses, faults, evictions, shootdowns, back-pressure`,
      p,
      async b => {
        const rig = await traffic(b, p, {
          accesses: 2500,
          pages: 60,
          faulting: 0.4,
          churn: 60,
          busy: 0.2,
          latency: 15,
          jitter: 10,
          outOfOrder: true,
        });
        for (const [name, n] of Object.entries(rig.events))
          if (name !== "outOfMemory" && name !== "tableWriteErrors")
            expect(n, `${name}: seen at least once`).toBeGreaterThan(0);
      },
    );
  }
  bench("512 bits, 4 MB pages, 64 entries, 16 misses", big, async b => {
    await traffic(b, big, {
      accesses: 6000,
      pages: 150,
      faulting: 0.5,
      churn: 80,
      latency: 40,
      jitter: 20,
      outOfOrder: true,
      frames: 250,
    });
  });
  bench("no back-pressure, everything as fast as it goes", small, async b => {
    await traffic(b, small, { accesses: 4000, pages: 40, faulting: 0.3, churn: 20, latency: 5, hold: 2 });
  });
  bench("few pages, much shooting", small, async b => {
    await traffic(b, small, { accesses: 4000, pages: 6, faulting: 0.6, churn: 5, latency: 20, jitter: 10, hold: 4 });
  });
  bench("frames run out: accesses wait for them, the others go on (fault 6)", small, async b => {
    await traffic(b, small, { accesses: 2000, pages: 60, faulting: 0.7, churn: 60, frames: 90, whenOut: "waits" });
  });
  bench("frames run out: accesses fail while the slow path says so (fault 6)", small, async b => {
    const rig = await traffic(b, small, {
      accesses: 2000,
      pages: 60,
      faulting: 0.7,
      churn: 60,
      frames: 90,
      whenOut: "fails",
    });
    expect(rig.events.outOfMemory).toBeGreaterThan(0);
  });
});

/** A rig whose memory answers after `latency` cycles, with frames for both sides. */
/** Cycles of a hit, from the access to its result. */
const hit = 3;

describe("Translate's times", () => {
  for (const [name, p] of [
    ["small", small],
    ["big", big],
  ] as const) {
    bench(`${name}: hits take ${hit} cycles, one per cycle`, p, async b => {
      const rig = quiet(b, p),
        pages = addMany(rig, 4, {}),
        count = p.slots - 1;
      for (const page of pages) await rig.one(to(rig, page));
      await b.cycles(20);
      rig.outcomes.length = 0;
      for (let n = 0; n < count; n++) rig.send(to(rig, pages[n % 4] as Page, n % 3 === 0));
      await b.until(() => rig.inFlight === 0);
      expect(rig.outcomes.map(o => o.cycle - o.accepted)).toEqual(Array.from({ length: count }, () => hit));
      expect(rig.outcomes.map(o => o.accepted - (rig.outcomes[0]?.accepted ?? 0))).toEqual(
        Array.from({ length: count }, (_, n) => n),
      );
    });
    for (const L of [1, 12, 60]) {
      bench(
        `${name}, memory latency ${L}: a miss is a hit, one table access and 4 cycles; a fault 1 more`,
        p,
        async b => {
          const rig = quiet(b, p, { latency: L }),
            [mapped] = addMany(rig, 1, {}) as [Page],
            faulting = rig.add(9, 77n, { faults: true }) as Page;
          rig.supply = 1;
          await b.cycles(10);
          for (const [page, cycles] of [
            [mapped, hit + L + 4],
            [faulting, hit + L + 5],
          ] as const) {
            const o = await rig.one(to(rig, page));
            expect(o.cycle - o.accepted).toBe(cycles);
            const again = await rig.one(to(rig, page));
            expect(again.cycle - again.accepted).toBe(hit);
          }
          expect(rig.ram.counts).toEqual({ readBursts: 2, readBeats: 2, writeBursts: 1, writeBeats: 1 });
          await rig.finish();
        },
      );
    }
    bench(`${name}: an access over the end of a page takes 3 cycles more`, p, async b => {
      const rig = quiet(b, p),
        [first] = [rig.add(6, 20n, {}), rig.add(6, 21n, {})] as [Page, Page],
        over = { ...to(rig, first), va: rig.addressOf(first, p.pageSize - 7) };
      await rig.one(over);
      await b.cycles(20);
      const o = await rig.one(over);
      expect(o.cycle - o.accepted).toBe(hit + 3);
      await rig.finish();
    });
    bench(`${name}: misses are pipelined, one per cycle, as many as there is room for`, p, async b => {
      const L = 60,
        rig = quiet(b, p, { latency: L }),
        pages = addMany(rig, p.misses, {});
      for (const page of pages) rig.send(to(rig, page));
      await b.until(() => rig.inFlight === 0);
      expect(rig.outcomes.map(o => o.cycle - o.accepted)).toEqual(pages.map(() => hit + L + 4));
      expect(rig.outcomes.map(o => o.accepted - (rig.outcomes[0]?.accepted ?? 0))).toEqual(pages.map((_, n) => n));
      await rig.finish();
    });
    bench(`${name}: hits flow at their own speed while every miss is out and more wait`, p, async b => {
      const L = 300,
        rig = quiet(b, p, { latency: L }),
        [warm, ...cold] = addMany(rig, p.misses + 3, {}) as [Page, ...Page[]],
        hits = p.slots - cold.length - 1;
      await rig.one(to(rig, warm));
      await b.cycles(20);
      rig.outcomes.length = 0;
      for (const page of cold) rig.send(to(rig, page));
      for (let n = 0; n < hits; n++) rig.send(to(rig, warm));
      await b.until(() => rig.outcomes.length === hits);
      expect(rig.outcomes.map(o => o.cycle - o.accepted)).toEqual(Array.from({ length: hits }, () => hit));
      await b.until(() => rig.inFlight === 0);
      await rig.finish();
    });
  }

  bench("whoever found no room among the misses has it in time, though hits come in every cycle", small, b =>
    parkedAmongHits(b, small),
  );
  for (const [like, memory] of Object.entries(legalMemories))
    bench(`first touches, a memory with ${like}`, small, async b => {
      const rig = quiet(b, small, { memory }),
        pages = addMany(rig, 40, { faults: true });
      rig.supply = 1;
      for (const page of pages) await rig.one(to(rig, page, true));
      await rig.finish();
      expect(rig.events.pageFaults).toBe(40);
    });
  bench("a first touch every 2 cycles, for hundreds of pages, keeps its pace", big, async b => {
    const L = 12,
      count = 400,
      rig = quiet(b, big, { latency: L }),
      pages = addMany(rig, count, { faults: true });
    rig.supply = 1;
    await b.cycles(200);
    for (const page of pages) {
      expect(rig.send(to(rig, page, true)), "a free slot").toBeDefined();
      await b.cycles(2);
    }
    await b.until(() => rig.inFlight === 0);
    const waits = rig.outcomes.map(o => o.cycle - o.accepted),
      first = rig.outcomes[0]?.accepted ?? 0;
    expect(rig.outcomes.map(o => o.accepted - first)).toEqual(pages.map((_, n) => 2 * n));
    expect(Math.max(...waits)).toBe(hit + L + 5);
    await rig.finish();
    expect(rig.events.pageFaults).toBe(count);
  });
});

describe("Translate, case by case", () => {
  bench(
    "atomics need the right to write, a pointer that is fetched that to read; writes to a page that is copied wait",
    small,
    async b => {
      const rig = quiet(b, small),
        kinds: readonly PageKind[] = [{}, { write: false }, { read: false }, { read: false, write: false }];
      const pages = kinds.map((k, i) => rig.add(1, BigInt(10 + i), k) as Page),
        untouched = kinds.map((k, i) => rig.add(1, BigInt(20 + i), { ...k, faults: true }) as Page);
      rig.supply = 1;
      for (const [op, wanted] of [
        [1, [0, status.WRITE_PERM, status.MIGRATING, status.WRITE_PERM]],
        [4, [0, status.WRITE_PERM, status.MIGRATING, status.WRITE_PERM]],
        [5, [0, 0, 0, status.READ_PERM]],
        [6, [0, 0, 0, status.READ_PERM]],
      ] as const) {
        for (const list of [pages, untouched]) {
          for (const [i, page] of list.entries()) {
            // The last 8 bytes of a page: the length of what the pointer leads to does not count.
            const o = await rig.one({
              pid: 1,
              va: rig.addressOf(page, small.pageSize - 8),
              length: 1000,
              write: op === 6,
              op,
            });
            // Without frame and rights a page is one that moves to another node.
            expect(o.status, `operation ${op} on a page of kind ${i}`).toBe(
              i === 3 && list === untouched ? status.MIGRATING : wanted[i],
            );
          }
        }
      }
      // The page that has no right has no frame still.
      await rig.finish();
      expect(rig.events.pageFaults).toBe(3);
    },
  );

  for (const faults of [false, true]) {
    bench(
      `accesses to one page at once make one fetch${faults ? " and take one frame" : ""} (faults 1 and 4)`,
      small,
      async b => {
        const rig = quiet(b, small, { latency: 30 }),
          [page] = addMany(rig, 1, { faults }) as [Page];
        rig.supply = 1;
        for (let n = 0; n < 12; n++) rig.send(to(rig, page, n % 2 === 0));
        await b.until(() => rig.inFlight === 0);
        await rig.finish();
        expect([rig.fetches, rig.events.missesMerged, rig.events.pageFaults]).toEqual([1, 11, faults ? 1 : 0]);
        expect(new Set(rig.outcomes.map(o => o.ppns[0])).size).toBe(1);
      },
    );
  }

  bench("the checks come in the order of the rules, page by page", small, async b => {
    const rig = quiet(b, small),
      end = small.pageSize - 10;
    const kinds: readonly PageKind[] = [
      {},
      { write: false },
      { faults: true, write: false },
      { read: false },
      { allocated: false },
      { faults: true },
    ];
    const pages = kinds.map((k, i) => rig.add(1, BigInt(10 + 10 * i), k) as Page),
      nexts = kinds.map((k, i) => rig.add(1, BigInt(11 + 10 * i), k) as Page);
    rig.add(1, 100n, {});
    rig.add(1, 101n, { write: false });
    rig.add(1, 110n, { faults: true });
    rig.add(1, 111n, { faults: true, write: false });
    rig.add(1, spaceEnd / 4096n - 1n, {});
    expect(nexts.length).toBe(kinds.length);
    const at = async (va: bigint, write: boolean, length = 20): Promise<number> =>
      (await rig.one({ pid: 1, va, length, write })).status;
    const inside = async (i: number, write: boolean): Promise<number> => at(rig.addressOf(pages[i] as Page, 5), write);
    expect([await inside(0, true), await inside(0, false)]).toEqual([0, 0]);
    expect([await inside(1, true), await inside(1, false)]).toEqual([status.WRITE_PERM, 0]);
    // Refused: takes no frame, of which there is none yet.
    expect(await inside(2, true)).toBe(status.WRITE_PERM);
    expect([await inside(3, true), await inside(3, false)]).toEqual([status.MIGRATING, 0]);
    expect([await inside(4, true), await inside(4, false)]).toEqual([status.INVALID, status.INVALID]);
    rig.outOfMemory = true;
    expect([await inside(5, true), await inside(2, true), await inside(4, true), await inside(1, false)]).toEqual([
      status.OUT_OF_MEMORY,
      status.WRITE_PERM,
      status.INVALID,
      0,
    ]);
    rig.outOfMemory = false;
    rig.supply = 1;
    expect([await inside(5, true), await inside(2, false), await inside(2, true)]).toEqual([0, 0, status.WRITE_PERM]);
    // Over the page's end.
    expect(await at(100n * 4096n + BigInt(end), true)).toBe(status.WRITE_PERM);
    expect(await at(100n * 4096n + BigInt(end), true, 10)).toBe(0);
    expect(await at(101n * 4096n + BigInt(end), true)).toBe(status.WRITE_PERM);
    expect(await at(101n * 4096n + BigInt(end), false)).toBe(status.INVALID);
    // The page in front keeps its frame.
    const taken = rig.events.pageFaults;
    expect(await at(110n * 4096n + BigInt(end), true)).toBe(status.WRITE_PERM);
    expect(rig.events.pageFaults).toBe(taken + 1);
    // The end of the address space, and of 64 bits.
    expect([
      await at(spaceEnd - 20n, true),
      await at(spaceEnd - 19n, true),
      await at(spaceEnd, false),
      await at((1n << 64n) - 1n, false),
      await at((1n << 63n) + 5n, false),
    ]).toEqual([0, status.INVALID, status.INVALID, status.INVALID, status.INVALID]);
    await rig.finish();
  });

  const refusedWrites = async (b: Bench<Ports>): Promise<void> => {
    const rig = quiet(b, small);
    rig.supply = 1;
    for (const page of addMany(rig, 10, { faults: true, write: false })) rig.send(to(rig, page, true));
    await b.until(() => rig.inFlight === 0);
    await rig.finish();
    expect(rig.events.pageFaults).toBe(0);
  };
  bench("a refused write takes no frame", small, refusedWrites);

  bench("every slot of a bucket faults and is written back right (fault 5)", small, async b => {
    const rig = quiet(b, small),
      pages: Page[] = [];
    for (let slot = 0, vpn = 0n; slot < 8; vpn += 3n) {
      const page = rig.add(2, vpn, { faults: true, read: slot % 2 === 0 }, slot);
      if (page) {
        pages.push(page);
        slot++;
      }
    }
    rig.supply = 1;
    for (const page of pages) rig.send(to(rig, page, false));
    await b.until(() => rig.inFlight === 0);
    await rig.finish();
    expect(rig.events.pageFaults).toBe(8);
  });

  bench("a memory error ends the access with FAIL, and is not remembered", small, async b => {
    const rig = quiet(b, small),
      [page, other] = addMany(rig, 2, {}) as [Page, Page],
      range = { from: page.index * 64, to: page.index * 64 + 64 };
    rig.ram.failAt(range);
    rig.failing.add(page.index);
    expect([(await rig.one(to(rig, page))).status, (await rig.one(to(rig, other))).status]).toEqual([status.FAIL, 0]);
    range.to = range.from;
    rig.failing.clear();
    expect((await rig.one(to(rig, page))).status).toBe(0);
    await rig.finish();
  });

  const framesRunOut = async (b: Bench<Ports>): Promise<void> => {
    const rig = quiet(b, small, { latency: 10 }),
      [warm, ...rest] = addMany(rig, 4, {}) as [Page, ...Page[]],
      faulting = addMany(rig, 3, { faults: true });
    await rig.one(to(rig, warm));
    for (const page of faulting) rig.send(to(rig, page));
    await b.cycles(100);
    rig.outcomes.length = 0;
    // Hits, and misses that need no frame, in the miss that is left.
    for (let n = 0; n < 8; n++) rig.send(to(rig, warm));
    for (const page of rest) expect(rig.send(to(rig, page))).toBeDefined();
    await b.until(() => rig.outcomes.length === 8 + rest.length);
    expect(rig.inFlight).toBe(faulting.length);
    await b.cycles(200);
    expect(rig.inFlight).toBe(faulting.length);
    rig.supply = 1;
    await b.until(() => rig.inFlight === 0);
    await rig.finish();
  };
  bench("frames run out: what needs none goes on, what waits gets them in the end (fault 6)", small, framesRunOut);

  /**
   * A page that can only be read has no frame, and there is none. One who may read waits for it, and one who may not
   * write has come at any moment: into the bucket's fetch, or to those who wait. Each gets its own answer, whether the
   * frame comes or not.
   */
  const rightsAndFrames = async (b: Bench<Ports>): Promise<void> => {
    const rig = quiet(b, small, { latency: 10 }),
      ends = { frame: 0, refusal: 0 },
      frames = rig.pool.splice(0);
    for (let gap = -8; gap <= 40; gap++)
      for (const comes of [true, false]) {
        const [page] = addMany(rig, 1, { faults: true, write: false }) as [Page];
        const before = rig.outcomes.length,
          [one, two] = gap < 0 ? [true, false] : [false, true];
        rig.send(to(rig, page, one));
        await b.cycles(Math.abs(gap));
        rig.send(to(rig, page, two));
        await b.cycles(60);
        rig.supply = 1;
        if (comes) rig.pool.push(...frames.splice(0, 1));
        else rig.outOfMemory = true;
        await b.until(() => rig.inFlight === 0);
        rig.outOfMemory = false;
        const told = rig.outcomes.slice(before),
          [writes] = told.filter(o => o.access.write),
          [reads] = told.filter(o => !o.access.write);
        expect([writes?.status, reads?.status], `${gap} cycles apart`).toEqual([
          status.WRITE_PERM,
          comes ? 0 : status.OUT_OF_MEMORY,
        ]);
        ends[comes ? "frame" : "refusal"]++;
      }
    expect(ends).toEqual({ frame: 49, refusal: 49 });
    await rig.finish();
  };
  bench("no frame and no right, at once and at any distance", small, rightsAndFrames);

  /** No frame, and a page that is taken away or is to move, while several wait for it. */
  const shotWhileWaiting = async (b: Bench<Ports>): Promise<void> => {
    const rig = quiet(b, small, { latency: 10 });
    for (let gap = 0; gap < 30; gap++) {
      const [page] = addMany(rig, 1, { faults: true }) as [Page];
      rig.send(to(rig, page));
      rig.send(to(rig, page, true));
      await b.cycles(gap);
      const gone = b.spawn(() => rig.unmap(page));
      await b.cycles(80);
      // Who waits for a frame holds the shootdown up: it ends with what the slow path decides.
      if (gap % 2 === 0) rig.outOfMemory = true;
      else rig.supply = 1;
      await b.all([gone]);
      rig.outOfMemory = false;
      rig.supply = 0;
      await b.until(() => rig.inFlight === 0);
    }
    await rig.finish();
  };
  bench("no frame and a shootdown, at once", small, shotWhileWaiting);

  /** The memory fails a bucket's read for which some wait that lack the right, while there is no frame. */
  const errorsAndFrames = async (b: Bench<Ports>): Promise<void> => {
    const rig = quiet(b, small, { latency: 10 }),
      waiting = addMany(rig, 2, { faults: true }),
      [page] = addMany(rig, 1, { faults: true, write: false }) as [Page],
      range = { from: page.index * 64, to: page.index * 64 + 64 };
    for (const w of waiting) rig.send(to(rig, w));
    await b.cycles(60);
    rig.ram.failAt(range);
    rig.failing.add(page.index);
    rig.send(to(rig, page, true));
    rig.send(to(rig, page));
    await b.until(() => rig.inFlight === waiting.length);
    expect(rig.outcomes.map(o => o.status)).toEqual([status.FAIL, status.FAIL]);
    range.to = range.from;
    rig.failing.clear();
    rig.outOfMemory = true;
    await b.until(() => rig.inFlight === 0);
    rig.outOfMemory = false;
    rig.supply = 1;
    expect([(await rig.one(to(rig, page, true))).status, (await rig.one(to(rig, page))).status]).toEqual([
      status.WRITE_PERM,
      0,
    ]);
    await rig.finish();
  };
  bench("no frame, no right and a memory error", small, errorsAndFrames);

  const keepsRefused = async (b: Bench<Ports>): Promise<void> => {
    const rig = quiet(b, small, { latency: 10 }),
      others = addMany(rig, 40, {}),
      [page] = addMany(rig, 1, { faults: true }) as [Page];
    rig.supply = 1;
    rig.send(to(rig, page, true));
    await b.until(() => b.io.r.valid.value === 1);
    // From now on the memory refuses the page's entry, and its bucket cannot be read either.
    const range = { from: page.index * 64, to: page.index * 64 + 64 };
    rig.ram.failAt(range);
    await b.until(() => rig.outcomes.length === 1);
    // The TLB forgets the page over and over; it has its frame each time.
    for (const other of others) {
      await rig.one(to(rig, other));
      await rig.one(to(rig, page, true));
    }
    expect(new Set(rig.outcomes.map(o => o.status))).toEqual(new Set([0]));
    expect(rig.readEntry(page), "the entry is not there yet").not.toBe(rig.entryOf(page));
    const refused = rig.events.tableWriteErrors;
    expect(refused).toBeGreaterThan(10);
    range.to = range.from;
    await b.cycles(100);
    expect(rig.readEntry(page), "the entry is there").toBe(rig.entryOf(page));
    const after = rig.events.tableWriteErrors;
    await rig.finish();
    expect([rig.events.pageFaults, rig.events.tableWriteErrors]).toEqual([1, after]);
  };
  bench("an entry that the memory refuses: the page keeps its frame until the memory takes it", small, keepsRefused);

  const manyRefused = async (b: Bench<Ports>): Promise<void> => {
    const rig = quiet(b, small, { latency: 10 }),
      warm = addMany(rig, 12, {}),
      faulting = addMany(rig, small.misses, { faults: true });
    rig.supply = 1;
    rig.refusing = true;
    const half = faulting.slice(0, small.misses / 2),
      rest = faulting.slice(small.misses / 2);
    const ranges: { from: number; to: number }[] = [];
    const touch = async (page: Page): Promise<number> => {
      const n = rig.outcomes.length,
        errors = rig.events.tableWriteErrors;
      rig.send(to(rig, page, true));
      await b.until(() => b.io.r.valid.value === 1);
      const range = { from: page.index * 64, to: page.index * 64 + 64 };
      if (half.includes(page)) {
        rig.ram.failAt(range);
        ranges.push(range);
      }
      await b.until(() => rig.outcomes.length > n);
      await b.cycles(60);
      expect(rig.events.tableWriteErrors).toBeGreaterThan(errors);
      return rig.outcomes.at(-1)?.status ?? -1;
    };
    for (const page of half) expect(await touch(page)).toBe(0);
    const frames = rig.events.pageFaults;
    // Half of the misses stand: a fault ends with FAIL and takes no frame; misses without a fault, and the pages that
    // have their frame, go on.
    for (const page of rest) expect(await touch(page)).toBe(status.FAIL);
    for (const page of [...warm, ...half]) expect((await rig.one(to(rig, page, true))).status).toBe(0);
    expect(rig.events.pageFaults).toBe(frames);
    for (const range of ranges) range.to = range.from;
    await b.cycles(100);
    rig.refusing = false;
    for (const page of rest) expect((await rig.one(to(rig, page, true))).status).toBe(0);
    await rig.finish();
    expect(rig.events.pageFaults).toBe(small.misses);
  };
  bench("half of the misses stand for refused entries: faults end with FAIL, and all else goes on", small, manyRefused);

  const slotsStayBusy = async (b: Bench<Ports>): Promise<void> => {
    const rig = quiet(b, small, { hold: 400 }),
      [page] = addMany(rig, 1, {}) as [Page];
    for (let n = 0; n < 6; n++) await rig.one(to(rig, page));
    await rig.unmap(page);
    expect((await rig.one(to(rig, page))).status).toBe(status.INVALID);
    await rig.finish();
  };
  bench("a shootdown is acknowledged when the slots that could have used the page are free", small, slotsStayBusy);

  /**
   * On a narrow bus a page's entry in slot 0 is read beats before the bucket is whole. In that window the slow
   * path changes it.
   */
  const narrow = { ...small, beatBytes: 8 };
  const inSlot0 = (rig: TranslateRig, kind: PageKind): Page => {
    for (let vpn = 40n; ; vpn++) {
      const page = rig.add(4, vpn, kind, 0);
      if (page) return page;
    }
  };
  const inFlightFetch = async (b: Bench<Ports>): Promise<void> => {
    const rig = quiet(b, narrow),
      page = inSlot0(rig, {});
    for (let wait = 0; wait < 20; wait++) {
      rig.send(to(rig, page));
      await b.until(() => b.io.r.valid.value === 1);
      await b.cycles(wait);
      await rig.unmap(page);
      rig.map(page, {});
      for (let n = 0; n < 3; n++) await rig.one(to(rig, page));
      await rig.unmap(page);
      rig.map(page, {});
    }
    await rig.finish();
  };
  bench(
    "a shootdown while the page's fetch comes back: the fill does not bring the old mapping back",
    narrow,
    inFlightFetch,
  );

  const writeUnderWay = async (b: Bench<Ports>): Promise<void> => {
    const rig = quiet(b, small, { latency: { read: 5, write: 80 } }),
      [page] = addMany(rig, 1, { faults: true }) as [Page];
    rig.supply = 1;
    for (let wait = 0; wait < 60; wait += 3) {
      rig.send(to(rig, page));
      await b.cycles(wait);
      await rig.unmap(page);
      rig.map(page, { faults: true });
    }
    await rig.finish();
  };
  bench("a shootdown while a fault's entry is being written: acknowledged when it is in memory", small, writeUnderWay);

  const lateEntry = async (b: Bench<Ports>): Promise<void> => {
    const rig = quiet(b, narrow),
      page = inSlot0(rig, { allocated: false });
    rig.send(to(rig, page));
    await b.until(() => b.io.r.valid.value === 1);
    rig.map(page, {});
    for (let n = 0; n < 3; n++) rig.send(to(rig, page));
    await b.until(() => rig.inFlight === 0);
    expect(rig.outcomes.map(o => o.status)).toEqual([status.INVALID, 0, 0, 0]);
    await rig.finish();
  };
  bench(
    "an access that comes after its page was made sees it, though a fetch from before is under way",
    narrow,
    lateEntry,
  );

  testOfResets(Translate(small), { most: 1500 }, b =>
    traffic(b, small, { accesses: 400, pages: 40, faulting: 0.4, churn: 10, busy: 0.2, latency: 15, jitter: 10 }),
  );
  bench("reset in the middle: nothing is left of before", small, async b => {
    const first = quiet(b, small, { latency: 100 }),
      pages = addMany(first, 10, {});
    for (const page of pages) first.send(to(first, page));
    await b.cycles(40);
    // Long enough for the memory to answer what it was asked: the answers fall on the floor.
    b.sim.reset(300);
    await b.cycles(3);
    expect([
      b.io.ar.valid.value,
      b.io.aw.valid.value,
      b.io.reads.valid.value,
      b.io.writes.valid.value,
      b.io.refused.valid.value,
    ]).toEqual([0, 0, 0, 0, 0]);
    first.forget();
    for (const page of pages) await first.one(to(first, page));
    for (const page of pages) await first.one(to(first, page));
    expect(first.outcomes.map(o => o.cycle - o.accepted)).toEqual([
      ...pages.map(() => hit + 100 + 4),
      ...pages.map(() => hit),
    ]);
  });

  describe("planted faults are caught", () => {
    const caught = (
      name: string,
      p: TranslateParameters,
      from: string | RegExp,
      becomes: string,
      body: (b: Bench<Ports>) => Promise<unknown>,
      error: RegExp,
    ): void => {
      test(name, () =>
        findsFault(
          runBench(
            `planted ${name}`,
            plant(Translate(p), from, becomes),
            { wave: false, hangCycles: 3000, limitCycles: 60_000 },
            async b => {
              await body(b);
            },
          ),
          error,
        ),
      );
    };
    const mapped: Load = { accesses: 1500, pages: 40, faulting: 0, latency: 20, jitter: 10, hold: 4 },
      touched: Load = { ...mapped, faulting: 1 },
      mixed: Load = { ...mapped, faulting: 0.5 };
    const shot: Load = { ...mapped, pages: 8, churn: 20, faulting: 0.3 };
    const run = (load: Load) => (b: Bench<Ports>) => traffic(b, small, load);
    caught(
      "fault 1: two misses to one page make two entries",
      small,
      /wire same_(\d) = /,
      "wire same_$1 = 1'b0 & ",
      run(mapped),
      /at most once|merged|every miss/,
    );
    caught(
      "parked requests wait while new ones come",
      small,
      /(?<=wire wants_parked = )/,
      "~access_valid & ",
      b => parkedAmongHits(b, small),
      /asked for/,
    );
    caught("the key of the buckets is ignored", small, /hash_key\[(\d+)\]/, "1'b0", run(mapped), /./);
    caught(
      "fault 2: fills do not move the order",
      small,
      "touched <= touch | fill_valid",
      "touched <= touch & ~fill_valid",
      b => fillsTlb(b),
      /in the TLB/,
    );
    caught(
      "fault 3: answers back to back are compared with a tag of another",
      small,
      /wanted\[coming\]/g,
      "wanted[miss]",
      run(mapped),
      /access of pid/,
    );
    caught(
      "fault 4: two faults on one page take two frames",
      small,
      /wire same_(\d) = /,
      "wire same_$1 = 1'b0 & ",
      run(touched),
      /frame|at most once/,
    );
    caught(
      "fault 4: an ordinary miss takes the frame of a fault",
      small,
      /picked_quick \? faulted_ppn/,
      "faulted_valid ? faulted_ppn",
      run(mixed),
      /access of pid/,
    );
    caught(
      "fault 5: the entry is written to another slot",
      small,
      "waiting_pop_payload_slot, 3'd0",
      "waiting_pop_payload_slot ^ 3'd1, 3'd0",
      run(touched),
      /entry of page|frame|entry at/,
    );
    caught(
      "fault 6: without frames everything stops",
      small,
      "first_ready = ~first_valid | first_moves",
      "first_ready = (~first_valid | first_moves) & (free_pages != 0)",
      framesRunOut,
      /no stream has moved|has not ended|access/,
    );
    caught(
      "a fill under way brings back what was shot down",
      narrow,
      /if \(poison & same_/,
      "if (1'b0 & poison & same_",
      inFlightFetch,
      /access of pid/,
    );
    caught(
      "a shootdown does not wait for the write of a fault",
      small,
      " | misses_poison_left",
      "",
      writeUnderWay,
      /entry of page|frame/,
    );
    caught(
      "a shootdown leaves the TLB as it is",
      small,
      "if (clear & found",
      "if (1'b0 & found",
      run(shot),
      /access of pid/,
    );
    caught(
      "a shootdown is acknowledged at once",
      small,
      /(awaited <= )inside/,
      "$1{16{1'b0}} & inside",
      slotsStayBusy,
      /busy at its acknowledgement/,
    );
    caught(
      "no entry is believed by all that joined",
      narrow,
      /no_entry & ~?misses_served_first/,
      "no_entry",
      lateEntry,
      /refused with status 1/,
    );
    caught(
      "a pointer is fetched without the right to read",
      small,
      /~plain \| ~access_payload_write/,
      "~access_payload_write",
      run(mapped),
      /access of pid|frame/,
    );
    caught(
      "a pointer's length counts at the end of a page",
      small,
      /access_payload_op == 3'd0/g,
      "1'b1",
      run(mixed),
      /access of pid|frame/,
    );
    caught(
      "a write to a page that is being copied is refused as one to a page that can only be read",
      small,
      "mapping_write & ~mapping_read",
      "1'b0",
      run(mixed),
      /access of pid.*got status 2/s,
    );
    caught(
      "a page that is being copied takes writes",
      small,
      /request_needs_write & ~\(mapping_read & mapping_write\)/,
      "request_needs_write & ~mapping_write",
      run(mixed),
      /access of pid|frame/,
    );
    caught(
      "a page that moves is refused as one without rights",
      small,
      "moving ? status_migrating",
      "1'b0 ? status_migrating",
      run(mixed),
      /access of pid.*got status [23]/s,
    );
    caught(
      "a page without frame is taken for one that moves",
      small,
      /(wire moving =[^;]*) & ~either/,
      "$1",
      refusedWrites,
      /access of pid.*got status 9|status/s,
    );
    caught(
      "an entry that was refused counts as written",
      small,
      /assign refusal = [^;]*;/,
      "assign refusal = 1'b0;",
      keepsRefused,
      /access of pid|frame|status|toEqual|entry/,
    );
    caught(
      "faults take frames though half of the entries are refused",
      small,
      /broken <= breaks/,
      "broken <= 1'b0",
      manyRefused,
      /frame|quick|toBe|has not ended|no stream has moved/,
    );
    caught(
      "who lacks the right and waits for a frame that nobody has is not answered",
      small,
      /(denied = \([^;]*) \| out_of_frames/,
      "$1",
      rightsAndFrames,
      /no stream has moved|has not ended|limit|toEqual/,
    );
    caught(
      "who lacks the right and waits for a frame that nobody has is told of the frame",
      small,
      /exhausted = permitted & /,
      "exhausted = ",
      rightsAndFrames,
      /toEqual|deeply equal|status/,
    );
    caught(
      "who waits while there is no frame is forgotten by a shootdown",
      small,
      " | misses_poison_left",
      "",
      shotWhileWaiting,
      /./,
    );
    caught(
      "a miss that ends for want of a frame does not come back",
      small,
      /(wire unserved = [^;]*faulted_out_of_memory)/,
      "$1 & 1'b0",
      rightsAndFrames,
      /./,
    );
    caught(
      "a refused write takes a frame",
      small,
      /helps_write & walked_result_write/,
      "helps_write",
      refusedWrites,
      /no access that is permitted/,
    );
  });
});

/** Page after page through the TLB: the last ones are hits, whatever came before. */
async function fillsTlb(b: Bench<Ports>): Promise<void> {
  const rig = quiet(b, small),
    pages = addMany(rig, 200, {});
  for (const [n, page] of pages.entries()) {
    await rig.one(to(rig, page));
    const back = pages[Math.max(0, n - 8)] as Page,
      fetches = rig.events.bucketFetches;
    await rig.one(to(rig, back));
    await b.cycles(2);
    expect(rig.events.bucketFetches, `page ${Math.max(0, n - 8)} is in the TLB after page ${n}`).toBe(fetches);
  }
}
