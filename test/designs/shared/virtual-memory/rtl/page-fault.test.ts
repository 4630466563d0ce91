import { describe, expect, test } from "vitest";
import { PageFault } from "../../../../../designs/shared/virtual-memory/rtl/page-fault.ts";
import { geometryOf } from "../../../../../designs/shared/virtual-memory/rtl/table-walk.ts";
import { bucketSlots, entryAddress, packEntry } from "../../../../../designs/shared/virtual-memory/table/index.ts";
import {
  AxiRam,
  type AxiRamOptions,
  type Bench,
  bernoulli,
  legalMemories,
  never,
  poke,
  runBench,
  SparseMemory,
  StreamSource,
} from "../../../../../sim/index.ts";
import { allBack } from "../../../../support/all-back.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { noReads } from "../../../../support/half-axi.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const misses = 8,
  freePages = 8;
/** By page size: the memory and the address space that go with it. */
const parameterSets = {
  4096: { physicalMemory: 2 ** 24, slotsFactor: 4, vaBits: 50, pidBits: 16 },
  4194304: { physicalMemory: 2 ** 31, slotsFactor: 4, vaBits: 50, pidBits: 16 },
  65536: { physicalMemory: 2 ** 28, slotsFactor: 2, vaBits: 40, pidBits: 6 },
} as const;
type PageSize = keyof typeof parameterSets;
const table = (pageSize: PageSize) => ({ pageSize, ...parameterSets[pageSize] });
const dut = (beatBytes: number, pageSize: PageSize = 4096) =>
  PageFault({ ...table(pageSize), misses, beatBytes, addressBits: 31, idBits: 5, freePages });
type Ports = ReturnType<typeof dut>["ports"];

interface Fault {
  readonly miss: number;
  readonly slot: number;
  readonly index: number;
  readonly tag: bigint;
  readonly read: number;
  readonly write: number;
}
interface Options {
  readonly beatBytes: number;
  readonly pageSize?: PageSize;
  readonly busy: number;
  readonly pages: "many" | "few" | "none";
  /** What the memory is like otherwise. */
  readonly ram?: AxiRamOptions;
  /** Of how many entries the memory takes none at first: a `few`, `some`, or every one for a long time (`all`). */
  readonly refuses?: "few" | "some" | "all";
}

/**
 * Random faults, one per cycle where there is a miss for it, pages now and then. Held against plain queues: pages go to
 * faults in order, and each fault ends once. When `written` pulses, the entry is in memory, right in all 64 bits, with
 * its neighbours untouched. An entry that the memory refuses is written until it is there, and is counted each time.
 * With half of the misses standing so, faults end with an error, and with fewer they do not.
 */
