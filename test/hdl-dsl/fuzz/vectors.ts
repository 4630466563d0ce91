/**
 * Random modules of vectors, through the builders as a user writes them. They have vec ports, registers and wires of
 * numbers, structs and vecs. They use `at` and `setAt` by number and by value, past the end too, and instances with vec
 * ports. Each program is made twice at once: as hardware, and as functions over arrays with the required result. So an
 * error of the builders shows, which the evaluator of their circuits would repeat.
 */
import {
  type AnyPort,
  bit,
  type Bit,
  type Def,
  input,
  instance,
  leavesOf,
  module,
  mux,
  output,
  pack,
  type Ports,
  reg,
  type Shape,
  sint,
  struct,
  switchOn,
  uint,
  type UInt,
  vec,
  when,
  widthOf,
  wire,
} from "../../../hdl-dsl/index.ts";
import type { Circuit } from "../../../hdl-dsl/ir/circuit.ts";
import { asSigned, maskOf } from "../../../hdl-dsl/ir/expr.ts";
import { HdlError } from "../../../hdl-dsl/ir/diagnostic.ts";
import { type Dice, pattern } from "../support/random.ts";
import { Choices } from "./choices.ts";

/** Required outputs: bit patterns by port name. */
export interface Model {
  outputs(inputs: ReadonlyMap<string, bigint>): ReadonlyMap<string, bigint>;
  /** The clock edge after `outputs`. */
  tick(reset: boolean): void;
}
export interface VectorProgram {
  readonly circuit: Circuit;
  readonly model: Model;
}

/** The packed bits of every element, and what holds them. */
type Elements = bigint[];
interface Env {
  readonly inputs: ReadonlyMap<string, bigint>;
  readonly vecs: Map<string, Elements>;
  readonly scalars: Map<string, bigint>;
}

/** Hardware, and what it is worth. */
interface Scalar {
  readonly hw: UInt;
  readonly width: number;
  readonly of: (e: Env) => bigint;
}
/** An element of the program's shape, its bits packed. */
interface Element {
  readonly hw: unknown;
  readonly of: (e: Env) => bigint;
}

/** The drivable view of a vec, as the builders hand it out at any shape. */
interface AnyVec {
  at(i: number | UInt): unknown;
  setAt(i: UInt, v: unknown): void;
  set(v: unknown): void;
  toArray(): readonly unknown[];
}
interface AnySettable {
  set(v: unknown): void;
}
interface Vec {
  readonly name: string;
  readonly length: number;
  readonly hw: AnyVec;
}

type Step = (e: Env, target: Elements) => void;

const lengthOf = (p: AnyPort | undefined): number =>
  p?.port === "plain" && p.shape.kind === "vec" ? p.shape.length : 0;
const indexWidth = (length: number): number => Math.max(1, Math.ceil(Math.log2(length)));

function elementShape(d: Dice): Shape {
  const width = (): number => d.pick([8, 1, 2, 3, 5, 13, 16]);
  return [
    () => uint(width()),
    () => sint(width()),
    () => struct({ x: uint(width()), y: sint(width()) }),
    () => vec(uint(d.pick([4, 1, 3])), 1 + d.below(4)),
  ][d.below(4)]?.() as Shape;
}

/** The scalar as a value of an integer leaf. */
const leafOf = (s: Scalar, signed: boolean): unknown => (signed ? s.hw.asSint() : s.hw);

/** Everything that one program draws from: the readable values, and the making of expressions from them. */
class Source {
  readonly d: Dice;
  readonly element: Shape;
  readonly scalars: Scalar[] = [];
  readonly vecs: Vec[] = [];
  constructor(d: Dice, element: Shape) {
    this.d = d;
    this.element = element;
  }

