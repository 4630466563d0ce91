/** A design's Verilog as a circuit: what the simulator runs is then what the text says. */
import type { EmittedDesign, ir } from "../../../hdl-dsl/index.ts";
import { Unsupported } from "../unsupported.ts";
import { Clocks } from "./clocks.ts";
import { type ClockPort, ModuleReader, type ReadBelow } from "./module-reader.ts";
import { withPorts } from "./hierarchy.ts";
import { ParsedFiles, Parts } from "./parsed.ts";
import type { Module } from "./syntax.ts";

/** Many designs differ in one module, as those with a fault each do: what the others say is read once. */
const parsed = new ParsedFiles();
const circuits = new WeakMap<Module, Map<string, ir.Circuit>>();

/**
 * Circuits that are kept of a module. Of one above an edit each design has a circuit of its own, which nobody asks for
 * again; of the others all have the same few.
 */
const KEPT = 4;

function circuitsOf(m: Module): Map<string, ir.Circuit> {
  let known = circuits.get(m);
  if (known === undefined) circuits.set(m, (known = new Map<string, ir.Circuit>()));
  return known;
}
function keep(known: Map<string, ir.Circuit>, key: string, c: ir.Circuit): ir.Circuit {
  known.set(key, c);
  const [oldest] = known.keys();
  if (known.size > KEPT && oldest !== undefined) known.delete(oldest);
  return c;
}

/** The circuit of the emitted, edited or hand-written text. @throws Unsupported with the place of what is not read. */
export function readDesign(design: EmittedDesign): ir.Circuit {
  const written = new Map<string, Module>();
  for (const f of [...design.files, ...(design.boxes ?? []).map(b => b.standIn)])
    for (const m of parsed.of(f)) written.set(m.name, m);
  const modules = withPorts(written, design.top);
  const clocks = new Clocks(modules),
    parts = new Parts(modules),
    // One circuit for all places of a design that want the same, whatever is kept for others.
    own = new Map<string, ir.Circuit>();
  const read: ReadBelow = (name, parameters, ports) => {
    const m = modules.get(name);
    if (m === undefined) throw new Unsupported(`no file of ${design.top} has the module ${name}`);
    const known = circuitsOf(m),
      key = [parts.of(name), ...[...parameters].map(([n, v]) => `${n}=${keyOf(v)}`), ...ports.map(clockKey)].join(" ");
    const c =
      own.get(`${name} ${key}`) ??
      known.get(key) ??
      keep(known, key, new ModuleReader(m, parameters, ports, clocks, modules, read).run());
    own.set(`${name} ${key}`, c);
    return c;
  };
  return read(design.top, new Map(), clockPorts(design));
}

/** The top's clocks in the order of its ports. */
function clockPorts(design: EmittedDesign): ClockPort[] {
  return design.ports
    .filter(p => p.role === "clock")
    .map(p => {
      const reset = design.ports.find(r => r.role === "reset" && r.domain === p.domain);
      return { port: p.name, reset: reset?.name, low: reset?.activeLow === true };
    });
}

const keyOf = (e: ir.Expr): string => (e.kind === "const" ? `${e.width}'${e.signed ? "s" : ""}${e.value}` : "");
const clockKey = (c: ClockPort): string => `${c.port}:${c.reset ?? ""}:${c.low ? "low" : ""}`;