async function run(b: Bench<Ports>, count: number, o: Options): Promise<void> {
  const g = geometryOf(table(o.pageSize ?? 4096)),
    random = b.random.fork("faults"),
    p = (n: number) => (o.busy > 0 ? bernoulli(o.busy, n) : never);
  const memory = new SparseMemory({ fill: { seed: 3 } }),
    copy = new SparseMemory({ fill: { seed: 3 } });
  const ram = new AxiRam(b.sim, { aw: b.io.aw, w: b.io.w, b: b.io.b, ...noReads(o.beatBytes) } as never, {
    latency: 10,
    jitter: 12,
    outOfOrder: true,
    memory,
    pause: { aw: p(1), w: p(2), b: p(3) },
    ...o.ram,
  });
  const refusal = { from: 0, to: 0 };
  ram.failAt(refusal);
  const pages = new StreamSource(b.sim, b.io.freePage, { pause: p(4) });
  /** Misses whose entry was refused and is not written, by the bus; since when they are many, and few. */
  const standing = new Set<number>();
  let refusedWrites = 0,
    countedRefusals = 0,
    failed = 0,
    many = Number.POSITIVE_INFINITY,
    few = 0;
  /** By miss: `waits` for a page, then `writes` its entry. */
  const waits: Fault[] = [],
    writes = new Map<number, Fault & { ppn: number }>(),
    given: number[] = [];
  let quick = false,
    seenQuick = 0;
  let refused = 0,
    done = 0,
    taken = 0,
    supplied = 0,
    outOfMemory = false;
  b.onEdge({
    sample: cycle => {
      if (b.io.freePage.valid.value && b.io.freePage.ready.value) supplied++;
      const d = b.io.done;
      if (quick)
        expect([d.valid.value, d.outOfMemory.value], `a quick fault has its page at cycle ${cycle}`).toEqual([1, 0]);
      quick = b.io.quick.value === 1 && b.io.fault.valid.value === 1;
      if (quick) seenQuick++;
      if (d.valid.value) {
        const f = waits.shift();
        if (!f) throw new Error(`done at cycle ${cycle} with no fault waiting`);
        expect(Number(d.miss.value), `done in order at cycle ${cycle}`).toBe(f.miss);
        if (d.error.value) {
          expect(cycle - few, `an error at cycle ${cycle} though few entries are refused`).toBeLessThan(4 + misses);
          failed++;
        } else if (d.outOfMemory.value) {
          expect(outOfMemory, `out of memory at cycle ${cycle} though the slow path has pages`).toBe(true);
          refused++;
        } else {
          expect(cycle - many, `a page at cycle ${cycle} though half of the entries are refused`).toBeLessThan(
            4 + misses,
          );
          expect(d.ppn.num, `page of the fault at cycle ${cycle}`).toBe(given[taken++]);
          writes.set(f.miss, { ...f, ppn: d.ppn.num });
          done++;
        }
      }
      if (b.io.refused.value) countedRefusals++;
      if (b.io.b.valid.value && b.io.b.ready.value) {
        const miss = Number(b.io.b.payload.id.value) - 1,
          were = standing.size >= misses / 2;
        if (b.io.b.payload.resp.value) {
          standing.add(miss);
          refusedWrites++;
        } else standing.delete(miss);
        const are = standing.size >= misses / 2;
        if (are && !were) many = cycle;
        if (were && !are) few = cycle;
        if (are) few = Number.POSITIVE_INFINITY;
        else many = Number.POSITIVE_INFINITY;
      }
      if (b.io.written.valid.value) {
        const miss = Number(b.io.written.miss.value),
          f = writes.get(miss);
        if (!f) throw new Error(`written of miss ${miss} at cycle ${cycle}, which writes nothing`);
        const at = entryAddress(g, f.index, f.slot),
          entry = new DataView(new ArrayBuffer(8));
        entry.setBigUint64(
          0,
          packEntry(g, {
            allocated: true,
            valid: true,
            read: f.read === 1,
            write: f.write === 1,
            tag: f.tag,
            ppn: f.ppn,
          }),
          true,
        );
        copy.write(at, new Uint8Array(entry.buffer));
        // The bucket and its neighbours, every byte.
        const from = Math.max(0, at - 128);
        expect(
          Buffer.from(memory.read(from, 256)).toString("hex"),
          `table around slot ${f.slot} of bucket ${f.index}`,
        ).toBe(Buffer.from(copy.read(from, 256)).toString("hex"));
        writes.delete(miss);
      }
    },
  });
  const faultOf = (n: number, miss: number): Fault => ({
    miss,
    slot: n % bucketSlots,
    index: (n * 8 + 3) % g.buckets,
    tag: random.bits(g.tagBits),
    read: random.between(0, 1),
    write: random.between(0, 1),
  });
  /** One cycle, with a fault or without. */
  const faults = async (f?: Fault): Promise<void> => {
    poke(b.io.fault, {
      valid: f ? 1 : 0,
      result: {
        error: 0,
        allocated: 1,
        mapped: 0,
        ppn: random.between(0, 3),
        ...(f ?? { miss: 0, slot: 0, index: 0, tag: 0, read: 0, write: 0 }),
      },
    });
    await b.risingEdge();
    if (f) waits.push(f);
  };
  /** At the end: pages fill the buffer, half of the misses may stand refused and no more, and all end at once. */
  const isBack = async (n: number): Promise<void> => {
    b.io.outOfMemory.value = 0;
    await fill(b, pages, () => given[given.push(random.between(0, 2 ** g.ppnBits - 1)) - 1] as number);
    refusal.to = 2 ** 31;
    for (let miss = 0; miss < misses; miss++) {
      const before = failed;
      await faults(faultOf(n + miss, miss));
      await faults();
      await b.until(() => standing.has(miss) || failed > before);
      await b.cycles(6);
    }
    await allBack(b, { what: "entries refused", count: misses / 2, had: () => standing.size });
    refusal.to = 0;
    await b.until(() => writes.size === 0);
    await b.cycles(3);
    const before = done;
    for (let miss = 0; miss < misses; miss++) await faults(faultOf(n + misses + miss, miss));
    await faults();
    await fill(b, pages, () => given[given.push(random.between(0, 2 ** g.ppnBits - 1)) - 1] as number);
    await allBack(b, { what: "misses", count: misses, had: () => done - before });
    await b.until(() => writes.size === 0);
  };
  const lowest = Array.from({ length: misses }, (_, i) => i),
    used = (): Set<number> => new Set([...waits.map(f => f.miss), ...writes.keys()]);
  for (let n = 0, edge = 0; n < count || waits.length > 0 || writes.size > 0; edge++) {
    if (pages.pending < 2 && (o.pages === "many" || (o.pages === "few" && random.chance(0.05)))) {
      given.push(random.between(0, 2 ** g.ppnBits - 1));
      pages.send(given[given.length - 1] as number);
    }
    if (o.pages === "none" || (o.pages === "few" && n >= count)) outOfMemory = true;
    else if (o.pages === "few" && edge % 100 === 0) outOfMemory = edge % 300 === 200;
    b.io.outOfMemory.value = outOfMemory ? 1 : 0;
    // One in three is refused; or all are, until faults have ended with errors for that. A miss is left for them.
    const share = o.refuses === "few" ? 1 / 20 : 1 / 3;
    const refusing =
      o.refuses === "few" || o.refuses === "some" ? random.chance(share) : o.refuses === "all" && failed < count / 4;
    refusal.to = refusing ? 2 ** 31 : 0;
    const isFull = o.refuses === "all" && standing.size < misses / 2 && waits.length + writes.size >= misses - 1;
    const free = lowest.filter(m => !used().has(m)).slice(0, isFull ? 0 : misses);
    // Buckets are apart, so that neighbours in the comparison do not change at the same time.
    const f = n < count && free.length > 0 && random.chance(0.8) ? faultOf(n, random.pick(free)) : undefined;
    await faults(f);
    if (f) n++;
    expect(b.io.level.num, `level at cycle ${b.cycle}`).toBeLessThanOrEqual(freePages);
  }
  await b.cycles(3);
  expect([done + refused + failed, countedRefusals], "faults, and entries refused").toEqual([count, refusedWrites]);
  if (o.refuses === undefined) expect(refusedWrites + failed).toBe(0);
  else expect(refusedWrites).toBeGreaterThan(o.refuses === "few" ? 3 : count / 8);
  if (o.refuses === "all") expect(failed).toBeGreaterThanOrEqual(count / 4);
  expect(supplied - taken, "pages left in the buffer").toBe(b.io.level.num);
  if (o.pages === "none") expect(done).toBe(0);
  if (o.pages === "many") {
    expect(refused).toBe(0);
    if (o.refuses !== "all") expect(seenQuick).toBeGreaterThan(10);
  }
  await isBack(count);
}
/** Pages come, more than the buffer has room for: it fills. */
async function fill(b: Bench<Ports>, pages: StreamSource<Ports["freePage"]["shape"]>, next: () => number) {
  while (pages.pending < freePages + 2) pages.send(next());
  await allBack(b, { what: "places for pages", count: freePages, had: () => b.io.level.num });
}

