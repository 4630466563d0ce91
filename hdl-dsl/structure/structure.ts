/** Parts of a module and the flows between them: for drawings. */
import { type Def, elaborate } from "../build/module.ts";
import type { Circuit, Instance, Memory, Signal } from "../ir/circuit.ts";
import type { Expr } from "../ir/expr.ts";
import { snakeCase } from "../ir/snake-case.ts";
import { allStatements, postOrder } from "../ir/walk.ts";
import { placedPorts, portAt } from "../ir/port-leaves.ts";

/** A port of the module, an instance in it, or a memory of it. */
export interface Part {
  readonly kind: "input" | "output" | "instance" | "memory";
  readonly name: string;
  /** Instance: the module without parameters. Memory: `64 x 512`, words and bits. */
  readonly what: string;
  /** Instance: the full name of its module, as `Structure.name` has it. */
  readonly module?: string;
  /** Instance: its ports in the order of their declaration, those of streams by the streams' names. */
  readonly ports?: readonly string[];
}
/** Flow from one part to another, through whatever logic and registers. */
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
}

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
 * choose among them.
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
        if (e.signal.kind === "input" || e.signal.kind === "instanceOut" || e.signal.kind === "memData")
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
  const readData = new Map(c.memories.flatMap(m => m.readPorts.map((r): [Signal, Memory] => [r.data, m])));
  const sources = new Sources(c, o => {
    if ("depth" in o) return memories.get(o);
    const memory = readData.get(o);
    if (memory !== undefined) return memories.get(memory);
    return o.instance === undefined ? ports.get(portName(c, o)) : instances.get(o.instance);
  });
  const links = new Map<string, { from: Part; to: Part; kind: Link["kind"]; ports: Set<string>; outs: Set<string> }>();
  const parts = [...ports.values(), ...instances.values(), ...memories.values()],
    number = new Map(parts.map((p, i) => [p, i]));
  const link = (to: Part, port: string | undefined, stream: boolean, values: readonly Expr[]): void => {
    for (const [from, origin] of sources.of(values)) {
      if (from === to) continue;
      const kind = stream && origin.stream && from.kind !== "memory" ? "stream" : "value",
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
      if (m !== undefined) link(m, undefined, false, [s.data]);
    }
    if (s.kind !== "assign" || s.target.path === undefined) continue;
    // A stream's `ready` goes the other way.
    if (s.target.role === "ready") continue;
    const stream = s.target.role !== undefined,
      port = portName(s.target.instance?.circuit ?? c, s.target);
    const to =
      s.target.kind === "instanceIn" && s.target.instance !== undefined
        ? instances.get(s.target.instance)
        : s.target.kind === "output"
          ? ports.get(port)
          : undefined;
    // A stream's valid bit is its own affair: the payload shows the flow.
    if (to !== undefined) link(to, to.kind === "instance" ? port : undefined, stream, [s.value]);
  }
  return {
    name: c.name,
    parts,
    links: [...links.values()].map(l => ({ ...l, ports: [...l.ports], outs: [...l.outs] })),
  };
}
