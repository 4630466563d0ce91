import { accessBody, clioHeader } from "../wire/index.ts";
import { ipv4Header, udpHeader } from "../../shared/wire/index.ts";
import type { OffloadParameters } from "./types.ts";

/** Sizes that networks have for their largest IP packet, bytes, the larger first. */
const usualPackets = [9000, 1500];

/**
 * Bytes of data, behind 12 bytes of va and length, in a reply whose size an offload chooses. That is the room of the
 * largest usual IP packet that the node's frames hold, so that the network does not drop it. Where `maxData` is
 * smaller, it is `maxData`.
 */
export function packetData({
  maxData,
  transportBytes = 0,
}: Pick<OffloadParameters, "maxData" | "transportBytes">): number {
  const rooms = usualPackets.map(
    bytes => bytes - transportBytes - ipv4Header.bytes - udpHeader.bytes - clioHeader.bytes - accessBody.bytes,
  );
  return rooms.find(room => room <= maxData) ?? maxData;
}
