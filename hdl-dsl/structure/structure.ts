/** Parts of a module and the flows between them: for drawings. */
import { type Def, elaborate } from "../build/module.ts";
import type { Circuit, Instance, Memory, Signal, Stmt } from "../ir/circuit.ts";
import type { Expr } from "../ir/expr.ts";
import { snakeCase } from "../ir/snake-case.ts";
import { allStatements, postOrder } from "../ir/walk.ts";
import { placedPorts, portAt } from "../ir/port-leaves.ts";

/** A port of the module, an instance in it, a memory of it, or a register of a module without instances. */
export interface Part {
  readonly kind: "input" | "output" | "instance" | "memory" | "register";
  readonly name: string;
  /** Instance: the module without parameters. Memory: `64 x 512`, words and bits. Register: `8 bits`. */
  readonly what: string;
  /** Instance: the full name of its module, as `Structure.name` has it. */
  readonly module?: string;
  /** Instance: its ports in the order of their declaration, those of streams by the streams' names. */
  readonly ports?: readonly string[];
}
/** Flow from one part to another, through whatever logic and registers are no parts themselves. */
export interface Link {
  readonly from: Part;
  readonly to: Part;
  readonly kind: "stream" | "value";
  /** The port or ports that it arrives at; nothing at a port of the module or a memory. */
  readonly ports: readonly string[];
  /** The port or ports that it leaves; nothing at a port of the module or a memory. */
  readonly outs: readonly string[];
}
/** A module as boxes and arrows, for drawing. */
export interface Structure {
  readonly name: string;
  readonly parts: readonly Part[];
  readonly links: readonly Link[];
  /** What the drawing leaves out, and why. */
  readonly note?: string;
}
/** Registers of a module that a drawing can show and be read. */
const MOST_REGISTERS = 24;

/** The name of the port that a signal belongs to, those of the interfaces around it before. */
const portName = (c: Circuit, s: Signal): string =>
  (portAt(c.ports, s.path ?? [])?.path ?? [s.path?.[0] ?? s.name]).map(snakeCase).join("_");
const shortName = (c: Circuit): string => c.name.split("_")[0] ?? c.name;

/** What of a part flows somewhere: `outs` names an instance's ports. */
interface Origin {
  readonly stream: boolean;
  readonly outs: Set<string>;
}

/**
 * Finds the parts behind values. Conditions are left out: the flowing values count, not the conditions that
 * choose among them. A register to which no part's value flows (a flag, a count) is the exception.
 */
class Sources {
  readonly #values = new Map<Signal, Expr[]>();
  readonly #partOf: (origin: Signal | Memory) => Part | undefined;

  constructor(c: Circuit, partOf: (origin: Signal | Memory) => Part | undefined) {
    this.#partOf = partOf;
    for (const s of allStatements(c.body))
      if (s.kind === "assign") this.#values.set(s.target, [...(this.#values.get(s.target) ?? []), s.value]);
  }

