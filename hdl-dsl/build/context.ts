/** The module being built: where statements go, which names are taken, what has been found wrong. */
import type {
  Circuit,
  ClockDomain,
  Instance,
  Memory,
  MemWrite,
  Position,
  Property,
  Signal,
  Stmt,
  StreamInfo,
} from "../ir/circuit.ts";
import { type Diagnostic, HdlError } from "../ir/diagnostic.ts";
import type { Expr } from "../ir/expr.ts";
import { snakeCase } from "../ir/snake-case.ts";
import { userPosition } from "./position.ts";

export const defaultDomain: ClockDomain = { name: "default", clock: "clk", reset: "rst", kind: "sync" };

/** Registers with what a value was in the cycles before; the first holds the value of one cycle ago. */
export interface History {
  readonly value: Expr;
  /** Value in the cycles that have no past. */
  readonly init: bigint;
  readonly registers: Signal[];
  readonly name: string;
  /** All values that must be of one clock domain: the fields of a struct. */
  readonly together: readonly Expr[];
  /** The domain that the history was asked for in; undefined `domain`: the value's own is known at the end only. */
  readonly asked: ClockDomain;
  domain: ClockDomain | undefined;
  /** 1 from the second cycle on: a wire that the end of the module drives when it knows the domain. */
  began: Signal | undefined;
  /** The history of 1, which counts the cycles of its domain. */
  readonly counts?: true;
  readonly position: Position | undefined;
}

export interface Context {
  readonly moduleName: string;
  /** The names of a black box are its vendor's: they stay as given. */
  readonly verbatim: boolean;
  readonly signals: Signal[];
  readonly memories: Memory[];
  readonly instances: Instance[];
  readonly streams: StreamInfo[];
  readonly domains: Set<ClockDomain>;
  /** The module's statements, outermost level. */
  readonly top: Stmt[];
  /** Where the next statement goes (innermost `when`). */
  block: Stmt[];
  domain: ClockDomain;
  /** The clock enable around what is declared. */
  enable: Expr | undefined;
  /** What was declared under a clock enable. */
  readonly enabled: Map<Signal | MemWrite | Property, Expr>;
  /** Prefix of automatic names, from `scope`. */
  prefix: string;
  readonly taken: Map<string, Position | undefined>;
  /** Those that ports have. */
  readonly portNames: Set<string>;
  /** The next number for a name that is taken. */
  readonly numbered: Map<string, number>;
  readonly signalNames: Set<string>;
  readonly diagnostics: Diagnostic[];
  readonly warnings: Diagnostic[];
  readonly children: Set<Circuit>;
  readonly histories: History[];
}

let current: Context | undefined;

/** The module being built. A builder called outside of a module body is a mistake of the caller's, told at once. */
export function context(): Context {
  if (current === undefined)
    throw new Error("this part of the language works inside the body of a module(...) only: call it from there");
  return current;
}
export const hasContext = (): boolean => current !== undefined;

export function withContext<T>(c: Context, f: () => T): T {
  const outer = current;
  current = c;
  try {
    return f();
  } finally {
    current = outer;
  }
}

export function newContext(moduleName: string, verbatim = false): Context {
  const top: Stmt[] = [];
  return {
    moduleName,
    verbatim,
    signals: [],
    memories: [],
    instances: [],
    streams: [],
    domains: new Set(),
    top,
    block: top,
    domain: defaultDomain,
    enable: undefined,
    enabled: new Map(),
    prefix: "",
    taken: new Map([
      ["clk", undefined],
      ["rst", undefined],
    ]),
    portNames: new Set(),
    numbered: new Map(),
    signalNames: new Set(),
    diagnostics: [],
    warnings: [],
    children: new Set(),
    histories: [],
  };
}

/** Notes an error and goes on, so that one run reports all errors. Outside of a module (constants) it throws. */
export function report(
  code: string,
  message: string,
  fix: string,
  related?: Position,
  at: Position | undefined = userPosition(),
): void {
  if (current === undefined) throw new Error(`${code}: ${message}. ${fix}`);
  current.diagnostics.push({ code, module: current.moduleName, message, fix, at, related });
}

/** Notes a warning: what is written means something, though hardly what was meant. */
export function warn(code: string, message: string, fix: string, related?: Position): void {
  current?.warnings.push({ code, module: current.moduleName, message, fix, at: userPosition(), related });
}

/** An error after which the body cannot go on. */
export function refuse(
  code: string,
  message: string,
  fix: string,
  related?: Position,
  at: Position | undefined = userPosition(),
): never {
  throw new HdlError([{ code, module: current?.moduleName ?? "", message, fix, at, related }]);
}

export function withBlock<T>(block: Stmt[], f: () => T): T {
  const c = context(),
    outer = c.block;
  c.block = block;
  try {
    return f();
  } finally {
    c.block = outer;
  }
}

/** Runs `f` with statements going to the module's outermost level, whatever `when` surrounds the call. */
export function atTop<T>(f: () => T): T {
  return withBlock(context().top, f);
}

/** The Verilog name of what is called `wanted` in the module being built, its scope's prefix included. */
export function verilogName(wanted: string): string {
  const c = context(),
    own = c.verbatim ? wanted : snakeCase(wanted);
  return c.prefix === "" ? own : `${c.prefix}_${own}`;
}

/** Whether a port has the name: a register of that name, which most often drives it, then ends in `_q`. */
export const isPortName = (name: string): boolean => context().portNames.has(name);

/**
 * Claims a name and gives it in snake_case. Explicit ones and ports are reserved; automatic ones that clash get the
 * next free `_1`, `_2` (element order of a loop). A register beside a port of its name gets `_q`.
 */
export function claimName(wanted: string, position: Position | undefined, kind?: "reg"): string {
  const c = context();
  const plain = verilogName(wanted),
    base = kind === "reg" && isPortName(plain) ? `${plain}_q` : plain;
  let name = base;
  if (c.taken.has(base)) {
    // Numbers go on where the last one of this name ended: a loop of n declarations costs n steps.
    let i = c.numbered.get(base) ?? 1;
    for (name = `${base}_${i}`; c.taken.has(name); name = `${base}_${i}`) i++;
    c.numbered.set(base, i + 1);
  }
  c.taken.set(name, position);
  return name;
}

/** Whether an automatic name is in use already. */
export function isTaken(wanted: string): boolean {
  return context().taken.has(verilogName(wanted));
}
