import { describe, expect, test } from "vitest";
import { fromBits, input, module, output, toBits, uint } from "../../../../hdl-dsl/index.ts";
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
const run = (sources: number, design: Dut<Ports> = Turn({ sources })): Promise<unknown> =>
  runBench(`${sources} sources`, design, { wave: false, seed: 1 }, b => askAtRandom(b, sources));

/** How many ask. */
const parameterSets = [1, 2, 3, 6];
describe("fairTurn", () => {
  test.each(parameterSets)("%i sources", async sources => {
    await run(sources);
  });
  test.each([
    ["the turn never passes on", "turn_last <= {turn_to_2, turn_to_1, turn_to_0}", "turn_last <= 3'd1"],
    ["one forgets another one", /turn_to_1 = [^;]*;/, "turn_to_1 = asks[1];"],
    ["the turn passes on when nobody is served", /if \(asks\[0\][^)]*\)+ turn_last/, "turn_last"],
  ] as const)("a planted fault is found: %s", async (_what, from, to) => {
    await findsFault(run(3, plant(Turn({ sources: 3 }), from, to)));
  });
});
