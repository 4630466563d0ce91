import {
  concat,
  type Decoded,
  decodeField,
  decodeIf,
  type DissectedStack,
  dissectStack,
  encode,
  headerOffsets,
  isUdp,
} from "../../shared/wire/index.ts";
import { clioHeader, frameOffsets } from "./headers.ts";

/** A Clio message: header with its `size` worked out (unless given), body, data. */
export function clioMessage(header: Partial<Decoded<typeof clioHeader>>, ...body: readonly Uint8Array[]): Uint8Array {
  const rest = concat(...body);
  return concat(encode(clioHeader, { size: clioHeader.bytes + rest.length, ...header }), rest);
}

/** Contents of a frame, as far as it goes; a part that is cut short or of another protocol is absent. */
export interface Dissected extends DissectedStack {
  readonly clio?: Decoded<typeof clioHeader>;
  /**
   * Bytes after the Clio header, to the end of the data by Clio `size`, the UDP length and the frame, whichever
   * is the least.
   */
  readonly body?: Uint8Array;
}

/**
 * Take a frame apart leniently (for displays, clients and the slow path; the node's own rules are the
 * model's). Never throws.
 */
export function dissect(frame: Uint8Array): Dissected {
  const stack = dissectStack(frame),
    clio = stack.udp && decodeIf(clioHeader, frame, frameOffsets.clio);
  if (!stack.udp || !clio) return stack;
  const end = Math.min(frame.length, frameOffsets.clio + clio.size, headerOffsets.transport + stack.udp.length);
  return { ...stack, clio, body: frame.slice(frameOffsets.body, Math.max(frameOffsets.body, end)) };
}

/** One field of a frame's Clio header, as `dissect` gives it; undefined where there is none. */
export function clioField(frame: Uint8Array, name: keyof Decoded<typeof clioHeader>): number | undefined {
  return isUdp(frame) ? decodeField(clioHeader, name, frame, frameOffsets.clio) : undefined;
}
