/** Where everything lies in the model's memory. The block that the bench sees comes first. */
import type { BlockLayout } from "../layout.ts";
import type { Netlist } from "./circuit/netlist.ts";
import { Unsupported } from "../unsupported.ts";
import type { Node, Source, Store } from "./circuit/node.ts";
import type { Order } from "./order.ts";
import type { Partition, Plan } from "./partition.ts";

/** Bytes of a value: 4 up to 32 bits, else whole limbs of 8. */
export const bytesOf = (width: number): number => (width <= 32 ? 4 : 8 * Math.ceil(width / 64));
/** Flags that one flag of their group stands for, where there are enough partitions for groups at all. */
const GROUP = 8,
  GROUPED = 48;

/** At most this much: beyond it a design is no simulation but a mistake. */
const MOST = 2 ** 30;

/** Partitions side by side in the order in which they run. */
export interface Group {
  readonly clock: number | undefined;
  readonly partitions: readonly Partition[];
  /** Set whenever a flag of the group is; it may stay set for one round more. */
  readonly flag: number | undefined;
}
interface Groups {
  readonly settling: readonly Group[];
  readonly edge: readonly Group[];
  /** Of those that write shadowed registers, for the moving afterwards. */
  readonly commits: readonly Group[];
}

export class MemoryMap {
  readonly sources = new Map<Source, number>();
  readonly shadows = new Map<Source, number>();
  readonly values = new Map<Node, number>();
  readonly stores = new Map<Store, number>();
  /** What a read beyond the depth gives, by the reading node. */
  readonly beyond = new Map<Node, number>();
  readonly flags = new Map<Partition, number>();
  /** Neighbours in the order in which they run, and a flag that is set whenever one of theirs is. */
  readonly groups: Groups;
  /** Set by a partition that wrote shadowed registers. */
  readonly commits = new Map<Partition, number>();
  /** Edges done by `run`, for the model. */
  readonly done: number;
  readonly #groupOf = new Map<Partition, number>();
  #end: number;

  constructor(net: Netlist, plan: Plan, order: Order, block: BlockLayout) {
    this.#end = Math.ceil(block.words / 2) * 8;
    this.done = this.take(8);
    for (const p of plan.settling) this.flags.set(p, this.take(4));
    for (const p of order.partitions) this.flags.set(p, this.take(4));
    const shadowing = order.partitions.filter(p => p.registers.some(r => order.shadowed.has(r.source)));
    for (const p of shadowing) this.commits.set(p, this.take(4));
    const size = plan.gated && plan.all.length >= GROUPED ? GROUP : 1;
    this.groups = {
      settling: this.#grouped(plan.settling, size),
      edge: this.#grouped(order.partitions, size),
      commits: this.#grouped(shadowing, size),
    };
    for (const g of [...this.groups.settling, ...this.groups.edge])
      if (g.flag !== undefined) for (const p of g.partitions) this.#groupOf.set(p, g.flag);
    for (const i of net.inputs) this.sources.set(i.source, this.take(bytesOf(i.source.width)));
    // Parts of one register lie side by side, so that an indexed read finds them.
    for (const r of net.registers) this.sources.set(r.source, this.take(bytesOf(r.source.width)));
    for (const s of order.shadowed) this.shadows.set(s, this.take(bytesOf(s.width)));
    for (const p of plan.settling) for (const n of p.roots) this.values.set(n, this.take(bytesOf(n.width)));
    for (const s of net.stores) this.stores.set(s, this.take(bytesOf(s.width) * s.depth));
    for (const n of net.nodes) if (n.store !== undefined) this.beyond.set(n, this.take(bytesOf(n.width)));
  }

  /** Groups of one clock; one that stands alone needs no flag but its own. */
  #grouped(list: readonly Partition[], size: number): Group[] {
    const out: Group[] = [];
    for (let i = 0; i < list.length;) {
      const clock = list[i]?.clock;
      let n = 1;
      while (n < size && i + n < list.length && list[i + n]?.clock === clock) n++;
      out.push({ clock, partitions: list.slice(i, i + n), flag: n > 1 ? this.take(4) : undefined });
      i += n;
    }
    return out;
  }

  /** All flags to set, so that the partitions run: theirs, then those of their groups. */
  flagsOf(partitions: Iterable<Partition>): number[] {
    const own: number[] = [],
      groups = new Set<number>();
    for (const p of partitions) {
      own.push(this.flags.get(p) as number);
      const group = this.#groupOf.get(p);
      if (group !== undefined) groups.add(group);
    }
    return [...own, ...groups];
  }

  /** The flags that a partition sets when it wrote a shadowed register. */
  commitFlagsOf(p: Partition): number[] {
    const group = this.groups.commits.find(g => g.partitions.includes(p));
    return [this.commits.get(p), group?.flag].filter(f => f !== undefined);
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
