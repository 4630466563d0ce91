import { encode, udpFrame } from "../../shared/wire/index.ts";
import type { Dissected } from "./message.ts";
import { clioHeader } from "./headers.ts";

/** The headers of a request, as its reply needs them. */
export interface RequestHeaders extends Required<Pick<Dissected, "ethernet" | "ipv4" | "udp" | "clio">> {
  /** The request came to the native port: its flags mean something. */
  readonly native: boolean;
}

/**
 * The reply to a request (wire-format.md "Clio header"). The reply goes back to the sender's MAC, IP and port from the
 * port of the request, padded to 60 bytes. The fields pid, tag, seqId, requestId and retryOf are echoed. Flags are
 * echoed on the native port, and 0 on the published client's.
 * @param body what stands behind the Clio header, in parts
 */
export function replyFrame(
  own: { readonly mac: bigint; readonly ip: number },
  { ethernet, ipv4, udp, clio, native }: RequestHeaders,
  opcode: number,
  status: number,
  ...body: readonly Uint8Array[]
): Uint8Array {
  const flags = native ? {} : { flagRoute: 0, flagRepl: 0, flagTracked: 0, flagRetry: 0 };
  const size = body.reduce((n, part) => n + part.length, clioHeader.bytes),
    header = encode(clioHeader, { ...clio, ...flags, opcode, status, size });
  return udpFrame(
    { mac: own.mac, ip: own.ip, port: udp.dstPort },
    { mac: ethernet.src, ip: ipv4.src, port: udp.srcPort },
    header,
    ...body,
  );
}
