import { describe, expect, it } from "vitest";
import type { LiveChain } from "../../../../../designs/supernic/software/index.ts";
import { type World, world } from "./support/world.ts";

const chainOf = (w: World, ...tasks: string[]): LiveChain => {
  const chain = w.manager.chainFor(tasks, () => true);
  if (chain === undefined) throw new RangeError(`there is no chain for ${tasks.join("+")}`);
  return chain;
};
const uses = (w: World): string[] =>
  w.manager.places.map(p => `${p.use}${p.chain ? ` ${p.chain.labels.join("+")}` : ""}`);
/** What was written of a region and of chains, without times. */
const steps = (w: World): string[] => w.regions.log.map(h => h.what);

describe("launching", () => {
  it("takes a free region, in the order of the page; its packets wait until its rows are there", async () => {
    const w = world(),
      chain = chainOf(w, "firewall");
    w.regions.log.length = 0;
    expect(await w.manager.launch(chain, "demand")).toBe("running");
    expect(steps(w)).toEqual([
      "region 2: isolate",
      "region 2: limit 0",
      `chain ${chain.number}: regions 100 group 3`,
      "region 2: isolate load 3",
      "region 2:",
      ...steps(w).filter(s => s.endsWith("row")),
      "region 2: limit 24",
    ]);
    expect(steps(w).filter(s => s.endsWith("row")).length).toBeGreaterThan(0);
    expect(uses(w)).toEqual(["active dummy", "active checksum", "active firewall", "free"]);
  });
  it("a chain that runs already is used as it is", async () => {
    const w = world();
    expect(await w.manager.launch(chainOf(w, "dummy"), "demand")).toBe("running");
    expect(w.manager.counted).toEqual({ reprogrammed: 0, reused: 0, stopped: 0, failed: 0, recovered: 0 });
  });
  it("a chain that holds the tasks in their order serves, too; one that has them the other way does not", () => {
    const w = world();
    expect(chainOf(w, "firewall", "checksum").labels).toEqual(["firewall", "checksum"]);
    expect(w.manager.chainFor(["checksum", "firewall"], () => true)).toBeUndefined();
    expect(w.manager.chainFor(["firewall"], labels => !labels.includes("firewall"))).toBeUndefined();
  });
  it("a victim comes back without reprogramming, fresh and with its rows", async () => {
    const w = world(),
      chain = chainOf(w, "firewall");
    await w.manager.launch(chain, "demand");
    await w.manager.stop(chain);
    expect(uses(w)[2]).toBe("victim firewall");
    expect(w.regions.entries.get(chain.number)).toBe(0);
    w.regions.log.length = 0;
    expect(await w.manager.launch(chain, "demand")).toBe("running");
    expect(steps(w).some(s => s.includes("load"))).toBe(false);
    expect(steps(w).filter(s => s.endsWith("row")).length).toBeGreaterThan(0);
    expect(w.manager.counted).toMatchObject({ reprogrammed: 1, reused: 1 });
  });
  it("free regions first, then the oldest victim, then on demand the least loaded region", async () => {
    const w = world(),
      [a, b, c, d] = [["firewall"], ["checksum", "dummy"], ["firewall", "checksum"], ["delay(4,8)"]].map(t =>
        chainOf(w, ...t),
      );
    if (!a || !b || !c || !d) throw new RangeError("four chains");
    await w.manager.launch(a, "demand");
    await w.manager.launch(d, "demand");
    expect(uses(w)).toEqual(["active dummy", "active checksum", "active firewall", "active delay(4,8)"]);
    // Ahead of its packets a chain takes nobody's region.
    expect(await w.manager.launch(c, "ahead")).toBe("noRegion");
    await w.manager.stop(d);
    await w.manager.stop(a);
    expect(await w.manager.launch(c, "ahead")).toBe("noRegion");
    expect(await w.manager.launch(c, "demand")).toBe("running");
    expect(uses(w)).toEqual(["active dummy", "active checksum", "victim firewall", "active firewall+checksum"]);
    await w.manager.launch(a, "demand");
    w.loads.splice(0, 4, 5, 2, 9, 9);
    expect(await w.manager.launch(d, "demand")).toBe("running");
    expect(uses(w)).toEqual(["active dummy", "active delay(4,8)", "active firewall", "active firewall+checksum"]);
    expect(w.manager.counted.stopped).toBe(1);
    // Whose region was taken has none: nobody sends packets of it to the new chain.
    expect(w.regions.entries.get(1)).toBe(0);
    void b;
  });
  it("a victim that nobody has wanted for long is a free region for all", async () => {
    const w = world({ victimLife: 1000 });
    for (const t of ["firewall", "delay(4,8)"]) await w.manager.launch(chainOf(w, t), "demand");
    await w.manager.stop(chainOf(w, "delay(4,8)"));
    for (let i = 0; i < 10; i++) await w.regions.wait();
    expect(await w.manager.launch(chainOf(w, "firewall", "checksum"), "ahead")).toBe("running");
  });
  it("launches asked for at once come one after the other", async () => {
    const w = world();
    const all = ["firewall", "delay(4,8)"].map(t => w.manager.launch(chainOf(w, t), "demand"));
    expect(await Promise.all(all)).toEqual(["running", "running"]);
    expect(w.regions.most).toBe(1);
    expect(uses(w).slice(2)).toEqual(["active firewall", "active delay(4,8)"]);
  });
  it("packets that do not leave within the time are killed; those that do are waited for", async () => {
    for (const [leaves, killed] of [
      [10, false],
      [undefined, true],
    ] as const) {
      const w = world({ leaves });
      for (const t of ["firewall", "delay(4,8)"]) await w.manager.launch(chainOf(w, t), "demand");
      w.regions.packets[0] = 40;
      w.loads.splice(0, 4, 0, 9, 9, 9);
      const from = w.regions.time;
      await w.manager.launch(chainOf(w, "firewall", "checksum"), "demand");
      const isolated = w.regions.log.find(h => h.at >= from && h.what === "region 0: isolate");
      expect((isolated?.at ?? 0) - from > 1_000_000).toBe(killed);
      expect(w.regions.packets[0]).toBe(0);
    }
  });
  it("a bitstream that brings another chain: its region is broken, its packets are dropped, others are used", async () => {
    const w = world({ wrong: new Set([3]) }),
      chain = chainOf(w, "firewall");
    expect(await w.manager.launch(chain, "demand")).toBe("failed");
    expect(uses(w)[2]).toBe("broken");
    expect(w.regions.entries.get(chain.number)).toBe(0);
    // Credits for who waits there: the region is cut, and drops him.
    w.regions.packets[2] = 3;
    for (let i = 0; i < 5; i++) await w.regions.wait();
    expect(w.regions.packets[2]).toBe(0);
    expect(await w.manager.launch(chainOf(w, "delay(4,8)"), "demand")).toBe("running");
    expect(uses(w)[3]).toBe("active delay(4,8)");
  });
  it("a killed region comes back with the same chain, fresh", async () => {
    const w = world({ leaves: undefined });
    w.regions.packets[1] = 9;
    expect(await w.manager.kill(1)).toBe("running");
    expect(uses(w)[1]).toBe("active checksum");
    expect(w.regions.packets[1]).toBe(0);
    expect(await w.manager.kill(3)).toBe("noRegion");
  });
});

