/** Bits of registers that keep one value, whatever comes in: those of a number that was made wider, for one. */
import type { Register } from "./netlist.ts";
import { arg, maskOf, type Node, type Source } from "./node.ts";

/** Bits that are known to be 0, and to be 1. */
interface Known {
  readonly zero: bigint;
  readonly one: bigint;
}
const nothing: Known = { zero: 0n, one: 0n };
const same = (a: Known, b: Known): boolean => a.zero === b.zero && a.one === b.one;

/**
 * The bits of each register that never change, once it has been reset or written. Not all are found: values are
 * followed bit by bit through wiring, choices and gates, and not through sums, comparisons and memories.
 * @param nodes operands before those that have them, each at the place of its number
 */
export function constantBits(nodes: readonly Node[], registers: readonly Register[]): ReadonlyMap<Source, bigint> {
  // All are taken for constant first; what does not hold is given up, and what follows from it, until all holds.
  const kept = new Map<Source, Known>(registers.map(r => [r.source, constant(r.init ?? 0n, r.source.width)])),
    values = new Map<Node, Known>(),
    readers = readersOf(nodes);
  for (const n of nodes) values.set(n, knownOf(n, values, kept));
  for (let given = giveUp(registers, values, kept); given.size > 0; given = giveUp(registers, values, kept)) {
    const stale = new Uint8Array(nodes.length);
    for (const n of nodes) if (n.source !== undefined && given.has(n.source)) stale[n.id] = 1;
    for (const n of nodes) {
      if (stale[n.id] === 0) continue;
      const k = knownOf(n, values, kept);
      if (same(k, values.get(n) ?? nothing)) continue;
      values.set(n, k);
      for (const r of readers.get(n) ?? []) stale[r.id] = 1;
    }
  }
  return new Map([...kept].map(([source, k]) => [source, k.zero | k.one]));
}

const constant = (value: bigint, width: number): Known => ({ zero: maskOf(width) & ~value, one: value });

function readersOf(nodes: readonly Node[]): ReadonlyMap<Node, readonly Node[]> {
  const readers = new Map<Node, Node[]>();
  for (const n of nodes)
    for (const a of n.args) {
      const list = readers.get(a);
      if (list === undefined) readers.set(a, [n]);
      else list.push(n);
    }
  return readers;
}

/** Takes back what a register's next value does not hold. @returns the registers of which that is so */
function giveUp(
  registers: readonly Register[],
  values: ReadonlyMap<Node, Known>,
  kept: Map<Source, Known>,
): ReadonlySet<Source> {
  const given = new Set<Source>();
  for (const { source, next } of registers) {
    const before = kept.get(source) ?? nothing,
      after = both(before, values.get(next) ?? nothing);
    if (same(before, after)) continue;
    kept.set(source, after);
    given.add(source);
  }
  return given;
}

function knownOf(n: Node, values: ReadonlyMap<Node, Known>, registers: ReadonlyMap<Source, Known>): Known {
  const all = maskOf(n.width),
    of = (i: number): Known => values.get(arg(n, i)) ?? nothing;
  switch (n.op) {
    case "const":
      return constant(n.value, n.width);
    case "source":
      return (n.source && registers.get(n.source)) ?? nothing;
    case "not":
      return { zero: of(0).one, one: of(0).zero };
    case "and":
      return { zero: of(0).zero | of(1).zero, one: of(0).one & of(1).one };
    case "or":
      return { zero: of(0).zero & of(1).zero, one: of(0).one | of(1).one };
    case "mux":
      return chosen(of(0), of(1), of(2));
    case "select":
      return n.args.slice(1).reduce<Known>((k, a) => both(k, values.get(a) ?? nothing), { zero: all, one: all });
    case "concat":
      return joined(n.args, values);
    case "slice":
      return { zero: (of(0).zero >> BigInt(n.lo)) & all, one: (of(0).one >> BigInt(n.lo)) & all };
    case "sext":
      return extended(of(0), arg(n, 0).width, all);
    default:
      return nothing;
  }
}
const both = (a: Known, b: Known): Known => ({ zero: a.zero & b.zero, one: a.one & b.one });
const chosen = (by: Known, a: Known, b: Known): Known => (by.one === 1n ? a : by.zero === 1n ? b : both(a, b));
function joined(parts: readonly Node[], values: ReadonlyMap<Node, Known>): Known {
  let zero = 0n,
    one = 0n,
    at = 0n;
  for (const p of parts) {
    const k = values.get(p) ?? nothing;
    zero |= k.zero << at;
    one |= k.one << at;
    at += BigInt(p.width);
  }
  return { zero, one };
}
/** The copies of the highest bit are known if that is. */
function extended(k: Known, width: number, all: bigint): Known {
  const top = 1n << BigInt(width - 1),
    copies = all & ~maskOf(width);
  return { zero: k.zero | (k.zero & top ? copies : 0n), one: k.one | (k.one & top ? copies : 0n) };
}
