/**
 * Who is answered, and what: no frame that a node can send makes a node send one, and nobody outside names a process of
 * the node's own (designs/clio/model/rules.md, sections 1 and 4). Wires only.
 */
import { type Bit, constant, node, orTree, type UInt, type Val } from "../../../../hdl-dsl/index.ts";
import { firstOffloadPid } from "../../config/index.ts";
import { bitsOfOpcode, clioHeader, replyOnlyCodes, sharedCodes } from "../../wire/index.ts";
import type { NetConfig } from "../records/records.ts";

/** The group bit of a MAC address as a number, and the bit that marks a group sender from outside (../../offload). */
const groupBit = 40,
  outsideBit = 47;

/** The processes of the node's own: all ones above these bits (`firstOffloadPid`). */
const ownPidBits = Math.log2(0x1_0000 - firstOffloadPid);

/** Whether a sender is an offload of the node, in a build that has them. */
export function isInside(mac: UInt): Bit {
  return node(mac.bit(groupBit).and(mac.bit(outsideBit).not()), { name: "inside" });
}

/** Whether a sender's MAC address is the node's own or a group's, and no offload's (`inside`). */
export function isNoSender(mac: UInt, config: Pick<Val<typeof NetConfig>, "mac">, inside?: Bit): Bit {
  const group = mac.bit(groupBit);
  return mac.eq(config.mac).or(inside === undefined ? group : group.and(inside.not()));
}

/** Whether an IPv4 address is the node's own, or not one station's: none, multicast or broadcast. */
export function isNoStation(ip: UInt, config: Pick<Val<typeof NetConfig>, "ip">): Bit {
  const multicast = 0xe;
  return ip.eq(config.ip).or(ip.bits(28, 4).eq(multicast)).or(ip.all()).or(ip.any().not());
}

/**
 * Whether a Clio header is a reply's: it has a status, or an opcode of replies, or an opcode that requests have, too,
 * and comes from a port on which nodes answer. At the client ports a status alone says so only of a bare header. The
 * published client leaves there what its buffer held, and a reply with a status and a body has an opcode of replies.
 * @param native whether it came to the native port
 */
export function isReply(
  clio: { readonly opcode: UInt; readonly status: UInt; readonly size: UInt },
  srcPort: UInt,
  config: Pick<Val<typeof NetConfig>, "nativePort" | "clientPort">,
  clientPorts: number,
  native: Bit,
): Bit {
  const among = (codes: readonly number[]): Bit => orTree(codes.map(c => clio.opcode.eq(bitsOfOpcode(c))));
  const client: Bit = clientPorts > 65535 ? constant(1, 1) : srcPort.sub(config.clientPort).lt(clientPorts);
  const fromNode = node(srcPort.eq(config.nativePort).or(client), { name: "from_node" });
  const refusal = clio.status.any().and(native.or(clio.size.eq(clioHeader.bytes)));
  return node(refusal.or(among(replyOnlyCodes)).or(among(sharedCodes).and(fromNode)), { name: "is_reply" });
}

/** Whether a process is one of the node's own. */
export function isOwnPid(pid: UInt): Bit {
  return pid.bits(ownPidBits, 16 - ownPidBits).all();
}
