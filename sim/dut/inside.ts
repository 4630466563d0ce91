/** Signals inside of a design, and conditions on them. */
import { type EmittedDesign, type NamedSignal, namesNear } from "../../hdl-dsl/index.ts";
import type { Model } from "../backend/backend.ts";
import { SimulationError } from "../errors.ts";
import { type Signal, signalOf } from "./signal.ts";
import type { OutSignal } from "./types.ts";

/** What signals have to be, by path: numbers, or names of states and of enumerations; or any test. */
export type Condition = Readonly<Record<string, number | bigint | string>> | (() => boolean);

const known = new WeakMap<Model, Map<string, Signal>>();

/** @throws SimulationError when there is no such signal, or the build has no signals inside */
export function signalInside(model: Model, design: EmittedDesign, path: string): OutSignal {
  const mine = known.get(model) ?? new Map<string, Signal>();
  known.set(model, mine);
  let found = mine.get(path);
  if (found === undefined) {
    const slot = model.inner?.get(path) ?? model.slots.get(path);
    if (slot === undefined) throw unknown(model, design, path);
    // What is inside is not to be written, also where it is an input of the design.
    mine.set(path, (found = signalOf(model.words, { ...slot, port: { ...slot.port, dir: "out" } })));
  }
  return found;
}

function unknown(model: Model, design: EmittedDesign, path: string): SimulationError {
  if (model.inner === undefined)
    return new SimulationError(
      `${design.top} has no port ${path}; for a signal inside give simulate the option signals: true (the built-in simulator has them, Verilator does not)`,
    );
  const last = path.split(".").at(-1) ?? path,
    all = [...model.inner.keys()],
    same = all.filter(n => n === last || n.endsWith(`.${last}`)),
    near = same.length > 0 ? same : namesNear(path, all);
  return new SimulationError(
    `${design.top} has no signal ${path}; ${near.length === 0 ? `there are ${all.length}, such as ${all.slice(0, 3).join(", ")}` : `near are ${near.slice(0, 5).join(", ")}`}`,
  );
}

/** The condition as a function. Its signals are looked up now, so that a wrong name is told at once. */
export function conditionOf(
  condition: Condition,
  signal: (path: string) => OutSignal,
  design: EmittedDesign,
): () => boolean {
  if (typeof condition === "function") return condition;
  const tests = Object.entries(condition).map(([path, value]) => {
    const s = signal(path),
      want = typeof value === "string" ? codeOf(path, value, design) : BigInt.asUintN(s.width, BigInt(value));
    return () => BigInt.asUintN(s.width, s.big) === want;
  });
  return () => tests.every(t => t());
}

/** The number of a state, or of a value of an enumeration. */
function codeOf(path: string, name: string, design: EmittedDesign): bigint {
  const named = namedSignal(path, design),
    n = named?.states?.indexOf(name) ?? -1;
  if (named === undefined || n < 0)
    throw new SimulationError(
      `${path} is never "${name}"; ${named?.states === undefined ? "its values have no names: give a number" : `give one of ${named.states.join(", ")}`}`,
    );
  return BigInt(named.codes?.[n] ?? n);
}

function namedSignal(path: string, design: EmittedDesign): NamedSignal | undefined {
  const parts = path.split("."),
    last = parts.pop();
  let module = design.names?.modules[design.names.top];
  for (const p of parts) {
    const below = module?.instances.find(i => i.name === p)?.module;
    module = below === undefined ? undefined : design.names?.modules[below];
  }
  return module?.signals.find(s => s.name === last);
}

/** Looks at every edge. It holds nothing that a checkpoint would have to keep. */
export class Breakpoint {
  readonly #holds: () => boolean;
  readonly #callback: (cycle: number) => void;
  constructor(holds: () => boolean, callback: (cycle: number) => void) {
    this.#holds = holds;
    this.#callback = callback;
  }
  sample(cycle: number): void {
    if (this.#holds()) this.#callback(cycle);
  }
  save(): unknown {
    return undefined;
  }
  restore(): void {
    /* see above */
  }
}
