import { concat, decode, encodeInto, internetChecksum, ipv4Header, udpHeader } from "../../shared/wire/index.ts";
import { frameOffsets } from "../wire/index.ts";
import { classify, type FilterSettings } from "./classify.ts";

/** A frame as the node takes it for its own (rules.md, section 1), but for what its UDP payload must hold at least. */
export function isForNode(frame: Uint8Array, settings: FilterSettings): boolean {
  const v = classify(frame, settings);
  if (v.kind === "request") return true;
  if (v.kind !== "drop" || v.reason !== "dropShort" || frame.length < frameOffsets.clio) return false;
  const ip = decode(ipv4Header, frame, frameOffsets.network);
  if (ip.totalLength < ipv4Header.bytes + udpHeader.bytes) return false;
  // Made long enough for that last rule, it is a request.
  const longer = concat(frame.slice(0, frameOffsets.clio), new Uint8Array(2000)),
    udp = decode(udpHeader, frame, frameOffsets.transport);
  if (udp.length !== ip.totalLength - ipv4Header.bytes) return false;
  encodeInto(ipv4Header, { totalLength: ipv4Header.bytes + 1000, checksum: 0 }, longer, frameOffsets.network);
  encodeInto(udpHeader, { length: 1000 }, longer, frameOffsets.transport);
  const right = internetChecksum(frame, frameOffsets.network, frameOffsets.transport) === 0;
  encodeInto(
    ipv4Header,
    { checksum: internetChecksum(longer, frameOffsets.network, frameOffsets.transport) },
    longer,
    frameOffsets.network,
  );
  return right && classify(longer, { ...settings, mtuFrame: 4000 }).kind === "request";
}
