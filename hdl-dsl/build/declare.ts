/** Declarations: registers and wires. The declaration, not the operator, says which. */
import type { Position, Signal } from "../ir/circuit.ts";
import type { Leaf, Shape } from "../types/shape.ts";
import { nameOfCode } from "../types/enumeration.ts";
import type { NamesIn, Num, Readable, Var } from "../types/value.ts";
import { atTop, claimName, context, isPortName, isTaken, report, verilogName } from "./context.ts";
import { underEnable } from "./clock-enable.ts";
import { calledByUser, nameHere, userPosition } from "./position.ts";
import { literal, operand, Variable } from "./value.ts";
import { asSigned, type Const } from "../ir/expr.ts";
import { snakeCase } from "../ir/snake-case.ts";
import { assignView, shapeOf, view } from "./view.ts";

/** What a register, a wire or a named value can be told about its name and its use. */
export interface DeclareOptions {
  /** Overrides the name taken from the source. */
  readonly name?: string;
  /** The signal may be unread. */
  readonly mayBeUnread?: boolean;
  /** Verilog attributes, `(* name = value *)`, before the declaration. */
  readonly attributes?: Readonly<Record<string, string | number>>;
}
/** What a register can be told: its value under reset, and how it may be clocked and reset. */
export interface RegOptions<S extends Shape = Shape> extends DeclareOptions {
  /** Value under reset. */
  readonly init?: Init | NamesIn<S>;
  /**
   * Of a struct with `init`, the fields that reset sets, `valid` for instance. The others are data registers, which say
   * nothing without them: a reset that drives fewer registers.
   */
  readonly resets?: readonly string[];
  /**
   * For the first register of a synchroniser (attribute `async_reg`): of what it takes, one bit changes at a time. The
   * checks take this on trust.
   */
  readonly oneBitAtATime?: boolean;
}
/** A number for every leaf, or one number for a plain integer; structs may give fields (missing ones are 0). */
export type Init = Num | { readonly [field: string]: Init } | readonly Init[];

export function makeSignal(s: Omit<Signal, "name"> & { readonly name: string }): Variable {
  const c = context();
  // Leaves of a struct can meet a name that something else has: the later one gives way.
  const wanted = s.kind === "reg" && isPortName(s.name) ? `${s.name}_q` : s.name;
  let name = wanted;
  for (let i = 1; ; i++) {
    const before = c.signalNames.size;
    c.signalNames.add(name);
    if (c.signalNames.size !== before) break;
    name = `${wanted}_${i}`;
  }
  // Every field, in one order, for every kind of declaration: code that reads signals then runs at its fastest.
  const signal: Signal = {
    kind: s.kind,
    name,
    width: s.width,
    signed: s.signed,
    init: s.init,
    domain: s.domain,
    position: s.position,
    path: s.path,
    states: s.states,
    codes: s.codes,
    enumeration: s.enumeration,
    attributes: s.attributes,
    instance: s.instance,
    mayBeUnread: s.mayBeUnread,
    role: s.role,
    oneBitAtATime: s.oneBitAtATime,
  };
  c.signals.push(signal);
  return new Variable(signal);
}

export const leafName = (base: string, l: Leaf): string => [base, ...l.path.map(snakeCase)].join("_");

/**
 * Names a declaration: explicit, else from the source, else by its kind; claims every leaf's name. A name that the user
 * wrote and that something in the module has already is an error: its author relies on it. Names that combinators make
 * from that of their result are numbered, as those from the source.
 */
export function chooseName(
  explicit: string | undefined,
  fallback: string,
  position: Position | undefined,
  kind?: "reg",
): string {
  if (explicit !== undefined && isTaken(explicit) && calledByUser()) {
    const first = context().taken.get(verilogName(explicit));
    report(
      "HDL123",
      `the name \`${explicit}\` is given to something here and is taken already`,
      "Give each its own name (in a loop with its number in it), or leave the name to the source",
      first,
    );
  }
  return claimName(explicit ?? nameHere(fallback, position), position, kind);
}

