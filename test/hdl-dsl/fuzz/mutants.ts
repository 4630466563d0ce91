/** Programs whose emitted text carries a planted fault. */
import fc from "fast-check";
import type { Circuit } from "../../../hdl-dsl/ir/circuit.ts";
import { circuitsOf } from "../../../hdl-dsl/ir/hierarchy.ts";
import type { VModule } from "../../../hdl-dsl/verilog/ast.ts";
import { emitCircuit } from "../../../hdl-dsl/verilog/emit.ts";
import { namesOf } from "../../../hdl-dsl/verilog/module-context.ts";
import { lowerModule } from "../../../hdl-dsl/verilog/module.ts";
import { printModule } from "../../../hdl-dsl/verilog/print.ts";
import { Random } from "../../../hdl-dsl/random.ts";
import { stimulus, type Subject } from "./bench.ts";
import { choices, differences } from "./differential.ts";
import type { Fault } from "./faults.ts";
import { programOf } from "./program.ts";
import { rewritten } from "./rewrite.ts";

interface Lowered {
  readonly circuit: Circuit;
  readonly modules: readonly VModule[];
  readonly text: string;
  readonly ports: Subject["design"]["ports"];
}

function lowered(list: readonly number[], n: number): Lowered {
  const circuit = programOf(list, `Fuzz${n}x`);
  const names = new Map(circuitsOf(circuit).map(c => [c, namesOf(c)]));
  const namesFor = (c: Circuit): ReturnType<typeof namesOf> => names.get(c) ?? namesOf(c);
  const modules = circuitsOf(circuit).map(c => lowerModule(c, namesFor(c), namesFor));
  return { circuit, modules, text: modules.map(printModule).join(""), ports: emitCircuit(circuit).ports };
}

export interface Hunt {
  readonly fault: string;
  /** Programs whose text the fault changes, and how many of them gave it away. */
  readonly changed: number;
  readonly found: number;
  /** Random programs until the first one that gave it away. */
  readonly after: number | undefined;
}

/**
 * Tries every fault on up to `most` programs whose text it changes, out of random ones. A few for all go in one build;
 * more follow for the faults that got away.
 */
export async function hunt(faults: readonly Fault[], seed: number, pool: number, most: number): Promise<Hunt[]> {
  const programs = fc.sample(choices, { seed, numRuns: pool }).map(lowered);
  const hunts = faults.map(fault => ({
    fault: fault.name,
    changed: 0,
    found: 0,
    after: undefined as number | undefined,
    next: 0,
  }));
  for (let size = 8; hunts.some(h => h.found === 0 && h.changed < most && h.next < pool); size *= 4) {
    const subjects: Subject[] = [],
      origin: { readonly fault: number; readonly program: number }[] = [];
    hunts.forEach((h, f) => {
      for (let n = 0; h.found === 0 && h.next < pool && n < size && h.changed < most; h.next++) {
        const subject = mutant(programs[h.next] as Lowered, faults[f] as Fault, `Fault${f}_${h.next}x`);
        if (subject === undefined) continue;
        subjects.push(subject);
        origin.push({ fault: f, program: h.next });
        h.changed++;
        n++;
      }
    });
    if (subjects.length === 0) break;
    for (const d of await differences(subjects, ["icarus"], stimulus(new Random(seed)))) {
      const o = origin[subjects.indexOf(d.subject)],
        h = hunts[o?.fault ?? 0];
      if (o === undefined || h === undefined) continue;
      h.found++;
      h.after = Math.min(h.after ?? o.program + 1, o.program + 1);
    }
  }
  return hunts;
}

/** The program with the fault in its text; undefined when the fault changes nothing. */
function mutant(p: Lowered, fault: Fault, prefix: string): Subject | undefined {
  const text = p.modules.map(m => printModule(rewritten(m, fault))).join("");
  if (text === p.text) return undefined;
  return {
    circuit: p.circuit,
    design: {
      top: p.circuit.name.replace(/^Fuzz\d+x/, prefix),
      files: [{ name: `${prefix}.v`, text: text.replace(/\bFuzz\d+x/g, prefix) }],
      ports: p.ports,
      streams: [],
      assertions: [],
    },
  };
}
