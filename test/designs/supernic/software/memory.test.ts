/** Which page leaves, and where a space goes: docs/supernic/memory.md. */
import { describe, expect, it } from "vitest";
import { ageOf, gapFor, LocalPages, mostOver, oldest } from "../../../../designs/supernic/software/memory/index.ts";
import { mutantOf, type SourceFault } from "./support/mutants.ts";
import { wrongRenewal } from "./support/renewed.ts";
import type * as bench from "./support/renewed.ts";

describe("a space that is renewed", () => {
  it("gives its pages back, also one that is on its way here", async () => {
    expect(await wrongRenewal()).toEqual([]);
  });
  const file = "software/memory/manager.ts";
  const faults: readonly SourceFault[] = [
    { name: "what comes late is a page of it", file, from: "now = { ...space };", to: "now = space;" },
    {
      name: "nothing waits for accesses under way",
      file,
      from: "this.#spaces.set(space.number, now);\n      await driver.fence();",
      to: "this.#spaces.set(space.number, now);",
    },
    {
      name: "pages elsewhere stay there",
      file,
      from: "if (page.remote) await remote.drop(keyOf(number, i));",
      to: "void remote; void number;",
    },
    { name: "pages here are lost", file, from: "if (page.present) this.#unused.push(page.ppn);", to: "" },
    { name: "its limit stays 0", file, from: "await driver.setSpace(space.number, now);", to: "" },
  ];
  it.each(faults)("a planted fault is found: $name", async fault => {
    const planted = await mutantOf<typeof bench>("software/support/renewed.ts", fault);
    expect(await planted.wrongRenewal()).not.toEqual([]);
  });
});
describe("memory that is short", () => {
  it("the space with most of what its weight gives it gives a page", () => {
    const a = { weight: 1, pages: 4 },
      b = { weight: 3, pages: 9 },
      c = { weight: 2, pages: 9 };
    expect(mostOver([a, b, c])).toBe(c);
    expect(mostOver([a, b])).toBe(a);
    expect(mostOver([b, { weight: 1, pages: 3 }])).toBe(b);
    expect(mostOver([{ weight: 1, pages: 0 }])).toBeUndefined();
  });
  it("of its pages the one that was touched longest ago, also when epochs have begun anew", () => {
    expect(oldest([{ stamp: 5 }, { stamp: 3 }, { stamp: 9 }], 10)?.stamp).toBe(3);
    expect(oldest([{ stamp: 65_530 }, { stamp: 2 }], 4)?.stamp).toBe(65_530);
    const none = oldest<{ stamp: number }>([], 4);
    expect(none).toBeUndefined();
    expect([ageOf(7, 7), ageOf(65_535, 0), ageOf(1, 0)]).toEqual([0, 1, 65_535]);
  });
});
it("a space goes where it fits first", () => {
  const taken = [
    { base: 8, limit: 4 },
    { base: 0, limit: 3 },
  ];
  expect([5, 6, 4, 9].map(n => gapFor(taken, n, 20))).toEqual([3, 12, 3, undefined]);
  expect([gapFor([], 20, 20), gapFor([], 21, 20)]).toEqual([0, undefined]);
});
it("a remote memory takes no more than it has room for, and keeps what it took", async () => {
  const pages = new LocalPages(1),
    bytes = Uint8Array.of(1, 2);
  expect(await pages.put("a", bytes)).toBe(true);
  bytes[0] = 9;
  expect(await pages.put("b", bytes)).toBe(false);
  expect(await pages.get("a")).toEqual(Uint8Array.of(1, 2));
  await pages.drop("a");
  expect([await pages.get("a"), pages.kept]).toEqual([undefined, 0]);
});
