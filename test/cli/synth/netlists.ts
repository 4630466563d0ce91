import { type Netlist, parseNetlist } from "../../../cli/synth/netlist.ts";

type Pins = Readonly<Record<string, number | readonly number[]>>;
export interface Cell {
  readonly name: string;
  readonly type: string;
  readonly in: Pins;
  readonly out: Pins;
}

const isList = (b: number | readonly number[]): b is readonly number[] => typeof b !== "number";
const bits = (pins: Pins): [string, readonly number[]][] =>
  Object.entries(pins).map(([p, b]) => [p, isList(b) ? b : [b]]);

/** A mapped netlist by hand. @param nets named nets @param outputs output ports */
export function netlist(
  cells: readonly Cell[],
  nets: Readonly<Record<string, number>>,
  outputs: Readonly<Record<string, number>> = {},
): Netlist {
  return parseNetlist(
    JSON.stringify({
      modules: {
        t: {
          ports: Object.fromEntries(Object.entries(outputs).map(([n, b]) => [n, { direction: "output", bits: [b] }])),
          cells: Object.fromEntries(
            cells.map(c => [
              c.name,
              {
                type: c.type,
                port_directions: Object.fromEntries([
                  ...bits(c.in).map(([p]) => [p, "input"] as const),
                  ...bits(c.out).map(([p]) => [p, "output"] as const),
                ]),
                connections: Object.fromEntries([...bits(c.in), ...bits(c.out)]),
              },
            ]),
          ),
          netnames: Object.fromEntries(
            Object.entries(nets).map(([n, b]) => [
              n,
              { hide_name: 0, bits: [b], attributes: { src: `t.v:${b}.1-${b}.9` } },
            ]),
          ),
        },
      },
    }),
    "t",
  );
}

/** Registers and LUTs in a word. */
export const ff = (name: string, d: number, q: number): Cell => ({
  name,
  type: "FDRE",
  in: { C: 1000, D: d },
  out: { Q: q },
});
export const lut = (name: string, o: number, ...inputs: readonly number[]): Cell => ({
  name,
  type: `LUT${inputs.length}`,
  in: Object.fromEntries(inputs.map((b, i) => [`I${i}`, b])),
  out: { O: o },
});
