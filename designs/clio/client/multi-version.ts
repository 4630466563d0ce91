import { concat, decode, encode } from "../../shared/wire/index.ts";
import { mvBody, mvCreateBody, opcode, status } from "../wire/index.ts";
import { ClientError } from "./link/errors.ts";
import type { Synchronously } from "./key-value.ts";
import type { RemoteProcess } from "./process.ts";
import { refusal } from "./refusal.ts";
import type { RequestSpec } from "./link/request.ts";

/** A version of an object, from 1 on, and its value. */
export interface StoredVersion {
  readonly version: number;
  readonly value: Uint8Array;
}

/**
 * Clio-MV at a process's node (paper §4.6): objects of values that fit one packet, with all their versions. Each call
 * is synchronous in its thread.
 */
export class MultiVersion {
  private readonly process: RemoteProcess;
  private readonly synchronously: Synchronously;

  constructor(process: RemoteProcess, synchronously: Synchronously) {
    this.process = process;
    this.synchronously = synchronously;
  }

  /**
   * A new object of values of so many bytes. @returns its number. @throws OperationError, OUT_OF_MEMORY when the node
   * has no room for one more
   */
  async create(valueBytes: number): Promise<number> {
    if (!Number.isInteger(valueBytes) || valueBytes < 1 || valueBytes > this.most)
      throw new ClientError(
        `values of ${valueBytes} bytes: give a whole number from 1 to ${this.most}, which fit one packet`,
      );
    const made = await this.call(opcode.MV_CREATE, encode(mvCreateBody, { valueBytes }), undefined, 0);
    if (made === undefined) throw new ClientError("the node refused to create an object");
    return made.object;
  }
  /**
   * Adds a version. @returns its number, undefined when the object is full or there is none. @throws OperationError,
   * MALFORMED when its values have another size
   */
  async append(object: number, value: Uint8Array): Promise<number | undefined> {
    if (value.length < 1 || value.length > this.most)
      throw new ClientError(`a value of ${value.length} bytes: give 1 to ${this.most}, which fit one packet`);
    return (await this.call(opcode.MV_APPEND, concat(encode(mvBody, { object: checked(object) }), value), object, 0))
      ?.version;
  }
  /** A version's value, undefined when there is no such object or version. @throws OperationError */
  async read(object: number, version: number): Promise<Uint8Array | undefined> {
    return (
      await this.call(
        opcode.MV_READ,
        encode(mvBody, { object: checked(object), version: checked(version) }),
        object,
        this.most,
      )
    )?.value;
  }
  /** The latest version, undefined when there is none. @throws OperationError */
  async latest(object: number): Promise<StoredVersion | undefined> {
    const found = await this.call(
      opcode.MV_READ_LATEST,
      encode(mvBody, { object: checked(object) }),
      object,
      this.most,
    );
    return found && { version: found.version, value: found.value };
  }
  /** False when there is no such object. Its number may be given again. @throws OperationError */
  async delete(object: number): Promise<boolean> {
    return (await this.call(opcode.MV_DELETE, encode(mvBody, { object: checked(object) }), object, 0)) !== undefined;
  }

  /** Bytes of a value that fit one packet. */
  private get most(): number {
    return this.process.room - mvBody.bytes;
  }

  /** @returns what the node answered; undefined for FAIL */
  private call(
    code: number,
    body: Uint8Array,
    object: number | undefined,
    mostBytes: number,
  ): Promise<(StoredVersion & { readonly object: number }) | undefined> {
    const reads = code === opcode.MV_READ || code === opcode.MV_READ_LATEST;
    const spec: RequestSpec = {
      pid: this.process.pid,
      code,
      body,
      replyBytes: mvBody.bytes + mostBytes,
      fits: b =>
        b.length >= mvBody.bytes &&
        (reads ? b.length > mvBody.bytes : b.length === mvBody.bytes) &&
        (object === undefined || decode(mvBody, b).object === object),
    };
    return this.synchronously(async () => {
      const reply = await this.process.client.exchange(this.process.home, spec);
      if (reply.status === status.FAIL) return undefined;
      if (reply.status !== status.OK) throw refusal(spec, reply);
      return { ...decode(mvBody, reply.body), value: reply.body.slice(mvBody.bytes) };
    });
  }
}

function checked(n: number): number {
  if (!Number.isInteger(n) || n < 0 || n >= 2 ** 32)
    throw new ClientError(`${n} is no number of an object or version; give a whole number below 2^32`);
  return n;
}
