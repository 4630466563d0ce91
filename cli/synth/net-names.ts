import type { Netlist } from "./netlist.ts";

/**
 * A signal of the design: its name in the flattened design without the bit, and where the Verilog
 * declares it (`file.v:12`).
 */
export interface NetName {
  readonly name: string;
  readonly src: string | undefined;
}

/**
 * The Verilog position among those of an object: of a flattened one the innermost, which is last. Cells added by
 * mapping lie elsewhere.
 */
export const ownSource = (src: string | number | undefined): string | undefined =>
  String(src ?? "")
    .split("|")
    .map(s => /^([\w.$-]+\.v):(\d+)/.exec(s))
    .findLast(m => m !== null)
    ?.slice(1, 3)
    .join(":");

/**
 * For each net the name that the design gives it: of several the shortest, for that is the outermost, but a port's
 * last. Nets that mapping made have none.
 */
export function netNames(netlist: Netlist): ReadonlyMap<number, NetName> {
  const names = new Map<number, NetName>(),
    isPort = (name: string): boolean => name in netlist.ports;
  const better = (a: string, b: string): boolean =>
    isPort(a) !== isPort(b) ? isPort(b) : a.length !== b.length ? a.length < b.length : a < b;
  for (const [name, n] of Object.entries(netlist.netnames)) {
    if (n.hide_name !== 0) continue;
    const found: NetName = { name, src: ownSource(n.attributes["src"]) };
    for (const b of n.bits) {
      if (typeof b !== "number") continue;
      const before = names.get(b);
      if (before === undefined || better(name, before.name)) names.set(b, found);
    }
  }
  return names;
}
