import {
  type Client,
  type ClientOptions,
  ClusterProcess,
  type NodeAddress,
  OperationError,
} from "../../clio/client/index.ts";
import type { Failure, FarBytes } from "../stage/index.ts";

export interface ClusterBytesOptions {
  readonly client: Client;
  readonly pid: number;
  /** The global controller. */
  readonly home: NodeAddress;
  readonly clock: ClientOptions["clock"];
  /** Longest that a copy of a frame may be on its way, ns. */
  readonly quietNs: number;
}

/**
 * A process of a cluster, for a stage. Each operation is a thread of its own: the stage keeps what belongs in order. A
 * try has no patience: the first refusal by a region that moves ends it. What waits asks the controller again and
 * again, as any client of a cluster does.
 */
export class ClusterBytes implements FarBytes {
  readonly #o: ClusterBytesOptions;
  readonly #patient: ClusterProcess;
  readonly #quick: ClusterProcess;

  constructor(o: ClusterBytesOptions) {
    this.#o = o;
    this.#patient = new ClusterProcess(o.client, o.pid, o.home);
    this.#quick = new ClusterProcess(o.client, o.pid, o.home, { patienceNs: 0 });
  }
  read(va: bigint, bytes: number): Promise<Uint8Array> {
    return this.#patient.thread().rread(va, bytes);
  }
  tryWrite(va: bigint, data: Uint8Array): Promise<void> {
    return this.#quick.thread().rwrite(va, data);
  }
  write(va: bigint, data: Uint8Array): Promise<void> {
    return this.#patient.thread().rwrite(va, data);
  }
  fetchAndAdd(va: bigint, addend: bigint): Promise<bigint> {
    return this.#patient.thread().fetchAndAdd(va, addend);
  }
  failure(e: unknown): Failure {
    if (!(e instanceof OperationError) || e.outcome === "unknown") return "unknown";
    return e.reason === "MIGRATING" ? "moving" : "refused";
  }
  quiet(): Promise<void> {
    return new Promise(resolve => {
      this.#o.clock.after(this.#o.quietNs, resolve);
    });
  }
}
