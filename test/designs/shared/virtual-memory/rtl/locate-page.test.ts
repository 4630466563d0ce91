import { describe, expect, test } from "vitest";
import { locatePage } from "../../../../../designs/shared/virtual-memory/rtl/locate-page.ts";
import {
  type AddressSpace,
  locate,
  tableGeometry,
  type TableGeometry,
  unlocate,
  wordOf,
} from "../../../../../designs/shared/virtual-memory/table/index.ts";
import { input, module, output, uint } from "../../../../../hdl-dsl/index.ts";
import { type Bench, runBench } from "../../../../../sim/index.ts";
import { findsFault } from "../../../../support/plant.ts";

const KB = 2 ** 10,
  MB = 2 ** 20,
  GB = 2 ** 30;
const parameterSets: readonly AddressSpace[] = [
  { vaBits: 50, pidBits: 16 },
  { vaBits: 39, pidBits: 7 },
];
/** Every page size with small, usual and large memories, as far as the entry fits. */
const tablesOf = (space: AddressSpace): readonly TableGeometry[] =>
  [4 * KB, 16 * KB, 64 * KB, 1 * MB, 2 * MB, 4 * MB, 64 * MB, 1 * GB].flatMap(pageSize =>
    [64 * MB, 2 * GB, 16 * GB, 4096 * GB].flatMap(physicalMemory => {
      try {
        return [tableGeometry({ pageSize, physicalMemory, slotsFactor: 4, ...space })];
      } catch {
        return [];
      }
    }),
  );

/**
 * All the mixings side by side. `wrong`: the hardware leaves a bit of the address out of one parity, the fault that
 * this test is there for.
 */
const Mixings = module(
  "Mixings",
  ({ pidBits, vaBits }: AddressSpace & { wrong: number }) =>
    ({
      page: input(uint(pidBits + vaBits)),
      ...Object.fromEntries(tablesOf({ pidBits, vaBits }).map((g, i) => [`index${i}`, output(uint(g.indexBits))])),
      ...Object.fromEntries(tablesOf({ pidBits, vaBits }).map((g, i) => [`tag${i}`, output(uint(g.tagBits))])),
    }) as { page: ReturnType<typeof input<ReturnType<typeof uint>>> } & Record<
      string,
      ReturnType<typeof output<ReturnType<typeof uint>>>
    >,
  (io, { wrong, pidBits, vaBits }) => {
    tablesOf({ pidBits, vaBits }).forEach((g, i) => {
      const mixing = g.mixing.map((s, to) =>
        to === 0 && wrong > 0
          ? { ...s, from: s.from.filter(b => b !== Math.max(...s.from.filter(x => x < g.vpnBits))) }
          : s,
      );
      const { index, tag } = locatePage({ ...g, mixing }, io.page.bits(g.pageShift, g.wordBits));
      const ports = io;
      ports[`index${i}`]?.set(index);
      ports[`tag${i}`]?.set(tag);
    });
  },
);

/** `count` pages: corners, single bits, runs, and random ones over the whole space. */
function run(b: Bench<ReturnType<typeof Mixings>["ports"]>, space: AddressSpace, count: number): void {
  const { pidBits, vaBits } = space,
    tables = tablesOf(space),
    random = b.random.fork("pages"),
    whole = 1n << BigInt(pidBits + vaBits);
  const corners = [
    0n,
    whole - 1n,
    ...Array.from({ length: pidBits + vaBits }, (_, i) => 1n << BigInt(i)),
    ...Array.from({ length: pidBits + vaBits }, (_, i) => (whole - 1n) ^ (1n << BigInt(i))),
    ...Array.from({ length: 256 }, (_, i) => (1n << BigInt(vaBits)) + (BigInt(i) << 12n)),
  ];
  for (let n = 0; n < count; n++) {
    const page = corners[n] ?? random.bits(pidBits + vaBits);
    b.io["page"].value = page;
    b.sim.settle();
    tables.forEach((g, i) => {
      const pid = Number(page >> BigInt(vaBits)),
        vpn = (page & ((1n << BigInt(vaBits)) - 1n)) >> BigInt(g.pageShift);
      const { index, tag } = locate(g, pid, vpn),
        own = { index: b.io[`index${i}`]!.num, tag: b.io[`tag${i}`]!.big };
      if (own.index !== index || own.tag !== tag)
        expect(own, `bucket of pid ${pid}, vpn ${vpn}, page size ${2 ** g.pageShift}`).toEqual({ index, tag });
      if (n % 16 === 0) expect(wordOf(g, unlocate(g, own).pid, unlocate(g, own).vpn)).toBe(wordOf(g, pid, vpn));
    });
  }
}

describe.each(parameterSets)("mixing, $vaBits address bits, $pidBits bits of process ID", space => {
  test("there are tables of every page size", () =>
    expect(new Set(tablesOf(space).map(g => g.pageShift)).size).toBe(8));
  test("hardware and software put 10,000 pages of the whole address space into the same bucket, for every geometry (fault 10)", () =>
    runBench("mixing", Mixings({ wrong: 0, ...space }), {}, async b => {
      run(b, space, 10_000);
    }));
  test("planted fault 10 is caught: one parity misses one bit of the address", () =>
    findsFault(
      runBench("mixing planted", Mixings({ wrong: 1, ...space }), { wave: false }, async b => {
        run(b, space, 10_000);
      }),
      /bucket of/,
    ));
});
