/** Where the packets of a flow are, for a chain. */
interface Flow {
  region: number;
  count: number;
  marked: boolean;
}

/**
 * The flow table: a flow stays in a region while packets of it are there. A new one goes to the instance with the
 * fewest packets. After a scale-out the flows are marked: their new packets wait until none is inside, then choose.
 */
export class Flows {
  private readonly table = new Map<string, Flow>();
  private readonly movesAtOnce: boolean;
  /** Packets queued for a region or in it. */
  readonly load: number[];

  constructor(regions: number, movesAtOnce: boolean) {
    this.load = Array.from({ length: regions }, () => 0);
    this.movesAtOnce = movesAtOnce;
  }
  /** The region for a packet of the flow; undefined: it has to wait. */
  enter(chain: number, flow: number, instances: readonly number[]): number | undefined {
    const key = `${chain} ${flow}`,
      known = this.table.get(key);
    const fewest = instances.reduce((a, b) => ((this.load[b] ?? 0) < (this.load[a] ?? 0) ? b : a));
    if (known && known.count > 0 && known.marked && !this.movesAtOnce) return undefined;
    const stays = known !== undefined && known.count > 0 && !known.marked,
      region = stays ? known.region : fewest;
    this.table.set(key, { region, count: (known?.count ?? 0) + 1, marked: false });
    this.load[region] = (this.load[region] ?? 0) + 1;
    return region;
  }
  leave(chain: number, flow: number, region: number): void {
    const known = this.table.get(`${chain} ${flow}`);
    if (known) known.count--;
    this.load[region] = (this.load[region] ?? 0) - 1;
  }
  /** Scale-out or drain. */
  mark(): void {
    for (const f of this.table.values()) f.marked = f.count > 0;
  }
  get inside(): number {
    return [...this.table.values()].reduce((n, f) => n + f.count, 0);
  }
}