describe("scaling", () => {
  const scaled = async (): Promise<[World, LiveChain]> => {
    const w = world(),
      chain = chainOf(w, "dummy");
    await w.manager.start();
    expect(await w.manager.scale(chain, "out")).toBe(true);
    return [w, chain];
  };
  it("out: a free region, and its instance counts only when it runs", async () => {
    const [w, chain] = await scaled();
    expect(chain.regions).toEqual([0, 2]);
    expect(w.regions.entries.get(chain.number)).toBe(0b101);
    const at = steps(w).indexOf(`chain ${chain.number}: regions 101 group ${chain.group}`);
    expect(at).toBeGreaterThan(steps(w).indexOf("region 2: limit 24"));
    expect(await w.manager.scale(chain, "out")).toBe(true);
    // No region is free any more: nobody's is taken.
    expect(await w.manager.scale(chain, "out")).toBe(false);
  });
  it("in: the least loaded instance drains into a victim, which comes back first", async () => {
    const [w, chain] = await scaled();
    w.loads.splice(0, 4, 9, 0, 2, 0);
    w.regions.packets[2] = 20;
    expect(await w.manager.scale(chain, "in")).toBe(true);
    expect([uses(w)[2], w.regions.packets[2]]).toEqual(["victim dummy", 0]);
    expect(chain.regions).toEqual([0]);
    expect(await w.manager.scale(chain, "in")).toBe(false);
    expect(await w.manager.scale(chain, "out")).toBe(true);
    expect(w.manager.counted).toMatchObject({ reprogrammed: 1, reused: 1 });
  });
  it("two chains that share a group of flows do not scale: a flow of one is where the other's is", async () => {
    const w = world();
    // As the setup has it, without `start`: both chains are in group 0.
    expect(await w.manager.scale(chainOf(w, "dummy"), "out")).toBe(false);
    await w.manager.start();
    const groups = w.manager.chains.map(c => c.group);
    expect(new Set(groups).size).toBe(groups.length);
  });
});

describe("a planted fault in the software is found", () => {
  /** The steps' order, as the page has it; each fault swaps or loses one of them. */
  const inOrder = async (w: World): Promise<string | undefined> => {
    await w.manager.start();
    w.regions.packets[0] = 30;
    w.loads.splice(0, 4, 0, 9, 9, 9);
    for (const t of ["firewall", "delay(4,8)"]) await w.manager.launch(chainOf(w, t), "demand");
    const old = chainOf(w, "dummy"),
      chain = chainOf(w, "firewall", "checksum");
    w.regions.log.length = 0;
    await w.manager.launch(chain, "demand");
    const at = (what: string | RegExp): number =>
      w.regions.log.findIndex(h => (typeof what === "string" ? h.what === what : what.test(h.what)));
    const order = [
      at(`chain ${old.number}: regions 0 group ${old.group}`),
      at("region 0: quiesce"),
      at("region 0: isolate"),
      at("region 0: limit 0"),
      at("region 0: isolate load 5"),
      at("region 0:"),
      at("region 0: row"),
      at("region 0: limit 24"),
    ];
    return order.every((n, i) => n >= 0 && (i === 0 || n > (order[i - 1] ?? 0))) ? undefined : order.join();
  };
  it("and the order is right without one", async () => expect(await inOrder(world())).toBeUndefined());
  it.each([
    ["the old chain keeps the region", /^chain \d+: regions 0 /],
    ["no tasks are asked to put state away", /quiesce/],
    ["it is loaded while it is not cut", /: isolate$/],
    ["its packets are let in before its rows", /limit 0/],
    ["its rows are forgotten", /row/],
    ["its credits are not restored", /limit 24/],
  ] as const)("%s", async (_name, lost) => {
    const w = world({ loses: what => lost.test(what) });
    expect(await inOrder(w)).toBeDefined();
  });
});
