import { encode } from "../../../shared/wire/index.ts";
import { kvBody, kvReplyBody, opcode, status } from "../../wire/index.ts";
import type { MemoryManager } from "../memory/memory-manager.ts";
import { bodyOf, type Handler, MalformedRequest, type SlowReply, type SlowRequest } from "../requests/handler.ts";
import { type KvOutcome, type KvStore, sharedPid } from "./kv-store.ts";

/** Bytes of every key. */
const keyBytes = 8;
const statusOf: Readonly<Record<KvOutcome, number>> = {
  done: status.OK,
  exists: status.FAIL,
  missing: status.FAIL,
  full: status.OUT_OF_MEMORY,
};
const nobody: SlowReply = { status: status.INVALID, body: new Uint8Array() };

/**
 * The requests of Clio-KV that the hardware's leaves to the software: those of processes that it does not know. One
 * that does not exist is answered INVALID; on the published client's ports it is made. One that does is answered BUSY:
 * the hardware knows it by now.
 */
export function unknownOwners(processes: KvProcesses): ReadonlyMap<number, Handler> {
  const answer: Handler = request => {
    bodyOf(kvBody, request);
    return exists(processes, request) ? { status: status.BUSY, body: new Uint8Array() } : nobody;
  };
  return new Map(
    [opcode.KV_READ, opcode.KV_CREATE, opcode.KV_UPDATE, opcode.KV_DELETE].map((code): [number, Handler] => [
      code,
      answer,
    ]),
  );
}

type KvProcesses = Pick<MemoryManager, "hasProcess" | "createProcess">;
const exists = (processes: KvProcesses, { clio, native }: SlowRequest): boolean =>
  clio.pid === sharedPid || processes.hasProcess(clio.pid) || (!native && processes.createProcess(clio.pid).ok);

/**
 * The requests of Clio-KV (wire-format.md 60 to 66). The `user` byte is echoed and means nothing: the published client
 * does not set it. A process that does not exist is answered INVALID. On the published client's ports it is made, as by
 * ALLOC: that client creates its processes at its monitor only.
 */
export function kvHandlers(store: KvStore, processes: KvProcesses): ReadonlyMap<number, Handler> {
  const parse = (
    request: SlowRequest,
  ): { readonly user: number; readonly valueSize: number; readonly key: bigint; readonly pid: number } => {
    const body = bodyOf(kvBody, request);
    if (body.keySize !== keyBytes) throw new MalformedRequest(`key_size is ${body.keySize}, only ${keyBytes} is known`);
    return { ...body, pid: request.clio.pid };
  };
  const reply = (user: number, code: number, valueSize: number, value: Uint8Array = new Uint8Array()): SlowReply => {
    if (code !== status.OK && code !== status.FAIL) return { status: code, body: new Uint8Array() };
    const head = encode(kvReplyBody, { user, keySize: keyBytes, valueSize: code === status.OK ? valueSize : 0 }),
      body = new Uint8Array(head.length + value.length);
    body.set(head);
    body.set(value, head.length);
    return { status: code, body };
  };
  const write =
    (put: (pid: number, key: bigint, value: Uint8Array) => Promise<KvOutcome>): Handler =>
    async request => {
      const { user, valueSize, key, pid } = parse(request),
        value = request.body.slice(kvBody.bytes, kvBody.bytes + valueSize);
      if (value.length < valueSize)
        throw new MalformedRequest(`value_size is ${valueSize}, ${value.length} bytes came`);
      return exists(processes, request) ? reply(user, statusOf[await put(pid, key, value)], valueSize) : nobody;
    };
  return new Map<number, Handler>([
    [
      opcode.KV_READ,
      async request => {
        const { user, key, pid } = parse(request);
        if (!exists(processes, request)) return nobody;
        const value = await store.read(pid, key);
        return reply(user, value === undefined ? status.FAIL : status.OK, value?.length ?? 0, value);
      },
    ],
    [opcode.KV_CREATE, write((pid, key, value) => store.create(pid, key, value))],
    [opcode.KV_UPDATE, write((pid, key, value) => store.update(pid, key, value))],
    [
      opcode.KV_DELETE,
      request => {
        const { user, key, pid } = parse(request);
        return exists(processes, request) ? reply(user, statusOf[store.delete(pid, key)], 0) : nobody;
      },
    ],
  ]);
}