  scalar(width: number, depth: number): Scalar {
    const { d } = this;
    const leaf = (): Scalar => {
      const s = this.scalars.length > 0 && d.chance(0.85) ? d.pick(this.scalars) : undefined;
      if (s === undefined) {
        const value = pattern(d, width),
          from = d.pick(this.scalars);
        // A constant with something to hang on: the value less itself.
        const zero = from.hw.xor(from.hw).resize(width);
        return { hw: zero.or(value), width, of: () => value };
      }
      return { hw: s.hw.resize(width), width, of: e => s.of(e) & maskOf(width) };
    };
    if (depth <= 0) return leaf();
    switch (d.below(6)) {
      case 0:
        return leaf();
      case 1: {
        const a = this.scalar(width, depth - 1),
          b = this.scalar(width, 0);
        return { hw: a.hw.add(b.hw), width, of: e => (a.of(e) + b.of(e)) & maskOf(width) };
      }
      case 2: {
        const a = this.scalar(width, depth - 1),
          b = this.scalar(width, depth - 1);
        return { hw: a.hw.xor(b.hw), width, of: e => a.of(e) ^ b.of(e) };
      }
      case 3: {
        const c = this.condition(depth - 1),
          a = this.scalar(width, depth - 1),
          b = this.scalar(width, depth - 1);
        return { hw: mux(c.hw as Bit, a.hw, b.hw), width, of: e => (c.of(e) !== 0n ? a.of(e) : b.of(e)) };
      }
      default: {
        const x = this.read(depth - 1);
        return { hw: pack(x.hw).resize(width), width, of: e => x.of(e) & maskOf(width) };
      }
    }
  }

  condition(depth: number): Scalar {
    if (this.d.chance(0.4)) {
      const a = this.read(depth),
        b = this.read(depth);
      return { hw: pack(a.hw).eq(pack(b.hw)), width: 1, of: e => (a.of(e) === b.of(e) ? 1n : 0n) };
    }
    return this.scalar(1, depth);
  }

  /** An element of some vec, by number or by value. */
  read(depth: number): Element {
    const { d } = this,
      v = d.pick(this.vecs);
    if (d.chance(0.3)) {
      const n = d.below(v.length);
      return { hw: v.hw.at(n), of: e => e.vecs.get(v.name)?.[n] ?? 0n };
    }
    const index = this.scalar(indexWidth(v.length), Math.min(1, depth));
    return { hw: v.hw.at(index.hw), of: e => e.vecs.get(v.name)?.[Number(index.of(e))] ?? 0n };
  }

  /** A value of the element's shape. */
  value(depth: number): Element {
    const { d } = this;
    switch (depth <= 0 ? 0 : d.below(4)) {
      case 1: {
        const c = this.condition(depth - 1),
          a = this.read(depth - 1),
          b = this.value(depth - 1);
        return { hw: mux(c.hw as Bit, a.hw, b.hw as never), of: e => (c.of(e) !== 0n ? a.of(e) : b.of(e)) };
      }
      case 2:
        return this.literal(depth - 1);
      default:
        return this.read(depth);
    }
  }

  /** A value put together leaf by leaf. */
  literal(depth: number): Element {
    const leaves = leavesOf(this.element).map(l => ({ l, s: this.scalar(l.width, depth) }));
    const of = (e: Env): bigint => leaves.reduce((v, { l, s }) => v | (s.of(e) << BigInt(l.offset)), 0n);
    const value = (at: number): unknown =>
      leafOf((leaves[at] as (typeof leaves)[number]).s, leaves[at]?.l.signed === true);
    switch (this.element.kind) {
      case "uint":
      case "sint":
        return { hw: value(0), of };
      case "struct":
        return { hw: Object.fromEntries(leaves.map(({ l }, n) => [l.path[0] as string, value(n)])), of };
      case "vec":
        return { hw: leaves.map((_, n) => value(n)), of };
    }
  }
}

