/** Chains with memory come and go: docs/supernic/reconfigure.md. */
import { describe, expect, it } from "vitest";
import { mutantOf, type SourceFault } from "../support/mutants.ts";
import { wrongMemory } from "./support/memory-chains.ts";
import type * as bench from "./support/memory-chains.ts";

it("ways, pages and regions of chains with memory are as the page says", async () => {
  expect(await wrongMemory()).toEqual([]);
});

describe("a fault in the rules is found", () => {
  const file = "software/regions/manager.ts";
  const faults: readonly SourceFault[] = [
    {
      name: "what was there leaves after the next chain is loaded",
      file,
      from: "if (!(await this.#o.memory.leave(region, false)))",
      to: "if (region < 0)",
    },
    {
      name: "a chain of a killed region finds pages of before",
      file,
      from: "isGone = await this.#o.memory.leave(region, true);",
      to: "isGone = await this.#o.memory.leave(region, false);",
    },
    {
      name: "two instances of a task that is one are scaled out",
      file,
      from: `!chain.tasks.some(t => t.state === "shared") &&`,
      to: "chain.tasks.length > 0 &&",
    },
    {
      name: "a victim with the same memory stays",
      file,
      from: `for (const rival of rivals) Object.assign(rival, { use: "free", chain: undefined, since: now });`,
      to: "void rivals;",
    },
    {
      name: "a region whose memory did not answer is used at once",
      file,
      from: "|| !(await this.#o.memory.leave(region, true))) continue;",
      to: ") continue;",
    },
    {
      name: "who fits anywhere takes the regions with ways",
      file,
      from: "this.#holds(a) - this.#holds(b) || a - b",
      to: "a - b",
    },
    {
      name: "a region is given a chain that it cannot hold",
      file: "software/regions/placing.ts",
      from: ".filter(p => fits(p.region))",
      to: "",
    },
  ];
  // Each is a bundle of its own.
  it.each(faults)("$name", async fault => {
    const planted = await mutantOf<typeof bench>("software/regions/support/memory-chains.ts", fault);
    expect(await planted.wrongMemory()).not.toEqual([]);
  });
});
