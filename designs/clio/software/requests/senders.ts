import { firstOffloadPid } from "../../config/index.ts";
import {
  clioHeader,
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

/** Where a node is reached: ports as far as they are known. */
interface OwnPorts {
  readonly nativePort?: number;
  /** First of the published client's; default: it has none. */
  readonly clientPort?: number;
}

/**
 * Whether a frame is a reply: a status, an opcode of replies, or a shared one from a port on which nodes answer. At the
 * client ports a status counts with a bare header only: the published client leaves there what its buffer held.
 */
export function isReply({ udp, clio }: Pick<Dissected, "udp" | "clio">, own: OwnPorts = {}): boolean {
  if (!udp || !clio) return false;
  const { published, publishedCount, native } = udpPorts,
    { clientPort = Number.POSITIVE_INFINITY } = own,
    toClientPort = udp.dstPort >= clientPort && udp.dstPort < clientPort + publishedCount;
  if (clio.status !== status.OK && (!toClientPort || clio.size === clioHeader.bytes)) return true;
  if (operationOf(clio.opcode) === undefined) return repliesTo(clio.opcode).length > 0;
  const fromNode =
    udp.srcPort === (own.nativePort ?? native) ||
    (udp.srcPort >= published && udp.srcPort < published + publishedCount);
  return fromNode && sharedCodes.includes(clio.opcode);
}

/**
 * Whether a frame may be answered: it is no reply, and its sender is one station, another than the one that answers.
 * The hardware keeps the same rule for what it takes; this is for frames that come another way.
 */
export function mayBeAnswered(frame: Dissected, own: Pick<Endpoint, "mac" | "ip"> & OwnPorts): boolean {
  const { ethernet, ipv4 } = frame;
  if (!ethernet || !ipv4) return false;
  if (isInternal(ethernet.src)) return true;
  const group = (ethernet.src & groupBit) !== 0n,
    nobody = ipv4.src === 0 || ipv4.src >>> 28 === multicast || ipv4.src === broadcast;
  return !group && !nobody && ethernet.src !== own.mac && ipv4.src !== own.ip && !isReply(frame, own);
}

/** Whether a request from outside names a process of the node's own: it is INVALID. */
export function isForeign({ ethernet, clio }: Required<Pick<Dissected, "ethernet" | "clio">>): boolean {
  return clio.pid >= firstOffloadPid && !isInternal(ethernet.src);
}
