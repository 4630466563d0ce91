import { encode } from "../../../shared/wire/index.ts";
import { kvBody, kvReplyBody, opcode, status } from "../../wire/index.ts";
import { bodyOf, type Handler, MalformedRequest, type SlowReply, type SlowRequest } from "../requests/handler.ts";
import type { KvStore } from "./kv-store.ts";

/** Bytes of every key. */
const keyBytes = 8;

/**
 * The requests of Clio-KV (wire-format.md 60 to 66). The `user` byte is echoed and means nothing: the published client
 * does not set it.
 */
export function kvHandlers(store: KvStore): ReadonlyMap<number, Handler> {
  const parse = (
    request: SlowRequest,
  ): { readonly user: number; readonly keySize: number; readonly valueSize: number; readonly key: bigint } => {
    const body = bodyOf(kvBody, request);
    if (body.keySize !== keyBytes) throw new MalformedRequest(`key_size is ${body.keySize}, only ${keyBytes} is known`);
    return body;
  };
  const reply = (user: number, ok: boolean, valueSize: number, value: Uint8Array = new Uint8Array()): SlowReply => {
    const head = encode(kvReplyBody, { user, keySize: keyBytes, valueSize: ok ? valueSize : 0 }),
      body = new Uint8Array(head.length + value.length);
    body.set(head);
    body.set(value, head.length);
    return { status: ok ? status.OK : status.FAIL, body };
  };
  const write =
    (put: (key: bigint, value: Uint8Array) => Promise<boolean>): Handler =>
    async request => {
      const { user, valueSize, key } = parse(request),
        value = request.body.slice(kvBody.bytes, kvBody.bytes + valueSize);
      if (value.length < valueSize)
        throw new MalformedRequest(`value_size is ${valueSize}, ${value.length} bytes came`);
      return reply(user, await put(key, value), valueSize);
    };
  return new Map<number, Handler>([
    [
      opcode.KV_READ,
      async request => {
        const { user, key } = parse(request),
          value = await store.read(key);
        return reply(user, value !== undefined, value?.length ?? 0, value);
      },
    ],
    [opcode.KV_CREATE, write((key, value) => store.create(key, value))],
    [opcode.KV_UPDATE, write((key, value) => store.update(key, value))],
    [
      opcode.KV_DELETE,
      request => {
        const { user, key } = parse(request);
        return reply(user, store.delete(key), 0);
      },
    ],
  ]);
}
