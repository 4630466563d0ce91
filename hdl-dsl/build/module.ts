/**
 * Modules and instances: a definition is a pure function of plain parameters, elaborated once for each distinct set.
 */
import type { Circuit, ClockDomain, Instance, Position, Signal, Stmt, StreamInfo } from "../ir/circuit.ts";
import { type Diagnostic, formatDiagnostic, HdlError, isWarning } from "../ir/diagnostic.ts";
import * as make from "../ir/fold.ts";
import { snakeCase } from "../ir/snake-case.ts";
import { type LeafPort, leavesOfPort, placedPorts, portAt } from "../ir/port-leaves.ts";
import { type AnyPort, flip, type Port, type Ports, type StreamPort } from "../types/ports.ts";
import type { Shape } from "../types/shape.ts";
import type { Bit, Inside, Outside } from "../types/value.ts";
import { runBody } from "./body.ts";
import {
  atTop,
  claimName,
  context,
  type Context,
  defaultDomain,
  newContext,
  refuse,
  report,
  withContext,
} from "./context.ts";
import { heldStill, refuseEnabled } from "./clock-enable.ts";
import { registerMaker, requireDefinition } from "./definition.ts";
import { chooseName, makeSignal } from "./declare.ts";
import { asEnd } from "./ends.ts";
import { nameWith, parameterKey, parameterRows } from "./module-name.ts";
import { settleHistories } from "./past.ts";
import { later, userPosition } from "./position.ts";
import { fieldAfter } from "../source/source-name.ts";
import { refusePrimitive, Value, Variable } from "./value.ts";
import { view } from "./view.ts";
import { checkBoxNames, checkCircuit, checkModuleNames, checkTopPorts } from "../check/index.ts";

/** A module with its parameters chosen. */
export interface Def<P extends Ports = Ports> {
  readonly ports: P;
  /** Verilog name, parameters included. */
  readonly name: string;
  /** Elaborates (once) and gives the circuit with everything found wrong in it and below. */
  elaborate(): Elaborated;
}
/** An instance of a module (`InstanceOf<typeof Fifo>`): the type for a function that is given one. */
export type InstanceOf<M> = M extends (params: never) => Def<infer P> ? Outside<P> : never;

/** A circuit, and everything found in it and below. */
export interface Elaborated {
  readonly circuit: Circuit;
  readonly diagnostics: readonly Diagnostic[];
  readonly warnings: readonly Diagnostic[];
}

/** How a definition is named. */
export interface ModuleOptions<A> {
  /**
   * States the name in place of the one made from the parameters. Parameters that give the same name must not meet in
   * one design (HDL014).
   */
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
  const position = later(userPosition);
  const maker = (params: A): Def<P> => {
    const key = parameterKey(name, params);
    let def = defs.get(key);
    if (def === undefined) {
      const own = o.nameOf?.(params) ?? nameWith(name, params);
      def = define(own, parameterRows(params), ports(params), position, io => body(io as Inside<P>, params));
      defs.set(key, def);
    }
    return def;
  };
  // As any function's: whether it wants parameters.
  Object.defineProperty(maker, "length", { value: Math.max(ports.length, body.length - 1, 0) });
  registerMaker(maker, name, position);
  return maker;
}

function define<P extends Ports>(
  name: string,
  parameters: Circuit["parameters"],
  ports: P,
  place: () => Position | undefined,
  body: (io: unknown) => unknown,
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
      const position = place();
      if (busy)
        refuse(
          "HDL127",
          `module ${name} contains itself`,
          "Give the inner instance other parameters, and an end to the recursion",
          position,
        );
      if (open >= deepest)
        refuse(
          "HDL127",
          `modules stand more than ${deepest} deep within one another, ${name} innermost`,
          "Give the recursion an end: a parameter that grows or shrinks must reach a last value",
          position,
        );
      busy = true;
      open++;
      const c = newContext(name, verbatim);
      let circuit: Circuit;
      try {
        circuit = withContext(c, () => {
          const io = portsInside(ports, c, position);
          runBody(`the body of module ${name}`, () => body(io), position);
          return finish(c, name, parameters, ports, position);
        });
      } catch (e) {
        if (open === 1 && e instanceof RangeError && e.message.includes("call stack")) throw endless(name, position);
        // An earlier finding is likely the cause: after an error, a body goes on with the values that it has.
        if (c.diagnostics.length === 0) throw e;
        throw new HdlError([...(e instanceof HdlError ? e.diagnostics : []), ...c.diagnostics]);
      } finally {
        busy = false;
        open--;
      }
      const own = [...c.diagnostics, ...eachOnce(c.warnings)];
      if (c.diagnostics.length === 0) own.push(...checkCircuit(circuit));
      const below = [...c.children].map(k => elaborated.get(k));
      done = {
        circuit,
        diagnostics: [
          ...new Set([...below.flatMap(b => b?.diagnostics ?? []), ...own.filter(d => !isWarning(d.code))]),
        ],
        warnings: [...new Set([...below.flatMap(b => b?.warnings ?? []), ...own.filter(d => isWarning(d.code))])],
      };
      elaborated.set(circuit, done);
      return done;
    },
  };
}
const elaborated = new WeakMap<Circuit, Elaborated>();

