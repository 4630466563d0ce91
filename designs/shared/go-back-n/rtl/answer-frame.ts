/** The frame of an ACK or NACK: headers only, and their checksum in two steps. Wires only. */
import { constant, mux, type UInt, type Val } from "../../../../hdl-dsl/index.ts";
import { ipv4Checksum, ipv4Constants, ipv4ConstantSum, joinBytes, joinFields } from "../../frame/index.ts";
import { ethernetHeader, etherType, ipv4Header, udpHeader } from "../../wire/index.ts";
import { gbnHeader, gbnTypes } from "../wire/index.ts";
import { type Answer, gbnBytes, wireSequenceBits, wireSlotBits } from "./types.ts";

const udpBytes = udpHeader.bytes + gbnBytes,
  ipBytes = ipv4Header.bytes + udpBytes,
  sumBits = 20;
const word = (v: UInt): UInt => v.zext(sumBits);

/** What the sender's address adds to the sum of the IPv4 header's words, with all that is the same in each. */
export const answerOwnSum = (ip: UInt): UInt =>
  word(ip.bits(0, 16))
    .add(word(ip.bits(16, 16)))
    .add(ipv4ConstantSum + ipBytes);
/** The sum with the receiver's address. */
export const answerSum = (own: UInt, ip: UInt): UInt => own.add(word(ip.bits(0, 16))).add(word(ip.bits(16, 16)));

/** Whom an answer comes from, and whom it goes to. */
export interface AnswerEnds {
  readonly own: { readonly mac: UInt; readonly ip: UInt; readonly port: UInt };
  readonly peer: { readonly mac: UInt; readonly ip: UInt; readonly port: UInt; readonly slot: UInt };
}
/** The bytes of all headers, 50 of them. @param unused of the Go-Back-N header, 4 bits; 0 on the wire */
export const answerFrame = (
  answer: Pick<Val<ReturnType<typeof Answer>>, "nack" | "sequence" | "session">,
  { own, peer }: AnswerEnds,
  sum: UInt,
  unused: UInt | number = 0,
): UInt =>
  joinBytes(
    joinFields(ethernetHeader, { dst: peer.mac, src: own.mac, etherType: etherType.ipv4 }),
    joinFields(ipv4Header, {
      ...ipv4Constants,
      totalLength: ipBytes,
      checksum: ipv4Checksum(sum),
      src: own.ip,
      dst: peer.ip,
    }),
    joinFields(udpHeader, { srcPort: own.port, dstPort: peer.port, length: udpBytes, checksum: 0 }),
    joinFields(gbnHeader, {
      type: mux(answer.nack, constant(gbnTypes.nack, 8), gbnTypes.ack),
      sequence: answer.sequence.resize(wireSequenceBits),
      srcSlot: answer.session.resize(wireSlotBits),
      dstSlot: peer.slot,
      unused,
    }),
  );
