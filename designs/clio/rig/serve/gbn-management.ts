import {
  gbnHeader,
  type GbnHeader,
  gbnTypes,
  managementSlot,
  withGbn,
  withoutGbn,
} from "../../../shared/go-back-n/wire/index.ts";
import { decode, ethernetHeader } from "../../../shared/wire/index.ts";
import { dissect, frameOffsets } from "../../wire/index.ts";

/** Management has no session: slot 0 at both ends, no sequence. */
const MANAGEMENT: GbnHeader = { type: gbnTypes.data, sequence: 0, srcSlot: managementSlot, dstSlot: managementSlot };

/**
 * Drives a station without Go-Back-N on a network whose datagrams all begin with its header. The station gets the frame
 * without the header, and its answers leave with one. An answer to the sender of the frame goes to the session that the
 * frame named as its own. The published client has one for each of its ports, this one's too. All other frames go to
 * slot 0, the management session. ARP and ping have no header.
 * @returns the frames that answer, in order; none for a datagram too short for the header
 */
export function askInGbn(
  receive: (frame: Uint8Array) => readonly Uint8Array[],
  frame: Uint8Array,
): readonly Uint8Array[] {
  const { ipv4, udp } = dissect(frame);
  if (!ipv4 || !udp) return receive(frame);
  if (udp.length < 8 + gbnHeader.bytes || frame.length < frameOffsets.clio + gbnHeader.bytes) return [];
  const { srcSlot } = decode(gbnHeader, frame, frameOffsets.clio);
  return receive(withoutGbn(frame, decode(ethernetHeader, frame).src)).map(answer => {
    const to = dissect(answer);
    if (!to.udp) return answer;
    const back = to.ipv4?.dst === ipv4.src && to.udp.dstPort === udp.srcPort;
    return withGbn(
      answer,
      { ...MANAGEMENT, dstSlot: back ? srcSlot : managementSlot },
      decode(ethernetHeader, answer).dst,
    );
  });
}
