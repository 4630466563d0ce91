/**
 * Modules and instances: a definition is a pure function of plain parameters, elaborated once for each distinct set.
 */
import { createHash } from "node:crypto";
import type { Circuit, ClockDomain, Instance, Position, Signal, StreamInfo } from "../ir/circuit.ts";
import { type Diagnostic, HdlError } from "../ir/diagnostic.ts";
import * as make from "../ir/fold.ts";
import { snakeCase } from "../ir/snake-case.ts";
import type { Port, Ports, StreamPort } from "../types/ports.ts";
import { bit, leavesOf, type Shape } from "../types/shape.ts";
import type { Bit, Inside, Outside } from "../types/value.ts";
import { atTop, claimName, context, type Context, defaultDomain, newContext, report, withContext } from "./context.ts";
import { chooseName, makeSignal } from "./declare.ts";
import { userPosition } from "./position.ts";
import { fieldAfter } from "./source-name.ts";
import { Value, Variable } from "./value.ts";
import { view } from "./view.ts";
import { checkCircuit, checkModuleNames } from "../check/index.ts";

/** A module with its parameters chosen. */
export interface Def<P extends Ports = Ports> {
  readonly ports: P;
  /** Verilog name, parameters included. */
  readonly name: string;
  /** Elaborates (once) and gives the circuit with everything found wrong in it and below. */
  elaborate(): { readonly circuit: Circuit; readonly diagnostics: readonly Diagnostic[] };
}

/** An instance of a module (`InstanceOf<typeof Fifo>`): the type for a function that is given one. */
export type InstanceOf<M> = M extends (params: never) => Def<infer P> ? Outside<P> : never;

/** A module's parameters may be numbers, bigints, strings, booleans, shapes, and plain objects or arrays of those. */
function parameterText(module: string, v: unknown): string {
  const refuse = (path: string, what: string): never => {
    throw new TypeError(
      `module ${module}: parameter ${path} is ${what}: parameters are plain data (numbers, bigints, strings, booleans, shapes, objects and arrays of those), so that equal ones give one definition`,
    );
  };
  const text = (x: unknown, path: string): string => {
    switch (typeof x) {
      case "number":
        return Number.isNaN(x) ? refuse(path, "not a number (NaN)") : Object.is(x, -0) ? "0" : String(x);
      case "bigint":
        return `${x.toString()}n`;
      case "string":
        return JSON.stringify(x);
      case "boolean":
      case "undefined":
        return String(x);
      case "function":
      case "symbol":
        return refuse(path, `a ${typeof x}`);
      case "object": {
        if (x === null) return "null";
        if (Array.isArray(x)) return `[${x.map((y, i) => text(y, `${path}[${i}]`)).join(",")}]`;
        const proto = Object.getPrototypeOf(x) as unknown;
        if (proto !== Object.prototype && proto !== null)
          return refuse(path, `an object of class ${x.constructor.name}`);
        return `{${Object.entries(x)
          .filter(([, y]) => y !== undefined)
          .map(([k, y]) => `${JSON.stringify(k)}:${text(y, path === "" ? k : `${path}.${k}`)}`)
          .join(",")}}`;
      }
    }
  };
  return text(v, "");
}
const clean = (s: string): string => s.replace(/[^A-Za-z0-9_]/g, "_");

/**
 * `Fifo` + { width: 64, depth: 16 } = `Fifo_width64_depth16`; shapes by their width when plain, else by a digest
 * of the structure.
 */
