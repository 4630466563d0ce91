/** What assignments drive. */
import { ir } from "../../../hdl-dsl/index.ts";
import type { Expressions } from "./expressions.ts";
import type { Names } from "./names.ts";
import type { Expression } from "./syntax.ts";
import { unreadable } from "./unreadable.ts";

const { binary, constant, slice } = ir.make;

/** Bits of a signal; `index` where they are chosen by a value: then `lo` is not known. */
export interface Bits {
  readonly kind: "bits";
  readonly signal: ir.Signal;
  readonly lo: number;
  readonly width: number;
  readonly index?: ir.Expr | undefined;
}
/** A word of a memory, or bits of one. */
export interface Word {
  readonly kind: "word";
  readonly memory: ir.Memory;
  readonly address: ir.Expr;
  readonly lo: number;
  readonly width: number;
}
export type Target = Bits | Word;

/** The targets of an assignment, the least significant first. */
export function targetsOf(e: Expression, names: Names, x: Expressions): Target[] {
  if (e.kind === "concat") return [...e.parts].reverse().flatMap(p => targetsOf(p, names, x));
  if (e.kind === "name") {
    const n = names.get(e.name, e.at);
    if (n.kind !== "signal") throw unreadable(e.at, `an assignment to ${e.name}, which is no signal`);
    return [{ kind: "bits", signal: n.signal, lo: 0, width: n.signal.width }];
  }
  if (e.kind !== "bit" && e.kind !== "range" && e.kind !== "part") throw unreadable(e.at, "an assignment to a value");
  const word = e.of.kind === "bit" ? targetsOf(e.of, names, x)[0] : undefined;
  if (word?.kind === "word") return [{ ...word, ...constantBits(e, x, 0) }];
  if (e.of.kind !== "name") throw unreadable(e.at, "an assignment to a select of a select");
  const n = names.get(e.of.name, e.at);
  if (n.kind === "memory" && e.kind === "bit")
    return [{ kind: "word", memory: n.memory, address: x.address(e.index, n), lo: 0, width: n.memory.width }];
  if (n.kind !== "signal") throw unreadable(e.at, `an assignment to ${e.of.name}, which is no signal`);
  if (e.kind === "bit") {
    const index = x.value(e.index);
    if (index.kind !== "const") return [{ kind: "bits", signal: n.signal, lo: 0, width: 1, index }];
  }
  const bits = constantBits(e, x, n.lsb);
  if (bits.lo < 0 || bits.lo + bits.width > n.signal.width)
    throw unreadable(e.at, `an assignment to bits that ${e.of.name} does not have`);
  return [{ kind: "bits", signal: n.signal, ...bits }];
}

function constantBits(
  e: Expression & { readonly kind: "bit" | "range" | "part" },
  x: Expressions,
  lsb: number,
): { readonly lo: number; readonly width: number } {
  if (e.kind === "range") {
    const low = x.number(e.low);
    return { lo: low - lsb, width: x.number(e.high) - low + 1 };
  }
  if (e.kind === "bit") return { lo: x.number(e.index) - lsb, width: 1 };
  return { lo: x.number(e.base) - lsb, width: x.number(e.width) };
}

/** The statements of an assignment to bits: a bit that is chosen by a value is one of all of them. */
export function assignBits(t: Bits, value: ir.Expr): ir.Stmt[] {
  const set = (lo: number): ir.Stmt => ({
    kind: "assign",
    target: t.signal,
    lo,
    width: t.width,
    value,
    position: undefined,
  });
  const { index } = t;
  if (index === undefined) return [set(t.lo)];
  const reach = Math.min(t.signal.width, 2 ** Math.min(index.width, 30));
  return Array.from({ length: reach }, (_, n) => ({
    kind: "if",
    cond: binary("eq", index, constant(BigInt(n), index.width, index.signed)),
    then: [set(n)],
    otherwise: [],
    position: undefined,
  }));
}

/** A value cut into those of its targets. */
export function* spread(targets: readonly Target[], value: ir.Expr): Generator<readonly [Target, ir.Expr]> {
  let at = 0;
  for (const t of targets) {
    yield [t, targets.length === 1 ? value : slice(value, at, t.width)];
    at += t.width;
  }
}
export const widthOf = (targets: readonly Target[]): number => targets.reduce((n, t) => n + t.width, 0);
