import { describe, expect, test } from "vitest";
import { bit, fromBits, input, module, output, toBits, uint } from "../../../../hdl-dsl/index.ts";
import { type Bench, type Dut, runBench } from "../../../../sim/index.ts";
import { fairTurn } from "../../../../designs/shared/stream/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

const Turn = module(
  "Turn",
  (p: { readonly sources: number }) => ({ asks: input(uint(p.sources)), grants: output(uint(p.sources)) }),
  (io, p) => io.grants.set(fromBits(fairTurn("turn", toBits(io.asks))).is(p.sources)),
);
type Ports = ReturnType<typeof Turn>["ports"];

/** Random asks, which stay until they are granted: one grant at a time, and nobody is passed by twice by another. */
async function askAtRandom(b: Bench<Ports>, sources: number): Promise<void> {
  const asks = new Set<number>(),
    passedBy = new Map<number, Set<number>>();
  for (let cycle = 0; cycle < 2000; cycle++) {
    for (let i = 0; i < sources; i++) if (b.random.chance(cycle % 200 < 100 ? 0.9 : 0.2)) asks.add(i);
    b.io.asks.value = [...asks].reduce((v, i) => v | (1 << i), 0);
    b.sim.settle();
    const granted = Array.from({ length: sources }, (_, i) => i).filter(i => (b.io.grants.num >> i) & 1);
    const [winner, ...others] = granted;
    expect(others, "one grant at a time").toEqual([]);
    if (winner === undefined) expect([...asks], "somebody asks, and nobody is served").toEqual([]);
    else {
      expect(asks.has(winner), `${winner} did not ask`).toBe(true);
      for (const i of asks) {
        const by = passedBy.get(i) ?? new Set();
        if (i !== winner && by.has(winner)) throw new Error(`${winner} has passed ${i} by twice`);
        passedBy.set(i, by.add(winner));
      }
      asks.delete(winner);
      passedBy.delete(winner);
    }
    await b.risingEdge();
  }
}
const Served = module(
  "ServedTurn",
  (p: { readonly sources: number }) => ({
    asks: input(uint(p.sources)),
    served: input(bit),
    grants: output(uint(p.sources)),
  }),
  (io, p) => io.grants.set(fromBits(fairTurn("turn", toBits(io.asks), io.served)).is(p.sources)),
);
/** The same where grants are not always used: only those that are count, whenever that is. */
async function useAtRandom(b: Bench<ReturnType<typeof Served>["ports"]>, sources: number): Promise<void> {
  const asks = new Set<number>(),
    passedBy = new Map<number, Set<number>>();
  for (let cycle = 0; cycle < 3000; cycle++) {
    for (let i = 0; i < sources; i++) if (b.random.chance(0.6)) asks.add(i);
    const used = cycle < 1000 ? b.random.chance(0.4) : cycle % sources === 1;
    b.io.asks.value = [...asks].reduce((v, i) => v | (1 << i), 0);
    b.io.served.value = +(used && asks.size > 0);
    b.sim.settle();
    const winner = Math.log2(b.io.grants.num);
    if (used && asks.size > 0) {
      expect(asks.has(winner), `${winner} is one that asks`).toBe(true);
      for (const i of asks) {
        const by = passedBy.get(i) ?? new Set();
        if (i !== winner && by.has(winner)) throw new Error(`${winner} has passed ${i} by twice`);
        passedBy.set(i, by.add(winner));
      }
      asks.delete(winner);
      passedBy.delete(winner);
    }
    await b.risingEdge();
  }
}
const use = (
  sources: number,
  design: Dut<ReturnType<typeof Served>["ports"]> = Served({ sources }),
): Promise<unknown> =>
  runBench(`${sources} sources, grants unused`, design, { wave: false, seed: 2 }, b => useAtRandom(b, sources));
const run = (sources: number, design: Dut<Ports> = Turn({ sources })): Promise<unknown> =>
  runBench(`${sources} sources`, design, { wave: false, seed: 1 }, b => askAtRandom(b, sources));

/** How many ask. */
const parameterSets = [1, 2, 3, 6];
describe("fairTurn", () => {
  test.each(parameterSets)("%i sources", async sources => {
    await run(sources);
    await use(sources);
  });
  test("a planted fault is found: a grant that is not used moves the turn", () =>
    findsFault(use(3, plant(Served({ sources: 3 }), /if \(served\) turn_last/, "if (|asks) turn_last"))));
  test.each([
    ["the turn never passes on", "turn_last <= {turn_to_2, turn_to_1, turn_to_0}", "turn_last <= 3'd1"],
    ["one forgets another one", /turn_to_1 = [^;]*;/, "turn_to_1 = asks[1];"],
    ["the turn passes on when nobody is served", /if \(asks\[0\][^)]*\)+ turn_last/, "turn_last"],
  ] as const)("a planted fault is found: %s", async (_what, from, to) => {
    await findsFault(run(3, plant(Turn({ sources: 3 }), from, to)));
  });
});
