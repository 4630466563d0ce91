/** Where everything lies in the model's memory. The block that the bench sees comes first. */
import type { BlockLayout } from "../layout.ts";
import type { Netlist } from "./circuit/netlist.ts";
import { Unsupported } from "../unsupported.ts";
import type { Node, Source, Store } from "./circuit/node.ts";
import type { Order } from "./order.ts";
import type { Partition, Plan } from "./partition.ts";

/** Bytes of a value: 4 up to 32 bits, else whole limbs of 8. */
export const bytesOf = (width: number): number => (width <= 32 ? 4 : 8 * Math.ceil(width / 64));
/** At most this much: beyond it a design is no simulation but a mistake. */
const MOST = 2 ** 30;

export class MemoryMap {
  readonly sources = new Map<Source, number>();
  readonly shadows = new Map<Source, number>();
  readonly values = new Map<Node, number>();
  readonly stores = new Map<Store, number>();
  /** What a read beyond the depth gives, by the reading node. */
  readonly beyond = new Map<Node, number>();
  readonly flags = new Map<Partition, number>();
  /** Set by a partition that wrote shadowed registers. */
  readonly commits = new Map<Partition, number>();
  /** Edges done by `run`, for the model. */
  readonly done: number;
  #end: number;

  constructor(net: Netlist, plan: Plan, order: Order, block: BlockLayout) {
    this.#end = Math.ceil(block.words / 2) * 8;
    this.done = this.take(8);
    for (const p of plan.settling) this.flags.set(p, this.take(4));
    for (const p of order.partitions) {
      this.flags.set(p, this.take(4));
      if (p.registers.some(r => order.shadowed.has(r.source))) this.commits.set(p, this.take(4));
    }
    for (const i of net.inputs) this.sources.set(i.source, this.take(bytesOf(i.source.width)));
    // Parts of one register lie side by side, so that an indexed read finds them.
    for (const r of net.registers) this.sources.set(r.source, this.take(bytesOf(r.source.width)));
    for (const s of order.shadowed) this.shadows.set(s, this.take(bytesOf(s.width)));
    for (const p of plan.settling) for (const n of p.roots) this.values.set(n, this.take(bytesOf(n.width)));
    for (const s of net.stores) this.stores.set(s, this.take(bytesOf(s.width) * s.depth));
    for (const n of net.nodes) if (n.store !== undefined) this.beyond.set(n, this.take(bytesOf(n.width)));
  }

  /** The address of `bytes` new bytes, aligned to 8 when there are 8 or more. */
  take(bytes: number): number {
    const at = bytes >= 8 ? Math.ceil(this.#end / 8) * 8 : Math.ceil(this.#end / 4) * 4;
    this.#end = at + bytes;
    if (this.#end > MOST) throw new Unsupported(`its state is larger than ${MOST / 2 ** 20} MB`);
    return at;
  }

  /** Pages of 64 KB; a load of 8 bytes may reach beyond the last value. */
  get pages(): number {
    return Math.ceil((this.#end + 16) / 65536);
  }
}
