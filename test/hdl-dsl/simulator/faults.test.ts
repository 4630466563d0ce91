/** The comparison is worth its time: each fault planted in the simulator's own source is found by it. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { bit, emit, type EmittedDesign, input, module, output, reg, uint, when } from "../../../hdl-dsl/index.ts";
import { Random } from "../../../hdl-dsl/random.ts";
import { emitCircuit } from "../../../hdl-dsl/verilog/emit.ts";
import { compileBuiltin } from "../../../sim/index.ts";
import { idioms } from "../../sim/designs/idioms.ts";
import { programOf } from "../fuzz/program.ts";
import { choices } from "../fuzz/differential.ts";
import { bundle } from "./bundle.ts";
import { simulatorFaults } from "./faults.ts";
import { faulty } from "../../sim/designs/faulty.ts";
import { Guards } from "./guards.ts";
import { operatorCircuit, treeCircuit, WIDTHS } from "./operators.ts";
import { Vectors } from "./vectors.ts";
import { asText } from "../../support/as-text.ts";

/** Registers that take one another's values at one edge, narrow and wide, with readers elsewhere. */
const Ring = module(
  "Ring",
  () => ({ x: input(uint(8)), on: input(bit), narrow: output(uint(8)), wide: output(uint(100)), any: output(bit) }),
  io => {
    const a = reg(uint(8), { init: 1 }),
      b = reg(uint(8), { init: 2 }),
      c = reg(uint(8), { init: 3 });
    const p = reg(uint(100), { init: 1 }),
      q = reg(uint(100), { init: 2 }),
      r = reg(uint(70), { init: 3 });
    when(io.on, () => {
      a.set(b);
      b.set(c.add(io.x));
      c.set(a.xor(b));
      p.set(q);
      q.set(p.add(r.zext(100)));
      r.set(p.trunc(70).xor(io.x.zext(70)));
    });
    // So many under one condition are one function, which writes them one after the other.
    const turn = Array.from({ length: 12 }, (_, i) => reg(uint(8), { init: i, name: `turn_${i}` }));
    when(io.on, () => {
      turn.forEach((t, i) => t.set(turn[(i + 1) % turn.length] ?? t));
    });
    const seen = reg(bit, { init: 0 });
    seen.set(p.any().and(r.all().not()));
    io.narrow.set(turn.reduce((x, t, i) => x.xor(t.add(i)), a.add(c)));
    io.wide.set(p.xor(q).xor(r.zext(100)));
    io.any.set(seen);
  },
);

const designs: EmittedDesign[] = [
  ...WIDTHS.flatMap(w => [operatorCircuit(w, false), operatorCircuit(w, true)]),
  ...[1, 2, 3, 4, 5, 6].map(treeCircuit),
  ...[1, 2, 3, 4, 12].map(seed =>
    bundle(
      fc.sample(choices, { seed, numRuns: 24 }).map((l, n) => programOf(l, `Pool${seed}x${n}`)),
      `Pool${seed}`,
    ),
  ),
].map(emitCircuit);
designs.unshift(...[1, 2, 3, 4, 5, 6, 7, 8].map(seed => emit(Vectors({ seed }))));
designs.push(emit(Ring()), emit(Guards()));
/** As text, which the reader makes a circuit of. */
const texts = [...designs.slice(-7).map(asText), idioms.emitted];
const clocks = {
  slow: { periodPs: 6000, phasePs: 2000 },
  slow_low: { periodPs: 6000, phasePs: 2000 },
  free: { periodPs: 2500, phasePs: 500 },
};

/** All outputs of all steps, as one text. Other tests hold the healthy one against Verilator and the evaluator. */
function outputs(compile: typeof compileBuiltin, design: EmittedDesign, gated: boolean): string {
  const random = new Random(9),
    model = compile(design, { gated }).create({ seed: 3, clocks });
  const rows: string[] = [];
  const outs = [...model.slots.values()].filter(s => s.port.dir === "out");
  for (let step = 0; step < 120; step++) {
    for (const s of model.slots.values()) {
      // Now and then nothing changes: what stored values alone do has to show.
      if (s.port.dir !== "in" || step % 8 > 2) continue;
      if (s.port.role === "reset")
        model.words[s.word] = (step < 8 || random.chance(0.06)) === (s.port.activeLow !== true) ? 1 : 0;
      else
        for (let i = 0; i < s.words; i++) {
          const top = 2 ** Math.min(32, s.port.width - 32 * i);
          model.words[s.word + i] = random.chance(0.3) ? random.pick([0, top - 1, top / 2]) : random.below(top);
        }
    }
    if (step % 3 === 0) {
      model.settle();
      if (step >= 10) rows.push(outs.map(s => model.words.slice(s.word, s.word + s.words).join()).join(" "));
    }
    model.step(1);
    if (step >= 10) rows.push(outs.map(s => model.words.slice(s.word, s.word + s.words).join()).join(" "));
  }
  model.free();
  return rows.join("\n");
}

/** What a fault of this file may change. */
const subjectsOf = (file: string): readonly EmittedDesign[] => (file.startsWith("reader/") ? texts : designs);
const healthy = new Map<EmittedDesign, Map<boolean, string>>();
function expected(design: EmittedDesign, gated: boolean): string {
  let both = healthy.get(design);
  if (both === undefined) healthy.set(design, (both = new Map<boolean, string>()));
  let text = both.get(gated);
  if (text === undefined) both.set(gated, (text = outputs(compileBuiltin, design, gated)));
  return text;
}

/** Whether some design runs otherwise, or not at all. */
function isFound(compile: typeof compileBuiltin, subjects: readonly EmittedDesign[]): boolean {
  // The large ones first: most faults show there.
  for (const gated of [true, false])
    for (const design of [...subjects].reverse())
      try {
        if (outputs(compile, design, gated) !== expected(design, gated)) return true;
      } catch {
        return true;
      }
  return false;
}

test("without a fault the copy runs as the simulator does", async () => {
  const same = await faulty({ file: "netlist", from: "", to: "" }).catch((e: unknown) => e);
  expect(String(same)).toContain("plant the fault in text that is there");
  const copy = await faulty({ file: "model.ts", from: "/** One running design", to: "/** A running design" });
  expect(isFound(copy, [...designs, ...texts])).toBe(false);
});

test.each(simulatorFaults.map((f, n) => ({ ...f, n })))("$n $file: $from", async f => {
  expect(isFound(await faulty(f), subjectsOf(f.file))).toBe(true);
});