/** Modules that are being elaborated, each within the one before; many more than any design has. */
let open = 0;
const deepest = 200;

/** The call stack is full: told where the elaboration began, as there is no room further in. */
const endless = (module: string, at: Position | undefined): HdlError =>
  new HdlError([
    {
      code: "HDL127",
      module,
      message: "the elaboration has no end: functions or modules call one another until the call stack is full",
      fix: "Give the recursion an end",
      at,
      related: undefined,
    },
  ]);

/** A loop gives one warning many times: once at each place is enough. */
function eachOnce(all: readonly Diagnostic[]): readonly Diagnostic[] {
  const seen = new Map(all.map(d => [formatDiagnostic(d), d]));
  return [...seen.values()];
}

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
  const circuit = {
    name,
    parameters,
    ports,
    position,
    domains: [] as readonly ClockDomain[],
    made: [] as readonly ClockDomain[],
    signals: c.signals,
    memories: c.memories,
    instances: c.instances,
    streams: c.streams,
    body: [] as Stmt[],
  };
  settleHistories(c, { ...circuit, body: c.top });
  circuit.body = heldStill(c);
  // The default domain's clock is the first port, whatever was declared first.
  const domains = [...c.domains].sort((a, b) => Number(b === defaultDomain) - Number(a === defaultDomain));
  circuit.domains = domains.filter(d => d.made === undefined);
  circuit.made = domains.filter(d => d.made !== undefined);
  return circuit;
}

