/** Names that Verilog cannot have as they are: of modules, and of ports that the surroundings know by name. */
import type { Circuit, Signal } from "../ir/circuit.ts";
import type { Diagnostic } from "../ir/diagnostic.ts";
import { leavesOfPort, placedPorts } from "../ir/port-leaves.ts";
import { isReserved } from "../verilog/names.ts";

const legal = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Why a name cannot stand in Verilog, and one like it that can. */
function fault(name: string): { readonly why: string; readonly instead: string } | undefined {
  if (isReserved(name)) return { why: "is a keyword of Verilog", instead: `${name}_it` };
  if (legal.test(name)) return undefined;
  const body = name.replace(/[^A-Za-z0-9_]/g, "_");
  return { why: "is no identifier of Verilog", instead: /^[A-Za-z_]/.test(body) ? body : `m${body}` };
}

function illegalModuleName(c: Circuit): Diagnostic[] {
  const f = fault(c.name);
  if (f === undefined) return [];
  return [
    {
      code: "HDL016",
      module: c.name,
      message: `the module's name \`${c.name}\` ${f.why}`,
      fix: `Name it with letters, digits and underscores, no digit first, and no keyword: \`${f.instead}\` for example`,
      at: c.position,
      related: undefined,
    },
  ];
}

/** HDL016: every module has a name of Verilog. */
export const checkModuleName = (s: { readonly circuit: Circuit }): Diagnostic[] => illegalModuleName(s.circuit);

const isPort = (s: Signal): boolean => s.kind === "input" || s.kind === "output";

/**
 * HDL017: the ports of the top module have the names that their declaration says. Inside of a design a changed name
 * does no harm: nobody writes it by hand.
 */
export const checkTopPorts = (c: Circuit): Diagnostic[] =>
  c.blackBox === undefined ? checkPortNames(c, "the top module") : [];

function checkPortNames(c: Circuit, of: string): Diagnostic[] {
  const out: Diagnostic[] = [];
  const first = new Map<string, Signal>();
  const say = (s: Signal, message: string, instead: string, related?: Signal): void => {
    out.push({
      code: "HDL017",
      module: c.name,
      message,
      fix: `Give one of the ports another name, \`${instead}\` for example`,
      at: s.position,
      related: related?.position,
    });
  };
  // A signal has a name of its own already; the declaration's is wanted.
  const wanted = new Map(
    placedPorts(c.ports)
      .flatMap(p => leavesOfPort(p, c.blackBox !== undefined))
      .map(l => [l.path.join("."), l.name]),
  );
  for (const s of c.signals) {
    if (!isPort(s)) continue;
    const shown = (s.path ?? [s.name]).join("."),
      name = wanted.get(shown) ?? s.name;
    const f = fault(name),
      same = first.get(name);
    if (f !== undefined) say(s, `port \`${shown}\` of ${of}: \`${name}\` ${f.why}`, f.instead);
    else if (same !== undefined)
      say(
        s,
        `ports \`${(same.path ?? [same.name]).join(".")}\` and \`${shown}\` of ${of} would both be called \`${name}\``,
        `${name}_2`,
        same,
      );
    else first.set(name, s);
  }
  return out;
}

/** A black box has its vendor's names: all of them must be possible. */
export const checkBoxNames = (c: Circuit): Diagnostic[] => [
  ...illegalModuleName(c),
  ...checkPortNames(c, "the black box"),
];
