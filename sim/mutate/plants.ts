/** What stands between circuits and the built-in simulator while faults are planted. */
import type { Model } from "../backend/backend.ts";
import { flatten } from "../backend/builtin/circuit/flatten.ts";
import type { Netlist } from "../backend/builtin/circuit/netlist.ts";
import type { Plant } from "../backend/builtin/plant.ts";
import { Unsupported } from "../backend/unsupported.ts";
import { type Circuit, circuitsBelow, shortName } from "./ir.ts";
import { type Mutant, mutantsOf, withMutant } from "./mutants.ts";
import { Signatures } from "./signature.ts";

/** `equivalent`: the simulator makes the same circuit of it. `loop`: no circuit, a value depends on itself. */
export type Verdict = "live" | "equivalent" | "loop";

/** The fault makes a loop, or leaves bits without a driver: the language would refuse it. */
export class Looped extends Error {
  override readonly name = "Looped";
}
/** The faulty design ran for many times the cycles of the right one. */
export class OutOfTime extends Error {
  override readonly name = "OutOfTime";
}

const known = new WeakMap<Circuit, ReadonlyMap<string, Mutant>>();
/** The mutants of a circuit by their keys; found once. */
function byKey(c: Circuit): ReadonlyMap<string, Mutant> {
  let m = known.get(c);
  if (m === undefined) known.set(c, (m = new Map(mutantsOf(c).map(x => [x.key, x]))));
  return m;
}

interface Compared {
  readonly signatures: Signatures;
  /** Undefined: the module cannot be made flat by itself. */
  readonly right: string | undefined;
  readonly verdicts: Map<string, Verdict>;
}
const compared = new WeakMap<Circuit, Compared>();

function signatureOf(s: Signatures, c: Circuit): string | undefined {
  try {
    return s.of(flatten(c));
  } catch (e) {
    if (e instanceof Unsupported) return undefined;
    throw e;
  }
}

/** Compares the module by itself with and without the fault. */
export function verdictOf(c: Circuit, m: Pick<Mutant, "edits" | "key">): Verdict {
  let found = compared.get(c);
  if (found === undefined) {
    const signatures = new Signatures();
    compared.set(c, (found = { signatures, right: signatureOf(signatures, c), verdicts: new Map() }));
  }
  const { signatures, right, verdicts } = found;
  if (right === undefined) return "live";
  let verdict = verdicts.get(m.key);
  if (verdict === undefined) {
    const wrong = withMutant(c, m, () => signatureOf(signatures, c));
    verdicts.set(m.key, (verdict = wrong === undefined ? "loop" : wrong === right ? "equivalent" : "live"));
  }
  return verdict;
}

const modulesIn = (top: Circuit, ...modules: readonly string[]): readonly Circuit[] =>
  [...circuitsBelow(top)].filter(c => modules.includes(shortName(c)));

/** Plants nothing: notes which circuits of some modules are simulated, and for how many edges. */
export class Seeing implements Plant {
  readonly circuits = new Set<Circuit>();
  edges = 0;
  readonly #modules: readonly string[];

  constructor(...modules: readonly string[]) {
    this.#modules = modules;
  }
  /** Those of one of the modules. */
  of(module: string): readonly Circuit[] {
    return [...this.circuits].filter(c => shortName(c) === module);
  }
  flatten(circuit: Circuit, make: () => Netlist): Netlist {
    const net = make();
    for (const c of modulesIn(circuit, ...this.#modules)) this.circuits.add(c);
    return net;
  }
  watch(model: Model): void {
    countEdges(model, n => (this.edges += n));
  }
}

/** Plants one mutant wherever the module is. */
export class FaultIn implements Plant {
  readonly #module: string;
  readonly #key: string;
  #left: number;
  /** Of each circuit that the mutant was put into. */
  readonly verdicts = new Map<Circuit, Verdict>();

  /** @param edges how many clock edges all models together may run */
  constructor(module: string, key: string, edges: number) {
    this.#module = module;
    this.#key = key;
    this.#left = edges;
  }

  flatten(circuit: Circuit, make: () => Netlist): Netlist {
    const faulty = modulesIn(circuit, this.#module).reduce((inner, c) => {
      const m = byKey(c).get(this.#key);
      if (m === undefined) return inner;
      if (!this.verdicts.has(c)) this.verdicts.set(c, verdictOf(c, m));
      return this.verdicts.get(c) === "live" ? () => withMutant(c, m, inner) : inner;
    }, make);
    if (faulty === make) return make();
    try {
      return faulty();
    } catch (e) {
      // Another simulator would run the design without the fault.
      if (e instanceof Unsupported) throw new Looped(e.message);
      throw e;
    }
  }

  watch(model: Model): void {
    countEdges(model, n => {
      this.#left -= n;
      if (this.#left < 0) throw new OutOfTime("the faulty design ran for many times the cycles of the right one");
    });
  }
}

function countEdges(model: Model, count: (n: number) => void): void {
  const step = model.step.bind(model);
  Object.assign(model, {
    step: (n: number) => {
      count(n);
      step(n);
    },
  });
}
