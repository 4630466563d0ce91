import { type Circuit, type Def, elaborate, emit, type EmittedFile, synthesisFiles } from "../../hdl-dsl/index.ts";
import { UsageError } from "../../designs/shared/command-line/index.ts";
import { insteadOf } from "../no-such.ts";

/** Input of one run of synthesis: a module with all that is in it. */
export interface Unit {
  /** Short: `NetRx`, of `NetRx_beatBytes64_slots64`. */
  readonly name: string;
  /** Verilog name. */
  readonly top: string;
  readonly files: readonly EmittedFile[];
  /** Verilog names of the blocks that a whole is made of: each is mapped by itself, and then all are put together. */
  readonly blocks?: readonly string[];
}

/** A definition's name without its parameters. */
export const shortName = (verilogName: string): string => verilogName.split("_")[0] ?? verilogName;

/** A module and all that it instantiates, each once. */
function withParts(c: Circuit, found = new Set<Circuit>()): ReadonlySet<Circuit> {
  if (!found.has(c)) {
    found.add(c);
    for (const i of c.instances) withParts(i.circuit, found);
  }
  return found;
}

/** Modules of one short name but different parameters keep their whole names; looked for `among` these. */
function unitsOf(circuits: readonly Circuit[], files: readonly EmittedFile[], among = circuits): Unit[] {
  return circuits.map(c => {
    const names = new Set([...withParts(c)].map(p => `${p.name}.v`)),
      short = shortName(c.name);
    return {
      name: among.some(o => o !== c && shortName(o.name) === short) ? c.name : short,
      top: c.name,
      files: files.filter(f => names.has(f.name)),
    };
  });
}

/**
 * The blocks that a module is made of, each once; one that is only a case around others (`opened`, short names)
 * is gone into. Black boxes have nothing to map.
 */
function blocksOf(c: Circuit, opened: readonly string[]): readonly Circuit[] {
  const inside = c.instances.flatMap(i =>
    opened.includes(shortName(i.circuit.name)) ? blocksOf(i.circuit, opened) : [i.circuit],
  );
  return [...new Set(inside.filter(i => i.blackBox === undefined))];
}

/**
 * A definition cut up for synthesis out of context: the blocks that it is made of, and the whole, last.
 * @param opened short names of modules that are no block but made of some
 * @param only short names of modules anywhere in the design, to have just these; undefined: all blocks, and the whole
 * @throws UsageError when there is no such module
 */
export function unitsFor(
  def: Def,
  only: readonly string[] | undefined,
  opened: readonly string[] = [],
): readonly Unit[] {
  const top = elaborate(def),
    files = synthesisFiles(emit(def));
  const instantiated = blocksOf(top, opened),
    blocks = unitsOf(instantiated, files);
  const whole = unitsOf([top], files).map(u => ({ ...u, blocks: instantiated.map(c => c.name) }));
  if (only === undefined) return [...blocks, ...whole];
  const parts = [...withParts(top)];
  return only.map(name => {
    const [found, second] = parts.filter(c => c.name === name || shortName(c.name) === name);
    if (found === undefined)
      throw new UsageError(
        `${shortName(top.name)} has no module ${name}; ${insteadOf(name, [...new Set(parts.map(c => shortName(c.name)))])}`,
      );
    if (second !== undefined)
      throw new UsageError(
        `${name} is several modules: choose one of ${parts
          .filter(c => shortName(c.name) === name)
          .map(c => c.name)
          .join(", ")}`,
      );
    if (found.blackBox !== undefined)
      throw new UsageError(`${name} is a black box, whose contents are the vendor's: choose a module around it`);
    if (found === top) return whole[0] as Unit;
    // Its name is the same as beside all others: of a block as among blocks, of a part of one as among all.
    return unitsOf([found], files, instantiated.includes(found) ? instantiated : parts)[0] as Unit;
  });
}
