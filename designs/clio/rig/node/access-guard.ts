import {
  bucketAddress,
  bucketBytes,
  entryBytes,
  locate,
  type TableGeometry,
  unpackEntry,
} from "../../../shared/virtual-memory/table/index.ts";
import { axiPorts } from "../../../../sim/index.ts";
import type { SimulatedNode } from "./simulated-node.ts";

export type Way = "read" | "write";
/** Bytes of a process that a request may read or write: those that it names, where its pages give the right. */
export interface Grant {
  readonly pid: number;
  readonly va: bigint;
  readonly length: number;
  readonly way: Way;
}
/** A request that has gone in, with what it may touch; nothing when any of its pages refuses it. */
export interface Guarded {
  readonly name: string;
  readonly grants: readonly Grant[];
}

interface DataBurst {
  readonly way: Way;
  readonly address: number;
  readonly bytes: number;
  readonly cycle: number;
  readonly requests: readonly Guarded[];
}

/**
 * Watches the node's AXI4 port. Every burst that is no access to the page table must lie in bytes granted to some
 * request under way. The frame must be that of the requester's page in the page table (whole beats, as the bus moves
 * them). Table accesses must stay inside the table. The guard judges addresses, not replies: data that are fetched and
 * then discarded are found as well. The table has to stay as it is, but for frames that faults give out, from a
 * request's coming until `settle`.
 */
export class AccessGuard {
  readonly problems: string[] = [];
  /** Data bursts judged. */
  judged = 0;
  readonly #node: SimulatedNode;
  readonly #beat: number;
  #underWay: readonly Guarded[] = [];
  #bursts: DataBurst[] = [];

  constructor(node: SimulatedNode) {
    this.#node = node;
    this.#beat = node.config.dataWidth / 8;
    const { ar, aw } = axiPorts(node.bench.io, "mem");
    node.bench.onEdge({
      sample: cycle => {
        for (const [way, port] of [
          ["read", ar],
          ["write", aw],
        ] as const) {
          if (port.valid.value === 0 || port.ready.value === 0) continue;
          this.#burst(
            way,
            Number(port.payload.id.value),
            Number(port.payload.addr.value),
            (Number(port.payload.len.value) + 1) * this.#beat,
            cycle,
          );
        }
      },
    });
  }

  /** A request goes in. @returns to be called when it has been answered */
  enter(request: Guarded): () => void {
    this.#underWay = [...this.#underWay, request];
    return () => {
      this.#underWay = this.#underWay.filter(r => r !== request);
    };
  }

  /** Nothing is under way: judges the bursts so far by the page table as it stands. */
  settle(): void {
    const frames = new Map<string, number | undefined>(),
      { config, runtime } = this.#node;
    const frameOf = (pid: number, vpn: bigint): number | undefined => {
      const key = `${pid} ${vpn}`;
      if (!frames.has(key))
        frames.set(
          key,
          frameInTable(config.table, runtime.hashKey, pid, vpn, (at, n) => this.#node.ram.read(at, n)),
        );
      return frames.get(key);
    };
    const page = BigInt(config.pageSize);
    const covers = (g: Grant, b: DataBurst): boolean => {
      if (g.way !== b.way) return false;
      for (let vpn = g.va / page; vpn * page < g.va + BigInt(g.length); vpn++) {
        const frame = frameOf(g.pid, vpn);
        if (frame === undefined || Math.floor(b.address / config.pageSize) !== frame) continue;
        const from = Number(g.va > vpn * page ? g.va - vpn * page : 0n),
          end = Number(g.va + BigInt(g.length) - vpn * page),
          at = b.address % config.pageSize;
        const low = from - (from % this.#beat),
          high = Math.min(config.pageSize, Math.ceil(end / this.#beat) * this.#beat);
        if (low <= at && at + b.bytes <= high) return true;
      }
      return false;
    };
    for (const b of this.#bursts) {
      this.judged++;
      if (b.requests.some(r => r.grants.some(g => covers(g, b)))) continue;
      this.problems.push(
        `at ${b.cycle}: a ${b.way} of ${b.bytes} bytes at 0x${b.address.toString(16)} is granted to no request under way (${named(b.requests)})`,
      );
    }
    this.#bursts = [];
  }

  #burst(way: Way, id: number, address: number, bytes: number, cycle: number): void {
    const { config } = this.#node,
      { tableBase, tableBytes } = config.table;
    // ID 1 + m is table access of miss m (docs/clio/node.md).
    if (id < 1 || id > config.outstandingMisses) {
      this.#bursts.push({ way, address, bytes, cycle, requests: this.#underWay });
      return;
    }
    if (address < tableBase || address + bytes > tableBase + tableBytes)
      this.problems.push(`at ${cycle}: a ${way} of the page table at 0x${address.toString(16)}, outside the table`);
  }
}

/** The first few requests by name. */
function named(requests: readonly Guarded[]): string {
  const shown = 4,
    more = requests.length - shown;
  return `${requests
    .slice(0, shown)
    .map(r => r.name)
    .join("; ")}${more > 0 ? `; ${more} more` : ""}`;
}

/** The frame of a page by the table in memory; undefined when it has none. */
export function frameInTable(
  g: TableGeometry,
  hashKey: bigint,
  pid: number,
  vpn: bigint,
  read: (address: number, length: number) => Uint8Array,
): number | undefined {
  const found = entryInTable(g, hashKey, pid, vpn, read)?.entry;
  return found?.valid === true ? found.ppn : undefined;
}

/** A page's entry in the table in memory, and where it stands; undefined when it is not allocated. */
export function entryInTable(
  g: TableGeometry,
  hashKey: bigint,
  pid: number,
  vpn: bigint,
  read: (address: number, length: number) => Uint8Array,
): { readonly address: number; readonly entry: ReturnType<typeof unpackEntry> } | undefined {
  const { index, tag } = locate(g, pid, vpn, hashKey),
    at = bucketAddress(g, index),
    bytes = read(at, bucketBytes),
    view = new DataView(bytes.buffer, bytes.byteOffset);
  for (let slot = 0; slot < bucketBytes / entryBytes; slot++) {
    const entry = unpackEntry(g, view.getBigUint64(slot * entryBytes, true));
    if (entry.allocated && entry.tag === tag) return { address: at + slot * entryBytes, entry };
  }
  return undefined;
}
