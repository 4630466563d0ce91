/** Modules of the grid: a dozen cells each, through the builders as a user writes them, beside their model. */
import { bit, type Def, input, module, output, type Port, sint, uint } from "../../../../hdl-dsl/index.ts";
import { HdlError } from "../../../../hdl-dsl/ir/diagnostic.ts";
import { type Dice, pattern } from "../../support/random.ts";
import { STIMULUS_BITS } from "../bench.ts";
import type { Model, VectorProgram } from "../vectors.ts";
import { type Cell, numberTerm } from "./cells.ts";
import type { Placed } from "./positions.ts";
import { type Hw, sameSpec, type Spec, type Term, wrapped } from "./term.ts";

/** Findings that random text may well earn. */
const HARMLESS = new Set(["HDL002", "HDL003", "HDL004"]);

interface In extends Spec {
  readonly name: string;
}

/** Inputs, made as values ask for them. */
class Leaves {
  readonly inputs: In[] = [{ name: "we", width: 1, signed: false }];
  readonly #d: Dice;
  constructor(d: Dice) {
    this.#d = d;
  }
  leaf(spec: Spec): Term {
    const d = this.#d;
    const fits = this.inputs.filter(i => sameSpec(i, spec) && i.name !== "we"),
      used = this.inputs.reduce((n, i) => n + i.width, 0);
    if (d.chance(0.12)) return numberTerm(pattern(d, spec.width), spec);
    if (fits.length >= 3 || used + spec.width > STIMULUS_BITS)
      return fits.length === 0 ? numberTerm(pattern(d, spec.width), spec) : portTerm(d.pick(fits));
    const made = { ...spec, name: `${spec.signed ? "s" : "u"}${spec.width}x${fits.length}` };
    this.inputs.push(made);
    return portTerm(made);
  }
}
const portTerm = (i: In): Term => ({
  width: i.width,
  signed: i.signed,
  hw: io => io[i.name] as Hw,
  of: inputs => wrapped(inputs.get(i.name) ?? 0n, i),
});

/** A module with these cells. @throws what the builders or the checks wrongly find in it. */
export function gridProgram(cells: readonly Cell[], d: Dice, name: string): VectorProgram {
  const leaves = new Leaves(d),
    leaf = (spec: Spec): Term => leaves.leaf(spec);
  const placed: Placed[] = cells.map((c, n) => {
    const { position, x } = c.make(d, leaf, `c${n}`);
    return position.place(x, { d, name: `o${n}`, leaf, modules: name });
  });
  const ports: Record<string, Port> = {};
  for (const i of leaves.inputs)
    ports[i.name] = input(i.width === 1 && !i.signed ? bit : i.signed ? sint(i.width) : uint(i.width));
  for (const p of placed) for (const [o, shape] of Object.entries(p.outputs)) ports[o] = output(shape);
  const def: Def = module(
    name,
    () => ports,
    io => {
      for (const p of placed) p.build(io);
    },
  )();
  const { circuit, diagnostics } = def.elaborate();
  const wrong = diagnostics.filter(x => !HARMLESS.has(x.code));
  if (wrong.length > 0) throw new HdlError(wrong);
  let last: ReadonlyMap<string, bigint> = new Map();
  const model: Model = {
    outputs: inputs => {
      last = inputs;
      return new Map(placed.flatMap(p => p.now(inputs)));
    },
    tick: reset => {
      for (const p of placed) p.tick?.(last, reset);
    },
  };
  return { circuit, model };
}