/** A statement that changes `target`: as hardware now, and as a step of the model. */
function change(s: Source, target: Vec, depth: number): Step {
  const { d } = s,
    bits = widthOf(s.element),
    leaves = leavesOf(s.element);
  switch (d.below(5)) {
    case 0: {
      const n = d.below(target.length),
        v = s.value(depth);
      (target.hw.at(n) as AnySettable).set(v.hw);
      return (e, t) => {
        t[n] = v.of(e);
      };
    }
    case 1: {
      const all = Array.from({ length: target.length }, () => s.value(depth - 1));
      target.hw.set(all.map(v => v.hw));
      return (e, t) =>
        all.forEach((v, n) => {
          t[n] = v.of(e);
        });
    }
    case 2: {
      // One leaf of one element, the others keep what they had.
      const n = d.below(target.length),
        leaf = d.pick(leaves),
        v = s.scalar(leaf.width, depth),
        mask = maskOf(leaf.width) << BigInt(leaf.offset);
      let at = target.hw.at(n);
      for (const p of leaf.path)
        at = s.element.kind === "vec" ? (at as AnyVec).at(Number(p)) : (at as Record<string, unknown>)[p];
      (at as AnySettable).set(leafOf(v, leaf.signed));
      return (e, t) => {
        t[n] = ((t[n] ?? 0n) & ~mask) | (v.of(e) << BigInt(leaf.offset));
      };
    }
    default: {
      const index = s.scalar(indexWidth(target.length), 1),
        v = s.value(depth);
      target.hw.setAt(index.hw, v.hw);
      return (e, t) => {
        const n = Number(index.of(e)),
          word = v.of(e) & maskOf(bits);
        if (n < target.length) t[n] = word;
      };
    }
  }
}

function statement(s: Source, target: Vec, depth: number): Step {
  const { d } = s;
  const block = (): (() => Step[]) => {
    const n = d.pick([1, 1, 1, 2]);
    return () => Array.from({ length: n }, () => statement(s, target, depth - 1));
  };
  if (depth <= 0 || d.chance(0.3)) return change(s, target, d.below(2));
  if (d.chance(0.6)) {
    const c = s.condition(1),
      then = block(),
      otherwise = d.chance(0.5) ? block() : undefined;
    let a: Step[] = [],
      b: Step[] = [];
    const chain = when(c.hw as Bit, () => {
      a = then();
    });
    if (otherwise !== undefined)
      chain.otherwise(() => {
        b = otherwise();
      });
    return (e, t) => {
      for (const x of c.of(e) !== 0n ? a : b) x(e, t);
    };
  }
  const on = s.scalar(2, 1),
    cases = new Map<bigint, Step[]>();
  const chain = switchOn(on.hw);
  for (const label of [0, 1, 2, 3].filter(() => d.chance(0.4))) {
    const make = block();
    chain.is(label, () => {
      cases.set(BigInt(label), make());
    });
  }
  return (e, t) => {
    for (const x of cases.get(on.of(e)) ?? []) x(e, t);
  };
}

/** Packed elements from, and to, the leaves of a port as the emitted module has them. */
function gather(name: string, length: number, element: Shape, values: ReadonlyMap<string, bigint>): Elements {
  return Array.from({ length }, (_, n) =>
    leavesOf(element).reduce(
      (v, l) => v | ((values.get([name, String(n), ...l.path].join("_")) ?? 0n) << BigInt(l.offset)),
      0n,
    ),
  );
}
function scatter(name: string, element: Shape, all: Elements, into: Map<string, bigint>): void {
  all.forEach((v, n) => {
    for (const l of leavesOf(element))
      into.set([name, String(n), ...l.path].join("_"), (v >> BigInt(l.offset)) & maskOf(l.width));
  });
}