function nameWith(
  base: string,
  params: unknown,
): { readonly name: string; readonly parameters: readonly (readonly [string, string])[] } {
  if (typeof params !== "object" || params === null) return { name: base, parameters: [] };
  const parameters: [string, string][] = [];
  let name = base;
  for (const [k, v] of Object.entries(params)) {
    if (v === undefined) continue;
    const text = parameterText(base, v);
    parameters.push([k, text.replace(/"/g, "")]);
    if (typeof v === "object" && v !== null) {
      const o = v as { readonly kind?: string; readonly width?: number };
      name += `_${k}${(o.kind === "uint" || o.kind === "sint") && o.width !== undefined ? `${o.kind === "sint" ? "s" : ""}${o.width}` : `_${createHash("sha256").update(text).digest("hex").slice(0, 6)}`}`;
    } else if (typeof v === "boolean") name += v ? `_${k}` : "";
    else name += `_${k}${clean(String(v as number | string | bigint))}`;
  }
  // Verilator and file systems cut long names; the parameters stand in the file's header in any case.
  if (name.length > longestName) name = `${base}_${createHash("sha256").update(name).digest("hex").slice(0, 8)}`;
  return { name, parameters };
}
/** Characters of a module's name beyond which a digest stands for its parameters. */
const longestName = 100;

export interface ModuleOptions<A> {
  /** Overrides the name made from the parameters; distinct parameters must give distinct names. */
  readonly nameOf?: (params: A) => string;
}

/**
 * Defines a module. `ports` and `body` are pure functions of the parameters; every distinct parameter set is elaborated
 * once, on first use, whatever the order. Errors of a run are reported together when the design is emitted.
 */
export function module<A = void, const P extends Ports = Ports>(
  name: string,
  ports: (params: A) => P,
  body: (io: Inside<P>, params: A) => void,
  o: ModuleOptions<A> = {},
): (params: A) => Def<P> {
  const defs = new Map<string, Def<P>>();
  const position = userPosition();
  return params => {
    const key = parameterText(name, params);
    let def = defs.get(key);
    if (def === undefined) {
      const named = nameWith(name, params);
      def = define(o.nameOf?.(params) ?? named.name, named.parameters, ports(params), position, io =>
        body(io as Inside<P>, params),
      );
      defs.set(key, def);
    }
    return def;
  };
}

function define<P extends Ports>(
  name: string,
  parameters: Circuit["parameters"],
  ports: P,
  position: Position | undefined,
  body: (io: unknown) => void,
  verbatim = false,
): Def<P> {
  let done: ReturnType<Def["elaborate"]> | undefined;
  let busy = false;
  return {
    ports,
    name,
    // The stack walk for names ends at this function's name (build/position.ts).
    elaborate: function elaborateOnce() {
      if (done !== undefined) return done;
      if (busy)
        throw new Error(
          `module ${name} contains itself: give the inner instance other parameters, and an end to the recursion`,
        );
      busy = true;
      const c = newContext(name, verbatim);
      let circuit: Circuit;
      try {
        circuit = withContext(c, () => {
          const io = portsInside(ports, c, position);
          body(io);
          return finish(c, name, parameters, ports, position);
        });
      } catch (e) {
        // An earlier finding is likely the cause: after an error, a body goes on with the values that it has.
        if (c.diagnostics.length === 0) throw e;
        throw new HdlError([...(e instanceof HdlError ? e.diagnostics : []), ...c.diagnostics]);
      } finally {
        busy = false;
      }
      const own = c.diagnostics.length > 0 ? [...c.diagnostics] : checkCircuit(circuit);
      const below = [...c.children].flatMap(k => childDiagnostics.get(k) ?? []);
      const diagnostics = [...new Set([...below, ...own])];
      childDiagnostics.set(circuit, diagnostics);
      done = { circuit, diagnostics };
      return done;
    },
  };
}
const childDiagnostics = new WeakMap<Circuit, readonly Diagnostic[]>();

function finish(
  c: Context,
  name: string,
  parameters: Circuit["parameters"],
  ports: Ports,
  position: Position | undefined,
): Circuit {
  for (const signal of c.signals) {
    if (signal.kind !== "input" && signal.kind !== "output") continue;
    signal.domain = domainOfPort(c, ports, signal);
  }
  // The default domain's clock is the first port, whatever was declared first.
  const domains = [...c.domains].sort((a, b) => Number(b === defaultDomain) - Number(a === defaultDomain));
  return {
    name,
    parameters,
    ports,
    position,
    domains,
    signals: c.signals,
    memories: c.memories,
    instances: c.instances,
    streams: c.streams,
    body: c.top,
  };
}

/** The domain that a port names; else the default one, or the module's only one when that is another. */
function domainOfPort(c: Context, ports: Ports, signal: Signal): ClockDomain | undefined {
  const port = ports[signal.path?.[0] ?? ""];
  const all = [...c.domains];
  if (port?.domain === undefined) return all.length === 1 ? all[0] : signal.domain;
  const named = all.find(d => d.name === port.domain);
  if (named === undefined) {
    c.diagnostics.push({
      code: "HDL121",
      module: c.moduleName,
      at: signal.position,
      related: undefined,
      message: `port \`${signal.name}\` names clock domain \`${port.domain}\`, which the module does not have`,
      fix: `Make it in the body, clockDomain("${port.domain}"), or leave it out of the port`,
    });
  }
  return named ?? signal.domain;
}

interface LeafPort {
  readonly name: string;
  readonly path: readonly string[];
  readonly width: number;
  readonly signed: boolean;
  readonly dir: "in" | "out";
  readonly offset: number;
  readonly role?: "valid" | "ready" | "payload";
}

/** The flattened ports of a module, in declaration order. `verbatim`: of a black box, whose names stay as given. */
export function flattenPort(name: string, p: Port | StreamPort, verbatim = false): LeafPort[] {
  const joined = (path: readonly string[]): string => (verbatim ? path : path.map(snakeCase)).join("_");
  const flat = (
    shape: Shape,
    path: readonly string[],
    dir: "in" | "out",
    role?: "valid" | "ready" | "payload",
  ): LeafPort[] =>
    leavesOf(shape).map(l => ({
      name: joined([...path, ...l.path]),
      path: [...path, ...l.path],
      width: l.width,
      signed: l.signed,
      dir,
      offset: l.offset,
      ...(role === undefined ? {} : { role }),
    }));
  if (p.port === "plain") return flat(p.shape, [name], p.dir);
  const back = p.dir === "in" ? "out" : "in";
  return [
    ...flat(bit, [name, "valid"], p.dir, "valid"),
    ...flat(bit, [name, "ready"], back, "ready"),
    ...flat(p.shape, [name, "payload"], p.dir, "payload"),
  ];
}

type Maker = (l: LeafPort) => Value;

type Flattened = WeakMap<Ports, ReadonlyMap<string, readonly LeafPort[]>>;
const flattened: Flattened = new WeakMap(),
  flattenedVerbatim: Flattened = new WeakMap();
/** The leaves of every port, worked out once: a definition may have thousands of instances. */
function leavesOfPorts(ports: Ports, verbatim: boolean): ReadonlyMap<string, readonly LeafPort[]> {
  const known = verbatim ? flattenedVerbatim : flattened;
  let all = known.get(ports);
  if (all === undefined)
    known.set(ports, (all = new Map(Object.entries(ports).map(([name, p]) => [name, flattenPort(name, p, verbatim)]))));
  return all;
}

/** The user's object for one port, its leaves made by `make`. */
function portView(
  ports: Ports,
  verbatim: boolean,
  name: string,
  p: Port | StreamPort,
  makeLeaf: Maker,
  register: (s: StreamInfo) => void,
  infoDir: "in" | "out" | "inner",
): unknown {
  const flat = leavesOfPorts(ports, verbatim).get(name) ?? [],
    first = flat[0];
  if (p.port === "plain" && first !== undefined && (p.shape.kind === "uint" || p.shape.kind === "sint"))
    return makeLeaf(first);
  const leaves = flat.map(l => ({ l, v: makeLeaf(l) }));
  const find = (path: readonly string[]): Value =>
    (leaves.find(x => x.l.path.length === path.length && x.l.path.every((s, i) => s === path[i])) as { v: Value }).v;
  const signalOf = (v: Value): Signal => (v as Value & { readonly signal: Signal }).signal;
  if (p.port === "plain") return view(p.shape, l => find([name, ...l.path]));
  const valid = find([name, "valid"]),
    ready = find([name, "ready"]);
  register({
    name: verbatim ? name : snakeCase(name),
    dir: infoDir,
    valid: signalOf(valid),
    ready: signalOf(ready),
    payload: leaves.filter(x => x.l.role === "payload").map(x => signalOf(x.v)),
  });
  return streamObject(
    p.shape,
    valid,
    ready,
    view(p.shape, l => find([name, "payload", ...l.path])),
  );
}

export function streamObject(shape: Shape, valid: Value, ready: Value, payload: unknown): unknown {
  return {
    shape,
    valid,
    ready,
    payload,
    get fire(): Value {
      return valid.and(ready);
    },
  };
}

/** Readable only: a misdirected `set` ends here at run time, where the compiler did not check. */
class ReadOnly extends Value {
  readonly signal: Signal;
  constructor(signal: Signal) {
    super(make.read(signal));
    this.signal = signal;
  }
  set(_v: unknown): void {
    report(
      "HDL111",
      `\`${this.signal.name}\` cannot be driven here: it is ${this.signal.kind === "input" ? "an input of this module" : "an output of an instance"}`,
      "Inputs are driven from outside, outputs from inside",
      this.signal.position,
    );
  }
}

function portsInside(ports: Ports, c: Context, declared: Position | undefined): unknown {
  const io: Record<string, unknown> = {};
  for (const [name, p] of Object.entries(ports)) {
    const position = declared === undefined ? undefined : (fieldAfter(declared, name) ?? declared);
    io[name] = portView(
      ports,
      c.verbatim,
      name,
      p,
      l => {
        claimName(l.name, position);
        const v = makeSignal({
          kind: l.dir === "in" ? "input" : "output",
          name: l.name,
          width: l.width,
          signed: l.signed,
          position,
          path: l.path,
          role: l.role,
          domain: c.domain,
          mayBeUnread: p.port === "plain" && p.unused === true ? true : undefined,
        });
        return l.dir === "in" ? new ReadOnly(v.signal) : v;
      },
      s => {
        c.streams.push(s);
      },
      p.dir,
    );
  }
  return io;
}

/**
 * A module inside this one. Its inputs are to be driven, its outputs can be read; its default clock domain is the
 * current one. The name comes from the source when the first argument is left out:
 * `const queue = instance(Fifo({ width: 8 }))`.
 */
export function instance<P extends Ports>(def: Def<P>, o?: InstanceOptions): Outside<P>;
export function instance<P extends Ports>(name: string, def: Def<P>, o?: InstanceOptions): Outside<P>;
export function instance<P extends Ports>(
  first: string | Def<P>,
  second?: Def<P> | InstanceOptions,
  third?: InstanceOptions,
): Outside<P> {
  const def = (typeof first === "string" ? second : first) as Def<P>;
  const o = (typeof first === "string" ? third : (second as InstanceOptions | undefined)) ?? {};
  const c = context(),
    position = userPosition();
  const { circuit } = def.elaborate();
  c.children.add(circuit);
  const name = chooseName(typeof first === "string" ? first : undefined, `u_${def.name}`, position);
  const domains = new Map<string, ClockDomain>();
  for (const d of circuit.domains) {
    const to = d.name === "default" ? c.domain : o.domains?.[d.name];
    if (to === undefined) {
      report(
        "HDL118",
        `instance \`${name}\` of ${def.name}: its clock domain \`${d.name}\` is not connected`,
        `Give instance(..., { domains: { ${d.name}: ... } })`,
      );
      continue;
    }
    domains.set(d.name, to);
    c.domains.add(to);
  }
  const made: Instance = { name, circuit, connections: new Map<string, Signal>(), domains, position };
  c.instances.push(made);
  if (o.reset !== undefined) resetOf(made, o.reset, claimName(`${stripPrefix(name, c.prefix)}_own_reset`, position));
  const out: Record<string, unknown> = {};
  for (const [portName, p] of Object.entries(def.ports)) {
    out[portName] = portView(
      def.ports,
      circuit.blackBox !== undefined,
      portName,
      p,
      l => {
        const driven = l.dir === "in";
        const v = makeSignal({
          kind: driven ? "instanceIn" : "instanceOut",
          name: claimName(`${stripPrefix(name, c.prefix)}_${l.name}`, position),
          width: l.width,
          signed: l.signed,
          position,
          path: l.path,
          role: l.role,
          instance: made,
          mayBeUnread: l.role === "ready" ? true : undefined,
        });
        made.connections.set(l.name, v.signal);
        return driven ? v : new ReadOnly(v.signal);
      },
      s => {
        c.streams.push({ ...s, name: `${name}_${s.name}` });
      },
      "inner",
    );
  }
  return out as Outside<P>;
}
const stripPrefix = (name: string, prefix: string): string =>
  prefix !== "" && name.startsWith(`${prefix}_`) ? name.slice(prefix.length + 1) : name;

/** An instance's own reset is driven as one of its inputs is, whatever `when` surrounds the instance. */
function resetOf(i: Instance, value: Bit, name: string): void {
  const inner = i.circuit.domains.find(d => d.name === "default"),
    outer = i.domains.get("default");
  if (inner?.reset === undefined || outer?.kind !== "sync") {
    report(
      "HDL118",
      `instance \`${i.name}\` of ${i.circuit.name}: a reset of its own needs a default clock domain with a synchronous reset`,
      "Leave out the option `reset`",
    );
    return;
  }
  const v = makeSignal({ kind: "instanceIn", name, width: 1, signed: false, position: i.position, instance: i });
  i.connections.set(inner.reset, v.signal);
  i.reset = v.signal;
  atTop(() => v.set(value));
}

export interface InstanceOptions {
  /**
   * Resets the instance, and what is in it, whenever it is 1: beside the reset of its default clock domain, which must
   * be synchronous. Assertions in it are silent meanwhile.
   */
  readonly reset?: Bit;
  /** For each further clock domain of the sub-module, the domain here that drives it. */
  readonly domains?: Readonly<Record<string, ClockDomain>>;
}

/**
 * A module whose contents come from elsewhere (vendor IP): ports only here, with the vendor's names as they are.
 * `simulation` is Verilog text of a behavioural stand-in.
 */
export function blackBox<const P extends Ports>(
  name: string,
  ports: P,
  o: {
    readonly simulation?: string;
    readonly parameters?: Readonly<Record<string, number | string>>;
    readonly clocked?: boolean;
  } = {},
): Def<P> {
  const parameters = Object.entries(o.parameters ?? {});
  const def = define(
    name,
    parameters.map(([k, v]) => [k, String(v)] as const),
    ports,
    userPosition(),
    () => {
      if (o.clocked === true) context().domains.add(context().domain);
    },
    true,
  );
  let wrapped: ReturnType<Def["elaborate"]> | undefined;
  return {
    ports,
    name,
    elaborate: () => {
      wrapped ??= {
        circuit: { ...def.elaborate().circuit, blackBox: { simulation: o.simulation, parameters } },
        diagnostics: [],
      };
      return wrapped;
    },
  };
}

/** The circuit of a definition; throws HdlError with every error of the run when there is any. */
export function elaborate(def: Def): Circuit {
  const { circuit, diagnostics } = def.elaborate();
  const all = [...diagnostics, ...checkModuleNames(circuit)];
  if (all.length > 0) throw new HdlError(all);
  return circuit;
}

export { Variable, withContext };
