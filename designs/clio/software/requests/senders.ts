import { firstOffloadPid } from "../../config/index.ts";
import {
  type Dissected,
  internalPrefix,
  operationOf,
  repliesTo,
  sharedCodes,
  status,
  udpPorts,
} from "../../wire/index.ts";
import type { Endpoint } from "../../../shared/wire/index.ts";

const groupBit = 1n << 40n,
  multicast = 0xe,
  broadcast = 0xffff_ffff;
/** Whether a sender is one of the node's own offloads: the hardware lets no frame from outside pass for one. */
const isInternal = (mac: bigint): boolean => mac >> 8n === internalPrefix;

/** Whether a frame is a reply: a status, an opcode of replies, or a shared one from a port on which nodes answer. */
export function isReply({ udp, clio }: Pick<Dissected, "udp" | "clio">, nativePort: number = udpPorts.native): boolean {
  if (!udp || !clio) return false;
  if (clio.status !== status.OK) return true;
  if (operationOf(clio.opcode) === undefined) return repliesTo(clio.opcode).length > 0;
  const { published, publishedCount } = udpPorts,
    fromNode = udp.srcPort === nativePort || (udp.srcPort >= published && udp.srcPort < published + publishedCount);
  return fromNode && sharedCodes.includes(clio.opcode);
}

/**
 * Whether a frame may be answered: it is no reply, and its sender is one station, another than the one that answers.
 * The hardware keeps the same rule for what it takes; this is for frames that come another way.
 */
export function mayBeAnswered(
  frame: Dissected,
  own: Pick<Endpoint, "mac" | "ip"> & { readonly nativePort?: number },
): boolean {
  const { ethernet, ipv4 } = frame;
  if (!ethernet || !ipv4) return false;
  if (isInternal(ethernet.src)) return true;
  const group = (ethernet.src & groupBit) !== 0n,
    nobody = ipv4.src === 0 || ipv4.src >>> 28 === multicast || ipv4.src === broadcast;
  return !group && !nobody && ethernet.src !== own.mac && ipv4.src !== own.ip && !isReply(frame, own.nativePort);
}

/** Whether a request from outside names a process of the node's own: it is INVALID. */
export function isForeign({ ethernet, clio }: Required<Pick<Dissected, "ethernet" | "clio">>): boolean {
  return clio.pid >= firstOffloadPid && !isInternal(ethernet.src);
}
