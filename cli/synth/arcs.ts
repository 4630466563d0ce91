import type { CellKind } from "./cells.ts";
import type { Bit, NetlistCell } from "./netlist.ts";

/** One output bit of a cell, and the inputs that it follows within the cycle. */
export interface Arc {
  readonly output: number;
  readonly inputs: readonly number[];
}

const nets = (bits: readonly Bit[]): number[] => bits.filter((b): b is number => typeof b === "number");
const outputsOf = (cell: NetlistCell): string[] =>
  Object.keys(cell.connections).filter(p => cell.port_directions[p] === "output");
const inputsOf = (cell: NetlistCell, wanted: (port: string) => boolean): number[] =>
  Object.entries(cell.connections).flatMap(([p, bits]) =>
    cell.port_directions[p] === "input" && wanted(p) ? nets(bits) : [],
  );

/**
 * The read address of a distributed memory's output: `DOA` of `ADDRA`, `DPO` of `DPRA`, `SPO` of `A0` to `A5`, ECP5's
 * `DO` of `RAD`.
 */
function readAddress(output: string): RegExp {
  const port = /^DO([A-H])$/.exec(output)?.[1];
  if (port !== undefined) return new RegExp(`^ADDR${port}$`);
  if (output === "DPO") return /^DPRA\d*$/;
  return output === "DO" ? /^RAD$/ : /^A\d*$/;
}

/** Bit i of a chain of multiplexers follows the carry in and the bits up to its own. */
function carryArcs(cell: NetlistCell): Arc[] {
  const bitsOf = (port: string): readonly Bit[] => cell.connections[port] ?? [];
  if (cell.connections["S"] === undefined) {
    const all = inputsOf(cell, () => true);
    return outputsOf(cell).flatMap(p => nets(bitsOf(p)).map(output => ({ output, inputs: all })));
  }
  const start = nets([...bitsOf("CI"), ...bitsOf("CYINIT"), ...bitsOf("CI_TOP")]);
  return outputsOf(cell).flatMap(port =>
    bitsOf(port).flatMap((output, i): Arc[] =>
      typeof output !== "number"
        ? []
        : [
            {
              output,
              inputs: [
                ...start,
                ...nets(bitsOf("S").slice(0, i + 1)),
                ...nets(bitsOf("DI").slice(0, port === "O" ? i : i + 1)),
              ],
            },
          ],
    ),
  );
}

/** How signals pass through a cell within a cycle; nothing passes through state, nor from a memory's write side. */
export function arcsOf(cell: NetlistCell, kind: CellKind): readonly Arc[] {
  switch (kind) {
    case "state":
      return [];
    case "carry":
      return carryArcs(cell);
    case "lutram":
      return outputsOf(cell).flatMap(port => {
        const address = inputsOf(cell, p => readAddress(port).test(p));
        return nets(cell.connections[port] ?? []).map(output => ({ output, inputs: address }));
      });
    case "lut":
    case "wide":
    case "invert": {
      const inputs = inputsOf(cell, () => true);
      return outputsOf(cell).flatMap(port => nets(cell.connections[port] ?? []).map(output => ({ output, inputs })));
    }
  }
}
