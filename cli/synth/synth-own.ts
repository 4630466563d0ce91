/** The units of a module of the user's own for `mnemo synth <file>`: the modules it is made of, and the whole. */
import { loadDefinition } from "../emit/load-definition.ts";
import type { SynthOptions } from "./run-synth.ts";
import { type Unit, unitsFor } from "./unit.ts";
import { ofUser } from "../own/of-user.ts";

export async function fileUnits(file: string, o: SynthOptions): Promise<readonly Unit[]> {
  const definition = await loadDefinition(file, o.module, o.set),
    units = ofUser(file, () => unitsFor(definition, o.only));
  return o.whole || o.only !== undefined || units.length === 1 ? units : units.slice(0, -1);
}
