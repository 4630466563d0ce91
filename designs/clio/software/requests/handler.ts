import { decode, type FieldSet, type Layout, type Values } from "../../../shared/wire/index.ts";
import type { RequestHeaders } from "../../wire/index.ts";

/** A request to the slow or extend path; `body` is what follows its Clio header. */
export interface SlowRequest extends RequestHeaders {
  readonly body: Uint8Array;
}

/** Content of a reply: status and the bytes after the Clio header; the opcode follows from the request's. */
export interface SlowReply {
  readonly status: number;
  readonly body: Uint8Array;
  /** Refused before it was looked into: the request's own opcode, no body. */
  readonly headerOnly?: true;
  /** Of BUSY on the native port: nanoseconds after which to ask again, where they are known. */
  readonly waitNs?: number;
}

/** A request whose body cannot be: answered with MALFORMED, header only. */
export class MalformedRequest extends Error {
  override readonly name = "MalformedRequest";
}

/**
 * A request that cannot be done yet and has done nothing: answered with BUSY, header only, and not remembered. So the
 * same request again is done when there is room.
 */
export class NotNow extends Error {
  override readonly name = "NotNow";
  /** Nanoseconds after which to ask again. */
  readonly waitNs: number;

  constructor(waitNs: number) {
    super(`not within ${waitNs} ns`);
    this.waitNs = waitNs;
  }
}

export type Handler = (request: SlowRequest) => SlowReply | Promise<SlowReply>;

/** The fixed part of a body. @throws MalformedRequest when it is cut short. */
export function bodyOf<F extends FieldSet>(l: Layout<F>, { body }: SlowRequest): Values<F> {
  if (body.length < l.bytes) throw new MalformedRequest(`${l.name}: ${body.length} bytes came, ${l.bytes} are needed`);
  return decode(l, body);
}
