import { expect, test } from "vitest";
import {
  bucketSlots,
  entryAddress,
  entryShape,
  packEntry,
  tableGeometry,
  type TableGeometry,
  unpackEntry,
} from "../../../../../designs/shared/virtual-memory/table/index.ts";
import { input, module, output, uint, unpack } from "../../../../../hdl-dsl/index.ts";
import { type Bench, runBench } from "../../../../../sim/index.ts";
import { findsFault } from "../../../../support/plant.ts";

const KB = 2 ** 10,
  MB = 2 ** 20,
  GB = 2 ** 30;
const parameterSets = [
  { vaBits: 50, pidBits: 16 },
  { vaBits: 36, pidBits: 9 },
];
/** Every page size of a build, with the smallest and a large memory, in each address space. */
const tables: readonly TableGeometry[] = [4 * KB, 2 * MB, 4 * MB, 64 * MB, GB].flatMap(pageSize =>
  [4 * pageSize, 512 * pageSize].flatMap(physicalMemory =>
    parameterSets.map(space => tableGeometry({ pageSize, physicalMemory, slotsFactor: 4, ...space })),
  ),
);
const names = ["valid", "allocated", "read", "write", "tag", "ppn"] as const;

/**
 * The entries of all geometries as the hardware takes 64 bits apart; `swapped` takes two permissions for each other.
 */
const Entries = module(
  "Entries",
  (_: { swapped: number }) =>
    ({
      bits: input(uint(64)),
      ...Object.fromEntries(tables.flatMap((g, i) => g.entry.map(f => [`${f.name}${i}`, output(uint(f.width))]))),
    }) as { bits: ReturnType<typeof input<ReturnType<typeof uint>>> } & Record<
      string,
      ReturnType<typeof output<ReturnType<typeof uint>>>
    >,
  (io, { swapped }) => {
    const ports = io;
    tables.forEach((g, i) => {
      const entry = unpack(entryShape(g), io.bits);
      for (const name of names) ports[`${name}${i}`]?.set(entry[swapped && name === "write" ? "read" : name]);
    });
  },
);

function run(b: Bench<ReturnType<typeof Entries>["ports"]>): void {
  const random = b.random.fork("entries"),
    flag = (): boolean => random.bits(1) === 1n;
  for (let n = 0; n < 500; n++) {
    tables.forEach((g, i) => {
      const width = (name: string): number => g.entry.find(f => f.name === name)!.width;
      const entry = {
        valid: flag(),
        allocated: flag(),
        read: flag(),
        write: flag(),
        tag: random.bits(width("tag")),
        ppn: Number(random.bits(width("ppn"))),
      };
      const bits = packEntry(g, entry);
      expect(unpackEntry(g, bits)).toEqual(entry);
      b.io["bits"].value = bits;
      b.sim.settle();
      for (const name of names)
        expect(b.io[`${name}${i}`]!.big, `${name}, pages of ${2 ** g.pageShift} bytes`).toBe(BigInt(entry[name]));
    });
  }
}

test("the slow path's entries are the hardware's, field by field, for every geometry: both come from the same list", () =>
  runBench("entries", Entries({ swapped: 0 }), {}, b => {
    run(b);
    return Promise.resolve();
  }));
test("planted fault: two fields taken for each other", () =>
  findsFault(
    runBench("entries planted", Entries({ swapped: 1 }), { wave: false }, b => {
      run(b);
      return Promise.resolve();
    }),
    /write, pages of/,
  ));
test("an entry's address is its slot of its bucket", () => {
  for (const g of tables) {
    expect(entryAddress(g, g.buckets - 1, bucketSlots - 1)).toBe(g.tableBase + g.tableBytes - 8);
    expect(g.entry.at(-1)!.lsb + g.entry.at(-1)!.width).toBe(g.entryBits);
  }
});
