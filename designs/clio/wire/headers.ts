import { big, headerOffsets, layout, num } from "../../shared/wire/index.ts";
import { statusNames } from "./status.ts";

/** The Clio header (wire-format.md). */
export const clioHeader = layout("clio", "Clio", "le", {
  pid: num(16, "global process ID: the protection domain"),
  tag: num(8, "client's, echoed", "hex"),
  opcode: num(8, "operation", "hex"),
  status: num(4, "reply: outcome", "dec", statusNames),
  flagRoute: num(1, "reply BUSY, native port: retryOf is a time to wait; otherwise reserved", "bool"),
  flagRepl: num(1, "replicate (SuperNIC)", "bool"),
  flagTracked: num(1, "requestId is valid", "bool"),
  flagRetry: num(1, "retryOf is valid", "bool"),
  seqId: num(8, "client's, echoed", "hex"),
  size: num(16, "bytes from the Clio header's first byte to the end of the data"),
  requestId: num(32, "with flagTracked: unique per client node; otherwise opaque", "hex"),
  retryOf: num(
    32,
    "with flagRetry: the requestId of the failed request that this one repeats; in a BUSY reply with flagRoute: ns to wait; otherwise opaque",
    "hex",
  ),
});

/**
 * Behind the end that the Clio header's `size` names: the last bytes of a request for a process that has a key, in a
 * build with `processKeys`. Nothing follows it in the frame.
 */
export const keyTrailer = layout("key", "process key", "le", {
  key: big(64, "the process's key, as CREATE_PROC gave it", "hex"),
});

/** Where the headers of a UDP request start, in bytes from the frame's first (builds without Go-Back-N). */
export const frameOffsets = {
  ...headerOffsets,
  clio: headerOffsets.payload,
  body: headerOffsets.payload + clioHeader.bytes,
} as const;

/** Where the Clio header's `size` stands in a frame, and the first byte that it counts. */
export const clioSize = {
  sizeByte: frameOffsets.clio + clioHeader.at.size.byteOffset,
  sizeFrom: frameOffsets.clio,
} as const;
