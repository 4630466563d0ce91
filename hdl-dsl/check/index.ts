/** All checks, on by default: everything found in a run is reported together. Codes are stable; see docs. */
import type { Circuit } from "../ir/circuit.ts";
import type { Diagnostic } from "../ir/diagnostic.ts";
import { circuitsOf } from "../ir/hierarchy.ts";
import { checkNames } from "./clashes.ts";
import { checkDomains } from "./domains.ts";
import { checkDrivers } from "./drivers.ts";
import { checkForeign } from "./foreign.ts";
import { checkLoops, checkValidWaitsForReady } from "./loops.ts";
import { checkMemories } from "./memories.ts";
import { checkModuleName } from "./names.ts";
import { checkResets, checkStates } from "./states.ts";
import { forget, study } from "./study.ts";
import { checkSynchronisers } from "./synchronisers.ts";
import { checkUnread } from "./unread.ts";
import { checkNeverKnown, checkReadByItself } from "./useless.ts";

/**
 * Checks one module; its sub-modules count as checked and enter by what their ports depend on. Codes:
 * HDL001 name clash, HDL002 undriven, HDL003 several drivers, HDL004 unread, HDL005 latch, HDL006 combinational loop,
 * HDL007 stream never ready, HDL008 valid waits for ready, HDL009 several write ports, HDL010 clock-domain crossing,
 * HDL011 unreachable state, HDL012 reset missing on control, HDL013 collision promise across clocks, HDL015 signal of
 * another module, HDL016 illegal name. Warnings (HDL2..) are among what is found.
 */
export function checkCircuit(circuit: Circuit): Diagnostic[] {
  if (circuit.blackBox !== undefined) return [];
  const s = study(circuit);
  const foreign = checkForeign(s);
  if (foreign.length > 0) {
    forget(circuit);
    return foreign;
  }
  const found = [
    checkModuleName,
    checkNames,
    checkDrivers,
    checkUnread,
    checkLoops,
    checkValidWaitsForReady,
    checkMemories,
    checkDomains,
    checkSynchronisers,
    checkStates,
    checkResets,
    checkNeverKnown,
    checkReadByItself,
  ].flatMap(check => check(s));
  forget(circuit);
  return found;
}

/** Checks every module below `top` (itself included) once, and their names. */
export function checkHierarchy(top: Circuit): Diagnostic[] {
  return [...[...circuitsOf(top)].flatMap(checkCircuit), ...checkModuleNames(top)];
}

export { originsOf } from "./study.ts";
export { checkBoxNames, checkTopPorts } from "./names.ts";

/** HDL014: one name means one module. */
export function checkModuleNames(top: Circuit): Diagnostic[] {
  const out: Diagnostic[] = [];
  const byName = new Map<string, Circuit>();
  for (const c of circuitsOf(top)) {
    const first = byName.get(c.name);
    if (first === undefined) byName.set(c.name, c);
    else if (first !== c) {
      const differs = differingParameters(first, c);
      out.push({
        code: "HDL014",
        module: c.name,
        message: `two different modules are called \`${c.name}\`${differs === undefined ? "" : `: ${differs}`}`,
        fix:
          differs === undefined
            ? "Rename one, or make what tells them apart a parameter"
            : 'Put it into the name (the option nameOf of the module), or name a struct apart: named("Beat32", Beat(4))',
        at: c.position,
        related: first.position,
      });
    }
  }
  return out;
}

/** The first parameter that differs; undefined where none does. */
function differingParameters(a: Circuit, b: Circuit): string | undefined {
  const theirs = new Map(b.parameters),
    own = new Map(a.parameters);
  for (const [name, value] of a.parameters) {
    const other = theirs.get(name);
    if (other !== value) return `one has \`${name}\` ${value}, the other ${other ?? "does not have it"}`;
  }
  const more = b.parameters.find(([name]) => !own.has(name));
  return more === undefined ? undefined : `only one has \`${more[0]}\`: ${more[1]}`;
}
