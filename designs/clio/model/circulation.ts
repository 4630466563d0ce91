import {
  concat,
  encodeInto,
  ethernetHeader,
  internetChecksum,
  ipv4Header,
  udpHeader,
} from "../../shared/wire/index.ts";
import { clioHeader, dissect, frameOffsets } from "../wire/index.ts";
import type { NodeConfig, RuntimeSettings } from "../config/index.ts";
import { ReferenceNode } from "./node.ts";
import { MappedMemory } from "./pages.ts";

/**
 * The promise that nothing circulates: a frame that has left a node, sent on to a node as if it were for that
 * one, is not answered. The second node is the model. Each frame goes to it as it is, and to its own address
 * from a neighbour's.
 */
export class Circulation {
  private readonly runtime: RuntimeSettings;
  private readonly other: ReferenceNode;
  /** How often a kind of frame has been sent on in every way. */
  private readonly seen = new Map<string, number>();

  constructor(config: NodeConfig, runtime: RuntimeSettings) {
    this.runtime = runtime;
    this.other = new ReferenceNode(config, runtime, new MappedMemory());
  }

  /** What is wrong with a frame that has left the node; undefined when it is not answered. */
  answered(frame: Uint8Array): string | undefined {
    const sentOn = this.often(frame) ? [frame] : turned(frame, this.runtime);
    for (const sent of sentOn) {
      const outcome = this.other.receive(sent),
        dead = outcome.kind === "drop" || (outcome.kind === "forward" && outcome.reply === true);
      if (!dead) return `a frame that has left the node is answered by another: ${hex(frame)}`;
    }
    return undefined;
  }

  /** Whether frames of about this length with these headers, but for what is echoed, have been sent on often enough. */
  private often(frame: Uint8Array): boolean {
    const kind = String.fromCharCode(Math.clz32(frame.length), ...kindBytes.map(at => frame[at] ?? 0));
    const times = this.seen.get(kind) ?? 0;
    this.seen.set(kind, times + 1);
    return times >= EACH;
  }
}

/** Bytes that tell a frame's kind: EtherType, protocol, the port that it comes from, operation, status and flags. */
const kindBytes = [
  frameOffsets.ethernet + ethernetHeader.at.etherType.byteOffset + 1,
  frameOffsets.network + ipv4Header.at.protocol.byteOffset,
  frameOffsets.transport + udpHeader.at.srcPort.byteOffset,
  frameOffsets.transport + udpHeader.at.srcPort.byteOffset + 1,
  frameOffsets.clio + clioHeader.at.opcode.byteOffset,
  frameOffsets.clio + clioHeader.at.status.byteOffset,
];

/** Frames of one kind that are sent on in every way; later ones only as they are. */
const EACH = 16;

/** Another node, that the second one takes for the sender. */
const neighbour = { mac: 0x02c1_1000_00fen, ip: 0x0a0a_00fe };

function turned(frame: Uint8Array, own: RuntimeSettings): Uint8Array[] {
  const { ipv4, udp } = dissect(frame);
  const to = frame.slice();
  encodeInto(ethernetHeader, { dst: own.mac, src: neighbour.mac }, to);
  if (!ipv4) return [frame, to];
  encodeInto(ipv4Header, { src: neighbour.ip, dst: own.ip, checksum: 0 }, to, frameOffsets.network);
  const checksum = internetChecksum(to, frameOffsets.network, frameOffsets.transport);
  encodeInto(ipv4Header, { checksum }, to, frameOffsets.network);
  if (!udp) return [frame, to];
  return [
    frame,
    ...[own.nativePort, own.clientPort, udp.dstPort].map(dstPort => {
      const one = concat(to);
      encodeInto(udpHeader, { dstPort }, one, frameOffsets.transport);
      return one;
    }),
  ];
}
const hex = (b: Uint8Array): string => Buffer.from(b).toString("hex");
