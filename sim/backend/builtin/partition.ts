/** Cuts the graph: a partition is a function that runs as a whole, or not at all. */
import type { Check, Netlist, Register, Write } from "./circuit/netlist.ts";
import { arg, type Node, type Source, type Store } from "./circuit/node.ts";
import { noTicking, type Ticking, tickingOf } from "./ticking.ts";

/** What runs at an edge of its clock, or (clock undefined) while the circuit settles. */
export interface Partition {
  readonly id: number;
  readonly clock: number | undefined;
  readonly scope: number;
  /** Values that other partitions read. */
  readonly roots: Node[];
  readonly outputs: { readonly index: number; readonly node: Node }[];
  readonly registers: Register[];
  readonly writes: Write[];
  readonly checks: Check[];
}

/** All partitions: settling ones in an order that puts values before their readers. */
export interface Plan {
  readonly settling: readonly Partition[];
  readonly clocked: readonly Partition[];
  readonly all: readonly Partition[];
  /** By node: the partition that computes the value for others; undefined for all else. */
  readonly home: ReadonlyMap<Node, Partition>;
  /** Partitions to run when the value, source or memory changed. */
  readonly readers: ReadonlyMap<Node | Source | Store, ReadonlySet<Partition>>;
  /** Whether partitions run only when something changed. */
  readonly gated: boolean;
}

/** Nodes below which the tests of flags cost more than they save. */
const SMALL = 400;

/** Registers under one enable from which on they are a partition of their own. */
const ALONE = 8;

/** A value that each reader makes for itself: it costs no more than to fetch it, and changes as often. */
function isFree(n: Node, turns: ReadonlySet<Node>): boolean {
  switch (n.op) {
    case "const":
    case "source":
    case "slice":
      return true;
    case "not":
      return n.width === 1;
    case "sext":
      return n.width <= 64 && arg(n, 0).width === 1;
    case "concat":
      return n.args.length === 2 && arg(n, 1).op === "const" && n.width <= 64;
    case "eq":
      return arg(n, 0).op === "source" && arg(n, 1).op === "const" && arg(n, 0).width <= 64 && !turns.has(n);
    default:
      return false;
  }
}

/** What is asked of every node, again and again: by their numbers. */
class Known {
  readonly ticking: Ticking;
  /** 1 for a value that each reader makes for itself. */
  readonly free: Uint8Array;
  constructor(net: Netlist, ticking: Ticking) {
    this.ticking = ticking;
    this.free = Uint8Array.from(net.nodes, n => (isFree(n, ticking.turns) ? 1 : 0));
  }
}

/** What a node or a sink reads: values that are no free ones, sources, memories. */
function effective(roots: readonly Node[], free: Uint8Array, visit: (n: Node) => void): void {
  // A free value has one operand that is no constant: nothing is met often.
  for (const n of roots)
    if (free[n.id] === 0 || n.op === "source") visit(n);
    else if (n.args.length > 0) effective(n.args, free, visit);
}

/** The condition under which a register changes at all. */
function enableOf(r: Register): number {
  const n = r.next;
  if (n.op !== "mux") return -1;
  const holds = arg(n, 1).source === r.source || arg(n, 2).source === r.source;
  return holds || arg(n, 2).op === "mux" ? arg(n, 0).id : -1;
}

/** By the number of a node: see `owners`. */
type Owners = readonly (Partition | Node | undefined)[];
/** Makes partitions: one for each key. */
class Maker {
  readonly all: Partition[] = [];
  readonly #byKey = new Map<string, Partition>();
  make(key: string, clock: number | undefined, scope: number): Partition {
    let p = this.#byKey.get(key);
    if (p === undefined) {
      p = { id: this.all.length, clock, scope, roots: [], outputs: [], registers: [], writes: [], checks: [] };
      this.#byKey.set(key, p);
      this.all.push(p);
    }
    return p;
  }
}

export function partition(net: Netlist, gating: boolean | undefined): Plan {
  const gated = gating ?? isLarge(net),
    ticking = gated ? tickingOf(net) : noTicking;
  const known = new Known(net, ticking),
    maker = new Maker();
  clock(net, gated, maker, sorts(net, known));
  const clocked = [...maker.all];
  const owner = owners(net, clocked, known);
  const settling = cones(net, owner, known, gated, maker);
  const home = new Map<Node, Partition>();
  for (const p of settling) for (const r of p.roots) home.set(r, p);
  const { all } = maker;
  return { settling, clocked, all, home, readers: readersOf(all, home, net.nodes.length), gated };
}

