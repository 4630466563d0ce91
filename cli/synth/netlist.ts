import * as z from "zod";

/** A net: its number, or a constant (`"0"`, `"1"`, `"x"`, `"z"`). */
const bit = z.union([z.number(), z.string()]);
const bits = z.array(bit);
const attributes = z.record(z.string(), z.union([z.string(), z.number()])).default({});
const netlistModule = z.object({
  attributes,
  ports: z.record(z.string(), z.object({ direction: z.enum(["input", "output", "inout"]), bits })),
  cells: z.record(
    z.string(),
    z.object({
      type: z.string(),
      attributes,
      port_directions: z.record(z.string(), z.enum(["input", "output", "inout"])).default({}),
      connections: z.record(z.string(), bits),
    }),
  ),
  netnames: z.record(z.string(), z.object({ hide_name: z.number(), bits, attributes })),
});
/** The part of Yosys' `write_json` that is used here. */
const netlistFile = z.object({ modules: z.record(z.string(), netlistModule) });

export type Bit = z.output<typeof bit>;
export type Netlist = z.output<typeof netlistModule>;
export type NetlistCell = Netlist["cells"][string];

/** @param text of `write_json` @param top the module wanted @throws when Yosys wrote something else */
export function parseNetlist(text: string, top: string): Netlist {
  const found = netlistFile.parse(JSON.parse(text)).modules[top];
  if (found === undefined) throw new Error(`Yosys' netlist has no module ${top}`);
  return found;
}
