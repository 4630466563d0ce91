import { kvBody, kvReplyBody, opcode, status } from "../wire/index.ts";
import type { Client } from "./client.ts";
import { ClientError } from "./link/errors.ts";
import type { RemoteProcess } from "./process.ts";
import { refusal } from "./refusal.ts";
import { kvSpec } from "./requests.ts";

/** Begins an operation in the order of its thread. */
export type Synchronously = <T>(operation: () => Promise<T>) => Promise<T>;

/**
 * Clio-KV at a process's node (paper §4.6): keys of 8 bytes, values that fit one packet. The keys are the process's
 * own; no other process finds them. Each call is synchronous
 * in its thread.
 */
export class KeyValue {
  private readonly process: RemoteProcess;
  private readonly synchronously: Synchronously;
  private readonly pid: number;

  /** @param pid whose keys they are; default the process's */
  constructor(process: RemoteProcess, synchronously: Synchronously, pid = process.pid) {
    this.process = process;
    this.synchronously = synchronously;
    this.pid = pid;
  }

  /** The keys that are everybody's, those of PID 0. */
  get shared(): KeyValue {
    return new KeyValue(this.process, this.synchronously, 0);
  }

  /** The value, or undefined when the key is missing. @throws OperationError */
  read(key: bigint): Promise<Uint8Array | undefined> {
    return this.synchronously(async () =>
      (await this.call(opcode.KV_READ, key, new Uint8Array(), this.room - kvReplyBody.bytes))?.slice(kvReplyBody.bytes),
    );
  }
  /** False when the key exists already. @throws OperationError, OUT_OF_MEMORY when there is no room */
  create(key: bigint, value: Uint8Array): Promise<boolean> {
    return this.change(opcode.KV_CREATE, key, value);
  }
  /** False when the key is missing. @throws OperationError */
  update(key: bigint, value: Uint8Array): Promise<boolean> {
    return this.change(opcode.KV_UPDATE, key, value);
  }
  /** False when the key is missing. @throws OperationError */
  delete(key: bigint): Promise<boolean> {
    return this.change(opcode.KV_DELETE, key, new Uint8Array());
  }

  private get client(): Client {
    return this.process.client;
  }
  private get room(): number {
    return this.process.room;
  }

  private async change(code: number, key: bigint, value: Uint8Array): Promise<boolean> {
    const most = this.room - kvBody.bytes;
    if (value.length > most)
      throw new ClientError(`a value of ${value.length} bytes does not fit one packet; at most ${most} do`);
    const own = value.slice();
    return this.synchronously(async () => (await this.call(code, key, own, 0)) !== undefined);
  }
  private async call(code: number, key: bigint, value: Uint8Array, mostBytes: number): Promise<Uint8Array | undefined> {
    const spec = kvSpec(this.pid, code, key, value, mostBytes),
      reply = await this.client.exchange(this.process.home, spec);
    if (reply.status === status.OK) return reply.body;
    if (reply.status === status.FAIL) return undefined;
    throw refusal(spec, reply);
  }
}
