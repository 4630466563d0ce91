/** Registers of one partition that have nothing to do with one another. */
import type { Register } from "./circuit/netlist.ts";
import type { Node, Source } from "./circuit/node.ts";
import type { Partition } from "./partition.ts";

/** Registers from which on a partition is looked at, and from which on a part of it stands alone. */
const LARGE = 16,
  ALONE = 4;

/**
 * Takes the registers out of a large partition that read nothing which its others read, in groups of those that do.
 * What few registers are left stays together. A register's own value relates it to nobody.
 */
export function unrelated(p: Partition, home: ReadonlyMap<Node, Partition>): readonly (readonly Register[])[] {
  if (p.registers.length < LARGE) return [];
  const groups = new Groups();
  for (const r of p.registers) for (const value of loadsOf(r.next, home)) if (value !== r.source) groups.join(r, value);
  const parts = [...groups.of(p.registers).values()].filter(g => g.length >= ALONE);
  // Something stays.
  if (parts.flat().length === p.registers.length) parts.pop();
  const taken = new Set(parts.flat());
  const rest = p.registers.filter(r => !taken.has(r));
  p.registers.splice(0, p.registers.length, ...rest);
  return parts;
}

/** Sources, and values of other partitions, that a value is computed from. */
function loadsOf(next: Node, home: ReadonlyMap<Node, Partition>): ReadonlySet<Node | Source> {
  const seen = new Set<Node>(),
    loads = new Set<Node | Source>(),
    stack = [next];
  for (let n = stack.pop(); n !== undefined; n = stack.pop()) {
    if (seen.has(n)) continue;
    seen.add(n);
    if (n.source !== undefined) loads.add(n.source);
    else if (home.has(n)) loads.add(n);
    else stack.push(...n.args);
  }
  return loads;
}

/** Registers joined by what they read. */
class Groups {
  readonly #parent = new Map<Register, Register>();
  readonly #first = new Map<Node | Source, Register>();

  join(r: Register, value: Node | Source): void {
    const other = this.#first.get(value);
    if (other === undefined) this.#first.set(value, r);
    else this.#parent.set(this.#root(r), this.#root(other));
  }
  #root(r: Register): Register {
    let at = r;
    for (let up = this.#parent.get(at); up !== undefined && up !== at; up = this.#parent.get(at)) at = up;
    return at;
  }
  of(registers: readonly Register[]): ReadonlyMap<Register, readonly Register[]> {
    const groups = new Map<Register, Register[]>();
    for (const r of registers) {
      const root = this.#root(r),
        list = groups.get(root);
      if (list === undefined) groups.set(root, [r]);
      else list.push(r);
    }
    return groups;
  }
}
