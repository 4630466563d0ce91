import { classOf } from "./cells.ts";
import type { Netlist, NetlistCell } from "./netlist.ts";

/**
 * Carry blocks that take as long as one level, which is a LUT with the net behind it.
 *
 * Vivado's reports of routed UltraScale+ designs give a LUT 0.04 to 0.18 ns and a net 0.2 to 0.5 ns: a level is about
 * 0.4 ns. A CARRY8 gives 0.16 to 0.25 ns from a select to a sum or to its carry out. The net before it stays in the
 * slice (0.01 ns), and so only that behind it is paid. One block beside the LUT before it adds 0.25 ns, two thirds of a
 * level. Every further block of a chain adds 0.05 ns, with no net. So two thirds for each of them is too much for a
 * long chain and never too little.
 */
export const carriesPerLevel = 1.5;

/** Levels of a path, carry blocks of the device counted for what they take; rounded up. */
export const depthOfPath = ({
  levels,
  carries = 0,
}: {
  readonly levels: number;
  readonly carries?: number | undefined;
}): number => Math.ceil(levels + carries / carriesPerLevel);

/**
 * Which pieces of carry chains begin a block of the device. A chain begins with a block of its own; a carry that goes
 * on within a block costs nothing more.
 * @param piecesOfCarry mapped pieces to a block
 */
export function blocksEntered(netlist: Netlist, piecesOfCarry: number): (piece: NetlistCell) => boolean {
  const drivers = new Map<number, NetlistCell>(),
    places = new Map<NetlistCell, number>();
  if (piecesOfCarry > 1)
    for (const cell of Object.values(netlist.cells))
      if (classOf(cell.type).kind === "carry")
        for (const net of cell.connections["CO"] ?? []) if (typeof net === "number") drivers.set(net, cell);
  const below = (cell: NetlistCell): NetlistCell | undefined => {
    const carry = cell.connections["CI"]?.[0];
    return typeof carry === "number" ? drivers.get(carry) : undefined;
  };
  const placeOf = (piece: NetlistCell): number => {
    // By hand and not by recursion: a chain may be long. Of a loop, which is no chain, any place will do.
    const chain: NetlistCell[] = [];
    let at: NetlistCell | undefined = piece;
    for (; at !== undefined && !places.has(at) && !chain.includes(at); at = below(at)) chain.push(at);
    let place = at === undefined ? 0 : (places.get(at) ?? 0) + 1;
    for (const cell of chain.reverse()) places.set(cell, place++);
    return places.get(piece) ?? 0;
  };
  return piece => placeOf(piece) % piecesOfCarry === 0;
}
