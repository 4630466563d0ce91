/** Circuits that apply every operator at a width. */
import type { Circuit, Signal, Stmt } from "../../../hdl-dsl/ir/circuit.ts";
import type { BinaryOp, Expr, UnaryOp } from "../../../hdl-dsl/ir/expr.ts";
import { Random } from "../../../hdl-dsl/random.ts";
import { assign, circuit, Expressions, readOf, signal } from "../support/random.ts";

/** Round every edge of a limb, and beyond two of them. */
export const WIDTHS = [1, 2, 7, 8, 15, 16, 31, 32, 33, 48, 63, 64, 65, 100, 127, 128, 129, 200];

const UNARY: readonly UnaryOp[] = ["not", "neg", "reduceAnd", "reduceOr", "reduceXor"];
const BINARY: readonly BinaryOp[] = ["add", "sub", "mul", "and", "or", "xor", "eq", "ne", "lt", "le", "gt", "ge"];
const BIT: ReadonlySet<string> = new Set(["reduceAnd", "reduceOr", "reduceXor", "eq", "ne", "lt", "le", "gt", "ge"]);

/** One output for each operator over operands of this width. */
export function operatorCircuit(width: number, signed: boolean): Circuit {
  const a = signal("input", "a", width, signed),
    b = signal("input", "b", width, signed),
    by = signal("input", "by", 9),
    far = signal("input", "far", 70),
    index = signal("input", "index", 2),
    c = signal("input", "c", 1);
  const outputs: Signal[] = [],
    body: Stmt[] = [];
  const give = (name: string, value: Expr): void => {
    const o = signal("output", `o_${name}`, value.width, value.signed);
    outputs.push(o);
    body.push(assign(o, value));
  };
  const x = readOf(a),
    y = readOf(b);
  for (const op of UNARY) {
    const bit = BIT.has(op);
    give(op, { kind: "unary", op, a: x, width: bit ? 1 : width, signed: bit ? false : signed });
  }
  for (const op of BINARY) {
    const bit = BIT.has(op);
    const wide = op === "mul" ? 2 * width : width;
    give(op, { kind: "binary", op, a: x, b: y, width: bit ? 1 : wide, signed: bit ? false : signed });
  }
  for (const op of ["left", "right"] as const)
    for (const [name, amount] of [
      ["by", by],
      ["far", far],
      ["index", index],
    ] as const)
      give(`${op}_${name}`, { kind: "shift", op, a: x, by: readOf(amount), width, signed });
  give("mux", { kind: "mux", cond: readOf(c), a: x, b: y, width, signed });
  give("extend", { kind: "extend", a: x, width: width + 37, signed });
  const four: Expr = { kind: "concat", parts: [x, y, x, y], width: 4 * width, signed: false };
  give("concat", {
    kind: "concat",
    parts: [readOf(index), x, readOf(c), y, readOf(c)],
    width: 2 * width + 4,
    signed: false,
  });
  give("pick", { kind: "pick", a: four, index: readOf(index), width, signed: false });
  const sum: Expr = { kind: "binary", op: "xor", a: four, b: { kind: "unary", op: "not", a: four, width: 4 * width, signed: false }, width: 4 * width, signed: false }; // prettier-ignore
  give("pick_of_sum", { kind: "pick", a: { ...sum, op: "add" }, index: readOf(index), width, signed: false });
  if (width > 2) {
    give("slice", { kind: "slice", a: x, lo: 1, width: width - 2, signed: false });
    give("high", { kind: "slice", a: x, lo: width - 1, width: 1, signed: false });
  }
  return circuit(`Operators_${width}${signed ? "s" : ""}`, [a, b, by, far, index, c, ...outputs], body);
}

/** Random trees over wide leaves: operators meet, and share parts. */
export function treeCircuit(seed: number): Circuit {
  const random = new Random(seed);
  const inputs = [1, 9, 33, 64, 70, 130].map((w, i) => signal("input", `i${i}`, w, i % 2 === 1));
  const e = new Expressions(random, inputs.map(readOf));
  const outputs: Signal[] = [],
    body: Stmt[] = [];
  for (const [n, w] of [1, 8, 32, 40, 64, 65, 128, 150].entries()) {
    const o = signal("output", `o${n}`, w, random.chance(0.5));
    outputs.push(o);
    body.push(assign(o, e.make(w, o.signed, 5)));
  }
  return circuit(`Trees_${seed}`, [...inputs, ...outputs], body);
}
