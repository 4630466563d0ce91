/** Whether two flat circuits are the same circuit. */
import type { Netlist } from "../backend/builtin/circuit/netlist.ts";
import type { Node } from "../backend/builtin/circuit/node.ts";

const commutes: ReadonlySet<string> = new Set(["and", "or", "xor", "add", "mul", "eq"]);

/** Gives equal parts equal numbers, across the netlists that it is asked about. */
export class Signatures {
  readonly #numbers = new Map<string, number>();

  /** Equal for circuits with the same outputs, registers, writes and checks, each by name and computed alike. */
  of(net: Netlist): string {
    const known = new Map<Node, number>();
    for (const n of net.nodes) {
      const args = n.args.map(a => known.get(a) ?? -1);
      if (commutes.has(n.op)) args.sort((a, b) => a - b);
      known.set(n, this.#number([n.op, n.width, n.lo, n.value, n.source?.name, n.store?.name, ...args].join(" ")));
    }
    const at = (n: Node | undefined): number => (n === undefined ? -1 : (known.get(n) ?? -1));
    return [
      ...net.outputs.map(o => `${o.port} ${at(o.node)}`),
      ...net.registers.map(r => `${r.source.name} ${r.style} ${String(r.init)} ${r.clock.index} ${at(r.next)}`),
      ...net.writes.map(w => `${w.store.name} ${[w.enable, w.address, w.data, w.mask].map(at).join(" ")}`),
      ...net.checks.map(c => `${c.text} ${at(c.fails)}`),
      ...net.stores.map(s => `${s.name} ${s.width} ${s.depth} ${String(s.init)}`),
    ].join("\n");
  }
  #number(key: string): number {
    let n = this.#numbers.get(key);
    if (n === undefined) this.#numbers.set(key, (n = this.#numbers.size));
    return n;
  }
}
