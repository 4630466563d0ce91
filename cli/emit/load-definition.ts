import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Def } from "../../hdl-dsl/index.ts";
import { UsageError } from "../../designs/shared/command-line/index.ts";

type Definition = Def | ((parameters: unknown) => Def);

export const isDef = (v: unknown): v is Def => typeof v === "object" && v !== null && "ports" in v && "elaborate" in v;

/** A parameter's text: a number, true, false or JSON is that; anything else is a string. */
function parameterValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** `key=value` each. @returns undefined when there are none: the module takes no parameters */
export function parseParameters(set: readonly string[]): Readonly<Record<string, unknown>> | undefined {
  if (set.length === 0) return undefined;
  return Object.fromEntries(
    set.map(s => {
      const at = s.indexOf("=");
      if (at < 1) throw new UsageError(`--set ${s}: a parameter is given as name=value`);
      return [s.slice(0, at), parameterValue(s.slice(at + 1))];
    }),
  );
}

/** All that a file exports. @throws UsageError when it is not there or cannot be loaded */
export async function exportsOf(file: string): Promise<Readonly<Record<string, unknown>>> {
  const path = resolve(file);
  if (!existsSync(path)) throw new UsageError(`${file}: there is no such file`);
  try {
    return (await import(/* @vite-ignore */ pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (e) {
    if (e instanceof Error && e.name === "HdlError") throw e;
    throw new UsageError(`${file} cannot be loaded: ${e instanceof Error ? e.message : String(e)}`);
  }
}

/** A module of a file, and the expression over the file's exports that makes it. */
export interface Chosen {
  readonly definition: Def;
  readonly name: string;
  readonly expression: string;
}

/**
 * The module that a TypeScript file exports, with its parameters.
 * @param name the export; may be left out when there is only one that can be meant
 * @throws UsageError when the file, the export or the parameters do not fit
 */
export async function loadDefinition(file: string, name: string | undefined, set: readonly string[]): Promise<Def> {
  return (await loadChosen(file, name, set)).definition;
}

/** As `loadDefinition`, with the way to make the module once more. */
export async function loadChosen(file: string, name: string | undefined, set: readonly string[]): Promise<Chosen> {
  const all = await exportsOf(file);
  const names = Object.keys(all).filter(n => typeof all[n] === "function" || isDef(all[n]));
  if (names.length === 0) throw new UsageError(`${file} exports no module: write \`export const Name = module(...)\``);
  const chosen = name ?? (names.length === 1 ? names[0] : undefined);
  if (chosen === undefined) throw new UsageError(`${file} exports ${names.join(", ")}: choose with --module <name>`);
  if (!names.includes(chosen))
    throw new UsageError(`${file} exports no module ${chosen}; it exports ${names.join(", ")}`);
  const definition = all[chosen] as Definition,
    parameters = parseParameters(set);
  if (isDef(definition)) {
    if (parameters !== undefined) throw new UsageError(`${chosen} has its parameters already: --set has no place`);
    return { definition, name: chosen, expression: chosen };
  }
  const made = madeOf(definition, chosen, parameters);
  if (!isDef(made))
    throw new UsageError(`${chosen} of ${file} is no module: choose another export with --module <name>`);
  const written = parameters === undefined ? "" : JSON.stringify(parameters);
  return { definition: made, name: chosen, expression: `${chosen}(${written})` };
}

function madeOf(make: (parameters: unknown) => Def, name: string, parameters: unknown): unknown {
  try {
    const made = make(parameters);
    // A body may be the first to look at parameters that are not there. What it finds wrong by itself is told later.
    if (parameters === undefined && make.length > 0 && isDef(made)) made.elaborate();
    return made;
  } catch (e) {
    if (e instanceof Error && e.name === "HdlError") throw e;
    const why = e instanceof Error ? e.message : String(e);
    throw new UsageError(
      parameters === undefined
        ? `${name} cannot be made without parameters (${why}): give them with --set name=value`
        : `${name} refuses these parameters: ${why}`,
    );
  }
}
