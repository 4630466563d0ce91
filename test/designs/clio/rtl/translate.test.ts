import { describe, expect, test } from "vitest";
import { Translate, type TranslateParameters } from "../../../../designs/clio/rtl/translate.ts";
import { status } from "../../../../designs/packets/index.ts";
import { type Bench, type BenchOptions, type Random, runBench } from "../../../../sim/index.ts";
import { plant } from "../../../support/plant.ts";
import { type Page, type PageKind, type Ports, type RigOptions, TranslateRig } from "./support/translate-rig.ts";

const small: TranslateParameters = { pageSize: 4096, physicalMemory: 2 ** 24, slotsFactor: 4, misses: 4, beatBytes: 64, addressBits: 24, idBits: 5, freePages: 8, slots: 16, tlbEntries: 16, pagesPerRequest: 2 };
const big: TranslateParameters = { ...small, pageSize: 2 ** 22, physicalMemory: 2 ** 31, addressBits: 31, misses: 16, freePages: 64, slots: 64, tlbEntries: 64 };
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
  /** What the slow path does without frames. */
  readonly whenOut?: "waits" | "fails";
}

const kindOf = (random: Random, faulting: number): PageKind => ({ read: random.bool(0.9), write: random.bool(0.8), faults: random.bool(faulting) });

/** Pages in runs of neighbours, of several processes, in the last page of the address space too. */
function makePages(rig: TranslateRig, random: Random, load: Load): Page[] {
  const pages: Page[] = [], top = (1n << BigInt(rig.g.vpnBits)) - 1n;
  const put = (pid: number, vpn: bigint): void => { const p = rig.add(pid, vpn, kindOf(random, load.faulting)); if (p) pages.push(p); };
  put(7, top);
  put(7, 0n);
  while (pages.length < load.pages) {
    const pid = random.int(0, 5) * 13107, start = random.bits(rig.g.vpnBits);
    for (let i = 0n, n = BigInt(random.int(1, 6)); i < n && start + i <= top && pages.length < load.pages; i++) put(pid, start + i);
  }
  return pages;
}

/** Random accesses with everything going on at once. */
async function traffic(b: Bench<Ports>, p: TranslateParameters, load: Load): Promise<TranslateRig> {
  const random = b.random.fork("traffic"), rig = new TranslateRig(b, p, load), size = p.pageSize;
  const frames = Array.from({ length: rig.g.usablePages }, (_, i) => rig.g.firstPpn + i);
  // Random frames, so that a wrong bit shows.
  for (let i = frames.length - 1; i > 0; i--) { const k = random.int(0, i); [frames[i], frames[k]] = [frames[k] as number, frames[i] as number]; }
  const spare = frames.splice(0, load.frames ?? 200);
  rig.pool.push(...frames);
  rig.supply = 0;
  const pages = makePages(rig, random, load);
  rig.pool.splice(0, rig.pool.length, ...spare);
  rig.supply = load.whenOut ? 0.05 : 1;
  let ended = false;
  const churn = b.spawn(async () => {
    if (!load.churn) return;
    while (!ended) {
      await b.cycles(random.int(1, 2 * load.churn));
      if (ended) return;
      // Pages that are in use are the interesting ones.
      const page = random.bool(0.7) && hot.length > 0 ? random.pick(hot) : random.pick(pages);
      await rig.unmap(page);
      if (random.bool(0.5)) await b.cycles(random.int(1, 60));
      const kind = kindOf(random, load.faulting);
      rig.map(page, kind.faults || rig.pool.length > 0 ? kind : { ...kind, faults: true });
    }
  });
  const slow = b.spawn(async () => {
    if (!load.whenOut) return;
    for (let n = 0; !ended; n++) {
      await b.cycles(random.int(50, 300));
      rig.supply = n % 2 === 0 ? 0 : 0.3;
      if (load.whenOut === "fails") rig.outOfMemory = n % 4 === 0;
    }
  });
  let hot: Page[] = [];
  for (let n = 0; n < load.accesses; n++) {
    if (n % 64 === 0) hot = Array.from({ length: random.int(1, 12) }, () => random.pick(pages));
    const page = random.bool(0.6) ? random.pick(hot) : random.pick(pages), length = random.bool(0.2) ? random.int(1, 4) : random.int(1, 1430);
    const near = random.bool(0.3), offset = near ? size - random.int(1, Math.min(size, 1430)) : random.int(0, size - 1);
    const pid = random.bool(0.02) ? random.int(0, 65535) : page.pid;
    const va = random.bool(0.02) ? random.pick([spaceEnd, spaceEnd + 4096n, spaceEnd - 1n, (1n << 64n) - 1n, 1n << 63n, random.bits(64)]) : rig.addressOf(page, offset);
    await rig.sendWhenFree({ pid, va, length, write: random.bool() });
    if (random.bool(0.02)) await b.cycles(random.int(1, 100));
  }
  ended = true;
  await b.all([churn, slow]);
  rig.outOfMemory = false;
  rig.supply = 1;
  await rig.finish();
  expect(rig.outcomes.length).toBe(load.accesses);
  return rig;
}

const bench = (name: string, p: TranslateParameters, body: (b: Bench<Ports>) => Promise<void>, o: BenchOptions = {}): void => {
  test(name, () => runBench(`translate ${name}`, Translate(p), { hangCycles: 5000, ...o }, body));
};

describe("Translate under random traffic", () => {
  for (const beatBytes of [8, 16, 32, 64]) {
    const p = { ...small, beatBytes };
    bench(`${beatBytes * 8} bits, 4 KB pages: hits, misses, faults, evictions, shootdowns, back-pressure`, p, async (b) => {
      const rig = await traffic(b, p, { accesses: 2500, pages: 60, faulting: 0.4, churn: 60, busy: 0.2, latency: 15, jitter: 10, outOfOrder: true });
      for (const [name, n] of Object.entries(rig.events)) if (name !== "outOfMemory") expect(n, `${name}: seen at least once`).toBeGreaterThan(0);
    });
  }
  bench("512 bits, 4 MB pages, 64 entries, 16 misses", big, async (b) => { await traffic(b, big, { accesses: 6000, pages: 150, faulting: 0.5, churn: 80, latency: 40, jitter: 20, outOfOrder: true, frames: 250 }); });
  bench("no back-pressure, everything as fast as it goes", small, async (b) => { await traffic(b, small, { accesses: 4000, pages: 40, faulting: 0.3, churn: 20, latency: 5, hold: 2 }); });
  bench("few pages, much shooting", small, async (b) => { await traffic(b, small, { accesses: 4000, pages: 6, faulting: 0.6, churn: 5, latency: 20, jitter: 10, hold: 4 }); });
  bench("frames run out: accesses wait for them, the others go on (fault 6)", small, async (b) => { await traffic(b, small, { accesses: 2000, pages: 60, faulting: 0.7, churn: 60, frames: 90, whenOut: "waits" }); });
  bench("frames run out: accesses fail while the slow path says so (fault 6)", small, async (b) => {
    const rig = await traffic(b, small, { accesses: 2000, pages: 60, faulting: 0.7, churn: 60, frames: 90, whenOut: "fails" });
    expect(rig.events.outOfMemory).toBeGreaterThan(0);
  });
});
