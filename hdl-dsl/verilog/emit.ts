/** A design to Verilog files: one per module definition, leaves first. */
import type { Circuit } from "../ir/circuit.ts";
import { shortPosition } from "../ir/diagnostic.ts";
import { followed } from "../ir/clock-source.ts";
import { circuitsOf } from "../ir/hierarchy.ts";
import { allStatements } from "../ir/walk.ts";
import type { EmittedBox, EmittedDesign, EmittedFile, EmittedPort, NamedModule } from "../types/emitted.ts";
import { lowerBlackBox } from "./blackbox.ts";
import { type ModuleNames, namesOf } from "./module-context.ts";
import { lowerModule } from "./module.ts";
import { namedModule } from "./name-map.ts";
import { printMapped } from "./print.ts";
import { sourceMap } from "./source-map.ts";

/** By the list of files: a copy that says more about the same text, or less, is of the same circuit. */
const circuits = new WeakMap<EmittedDesign["files"], Circuit>();

/** The circuit that a design was emitted from; undefined for hand-written and for edited text (another list). */
export const circuitOf = (design: EmittedDesign): Circuit | undefined => circuits.get(design.files);

/**
 * Verilog-2005 of `top` and all below it. The circuits must have passed the checks: emission throws on what they
 * refuse. Ports are listed as in the module: per clock domain its clock and reset, then the declared ports.
 */
export function emitCircuit(top: Circuit): EmittedDesign {
  const names = new Map<Circuit, ModuleNames>();
  const namesFor = (c: Circuit): ModuleNames => {
    let n = names.get(c);
    if (n === undefined) names.set(c, (n = namesOf(c)));
    return n;
  };
  const files = new Map<string, EmittedFile>();
  const boxes = new Map<string, EmittedBox>();
  const modules: Record<string, NamedModule> = {};
  const assertions: { message: string; position: string }[] = [];
  for (const c of circuitsOf(top)) {
    if (files.has(`${c.name}.v`) || boxes.has(c.name)) continue;
    const name = `${c.name}.v`;
    if (c.blackBox !== undefined) {
      boxes.set(c.name, lowerBlackBox(c, namesFor(c)));
      modules[c.name] = namedModule(c, namesFor(c), undefined);
    } else {
      const lowered = lowerModule(c, namesFor(c), namesFor),
        printed = printMapped(lowered);
      files.set(name, { name, text: printed.text, map: sourceMap(name, printed.origins) });
      modules[c.name] = namedModule(c, namesFor(c), lowered);
    }
    for (const s of allStatements(c.body))
      if (s.kind === "property") assertions.push({ message: s.message, position: shortPosition(s.position) });
  }
  const own = namesFor(top),
    innerClocks = [...new Set(circuitsOf(top).flatMap(c => c.made.map(d => d.name)))];
  const design: EmittedDesign = {
    top: top.name,
    files: [...files.values()],
    ...(boxes.size === 0 ? {} : { boxes: [...boxes.values()] }),
    ...(innerClocks.length === 0 ? {} : { innerClocks }),
    ports: emittedPorts(top, own),
    streams: top.streams
      .filter(s => s.dir !== "inner")
      .map(s => ({
        name: s.name,
        dir: s.dir === "in" ? "in" : "out",
        valid: own.signals.get(s.valid) ?? s.valid.name,
        ready: own.signals.get(s.ready) ?? s.ready.name,
        payload: s.payload.map(p => own.signals.get(p) ?? p.name),
      })),
    assertions,
    names: { top: top.name, modules },
  };
  circuits.set(design.files, top);
  return design;
}

function emittedPorts(top: Circuit, names: ModuleNames): EmittedPort[] {
  const ports: EmittedPort[] = [];
  for (const d of top.domains) {
    const n = names.domains.get(d.name);
    if (n === undefined) continue;
    ports.push({ name: n.clock, dir: "in", width: 1, signed: false, path: [d.clock], role: "clock", domain: d.name });
    if (n.reset !== undefined)
      ports.push({
        name: n.reset,
        dir: "in",
        width: 1,
        signed: false,
        path: [d.reset ?? n.reset],
        role: "reset",
        domain: d.name,
        ...(d.low === true ? { activeLow: d.low } : {}),
      });
  }
  for (const s of top.signals) {
    if (s.kind !== "input" && s.kind !== "output") continue;
    ports.push({
      name: names.signals.get(s) as string,
      dir: s.kind === "input" ? "in" : "out",
      width: s.width,
      signed: s.signed,
      path: s.path ?? [s.name],
      role: "data",
      domain:
        (s.domain === undefined ? undefined : (followed(top, s.domain) ?? s.domain).name) ??
        top.domains[0]?.name ??
        "default",
    });
  }
  return ports;
}