/** An initial value of the element: numbers at its leaves. */
function initOf(element: Shape, packed: bigint): never {
  const leaf = (lo: number, width: number, signed: boolean): bigint => {
    const v = (packed >> BigInt(lo)) & maskOf(width);
    return signed ? asSigned(v, width) : v;
  };
  const leaves = leavesOf(element);
  const value =
    element.kind === "struct"
      ? Object.fromEntries(leaves.map(l => [l.path[0] as string, leaf(l.offset, l.width, l.signed)]))
      : element.kind === "vec"
        ? leaves.map(l => leaf(l.offset, l.width, l.signed))
        : leaf(0, leaves[0]?.width ?? 1, leaves[0]?.signed === true);
  return value as never;
}

/** The same choices give the same program; with `below` 1 it may hold an instance of another one. */
function define(d: Dice, name: string, below: number, element: Shape): { readonly def: Def; readonly model: Model } {
  const length = (): number => d.pick([2, 3, 4, 3, 1, 5]);
  const lengths = { v0: length(), v1: length(), o0: length() };
  const ports = {
    a: input(uint(8)),
    b: input(uint(4)),
    c: input(bit),
    v0: input(vec(element, lengths.v0)),
    v1: input(vec(element, lengths.v1)),
    o0: output(vec(element, lengths.o0)),
    o1: output(element),
    o2: output(uint(8)),
  };
  const inner = below > 0 && d.chance(0.35) ? define(d, `${name}_sub`, below - 1, element) : undefined;
  const stored = new Map<string, { init: Elements; now: Elements; steps: Step[] }>();
  const combinational: { readonly name: string; readonly first: (e: Env) => Elements; readonly steps: Step[] }[] = [];
  const pins: ((e: Env) => ReadonlyMap<string, bigint>)[] = [];
  const last = { o1: (_: Env): bigint => 0n, o2: (_: Env): bigint => 0n };

  const body = (io: Record<string, unknown>): void => {
    const s = new Source(d, element),
      registers: Vec[] = [];
    for (const [n, width] of [
      ["a", 8],
      ["b", 4],
      ["c", 1],
    ] as const)
      s.scalars.push({ hw: io[n] as UInt, width, of: e => e.inputs.get(n) ?? 0n });
    for (const n of ["v0", "v1"] as const) s.vecs.push({ name: n, length: lengths[n], hw: io[n] as AnyVec });
    const stores = 1 + d.below(2);
    for (let i = 0; i < stores; i++) {
      const n = `m${i}`,
        size = length(),
        init = Array.from({ length: size }, () => pattern(d, widthOf(element)));
      const held = reg(vec(element, size), {
        name: n,
        init: init.map(x => initOf(element, x)) as never,
      }) as unknown as AnyVec;
      stored.set(n, { init, now: [...init], steps: [] });
      registers.push({ name: n, length: size, hw: held });
    }
    s.vecs.push(...registers);
    const steps = (target: Vec): Step[] =>
      Array.from({ length: 1 + d.below(2) }, () => statement(s, target, d.below(3)));
    if (d.chance(0.5)) {
      const size = length(),
        w: Vec = { name: "w", length: size, hw: wire(vec(element, size), { name: "w" }) };
      const all = Array.from({ length: size }, () => s.value(1));
      w.hw.set(all.map(x => x.hw));
      combinational.push({ name: "w", first: e => all.map(x => x.of(e)), steps: steps(w) });
      s.vecs.push(w);
    }
    if (inner !== undefined) {
      const u = instance("u", inner.def) as unknown as Record<string, unknown>;
      const given: ((e: Env, to: Map<string, bigint>) => void)[] = [];
      for (const [port, p] of Object.entries(inner.def.ports)) {
        if (p.port === "interface" || p.dir !== "in") continue;
        if (p.shape.kind === "vec") {
          const all = Array.from({ length: p.shape.length }, () => s.value(1)),
            target = u[port] as AnyVec;
          target.set(all.map(x => x.hw));
          const more = steps({ name: `u_${port}`, length: all.length, hw: target });
          given.push((e, to) => {
            const t = all.map(x => x.of(e));
            for (const x of more) x(e, t);
            scatter(port, element, t, to);
          });
        } else {
          const x = s.scalar(widthOf(p.shape), 2);
          (u[port] as AnySettable).set(x.hw);
          given.push((e, to) => {
            to.set(port, x.of(e));
          });
        }
      }
      pins.push(e => {
        const to = new Map<string, bigint>();
        for (const g of given) g(e, to);
        return to;
      });
      s.vecs.push({
        name: "u_o0",
        length: lengthOf(inner.def.ports["o0"]),
        hw: u["o0"] as AnyVec,
      });
      s.scalars.push({ hw: u["o2"] as UInt, width: 8, of: e => e.scalars.get("u_o2") ?? 0n });
    }
    for (const r of registers) stored.get(r.name)?.steps.push(...steps(r));
    const o0: Vec = { name: "o0", length: lengths.o0, hw: io["o0"] as AnyVec },
      all = Array.from({ length: lengths.o0 }, () => s.value(1));
    o0.hw.set(all.map(x => x.hw));
    combinational.push({ name: "o0", first: e => all.map(x => x.of(e)), steps: steps(o0) });
    const o1 = s.value(2),
      o2 = s.scalar(8, 3);
    (io["o1"] as AnySettable).set(o1.hw);
    (io["o2"] as AnySettable).set(o2.hw);
    last.o1 = o1.of;
    last.o2 = o2.of;
  };
  const def = module(
    name,
    () => ports as Ports,
    io => body(io),
  )();

  let env: Env | undefined;
  const run = (
    e: Env,
    c: { readonly name: string; readonly first: (e: Env) => Elements; readonly steps: Step[] },
  ): void => {
    const t = c.first(e);
    for (const x of c.steps) x(e, t);
    e.vecs.set(c.name, t);
  };
  const model: Model = {
    outputs: inputs => {
      const e: Env = { inputs, vecs: new Map(), scalars: new Map() };
      env = e;
      for (const n of ["v0", "v1"] as const) e.vecs.set(n, gather(n, lengths[n], element, inputs));
      for (const [n, r] of stored) e.vecs.set(n, r.now);
      for (const c of combinational) if (c.name === "w") run(e, c);
      if (inner !== undefined) {
        const out = inner.model.outputs(pins[0]?.(e) ?? new Map<string, bigint>());
        e.vecs.set("u_o0", gather("o0", lengthOf(inner.def.ports["o0"]), element, out));
        e.scalars.set("u_o2", out.get("o2") ?? 0n);
      }
      for (const c of combinational) if (c.name === "o0") run(e, c);
      const to = new Map<string, bigint>([["o2", last.o2(e)]]),
        one = last.o1(e);
      for (const l of leavesOf(element))
        to.set(["o1", ...l.path].join("_"), (one >> BigInt(l.offset)) & maskOf(l.width));
      scatter("o0", element, e.vecs.get("o0") ?? [], to);
      return to;
    },
    tick: reset => {
      const e = env;
      if (e === undefined) throw new Error("outputs comes before tick");
      const next = [...stored.values()].map(r => {
        const t = [...r.now];
        for (const x of r.steps) x(e, t);
        return reset ? [...r.init] : t;
      });
      [...stored.values()].forEach((r, n) => {
        r.now = next[n] as Elements;
      });
      inner?.model.tick(reset);
    },
  };
  return { def, model };
}

/** The codes of checks that a random program may well earn: its reads, overwrites and omissions are its own affair. */
const HARMLESS = new Set(["HDL002", "HDL003", "HDL004"]);

/** A program of vectors. @throws what the builders or the checks wrongly find in it. */
export function vectorProgramOf(choices: readonly number[], name: string): VectorProgram {
  const d = new Choices(choices);
  const { def, model } = define(d, name, 1, elementShape(d));
  const { circuit, diagnostics } = def.elaborate();
  const wrong = diagnostics.filter(x => !HARMLESS.has(x.code));
  if (wrong.length > 0) throw new HdlError(wrong);
  return { circuit, model };
}