describe("PageFault", () => {
  for (const beatBytes of [8, 16, 32, 64]) {
    test(`${beatBytes * 8} bits: every slot's entry is written back right (fault 5)`, () =>
      runBench("fault", dut(beatBytes), {}, b => run(b, 600, { beatBytes, busy: 0.3, pages: "many" })));
  }
  test.each(Object.entries(legalMemories))("a memory with %s", (_, ram) =>
    runBench("fault", dut(64), {}, b => run(b, 200, { beatBytes: 64, busy: 0, pages: "many", ram })),
  );
  test("4 MB pages, no back-pressure", () =>
    runBench("fault", dut(64, 4_194_304), {}, b =>
      run(b, 600, { beatBytes: 64, pageSize: 4_194_304, busy: 0, pages: "many" }),
    ));
  test("64 KB pages, 40-bit addresses, 6-bit process IDs", () =>
    runBench("fault", dut(16, 65_536), {}, b =>
      run(b, 600, { beatBytes: 16, pageSize: 65_536, busy: 0.3, pages: "many" }),
    ));
  test("few pages: faults wait in order, or end when the slow path has none left (fault 6)", () =>
    runBench("fault", dut(64), {}, b => run(b, 400, { beatBytes: 64, busy: 0.3, pages: "few" })));
  test.each([
    ["one entry in three, slow memory", { busy: 0.3, refuses: "some" }],
    ["one entry in three, faults back to back", { busy: 0, refuses: "some" }],
    ["every entry for a while: some faults end with an error, none takes a page for it", { busy: 0.3, refuses: "all" }],
  ] as const)("a memory that refuses %s", (_, o) =>
    runBench("fault refused", dut(64), { limitCycles: 50_000 }, b =>
      run(b, 400, { beatBytes: 64, pages: "many", ...o }),
    ),
  );
  test("no page at all: every fault is refused", () =>
    runBench("fault", dut(64), {}, b => run(b, 200, { beatBytes: 64, busy: 0.3, pages: "none" })));

  test("a fault ends one cycle after it came, one per cycle, without waiting for the write", () =>
    runBench("fault timing", dut(64), {}, async b => {
      const pages = new StreamSource(b.sim, b.io.freePage);
      for (let i = 0; i < misses; i++) pages.send(100 + i);
      await b.until(() => b.io.level.num === misses);
      const done: number[] = [],
        came: number[] = [];
      b.onEdge({
        sample: cycle => {
          if (b.io.done.valid.value) done.push(cycle);
        },
      });
      for (let miss = 0; miss < misses; miss++) {
        poke(b.io.fault, {
          valid: 1,
          result: { miss, error: 0, allocated: 1, mapped: 0, ppn: 0, slot: 0, index: miss, tag: 5, read: 1, write: 1 },
        });
        await b.risingEdge();
        came.push(b.cycle);
      }
      b.io.fault.valid.value = 0;
      await b.cycles(3);
      expect(done).toEqual(came.map(c => c + 1));
      b.io.aw.ready.value = 1;
      b.io.w.ready.value = 1;
      await b.cycles(20);
      await fill(b, pages, () => 1);
    }));

  test("reset: pages and faults that waited are gone", () =>
    runBench("fault reset", dut(64), {}, async b => {
      const pages = new StreamSource(b.sim, b.io.freePage);
      for (const p of [1, 2, 3]) pages.send(p);
      await b.until(() => b.io.level.num === 3);
      b.sim.reset(1);
      expect(b.io.level.num).toBe(3);
      await b.risingEdge();
      expect(b.io.level.num).toBe(0);
      poke(b.io.fault, {
        valid: 1,
        result: { miss: 1, error: 0, allocated: 1, mapped: 0, ppn: 0, slot: 0, index: 1, tag: 5, read: 1, write: 1 },
      });
      await b.risingEdge();
      b.io.fault.valid.value = 0;
      await b.cycles(5);
      expect(b.io.done.valid.value).toBe(0);
      pages.send(9);
      await b.until(() => b.io.done.valid.value === 1);
      expect([b.io.done.ppn.num, Number(b.io.done.miss.value)]).toEqual([9, 1]);
      await fill(b, pages, () => 1);
    }));

  testOfResets(dut(16), {}, b => run(b, 60, { beatBytes: 16, busy: 0.3, pages: "many" }));
  describe("planted faults are caught", () => {
    const caught = (name: string, from: string | RegExp, to: string, o: Options, error: RegExp): void => {
      test(name, () =>
        findsFault(
          runBench(
            "fault planted",
            plant(dut(o.beatBytes), from, to),
            { wave: false, limitCycles: 50_000, hangCycles: 2000 },
            b => run(b, 300, o),
          ),
          error,
        ),
      );
    };
    const o: Options = { beatBytes: 64, busy: 0.2, pages: "many" };
    caught(
      "fault 5: the entry goes to slot 0 whatever its slot",
      "waiting_pop_payload_index, waiting_pop_payload_slot, 3'd0",
      "waiting_pop_payload_index, 3'd0, 3'd0",
      o,
      /table around/,
    );
    caught("fault 5: strobes of the mirrored slot", /(?<=e_word\[5:3\] == 3'd)[07]/, "3", o, /table around/);
    caught(
      "fault 5: a narrow bus, the beat of the bucket is wrong",
      /e_word\[30:4\], 4'd0/,
      "e_word[30:6], 6'd0",
      { ...o, beatBytes: 16 },
      /table around/,
    );
    caught(
      "fault 6: a fault that finds no page is dropped",
      "waiting_pop_ready = pages_pop_valid | gives_up",
      "waiting_pop_ready = 1'b1",
      { ...o, pages: "few" },
      /in order|limit|has not ended|no stream has moved/,
    );
    caught(
      "fault 6: waits for ever though the slow path has none left",
      "gives_up = (out_of_memory & ",
      "gives_up = (1'b0 & ",
      { ...o, pages: "none" },
      /has not ended|no stream has moved/,
    );
    caught(
      "a fault is told to be quick behind one that waits",
      "quick = pages_pop_valid & ~waiting_pop_valid",
      "quick = 1'b1",
      { ...o, pages: "few" },
      /quick fault/,
    );
    const refusing: Options = { ...o, refuses: "some" };
    caught(
      "an error of the write-back is not looked at",
      /assign refusal = [^;]*;/,
      "assign refusal = 1'b0;",
      refusing,
      /table around/,
    );
    caught(
      "an entry refused beside a new fault is forgotten",
      /answer_ready = ~\(refusal & taken\)/,
      "answer_ready = 1'b1",
      { ...refusing, busy: 0 },
      /has not ended|no stream has moved|limit|refused/,
    );
    caught(
      "the last entry refused is not counted off beside a new fault: once",
      /repeated - 4'd1/,
      "repeated - {3'd0, ~(taken & repeated == 4'd1)}",
      { ...o, busy: 0, refuses: "few" },
      // The faults of the check at the end.
      /entries refused that can be had at the end|though few/,
    );
    caught(
      "another entry is written in the place of the refused one",
      /taken \? done_miss : answered/,
      "taken ? done_miss : answered ^ 3'd1",
      refusing,
      /table around|writes nothing|has not ended/,
    );
    caught(
      "faults go on though half of the entries are refused",
      /broken <= breaks/,
      "broken <= 1'b0",
      { ...o, refuses: "all" },
      /though half|quick fault|has not ended|no stream has moved/,
    );
    caught(
      "a fault ends with an error at the first refusal",
      /repeated >= \d'd4/,
      "repeated >= 4'd1",
      refusing,
      /though few/,
    );
    caught(
      "fault 4: a page is given twice",
      "pages_pop_ready = waiting_pop_valid",
      "pages_pop_ready = waiting_pop_valid & ~done_miss[0]",
      o,
      /page of the fault/,
    );
  });
});