/** The initial value of a leaf, taken from what stands for the whole. */
export function initOf(init: unknown, l: Leaf, name: string): bigint {
  let x: unknown = init;
  for (const p of l.path)
    x = typeof x === "object" && x !== null ? (x as Record<string, unknown>)[p] : x === 0 || x === 0n ? 0 : undefined;
  const { enumeration } = l;
  // 0 for a whole struct stands for code 0 in its enumerations: without a name for it, the author has to say one.
  if (enumeration !== undefined && !((x ?? 0) === 0 && nameOfCode(enumeration, 0) !== undefined))
    return (operand(x ?? 0, l.width, false, `the initial value of \`${name}\``, enumeration) as Const).value;
  if (x === undefined) return 0n;
  if (typeof x !== "number" && typeof x !== "bigint") {
    report("HDL112", `the initial value of \`${name}\` is not a number`, "Give a number, or fields with numbers");
    return 0n;
  }
  const e = literal(x, l.width, l.signed, `the initial value of \`${name}\``) as Const;
  return l.signed ? asSigned(e.value, l.width) & ((1n << BigInt(l.width)) - 1n) : e.value;
}

/**
 * A register of any shape, clocked by the current domain. With `init` it takes that value under reset. Without, it is
 * a data register that reset leaves alone (fine for payloads that a reset valid bit guards). The register keeps its
 * value unless set.
 */
export function reg<const S extends Shape>(shape: S, o: RegOptions<S> = {}): Var<S> {
  const c = context(),
    position = userPosition();
  c.domains.add(c.domain);
  const base = chooseName(o.name, "register", position, "reg");
  if (o.init !== undefined && c.domain.reset === undefined)
    report(
      "HDL113",
      `register \`${base}\` has an initial value and its clock domain \`${c.domain.name}\` has no reset`,
      "Give the domain a reset, or leave the initial value out",
    );
  return view(shape, l => {
    const v = makeSignal({
      kind: "reg",
      name: leafName(base, l),
      width: l.width,
      signed: l.signed,
      domain: c.domain,
      position,
      path: [base, ...l.path],
      init: o.init === undefined || o.resets?.includes(l.path[0] ?? "") === false ? undefined : initOf(o.init, l, base),
      attributes: o.attributes,
      mayBeUnread: o.mayBeUnread,
      oneBitAtATime: o.oneBitAtATime,
    });
    underEnable(v.signal);
    return v;
  }) as Var<S>;
}

/** A combinational signal of any shape: must be set on every path (a default first counts). */
export function wire<const S extends Shape>(shape: S, o: DeclareOptions = {}): Var<S> {
  const position = userPosition();
  const base = chooseName(o.name, "wire", position);
  return view(shape, l =>
    makeSignal({
      kind: "wire",
      name: leafName(base, l),
      width: l.width,
      signed: l.signed,
      position,
      path: [base, ...l.path],
      attributes: o.attributes,
      mayBeUnread: o.mayBeUnread,
    }),
  ) as Var<S>;
}

/**
 * A wire with its value: gives an expression a name of its own (`const full = node(tail.sub(head).eq(16))`). Values
 * of any shape.
 */
export function node<V>(v: V, o: DeclareOptions = {}): Readable<V> {
  const shape = shapeOf(v),
    position = userPosition();
  if (shape === undefined) {
    report(
      "HDL103",
      `node: a value of the language is expected, got ${typeof v}`,
      "Wrap numbers with constant(value, width)",
    );
    return v as Readable<V>;
  }
  const base = chooseName(o.name, "node", position);
  const w = view(shape, l =>
    makeSignal({
      kind: "wire",
      name: leafName(base, l),
      width: l.width,
      signed: l.signed,
      position,
      path: [base, ...l.path],
      attributes: o.attributes,
      mayBeUnread: o.mayBeUnread,
    }),
  );
  // Always driven, also when declared inside a `when`.
  atTop(() => assignView(w, v, base));
  return w as Readable<V>;
}
