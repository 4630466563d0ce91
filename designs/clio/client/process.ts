import type { Client } from "./client.ts";
import type { Reply, RequestSpec } from "./link/request.ts";
import { payloadRoom } from "./link/options.ts";
import { keyTrailer } from "../wire/index.ts";
import { Thread } from "./thread.ts";
import type { NodeAddress } from "./link/transport.ts";

const regionShift = 30n;

/**
 * A process's remote virtual address space (paper §4.3.1): a PID, the node it lives at, and the regions of 1 GB that
 * lie elsewhere (§4.4.7).
 */
export class RemoteProcess {
  readonly client: Client;
  readonly pid: number;
  readonly home: NodeAddress;
  /** 64 bits without which the home node does nothing for the process; undefined when it has none. */
  readonly key: bigint | undefined;
  private readonly regions = new Map<bigint, NodeAddress>();

  constructor(client: Client, pid: number, home: NodeAddress, key?: bigint) {
    this.client = client;
    this.pid = pid;
    this.home = home;
    this.key = key;
  }

  /** Bytes after the Clio header that a packet of the process has room for. */
  get room(): number {
    return payloadRoom(this.client.options) - (this.key === undefined ? 0 : keyTrailer.bytes);
  }

  /** Names the node that a region has been placed at. */
  place(region: number, node: NodeAddress): void {
    this.regions.set(BigInt(region), node);
  }
  nodeOf(va: bigint): NodeAddress {
    return this.regions.get(va >> regionShift) ?? this.home;
  }
  /** Every node that has a part of the address space. */
  get nodes(): readonly NodeAddress[] {
    return [...new Map([this.home, ...this.regions.values()].map(n => [`${n.ip}:${n.port}`, n])).values()];
  }

  /** Sends a request to the node of an address. @throws OperationError */
  ask(va: bigint, spec: RequestSpec): Promise<Reply> {
    return this.client.ask(this.nodeOf(va), spec);
  }

  /** A thread of the process: its calls are ordered; two threads are ordered by locks, atomics and fences only. */
  thread(): Thread {
    return new Thread(this);
  }
}
