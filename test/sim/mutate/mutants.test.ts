/** Mutants: each is another circuit, is told with its line, and leaves the module as it was. */
import { afterEach, describe, expect, it } from "vitest";
import { circuitOf, emit, type EmittedDesign } from "../../../hdl-dsl/index.ts";
import {
  compileBuiltin,
  FaultIn,
  Looped,
  type Mutant,
  mutantsOf,
  operators,
  OutOfTime,
  plant,
  Random,
  Seeing,
  verdictOf,
} from "../../../sim/index.ts";
import { Subject } from "./subject.ts";

afterEach(() => plant(undefined));

const design = emit(Subject());
const circuit = circuitOf(design);
if (circuit === undefined) throw new Error("the subject has no circuit");
const mutants = mutantsOf(circuit);
const live = mutants.filter(m => verdictOf(circuit, m) === "live");

/** All outputs under random inputs, a reset at first, and more of them by chance. */
function outputs(d: EmittedDesign, { seed = 3, steps = 1500, resets = 0.03 } = {}): string {
  const random = new Random(5),
    model = compileBuiltin(d).create({ seed, clocks: {} }),
    slots = [...model.slots.values()],
    rows: string[] = [];
  for (let step = 0; step < steps; step++) {
    for (const s of slots)
      if (s.port.role === "reset") model.words[s.word] = step < 4 || random.chance(resets) ? 1 : 0;
      else if (s.port.dir === "in")
        model.words[s.word] = random.chance(0.2) ? 2 ** s.port.width - 1 : random.below(2 ** s.port.width);
    model.settle();
    rows.push(slots.map(s => (s.port.dir === "out" ? model.words[s.word] : "")).join(" "));
    model.step(1);
  }
  model.free();
  return rows.join("\n");
}
function withFault(m: Pick<Mutant, "key">, edges = 1e9, o: Parameters<typeof outputs>[1] = {}): string {
  plant(new FaultIn("Subject", m.key, edges));
  try {
    return outputs(design, o);
  } finally {
    plant(undefined);
  }
}

describe("mutants", () => {
  const right = outputs(design);
  it.each(operators.map(o => o.name))("%s: a live one, and random inputs tell it from the module", name => {
    const own = live.filter(m => m.operator === name);
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter(m => withFault(m) !== right).length).toBeGreaterThan(0);
  });
  it("most are told from the module, and afterwards the module is as before", () => {
    const told = live.filter(m => withFault(m) !== right);
    expect(told.length / live.length).toBeGreaterThan(0.8);
    expect(outputs(design)).toBe(right);
  });
  it("each has a line and a name of its own, and the names are the same for every elaboration", () => {
    expect(new Set(mutants.map(m => m.key)).size).toBe(mutants.length);
    expect(mutants.filter(m => m.position?.file.endsWith("subject.ts") !== true)).toEqual([]);
    expect(mutantsOf(circuit).map(m => m.key)).toEqual(mutants.map(m => m.key));
    const bounds = mutants.filter(m => m.operator === "bound").map(m => m.says);
    expect(bounds.some(s => /^fill < (\S+) is fill <= \1$/.test(s)) ? [] : bounds).toEqual([]);
  });
  it("a register without a reset comes up with what it should not have, whatever the seed", () => {
    const missing = live.filter(m => m.operator === "reset-missing");
    expect(missing.map(m => m.says.split(" ")[0]).sort()).toEqual(["fill", "flag_q", "phase"]);
    for (const seed of [1, 2, 3, 4, 5]) {
      // One reset, and the cycle behind it. The state is hidden then: `busy` follows `limit` as well.
      const o = { seed, steps: 6, resets: 0 };
      for (const m of missing.filter(m => !m.says.startsWith("phase")))
        expect(withFault(m, 1e9, o), `${m.says}, seed ${seed}`).not.toBe(outputs(design, o));
    }
  });
  it("an operator that changes nothing is found out", () => {
    const nothing = { key: "nothing", edits: () => [{ holder: circuit, change: { body: [...circuit.body] } }] };
    expect(verdictOf(circuit, nothing)).toBe("equivalent");
  });
  it("a wire that nobody drives any more is no circuit", () => {
    const lost = mutants.find(m => m.says.startsWith("old does not") || m.says.startsWith("busy does not get"));
    const wire = mutants.find(m => m.says.startsWith("busy does not get"));
    expect(lost).toBeDefined();
    expect(wire && verdictOf(circuit, wire)).toBe("loop");
  });
});

describe("planting", () => {
  it("sees the module in a design, and no other", () => {
    const sees = new Seeing("Subject"),
      blind = new Seeing("Fifo");
    for (const s of [sees, blind]) {
      plant(s);
      outputs(design);
    }
    expect([...sees.circuits]).toEqual([circuit]);
    expect(sees.edges).toBe(1500);
    expect(blind.circuits.size).toBe(0);
  });
  it("tells the circuits of several modules apart", () => {
    const sees = new Seeing("Fifo", "Subject");
    plant(sees);
    outputs(design);
    expect([sees.of("Subject"), sees.of("Fifo")]).toEqual([[circuit], []]);
  });
  it("a fault that makes the design run on and on ends", () => {
    expect(() => withFault(live[0] ?? { key: "" }, 100)).toThrow(OutOfTime);
  });
  it("Looped is no finding of a test", () => {
    expect(new Looped("x").name).toBe("Looped");
  });
});
