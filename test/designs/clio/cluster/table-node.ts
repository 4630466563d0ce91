import type { NodeAddress } from "../../../../designs/clio/client/index.ts";
import { makeSettings, type NodeConfig, regionEntry } from "../../../../designs/clio/config/index.ts";
import { type PageState, ReferenceNode, type VirtualMemory } from "../../../../designs/clio/model/index.ts";
import { clearTable, type ClusterNodeOptions, SlowPath } from "../../../../designs/clio/software/index.ts";
import {
  bucketAddress,
  bucketSlots,
  type Entry,
  locate,
  packEntry,
  unpackEntry,
} from "../../../../designs/shared/virtual-memory/table/index.ts";
import type { LinkOptions, NetworkModel, SimulatedTime } from "../../../../sim/index.ts";
import { FakeHardware } from "../software/fake-hardware.ts";
import { TableActivity } from "./table-activity.ts";

interface Mapping {
  readonly ppn: number;
  readonly read: boolean;
  readonly write: boolean;
}

/**
 * The fake hardware with its page table, frames and a TLB that remembers everything in use. The TLB decides about each
 * access, and only an acknowledged shootdown makes it read the table again. So a slow path that moves pages by the
 * wrong order loses bytes here.
 */
export class TableHardware extends FakeHardware implements VirtualMemory {
  /** Sends what the slow path sends. */
  out: (frame: Uint8Array) => void = () => undefined;
  /** Present in a node with a table of written regions. */
  activity: TableActivity | undefined;
  /** From the shootdown's order to its acknowledgement, ns. */
  shootdownNs = 300;
  private readonly mappings = new Map<string, Mapping>();
  private readonly table: NodeConfig;
  private readonly clock: SimulatedTime;

  constructor(config: NodeConfig, clock: SimulatedTime) {
    super(config);
    this.table = config;
    this.clock = clock;
  }

  override time(): number {
    return this.clock.now();
  }
  override send(frame: Uint8Array): Promise<void> {
    this.out(frame);
    return Promise.resolve();
  }
  override async shootdown(pid: number, vpn: bigint): Promise<void> {
    await new Promise<void>(resolve => {
      this.clock.after(this.shootdownNs, resolve);
    });
    this.mappings.delete(`${pid}:${vpn}`);
  }

  // --- what the reference model runs on
  page(pid: number, vpn: bigint): PageState | undefined {
    const known = this.mappings.get(`${pid}:${vpn}`);
    if (known) return { read: known.read, write: known.write, valid: true };
    const found = this.walk(pid, vpn);
    if (!found) return undefined;
    if (found.entry.valid) this.mappings.set(`${pid}:${vpn}`, found.entry);
    return found.entry;
  }
  fault(pid: number, vpn: bigint): boolean {
    const found = this.walk(pid, vpn),
      ppn = this.takeFree();
    if (!found || ppn === undefined) return false;
    const entry = { ...found.entry, valid: true, ppn };
    this.memory.setEntry(found.address, packEntry(this.table.table, entry));
    this.mappings.set(`${pid}:${vpn}`, entry);
    return true;
  }
  read(pid: number, vpn: bigint, offset: number, length: number): Uint8Array {
    return this.memory.read(this.at(pid, vpn, offset), length);
  }
  write(pid: number, vpn: bigint, offset: number, bytes: Uint8Array): void {
    this.memory.write(this.at(pid, vpn, offset), bytes);
    const region = Number((vpn * BigInt(this.table.pageSize)) >> 30n);
    this.activity?.write(regionEntry({ pid, region }, this.activity.bits));
  }

  private at(pid: number, vpn: bigint, offset: number): number {
    const known = this.mappings.get(`${pid}:${vpn}`);
    if (!known) throw new Error(`page ${vpn} of process ${pid} is used and has no frame`);
    return known.ppn * this.table.pageSize + offset;
  }
  private walk(pid: number, vpn: bigint): { readonly entry: Entry; readonly address: number } | undefined {
    const { index, tag } = locate(this.table.table, pid, vpn);
    for (let slot = 0; slot < bucketSlots; slot++) {
      const address = bucketAddress(this.table.table, index) + 8 * slot,
        entry = unpackEntry(this.table.table, this.memory.entry(address));
      if (entry.allocated && entry.tag === tag) return { entry, address };
    }
    return undefined;
  }
}

export interface TableNodeOptions {
  readonly name: string;
  readonly given: Readonly<Record<string, unknown>>;
  readonly cluster: Omit<ClusterNodeOptions, "clock">;
  readonly pages?: number;
  /** The node has a table of written regions. */
  readonly activity?: boolean;
  readonly link?: LinkOptions;
  /** Changes the node before it starts: a planted fault. */
  readonly plant?: (slow: SlowPath, hardware: TableHardware) => void;
}
export interface TableNode {
  readonly name: string;
  readonly address: NodeAddress;
  readonly mac: bigint;
  readonly slow: SlowPath;
  readonly hardware: TableHardware;
  readonly config: NodeConfig;
  /** Frames in all; the key-value store keeps one. */ readonly frames: number;
  readonly model: ReferenceNode;
  /** From now on it neither hears nor says anything. */
  fail(): void;
  close(): Promise<void>;
}

/**
 * A node of a cluster without hardware: reference model, page table with TLB, and the real slow path with its part
 * in the cluster.
 */
export async function tableNode(network: NetworkModel, o: TableNodeOptions): Promise<TableNode> {
  const { config, runtime } = makeSettings({ ...o.given }),
    { time } = network,
    hardware = new TableHardware(config, time);
  if (o.activity === true) hardware.activity = new TableActivity(12);
  await clearTable(hardware, config);
  const slow = new SlowPath(hardware, config, runtime, {
    cluster: { ...o.cluster, clock: time },
    ...(o.pages !== undefined && { pages: o.pages }),
  });
  o.plant?.(slow, hardware);
  const node = new ReferenceNode(config, runtime, hardware);
  let failed = false;
  const send = (frame: Uint8Array, ns: number): void => {
    time.after(ns, () => {
      if (!failed) attachment.send(frame);
    });
  };
  hardware.out = frame => send(frame, 0);
  const attachment = network.attach(o.name, {
    mac: runtime.mac,
    ...(o.link && { out: o.link, in: o.link }),
    receive: (frame, damaged) => {
      if (failed) return;
      const outcome = node.receive(frame, damaged);
      if (outcome.kind === "reply") send(outcome.frame, 400);
      if (outcome.kind === "forward") time.after(runtime.slowPathLatency, () => hardware.hand(outcome.frame));
    },
  });
  const done = slow.run();
  await slow.ready;
  return {
    name: o.name,
    address: { ip: runtime.ip, port: runtime.nativePort },
    mac: runtime.mac,
    slow,
    hardware,
    config,
    frames: o.pages ?? config.usablePages,
    model: node,
    fail: () => {
      failed = true;
    },
    close: async () => {
      hardware.close();
      await done;
    },
  };
}
