import { describe, expect, test } from "vitest";
import { locatePage } from "../../../../../designs/shared/virtual-memory/rtl/locate-page.ts";
import {
  type AddressSpace,
  locate,
  tableGeometry,
  type TableGeometry,
  unlocate,
} from "../../../../../designs/shared/virtual-memory/table/index.ts";
import { hashKeyBits } from "../../../../../designs/shared/hash/index.ts";
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

/** Faults that this test is there for: the hardware leaves a bit of the address, or the whole key, out of a parity. */
type Wrong = "nothing" | "address" | "key";

/** All the mixings side by side. */
const Mixings = module(
  "Mixings",
  ({ pidBits, vaBits }: AddressSpace & { wrong: Wrong }) =>
    ({
      page: input(uint(pidBits + vaBits)),
      hashKey: input(uint(hashKeyBits)),
      ...Object.fromEntries(tablesOf({ pidBits, vaBits }).map((g, i) => [`index${i}`, output(uint(g.indexBits))])),
      ...Object.fromEntries(tablesOf({ pidBits, vaBits }).map((g, i) => [`tag${i}`, output(uint(g.tagBits))])),
    }) as {
      page: ReturnType<typeof input<ReturnType<typeof uint>>>;
      hashKey: ReturnType<typeof input<ReturnType<typeof uint>>>;
    } & Record<string, ReturnType<typeof output<ReturnType<typeof uint>>>>,
  (io, { wrong, pidBits, vaBits }) => {
    tablesOf({ pidBits, vaBits }).forEach((g, i) => {
      const mixing = g.mixing.map((s, to) =>
        to > 0 || wrong === "nothing"
          ? s
          : wrong === "key"
            ? { ...s, keyed: [] }
            : { ...s, from: s.from.filter(b => b !== Math.max(...s.from.filter(x => x < g.vpnBits))) },
      );
      const { index, tag } = locatePage({ ...g, mixing }, io.page.bits(g.pageShift, g.wordBits), io.hashKey);
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
  // A key has some pages: software keeps its tables for one key at a time.
  const keys = [0n, ...Array.from({ length: 8 }, (_, i) => random.bits(64) | (1n << BigInt(8 * i)))];
  for (let n = 0; n < count; n++) {
    const page = corners[n] ?? random.bits(pidBits + vaBits),
      key = keys[Math.floor((n * keys.length) / count)] ?? 0n;
    b.io["page"].value = page;
    b.io["hashKey"].value = key;
    b.sim.settle();
    tables.forEach((g, i) => {
      const pid = Number(page >> BigInt(vaBits)),
        vpn = (page & ((1n << BigInt(vaBits)) - 1n)) >> BigInt(g.pageShift);
      const { index, tag } = locate(g, pid, vpn, key),
        own = { index: b.io[`index${i}`]!.num, tag: b.io[`tag${i}`]!.big };
      if (own.index !== index || own.tag !== tag)
        expect(own, `bucket of pid ${pid}, vpn ${vpn}, page size ${2 ** g.pageShift}`).toEqual({ index, tag });
      if (n % 16 === 0) expect(unlocate(g, own, key)).toEqual({ pid, vpn });
    });
  }
}

describe.each(parameterSets)("mixing, $vaBits address bits, $pidBits bits of process ID", space => {
  test("there are tables of every page size", () =>
    expect(new Set(tablesOf(space).map(g => g.pageShift)).size).toBe(8));
  test("hardware and software put 10,000 pages of the whole address space into the same bucket, for every geometry (fault 10)", () =>
    runBench("mixing", Mixings({ wrong: "nothing", ...space }), {}, async b => {
      run(b, space, 10_000);
    }));
  test.each(["address", "key"] as const)(
    "planted fault 10 is caught: one parity misses a bit of the address, or the key (%s)",
    wrong =>
      findsFault(
        runBench(`mixing planted ${wrong}`, Mixings({ wrong, ...space }), { wave: false }, async b => {
          run(b, space, 10_000);
        }),
        /bucket of/,
      ),
  );
});