/** The domain that a port names; else the default one, or the module's only one when that is another. */
function domainOfPort(c: Context, ports: Ports, signal: Signal): ClockDomain | undefined {
  const port = portAt(ports, signal.path ?? [])?.port;
  const all = [...c.domains];
  if (port?.domain === undefined) {
    const [only, second] = all.filter(d => d.made === undefined);
    return second === undefined && only !== undefined ? only : signal.domain;
  }
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

type Flattened = WeakMap<Ports, ReadonlyMap<string, readonly LeafPort[]>>;
const flattened: Flattened = new WeakMap(),
  flattenedVerbatim: Flattened = new WeakMap();
/** The leaves of every port, worked out once: a definition may have thousands of instances. */
function leavesOfPorts(ports: Ports, verbatim: boolean): ReadonlyMap<string, readonly LeafPort[]> {
  const known = verbatim ? flattenedVerbatim : flattened;
  let all = known.get(ports);
  if (all === undefined)
    known.set(ports, (all = new Map(placedPorts(ports).map(p => [p.path.join("."), leavesOfPort(p, verbatim)]))));
  return all;
}

/** What makes the views of a module's ports: inside of it, or at an instance. */
interface Site {
  readonly ports: Ports;
  readonly verbatim: boolean;
  /** Before the names of ports in messages. */
  readonly owner: string;
  make(l: LeafPort, p: Port | StreamPort): Value;
  register(s: StreamInfo): void;
  /** At an instance what the module drives is read. */
  readonly outside: boolean;
}

/** The user's object for one port. */
function portView(site: Site, path: readonly string[], p: AnyPort): unknown {
  if (p.port !== "interface") return leafPortView(site, path, p);
  const members = Object.entries(p.members).map(([name, m]) => [name, portView(site, [...path, name], m)]);
  return asEnd(
    Object.fromEntries(members) as Record<string, unknown>,
    site.outside ? flip(p) : p,
    [...(site.owner === "" ? [] : [site.owner]), ...path].join("."),
  );
}

function leafPortView(site: Site, path: readonly string[], p: Port | StreamPort): unknown {
  const flat = leavesOfPorts(site.ports, site.verbatim).get(path.join(".")) ?? [],
    first = flat[0];
  if (
    p.port === "plain" &&
    first !== undefined &&
    first.enumeration === undefined &&
    (p.shape.kind === "uint" || p.shape.kind === "sint")
  )
    return site.make(first, p);
  const leaves = flat.map(l => ({ l, v: site.make(l, p) }));
  const find = (within: readonly string[]): Value =>
    (
      leaves.find(
        x => x.l.path.length === path.length + within.length && within.every((s, i) => s === x.l.path[path.length + i]),
      ) as { v: Value }
    ).v;
  const signalOf = (v: Value): Signal => (v as Value & { readonly signal: Signal }).signal;
  if (p.port === "plain") return view(p.shape, l => find(l.path));
  const valid = find(["valid"]),
    ready = find(["ready"]);
  site.register({
    name: (site.verbatim ? path : path.map(snakeCase)).join("_"),
    dir: site.outside ? "inner" : p.dir,
    valid: signalOf(valid),
    ready: signalOf(ready),
    payload: leaves.filter(x => x.l.role === "payload").map(x => signalOf(x.v)),
  });
  return streamObject(
    p.shape,
    valid,
    ready,
    view(p.shape, l => find(["payload", ...l.path])),
  );
}

export function streamObject(shape: Shape, valid: Value, ready: Value, payload: unknown): unknown {
  return {
    shape,
    valid,
    ready,
    payload,
    [Symbol.toPrimitive]: (hint: string): never => refusePrimitive("a stream", hint),
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
    const site: Site = {
      ports,
      verbatim: c.verbatim,
      owner: "",
      outside: false,
      make: (l, port) => {
        c.portNames.add(claimName(l.name, position));
        const v = makeSignal({
          kind: l.dir === "in" ? "input" : "output",
          name: l.name,
          width: l.width,
          signed: l.signed,
          position,
          path: l.path,
          role: l.role,
          domain: c.domain,
          attributes: l.attributes,
          mayBeUnread: port.port === "plain" && port.unused === true ? true : undefined,
        });
        return l.dir === "in" ? new ReadOnly(v.signal) : v;
      },
      register: s => c.streams.push(s),
    };
    io[name] = portView(site, [name], p);
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
  requireDefinition(def, "instance");
  const { circuit } = def.elaborate();
  c.children.add(circuit);
  const name = chooseName(typeof first === "string" ? first : undefined, `u_${def.name}`, position);
  if (circuit.domains.length > 0) refuseEnabled(name, def.name);
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
  const site: Site = {
    ports: def.ports,
    verbatim: circuit.blackBox !== undefined,
    owner: name,
    outside: true,
    make: l => {
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
    register: s => c.streams.push({ ...s, name: `${name}_${s.name}` }),
  };
  for (const [portName, p] of Object.entries(def.ports)) out[portName] = portView(site, [portName], p);
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

/** What an instance takes from the module around it, beside its ports. */
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
 * @param o.simulation Verilog of a behavioural stand-in
 * @param o.parameters the vendor's parameters, by name
 */
export function blackBox<const P extends Ports>(
  name: string,
  ports: P,
  o: {
    readonly simulation?: string;
    readonly parameters?: Readonly<Record<string, number | string>>;
    /** It has a clock, that of the domain around its instance: pins `clk` and `rst`, or the vendor's names for them. */
    readonly clocked?: boolean | { readonly clock: string; readonly reset?: string };
    /** Outputs that rise and fall with its clock pin: those of a clock buffer. */
    readonly follows?: readonly (keyof P & string)[];
  } = {},
): Def<P> {
  const parameters = Object.entries(o.parameters ?? {}),
    follows = o.follows ?? [];
  if (follows.length > 0 && (o.clocked ?? false) === false)
    throw new Error(`black box ${name}: \`follows\` needs its clock pin: give clocked: { clock: "..." }`);
  const def = define(
    name,
    parameters.map(([k, v]) => [k, String(v)] as const),
    ports,
    later(userPosition),
    () => {
      if (o.clocked === true) context().domains.add(context().domain);
      else if (typeof o.clocked === "object") context().domains.add(boxDomain(o.clocked));
    },
    true,
  );
  let wrapped: ReturnType<Def["elaborate"]> | undefined;
  return {
    ports,
    name,
    elaborate: () => {
      if (wrapped === undefined) {
        const circuit = { ...def.elaborate().circuit, blackBox: { simulation: o.simulation, parameters, follows } };
        wrapped = { circuit, diagnostics: checkBoxNames(circuit), warnings: [] };
        elaborated.set(circuit, wrapped);
      }
      return wrapped;
    },
  };
}

/** The domain of a black box's clock pin. Its instance connects the domain around it. */
const boxDomain = (o: { readonly clock: string; readonly reset?: string }): ClockDomain => ({
  name: defaultDomain.name,
  clock: o.clock,
  reset: o.reset,
  kind: o.reset === undefined ? "none" : "sync",
});

/** How strictly a definition is elaborated. */
export interface ElaborateOptions {
  /** Warnings are errors. */
  readonly strict?: boolean;
}

/**
 * The circuit of a definition.
 * @throws HdlError with every error of the run when there is any; `strict`: with every warning, too
 */
export function elaborate(def: Def, o: ElaborateOptions = {}): Circuit {
  requireDefinition(def, "elaborate");
  const { circuit, diagnostics, warnings } = def.elaborate();
  const all = [...diagnostics, ...checkModuleNames(circuit), ...checkTopPorts(circuit)];
  if (o.strict === true) all.push(...warnings);
  if (all.length > 0) throw new HdlError(all);
  return circuit;
}

/** The warnings of a definition and of all that it instantiates, each with its code and place. */
export function warningsOf(def: Def): readonly Diagnostic[] {
  requireDefinition(def, "warningsOf");
  return def.elaborate().warnings;
}

export { Variable, withContext };
