/** Choices by several conditions: the first that holds decides. Combinational; no signal is declared. */
import type { Bit, Num, Readable } from "../types/value.ts";
import { report } from "../build/context.ts";
import { mux } from "../build/statements.ts";
import { literalOf, shapeOf } from "../build/view.ts";

/** A condition and the value that it brings. */
export type Choice<V> = readonly [condition: Bit, value: V | Num];

/** The cases as values of one shape, the last without a condition; undefined when all are numbers. */
function choicesOf(
  what: string,
  args: readonly unknown[],
): { readonly cases: readonly (readonly [Bit, unknown])[]; readonly otherwise: unknown } | undefined {
  const cases = args.slice(0, -1) as readonly Choice<unknown>[],
    last = args.at(-1),
    shape = [...cases.map(([, v]) => v), last].map(shapeOf).find(s => s !== undefined);
  if (shape === undefined) {
    report("HDL103", `${what}: no choice is a value of the language`, "Wrap one number with constant(value, width)");
    return undefined;
  }
  return { cases: cases.map(([c, v]) => [c, literalOf(shape, v)]), otherwise: literalOf(shape, last) };
}
const choose = (c: Bit, a: unknown, b: unknown): unknown => mux<unknown, unknown>(c, a, b);

/**
 * The value of the first condition that holds; the last argument when none does. Values of any one shape; numbers may
 * stand beside them. It is one mux for each condition, the first condition's nearest to the result: the smallest, and
 * right for a first condition that comes late. Choose `priorityTree` for many conditions on a critical path.
 */
export function priority<V>(...choices: readonly [...Choice<V>[], V | Num]): Readable<V>;
export function priority(...choices: readonly unknown[]): unknown {
  const all = choicesOf("priority", choices);
  return all?.cases.reduceRight((rest, [c, v]) => choose(c, v, rest), all.otherwise) ?? choices.at(-1);
}

/**
 * The same as `priority` in log2 of the number of conditions: muxes as a balanced tree, each chosen by the or of the
 * conditions of its first half. It costs those or-trees more.
 */
export function priorityTree<V>(...choices: readonly [...Choice<V>[], V | Num]): Readable<V>;
export function priorityTree(...choices: readonly unknown[]): unknown {
  const all = choicesOf("priorityTree", choices);
  if (all === undefined) return choices.at(-1);
  const leaves: Leaf[] = [...all.cases.map(([any, value]): Leaf => ({ any, value })), { value: all.otherwise }];
  return treeOf(leaves).value;
}
/** A choice, and whether one of its conditions holds: nothing to ask where the value without a condition is in it. */
interface Leaf {
  readonly any?: Bit;
  readonly value: unknown;
}
function treeOf(leaves: readonly Leaf[]): Leaf {
  const [only] = leaves;
  if (leaves.length === 1 && only !== undefined) return only;
  const half = Math.ceil(leaves.length / 2),
    a = treeOf(leaves.slice(0, half)),
    b = treeOf(leaves.slice(half));
  if (a.any === undefined) return a;
  const value = choose(a.any, a.value, b.value);
  return b.any === undefined ? { value } : { any: a.any.or(b.any), value };
}
