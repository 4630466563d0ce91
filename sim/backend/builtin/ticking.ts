/** Registers that go on by themselves at every edge, as timers and turns do; and bits of them that change seldom. */
import type { Netlist, Register } from "./circuit/netlist.ts";
import { arg, type Node, type Source } from "./circuit/node.ts";

/** A timer's next value has few nodes: one with more is not looked at. */
const MOST_NODES = 60,
  DEEPEST = 6;

export interface Ticking {
  readonly sources: ReadonlySet<Source>;
  /** Whether such a register has one of its values: bits that change now and then. */
  readonly turns: ReadonlySet<Node>;
  /** Registers that count on while they may: they look at one thing after the other, when nothing is to be done too. */
  readonly counters: ReadonlySet<Source>;
}

export const noTicking: Ticking = { sources: new Set(), turns: new Set(), counters: new Set() };

/** Registers that count on at every edge, or whose next value depends on their own and that of such ones alone. */
export function tickingOf(net: Netlist): Ticking {
  const sources = new Set<Source>();
  let rest = net.registers.filter(r => r.next.source !== r.source);
  for (let before = -1; before < sources.size;) {
    before = sources.size;
    rest = rest.filter(r => {
      const ticks = readsOnly(r, sources) || counts(r, false);
      if (ticks) sources.add(r.source);
      return !ticks;
    });
  }
  const counters = new Set(rest.filter(r => counts(r, true)).map(r => r.source));
  return { sources, turns: turnsOf(net, sources), counters };
}

/** Where most values of a register are looked for, one of the looks changes at each edge: those are left out. */
function turnsOf(net: Netlist, sources: ReadonlySet<Source>): ReadonlySet<Node> {
  const bySource = new Map<Source, Node[]>();
  if (sources.size > 0)
    for (const n of net.nodes) {
      const of = turnOf(n);
      if (of === undefined || !sources.has(of)) continue;
      const list = bySource.get(of);
      if (list === undefined) bySource.set(of, [n]);
      else list.push(n);
    }
  return new Set([...bySource].flatMap(([s, list]) => (4 * list.length <= 2 ** s.width ? list : [])));
}

function readsOnly(r: Register, sources: ReadonlySet<Source>): boolean {
  const seen = new Set<Node>(),
    stack = [r.next];
  let reads = false;
  for (let n = stack.pop(); n !== undefined; n = stack.pop()) {
    if (seen.has(n)) continue;
    seen.add(n);
    if (seen.size > MOST_NODES || n.store !== undefined) return false;
    if (n.source !== undefined) {
      if (n.source !== r.source && !sources.has(n.source)) return false;
      reads = true;
    } else stack.push(...n.args);
  }
  return reads;
}

/** The register that is asked for one of its values. */
function turnOf(n: Node): Source | undefined {
  if (n.op !== "eq" || arg(n, 1).op !== "const") return undefined;
  return arg(n, 0).source;
}

/** Whether a register counts on from its own value: at every edge, or at those at which it may. */
function counts({ source, next }: Register, held: boolean): boolean {
  return goesOn(next, source, held, DEEPEST) && adds(next, source, DEEPEST);
}
/** Whether each way through the muxes gives another value than the register's own, or one that is left as it is. */
function goesOn(n: Node, source: Source, held: boolean, depth: number): boolean {
  if (n.source === source || depth === 0) return held;
  if (n.op !== "mux") return true;
  return goesOn(arg(n, 1), source, held, depth - 1) && goesOn(arg(n, 2), source, held, depth - 1);
}
function adds(n: Node, source: Source, depth: number): boolean {
  if (depth === 0 || n.source === source) return false;
  if (n.op === "mux") return adds(arg(n, 1), source, depth - 1) || adds(arg(n, 2), source, depth - 1);
  return n.op === "add" && n.args.some(a => a.source === source);
}