/** What a register is by what it reads: beside one that reads what ticks, others would be asked at every edge. */
type Sort = "ticks" | "awake" | "counting" | "";

function sorts(net: Netlist, known: Known): (r: Register) => Sort {
  const t = known.ticking;
  if (t.sources.size + t.counters.size === 0) return () => "";
  const maker = new Maker();
  clock(net, true, maker, r => (t.sources.has(r.source) ? "ticks" : ""));
  const owner = owners(net, maker.all, known);
  const ticks = readersIn(net, owner, t.sources),
    counts = readersIn(net, owner, t.counters);
  return r => {
    if (t.sources.has(r.source)) return "ticks";
    if (ticks.has(r.next)) return "awake";
    return counts.has(r.next) ? "counting" : "";
  };
}

/** Values that are computed from one of some sources in their own partition. */
function readersIn(net: Netlist, owner: Owners, which: ReadonlySet<Source>): ReadonlySet<Node> {
  const found = new Set<Node>();
  if (which.size === 0) return found;
  // Ascending: operands come first.
  for (const n of net.nodes)
    if (n.source === undefined ? n.args.some(a => owner[a.id] !== a && found.has(a)) : which.has(n.source))
      found.add(n);
  return found;
}

/** Partitions of what runs at an edge; registers of different `sort`s are apart. */
function clock(net: Netlist, gated: boolean, maker: Maker, sort: (r: Register) => Sort): void {
  // Several clocks: a memory's writer stays apart, lest two clocks that write and read wait for each other.
  const apart = (what: string): boolean => what === "check" || (what === "write" && net.clocks.length > 1);
  const key = (what: string, clock: number, scope: number, more: number | string = ""): string =>
    gated ? `${what} ${clock} ${scope} ${more}` : `${apart(what) ? what : "edge"} ${clock}`;
  const of = (
    what: string,
    x: { readonly clock: { readonly index: number }; readonly scope: number },
    more?: number | string,
  ): Partition => maker.make(key(what, x.clock.index, x.scope, more), x.clock.index, x.scope);
  const reads = new Set(net.registers.filter(r => readsMemory(r.next)));
  // Registers with an enable of their own share a partition per instance: a test of a flag costs more than they do.
  const together = new Map<string, number>();
  const enables = net.registers.map(enableOf),
    groups = net.registers.map((r, i) => `${r.clock.index} ${r.scope} ${enables[i]}`);
  for (const g of groups) together.set(g, (together.get(g) ?? 0) + 1);
  const enable = (i: number): number => ((together.get(groups[i] ?? "") ?? 0) < ALONE ? -1 : (enables[i] ?? -1));
  for (const c of net.checks) of("check", c).checks.push(c);
  for (const [i, r] of net.registers.entries())
    (reads.has(r) ? of("read", r) : of("edge", r, `${sort(r)} ${enable(i)}`)).registers.push(r);
  for (const w of net.writes) of("write", w).writes.push(w);
}

/** Whether something depends on more than `SMALL` nodes. */
function isLarge(net: Netlist): boolean {
  const seen = new Set<Node>();
  const stack = [
    ...net.outputs.map(o => o.node),
    ...net.registers.map(r => r.next),
    ...net.writes.flatMap(w => [w.enable, w.address, w.data]),
    ...net.checks.map(c => c.fails),
  ];
  for (let n = stack.pop(); n !== undefined; n = stack.pop()) {
    if (seen.has(n)) continue;
    seen.add(n);
    if (seen.size > SMALL) return true;
    stack.push(...n.args);
  }
  return false;
}

/** Whether a register takes a word of a memory: such a read has to stand before the memory's writer. */
function readsMemory(n: Node, depth = 4): boolean {
  if (n.op === "memRead") return true;
  return (
    depth > 0 &&
    (n.op === "mux" || n.op === "concat" || n.op === "slice") &&
    n.args.some(a => readsMemory(a, depth - 1))
  );
}

/** What a clocked partition, or one of outputs, evaluates. */
export function sinksOf(p: Partition): Node[] {
  return [
    ...p.outputs.map(o => o.node),
    ...p.registers.map(r => r.next),
    ...p.writes.flatMap(w => [w.enable, w.address, w.data, ...(w.mask === undefined ? [] : [w.mask])]),
    ...p.checks.map(c => c.fails),
  ];
}

