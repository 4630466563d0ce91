import { arcsOf } from "./arcs.ts";
import { type CellKind, classOf } from "./cells.ts";
import { blocksEntered, carriesPerLevel } from "./carry.ts";
import { type NetName, netNames, ownSource } from "./net-names.ts";
import type { Netlist } from "./netlist.ts";

/** A combinational path between registers, memories and ports. */
export interface Path {
  /** LUTs passed, reads of distributed memory among them. */
  readonly levels: number;
  /** Carry blocks of the device passed. */
  readonly carries: number;
  /** Where it begins, named nets on the way, where it ends. */
  readonly nets: readonly NetName[];
}

interface Step {
  readonly kind: CellKind;
  readonly inputs: readonly number[];
  /** Of a piece of a carry chain: the carry in, if its block was entered with the piece below. */
  readonly inside: number | undefined;
}
interface Reach {
  readonly levels: number;
  readonly carries: number;
  readonly from: number | undefined;
}

/** What a carry block of the device counts, in levels. */
type CarryCost = number;
const start: Reach = { levels: 0, carries: 0, from: undefined };
const weight = ({ levels, carries }: Pick<Reach, "levels" | "carries">, cost: CarryCost): number =>
  levels + carries * cost;
/** The heavier; of two that weigh the same, the one of more LUTs. */
const deeper = (a: Reach, b: Reach, cost: CarryCost): boolean => {
  const difference = weight(a, cost) - weight(b, cost);
  return difference > 0 || (difference === 0 && a.levels > b.levels);
};

/**
 * The deepest way to every net, worked out once each. Where mapped cells form a loop (two halves of one carry cell may
 * seem to) it is cut. A true loop is found by the language, and by `mnemo lint`.
 */
function reaches(steps: ReadonlyMap<number, Step>, cost: CarryCost): (net: number) => Reach {
  const known = new Map<number, Reach>(),
    open = new Set<number>();
  const settle = (step: Step): Reach => {
    const lut = step.kind === "lut" || step.kind === "lutram" ? 1 : 0;
    let best = { ...start, levels: lut, carries: step.kind === "carry" ? 1 : 0 };
    for (const input of step.inputs) {
      const r = known.get(input) ?? start,
        block = step.kind === "carry" && input !== step.inside ? 1 : 0,
        way = { levels: r.levels + lut, carries: r.carries + block, from: input };
      if (best.from === undefined || deeper(way, best, cost)) best = way;
    }
    return best;
  };
  return wanted => {
    // By hand and not by recursion: the paths of a bad design may be thousands of cells long.
    const stack = [wanted];
    for (let net = stack.at(-1); net !== undefined; net = stack.at(-1)) {
      const step = steps.get(net);
      if (!known.has(net) && step !== undefined && !open.has(net)) {
        open.add(net);
        const missing = step.inputs.filter(i => !known.has(i) && !open.has(i));
        stack.push(...missing);
        if (missing.length > 0) continue;
      }
      if (!known.has(net)) known.set(net, step === undefined ? start : settle(step));
      open.delete(net);
      stack.pop();
    }
    return known.get(wanted) ?? start;
  };
}

/**
 * Everything that takes a value at the end of a cycle: the inputs of state and of memories' write sides, and
 * the output ports.
 */
function endpoints(
  netlist: Netlist,
): { readonly net: number; readonly name: (names: ReadonlyMap<number, NetName>) => NetName }[] {
  const ends = [];
  for (const [name, cell] of Object.entries(netlist.cells)) {
    const { kind } = classOf(cell.type);
    if (kind !== "state" && kind !== "lutram") continue;
    const output = Object.entries(cell.connections)
      .find(([p]) => cell.port_directions[p] === "output")?.[1]
      .find(b => typeof b === "number");
    for (const [port, bits] of Object.entries(cell.connections)) {
      if (cell.port_directions[port] !== "input") continue;
      for (const net of bits) {
        if (typeof net !== "number") continue;
        // A register is known by what it holds; a memory by its own name, without what mapping added.
        ends.push({
          net,
          name: (names: ReadonlyMap<number, NetName>): NetName =>
            cell.type.startsWith("RAM") || output === undefined
              ? { name: name.replace(/(?:\.\d+)+$/, ""), src: undefined }
              : (names.get(output) ?? { name: "register", src: ownSource(cell.attributes["src"]) }),
        });
      }
    }
  }
  for (const [name, p] of Object.entries(netlist.ports)) {
    if (p.direction === "input") continue;
    for (const net of p.bits)
      if (typeof net === "number") ends.push({ net, name: () => ({ name: `output ${name}`, src: undefined }) });
  }
  return ends;
}

function stepsOf(netlist: Netlist, piecesOfCarry: number): ReadonlyMap<number, Step> {
  const steps = new Map<number, Step>(),
    isEntered = blocksEntered(netlist, piecesOfCarry);
  for (const cell of Object.values(netlist.cells)) {
    const { kind } = classOf(cell.type),
      below = kind === "carry" && !isEntered(cell) ? cell.connections["CI"]?.[0] : undefined,
      inside = typeof below === "number" ? below : undefined;
    for (const arc of arcsOf(cell, kind)) steps.set(arc.output, { kind, inputs: arc.inputs, inside });
  }
  return steps;
}

/** The most LUTs on any path, whatever carries it has. */
export function mostLevels(netlist: Netlist): number {
  const reach = reaches(stepsOf(netlist, 1), 0),
    ends = new Set(endpoints(netlist).map(e => e.net));
  return [...ends].reduce((most, net) => Math.max(most, reach(net).levels), 0);
}

/**
 * The deepest paths of a mapped netlist, one for each register, memory or port that they end in, the deepest first:
 * by LUTs and carry blocks together, as `depthOfPath` weighs them.
 * @param count how many at most @param piecesOfCarry mapped pieces of a chain to one carry block of the device
 */
export function deepestPaths(netlist: Netlist, count: number, piecesOfCarry = 1): readonly Path[] {
  const cost = 1 / carriesPerLevel,
    reach = reaches(stepsOf(netlist, piecesOfCarry), cost),
    names = netNames(netlist);
  const worst = new Map<string, { readonly net: number; readonly end: NetName; readonly reach: Reach }>();
  for (const e of endpoints(netlist)) {
    const r = reach(e.net),
      end = e.name(names),
      key = `${end.name} ${end.src ?? ""}`,
      before = worst.get(key);
    if (before === undefined || deeper(r, before.reach, cost)) worst.set(key, { net: e.net, end, reach: r });
  }
  const sorted = [...worst.values()].sort(
    (a, b) =>
      weight(b.reach, cost) - weight(a.reach, cost) ||
      b.reach.levels - a.reach.levels ||
      (a.end.name < b.end.name ? -1 : 1),
  );
  return sorted.slice(0, count).map(w => {
    const nets: NetName[] = [w.end],
      passed = new Set<number>();
    for (let net: number | undefined = w.net; net !== undefined && !passed.has(net); net = reach(net).from) {
      const name = names.get(net);
      passed.add(net);
      if (name !== undefined && name.name !== nets[0]?.name) nets.unshift(name);
    }
    return { levels: w.reach.levels, carries: w.reach.carries, nets };
  });
}