  /** The origins of a value: ports, outputs of instances, memories. */
  of(roots: readonly Expr[]): Map<Part, Origin> {
    const found = new Map<Part, Origin>(),
      done = new Set<Expr>(),
      seen = new Set<Signal>(),
      waiting = [...roots];
    const take = (origin: Signal | Memory, stream: boolean): void => {
      const part = this.#partOf(origin);
      if (part === undefined) return;
      const known = found.get(part) ?? { stream: false, outs: new Set<string>() };
      if ("instance" in origin && origin.instance !== undefined)
        known.outs.add(portName(origin.instance.circuit, origin));
      found.set(part, { stream: known.stream || stream, outs: known.outs });
    };
    for (let root = waiting.pop(); root !== undefined; root = waiting.pop()) {
      postOrder(root, done, e => {
        done.add(e);
        if (e.kind === "memRead") take(e.memory, false);
        if (e.kind !== "read" || seen.has(e.signal)) return;
        seen.add(e.signal);
        const { kind } = e.signal,
          isRegister = kind === "reg" && this.#partOf(e.signal) !== undefined;
        if (kind === "input" || kind === "instanceOut" || kind === "memData" || isRegister)
          take(e.signal, e.signal.role !== "ready");
        else waiting.push(...(this.#values.get(e.signal) ?? []));
      });
    }
    return found;
  }
}

/** The modules of a definition: their circuits, the definition's own first. */
function circuitsFromTop(top: Circuit, found = new Set<Circuit>()): ReadonlySet<Circuit> {
  if (!found.has(top)) {
    found.add(top);
    for (const i of top.instances) circuitsFromTop(i.circuit, found);
  }
  return found;
}

/** The definition's circuit, or that of a module in it by its name without parameters. */
function circuitNamed(def: Def, module: string | undefined): Circuit | undefined {
  const top = elaborate(def);
  return module === undefined ? top : [...circuitsFromTop(top)].find(x => shortName(x) === module);
}

/** The names without parameters of all modules of a definition, its own first. */
export const moduleNames = (def: Def): readonly string[] => [
  ...new Set([...circuitsFromTop(elaborate(def))].map(shortName)),
];

/**
 * The structure of a definition, for drawing.
 * @param module a module anywhere in the definition, by its name without parameters; undefined: the definition itself
 * @returns its parts and what flows between them; undefined when there is no such module
 * @throws HdlError when the definition does not pass the checks of the language
 */
export function structureOf(def: Def): Structure;
export function structureOf(def: Def, module: string | undefined): Structure | undefined;
export function structureOf(def: Def, module?: string): Structure | undefined {
  const c = circuitNamed(def, module);
  return c === undefined ? undefined : read(c);
}

/**
 * The structure of a definition and those of the modules within it, each once; of a module in it when one is named.
 * @throws HdlError when the definition does not pass the checks of the language
 */
export function structuresOf(def: Def, module?: string): readonly Structure[] {
  const top = circuitNamed(def, module);
  return top === undefined ? [] : [...circuitsFromTop(top)].map(read);
}

function read(c: Circuit): Structure {
  const ports = new Map(
    placedPorts(c.ports).map(({ path, port }): [string, Part] => {
      const name = path.map(snakeCase).join("_");
      return [name, { kind: port.dir === "in" ? "input" : "output", name, what: "" }];
    }),
  );
  const instances = new Map(
    c.instances.map((i): [Instance, Part] => [
      i,
      {
        kind: "instance",
        name: i.name,
        what: shortName(i.circuit),
        module: i.circuit.name,
        ports: placedPorts(i.circuit.ports).map(({ path }) => path.map(snakeCase).join("_")),
      },
    ]),
  );
  const memories = new Map(
    c.memories.map((m): [Memory, Part] => [m, { kind: "memory", name: m.name, what: `${m.depth} x ${m.width}` }]),
  );
  const { registers, note } = registersOf(c);
  const readData = new Map(c.memories.flatMap(m => m.readPorts.map((r): [Signal, Memory] => [r.data, m])));
  const sources = new Sources(c, o => {
    if ("depth" in o) return memories.get(o);
    const memory = readData.get(o);
    if (memory !== undefined) return memories.get(memory);
    if (o.kind === "reg") return registers.get(o);
    return o.instance === undefined ? ports.get(portName(c, o)) : instances.get(o.instance);
  });
  const links = new Map<string, { from: Part; to: Part; kind: Link["kind"]; ports: Set<string>; outs: Set<string> }>();
  const parts = [...ports.values(), ...instances.values(), ...memories.values(), ...registers.values()],
    number = new Map(parts.map((p, i) => [p, i]));
  const link = (to: Part, port: string | undefined, role: Signal["role"], values: readonly Expr[]): void => {
    for (const [from, origin] of sources.of(values)) {
      if (from === to) continue;
      const flows = from.kind === "register" ? role === "payload" : from.kind !== "memory",
        kind = role !== undefined && origin.stream && flows ? "stream" : "value",
        key = `${number.get(from) ?? ""} ${number.get(to) ?? ""} ${kind}`;
      const known = links.get(key) ?? { from, to, kind, ports: new Set<string>(), outs: new Set<string>() };
      for (const out of origin.outs) known.outs.add(out);
      if (port !== undefined) known.ports.add(port);
      links.set(key, known);
    }
  };
  for (const s of allStatements(c.body)) {
    if (s.kind === "memWrite") {
      const m = memories.get(s.port.memory);
      if (m !== undefined) link(m, undefined, undefined, registers.size > 0 ? [s.data, s.address] : [s.data]);
    }
    const register = s.kind === "assign" ? registers.get(s.target) : undefined;
    if (s.kind === "assign" && register !== undefined) link(register, undefined, undefined, [s.value]);
    if (s.kind !== "assign" || s.target.path === undefined) continue;
    // A stream's `ready` goes the other way.
    if (s.target.role === "ready") continue;
    const port = portName(s.target.instance?.circuit ?? c, s.target);
    const to =
      s.target.kind === "instanceIn" && s.target.instance !== undefined
        ? instances.get(s.target.instance)
        : s.target.kind === "output"
          ? ports.get(port)
          : undefined;
    // A stream's valid bit is its own affair: the payload shows the flow.
    if (to !== undefined) link(to, to.kind === "instance" ? port : undefined, s.target.role, [s.value]);
  }
  // Of a drawing without registers addresses are left out: what chooses a word is no flow.
  if (registers.size > 0)
    for (const [m, part] of memories) for (const r of m.readPorts) link(part, undefined, undefined, [r.address]);
  const reached = new Set([...links.values()].map(l => l.to));
  for (const [s, conditions] of conditionsOf(c)) {
    const register = registers.get(s);
    if (register !== undefined && !reached.has(register)) link(register, undefined, undefined, conditions);
  }
  return {
    name: c.name,
    parts,
    links: [...links.values()].map(l => ({ ...l, ports: [...l.ports], outs: [...l.outs] })),
    ...(note === undefined ? {} : { note }),
  };
}

/** Registers as parts: where there are no instances, and not too many of them to be read. */
function registersOf(c: Circuit): { readonly registers: ReadonlyMap<Signal, Part>; readonly note?: string } {
  if (c.instances.length > 0) return { registers: new Map() };
  const found = c.signals.filter(s => s.kind === "reg");
  if (found.length === 0 && c.memories.length === 0)
    return { registers: new Map(), note: "no instance, memory or register: outputs are made of inputs at once" };
  if (found.length > MOST_REGISTERS)
    return { registers: new Map(), note: `${found.length} registers are left out: more than ${MOST_REGISTERS}` };
  return {
    registers: new Map(
      found.map((s): [Signal, Part] => [
        s,
        { kind: "register", name: s.name, what: s.width === 1 ? "1 bit" : `${s.width} bits` },
      ]),
    ),
  };
}

/** What decides when a signal is assigned. */
function conditionsOf(c: Circuit): ReadonlyMap<Signal, readonly Expr[]> {
  const found = new Map<Signal, Expr[]>();
  const look = (body: readonly Stmt[], conditions: readonly Expr[]): void => {
    for (const s of body)
      if (s.kind === "assign") found.set(s.target, [...(found.get(s.target) ?? []), ...conditions]);
      else if (s.kind === "if") [s.then, s.otherwise].forEach(b => look(b, [...conditions, s.cond]));
      else if (s.kind === "switch")
        [...s.cases.map(x => x.body), s.otherwise ?? []].forEach(b => look(b, [...conditions, s.on]));
  };
  look(c.body, []);
  return found;
}
