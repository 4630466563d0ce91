import type { Endpoint } from "../../../shared/wire/index.ts";

/**
 * A memory node that regions can be given of; `port` is where its software is asked (its native port, or the published
 * client's session 0).
 */
export interface MemberNode extends Endpoint {
  readonly name: string;
  readonly memoryBytes: number;
}

/**
 * Codes of a region's state in replies to clients. To them a region that is read at its source moves as one that is
 * stopped: they go on asking where it was.
 */
export const regionState = { placed: 0, stopAll: 1, readAtSource: 1, pageByPage: 2, lost: 3 } as const;
export type RegionState = keyof typeof regionState;

/** Where a region is. */
export interface Placement {
  readonly region: number;
  node: MemberNode;
  state: RegionState;
  /** While it moves: where to. */
  to: MemberNode | undefined;
  /** Counts every change of the above, from 1; a migration is named by it. */
  version: number;
}

interface Member {
  node: MemberNode;
  free: number;
  /** Regions given of it since `free` was told. */ given: number;
}

/**
 * The coarse level of a cluster's memory (paper §4.4.7): regions of 1 GB of processes' address spaces, each
 * at one node.
 */
export class RegionMap {
  private readonly members: Member[];
  private readonly processes = new Map<number, { next: number; readonly regions: Map<number, Placement> }>();

  constructor(nodes: readonly MemberNode[]) {
    this.members = nodes.map(node => ({ node, free: node.memoryBytes, given: 0 }));
  }

  get nodes(): readonly MemberNode[] {
    return this.members.map(m => m.node);
  }
  /** Every region that has been given. */
  *placements(): Generator<{ readonly pid: number; readonly placement: Placement }> {
    for (const [pid, { regions }] of this.processes) for (const placement of regions.values()) yield { pid, placement };
  }

  /** A node is there, with so much free memory. @returns false when it was known: its free memory is updated */
  join(node: MemberNode): boolean {
    const known = this.members.find(m => m.node.ip === node.ip && m.node.port === node.port);
    if (known) {
      known.free = node.memoryBytes;
      known.given = 0;
      return false;
    }
    this.members.push({ node, free: node.memoryBytes, given: 0 });
    return true;
  }
  /** A node is given nothing any more. */
  leave(node: Pick<Endpoint, "ip" | "port">): void {
    const at = this.members.findIndex(m => m.node.ip === node.ip && m.node.port === node.port);
    if (at >= 0) this.members.splice(at, 1);
  }

  addProcess(pid: number): void {
    this.processes.set(pid, { next: 1, regions: new Map() });
  }
  hasProcess(pid: number): boolean {
    return this.processes.has(pid);
  }
  /** @returns the nodes that have regions of it */
  removeProcess(pid: number): readonly MemberNode[] {
    const nodes = new Set([...(this.processes.get(pid)?.regions.values() ?? [])].map(p => p.node));
    this.processes.delete(pid);
    return [...nodes];
  }
  find(pid: number, region: number): Placement | undefined {
    return this.processes.get(pid)?.regions.get(region);
  }
  /** A process's regions. */
  of(pid: number): readonly Placement[] {
    return [...(this.processes.get(pid)?.regions.values() ?? [])];
  }

  /**
   * The process's next region (never 0: the published client skips it), or this one. The node with the most memory per
   * region gets it. Memory may be over-committed.
   */
  give(pid: number, wanted?: number): Placement | "noProcess" | "noMemory" {
    const process = this.processes.get(pid);
    if (!process) return "noProcess";
    const known = wanted === undefined ? undefined : process.regions.get(wanted);
    if (known) return known;
    const best = this.roomiest();
    if (!best) return "noMemory";
    best.given++;
    while (process.regions.has(process.next)) process.next++;
    const region = wanted ?? process.next++;
    const placement: Placement = { region, node: best.node, state: "placed", to: undefined, version: 1 };
    process.regions.set(region, placement);
    return placement;
  }

  /** Where a region could go from a node: to the other one with the most free memory. */
  destination(from: MemberNode): MemberNode | undefined {
    const best = this.roomiest(m => m.node.ip !== from.ip);
    if (best) best.given++;
    return best?.node;
  }

  private roomiest(among: (m: Member) => boolean = () => true): Member | undefined {
    return this.members
      .filter(among)
      .reduce<Member | undefined>((a, b) => (a && (a.given + 1) / a.free <= (b.given + 1) / b.free ? a : b), undefined);
  }
}
