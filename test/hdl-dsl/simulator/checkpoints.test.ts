/** Random programs with three clocks, gone back to: all outputs are those of the first time, in every build. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { Random } from "../../../hdl-dsl/random.ts";
import { emitCircuit } from "../../../hdl-dsl/verilog/emit.ts";
import { compileBuiltin, type Model } from "../../../sim/index.ts";
import { faulty } from "../../sim/designs/faulty.ts";
import { choices } from "../fuzz/differential.ts";
import { programOf } from "../fuzz/program.ts";
import { bundle } from "./bundle.ts";

const clocks = {
  default: { periodPs: 4000, phasePs: 0 },
  slow: { periodPs: 6000, phasePs: 2000 },
  free: { periodPs: 2500, phasePs: 500 },
};
// Not all are initialised: registers and memories keep what the seed gave them.
const designs = [1, 2].map(seed =>
  emitCircuit(
    bundle(
      fc.sample(choices, { seed, numRuns: 24 }).map((l, n) => programOf(l, `Back${seed}x${n}`)),
      `Back${seed}`,
    ),
  ),
);

/** All lanes of the outputs, edge by edge. */
function run(m: Model, seed: number, edges: number): string {
  const random = new Random(seed),
    rows: string[] = [];
  for (let n = 0; n < edges; n++) {
    for (const { port, word, words } of m.slots.values()) {
      if (port.dir !== "in" || !random.chance(0.7)) continue;
      if (port.role === "reset") m.words[word] = random.chance(0.1) === (port.activeLow !== true) ? 1 : 0;
      else for (let i = 0; i < words; i++) m.words[word + i] = random.below(2 ** Math.min(32, port.width - 32 * i));
    }
    m.step(1);
    rows.push(`${m.timePs()} ${m.rose()} ${m.words.slice(32).join()}`);
  }
  return rows.join("\n");
}

type Compile = typeof compileBuiltin;
/** Whether every build goes on from a state as the first did. */
function goesBack(save: Compile, restore: Compile): boolean {
  for (const design of designs) {
    const first = save(design).create({ seed: 3, clocks });
    run(first, 1, 120);
    const state = first.save(),
      want = run(first, 2, 80);
    for (const options of [{ gated: true }, { gated: false }, { trace: true }]) {
      const other = restore(design, options).create({ seed: 77, clocks });
      run(other, 5, 33);
      for (let again = 0; again < 2; again++) {
        other.restore(state);
        if (other.timePs() !== state.timePs || run(other, 2, 80) !== want) return false;
      }
    }
    run(first, 6, 10);
    first.restore(state);
    if (run(first, 2, 80) !== want) return false;
  }
  return true;
}

test("every build goes on from a state of another as that did", () => {
  expect(goesBack(compileBuiltin, compileBuiltin)).toBe(true);
});

test.each([
  { file: "state.ts", from: "if (r.shadow !== undefined) memory.set(value, r.shadow);", to: "" },
  { file: "state.ts", from: "memory.set(value, r.word);", to: "" },
  {
    file: "state.ts",
    from: "for (const m of this.#memories) memory.set(",
    to: "for (const m of this.#memories.slice(1)) memory.set(",
  },
  { file: "state.ts", from: "memory.set(s.ports, this.#ports.word);", to: "" },
  { file: "model.ts", from: "this.#start(s.seed);", to: "" },
  { file: "model.ts", from: "this.#start(s.seed);", to: "this.#start(this.#seed + 1);" },
  { file: "model.ts", from: "this.#next[i] = t;", to: "" },
  { file: "model.ts", from: "this.#time = s.timePs;", to: "" },
])("a fault in it is found: $from", async fault => {
  expect(goesBack(compileBuiltin, await faulty(fault))).toBe(false);
});