const isWriter = (p: Partition): boolean => p.writes.length > 0 && p.registers.length === 0;

/** Of every node that is no free one: the clocked partition that alone needs it, or the root of its cone. */
function owners(net: Netlist, clocked: readonly Partition[], { free, ticking: { turns } }: Known): Owners {
  const owner = new Array<Partition | Node | undefined>(net.nodes.length).fill(undefined),
    shared = new Uint8Array(net.nodes.length);
  const use = (n: Node, by: Partition | Node | undefined): void => {
    if (n.op === "source" || shared[n.id] === 1) return;
    const before = owner[n.id];
    if (by === undefined || (before !== undefined && before !== by) || turns.has(n)) shared[n.id] = 1;
    else owner[n.id] = by;
  };
  for (const p of clocked) effective(sinksOf(p), free, n => use(n, p));
  for (const o of net.outputs) effective([o.node], free, n => use(n, undefined));
  let by: Partition | Node | undefined;
  const usedByIt = (a: Node): void => use(a, by);
  for (let id = net.nodes.length - 1; id >= 0; id--) {
    const n = net.nodes[id] as Node;
    by = owner[id];
    if (free[id] === 1 || (by === undefined && shared[id] === 0)) continue;
    // A writer that reads memories itself could wait for another that reads its own.
    if (shared[id] === 1 || (n.op === "memRead" && by !== undefined && "writes" in by && isWriter(by)))
      owner[id] = by = n;
    effective(n.args, free, usedByIt);
  }
  return owner;
}

/** Cones of one level and one instance make a partition; a level reads lower ones only. */
function cones(net: Netlist, owner: Owners, { free, ticking }: Known, gated: boolean, maker: Maker): Partition[] {
  const level = new Map<Node, number>(),
    awake = new Set<Node>();
  // Ascending: what a node reads comes before it, and the root is its cone's last.
  for (const n of net.nodes) {
    const by = owner[n.id];
    if (by === undefined || !("op" in by)) continue;
    let most = level.get(by) ?? 0;
    effective(n.args, free, a => {
      if (a.source !== undefined && ticking.sources.has(a.source)) awake.add(by);
      const root = owner[a.id];
      if (root !== undefined && root !== by && "op" in root) most = Math.max(most, (level.get(root) ?? 0) + 1);
    });
    level.set(by, most);
  }
  const found = new Map<Partition, number>();
  const at = (scope: number, l: number, root?: Node): Partition => {
    const sort = root !== undefined && awake.has(root) ? "awake" : "";
    const p = maker.make(gated ? `cone ${scope} ${l} ${sort}` : "cone", undefined, scope);
    found.set(p, l);
    return p;
  };
  for (const [n, l] of level) if (owner[n.id] === n) at(n.scope, l, n).roots.push(n);
  net.outputs.forEach((o, index) => {
    let l = 0;
    effective([o.node], free, n => {
      l = Math.max(l, (level.get(n) ?? -1) + 1);
    });
    const own = level.get(o.node);
    (own === undefined ? at(0, l) : at(o.node.scope, own, o.node)).outputs.push({ index, node: o.node });
  });
  return [...found].sort((a, b) => a[1] - b[1] || a[0].id - b[0].id).map(([p]) => p);
}

/** Who has to run when something changes. */
function readersOf(
  all: readonly Partition[],
  home: ReadonlyMap<Node, Partition>,
  nodes: number,
): Map<Node | Source | Store, Set<Partition>> {
  const readers = new Map<Node | Source | Store, Set<Partition>>();
  const add = (what: Node | Source | Store, p: Partition): void => {
    let set = readers.get(what);
    if (set === undefined) readers.set(what, (set = new Set()));
    set.add(p);
  };
  /** By the number of a node: 1 more than that of the partition that met it last. */
  const met = new Int32Array(nodes),
    homes = new Array<Partition | undefined>(nodes).fill(undefined);
  for (const [n, p] of home) homes[n.id] = p;
  for (const p of all) {
    const stack = [...p.roots, ...sinksOf(p)];
    for (let n = stack.pop(); n !== undefined; n = stack.pop()) {
      if (met[n.id] === p.id + 1) continue;
      met[n.id] = p.id + 1;
      const from = homes[n.id];
      if (from !== undefined && from !== p) add(n, p);
      else if (n.source !== undefined) add(n.source, p);
      else {
        if (n.store !== undefined) add(n.store, p);
        stack.push(...n.args);
      }
    }
  }
  return readers;
}
