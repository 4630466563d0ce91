import { accessBody, allocBody, clioHeader, clioMessage, frameOffsets, kvBody, opcode } from "../wire/index.ts";
import {
  arpFrame,
  broadcastMac,
  concat,
  decode,
  encode,
  encodeInto,
  type Endpoint,
  icmpEchoFrame,
  udpFrame,
} from "../../shared/wire/index.ts";
import type { RuntimeSettings } from "../config/index.ts";

/** A client that builds frames for one node: on the native port, with a request ID of its own for each request. */
export class FrameClient {
  readonly endpoint: Endpoint;
  private readonly node: Endpoint;
  private nextId: number;

  /** @param firstId request IDs count up from here */
  constructor(
    endpoint: Endpoint,
    { mac, ip, nativePort }: Pick<RuntimeSettings, "mac" | "ip" | "nativePort">,
    firstId = 1,
  ) {
    this.endpoint = endpoint;
    this.node = { mac, ip, port: nativePort };
    this.nextId = firstId;
  }

  /** Any request: body and data follow the header. */
  request(code: number, pid: number, ...body: readonly Uint8Array[]): Uint8Array {
    return this.to(this.node.port, code, pid, ...body);
  }
  /** The same to another port of the node (a published-client session). */
  to(port: number, code: number, pid: number, ...body: readonly Uint8Array[]): Uint8Array {
    const requestId = this.nextId++ >>> 0;
    return udpFrame(
      this.endpoint,
      { ...this.node, port },
      clioMessage({ pid, opcode: code, flagTracked: 1, requestId, tag: requestId & 0xff }, ...body),
    );
  }

  /**
   * An earlier request of this client's once more: under a new request ID, naming the
   * first (wire-format.md, flag_retry).
   */
  repeat(frame: Uint8Array): Uint8Array {
    const again = frame.slice(),
      first = decode(clioHeader, frame, frameOffsets.clio),
      requestId = this.nextId++ >>> 0;
    encodeInto(
      clioHeader,
      { ...first, requestId, flagRetry: 1, retryOf: first.flagRetry === 1 ? first.retryOf : first.requestId },
      again,
      frameOffsets.clio,
    );
    return again;
  }

  read(pid: number, va: bigint, length: number): Uint8Array {
    return this.request(opcode.READ, pid, encode(accessBody, { va, length }));
  }
  write(pid: number, va: bigint, data: Uint8Array, code: number = opcode.WRITE): Uint8Array {
    return this.request(code, pid, encode(accessBody, { va, length: data.length }), data);
  }
  createProcess(name = "mnemo"): Uint8Array {
    return this.request(opcode.CREATE_PROC, 0, concat(new TextEncoder().encode(name), new Uint8Array(64)).slice(0, 64));
  }
  freeProcess(pid: number): Uint8Array {
    return this.request(opcode.FREE_PROC, pid);
  }
  allocate(
    pid: number,
    values: { readonly addr?: bigint; readonly len: bigint; readonly vregion?: bigint; readonly vmFlags?: bigint },
  ): Uint8Array {
    return this.request(opcode.ALLOC, pid, encode(allocBody, values));
  }
  free(pid: number, addr: bigint, len: bigint): Uint8Array {
    return this.request(opcode.FREE, pid, encode(allocBody, { addr, len }));
  }
  kv(code: number, key: bigint, value: Uint8Array = new Uint8Array()): Uint8Array {
    return this.request(code, 0, encode(kvBody, { keySize: 8, valueSize: value.length, key }), value);
  }
  arp(): Uint8Array {
    return arpFrame(broadcastMac, {
      operation: 1,
      senderMac: this.endpoint.mac,
      senderIp: this.endpoint.ip,
      targetMac: 0n,
      targetIp: this.node.ip,
    });
  }
  ping(sequence: number, data: Uint8Array): Uint8Array {
    return icmpEchoFrame(this.endpoint, this.node, 0x434c, sequence, data);
  }
}

/** A client's address, numbered from 0: 10.10.0.100 upwards. */
export function clientEndpoint(n: number): Endpoint {
  return { mac: 0x02c110001000n + BigInt(n), ip: 0x0a0a0064 + n, port: 5000 + n };
}
