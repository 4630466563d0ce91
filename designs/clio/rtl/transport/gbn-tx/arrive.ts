/** A frame has come whole: its kind, whose reply it is, and its lengths with the header. */
import { bit, literalOf, mux, node, priority, reg, type UInt, type Val } from "../../../../../hdl-dsl/index.ts";
import { changedChecksum, cutFields } from "../../../../shared/frame/index.ts";
import {
  gbnBytes,
  GbnFrameKind,
  lengthBitsOf,
  lifeBit,
  lifeBits,
  partBit,
  sessionBits,
  tagBits,
  tagPrefix,
  ticketBits,
} from "../../../../shared/go-back-n/rtl/index.ts";
import { ethernetHeader, etherType, ipProtocol, ipv4Header, udpHeader } from "../../../../shared/wire/index.ts";
import { frameOffsets } from "../../../wire/index.ts";
import { contextBits } from "../gbn-rx/ports.ts";
import { Arrived, type GbnTxParameters } from "./records.ts";
import type { arrivedQueue, Frames } from "./units.ts";

const managedBit = 15;

/** What the receiver's MAC says: the tag that the receiving shim gave the request's sender (tags.ts). */
function tagOf(p: GbnTxParameters, mac: UInt<48>) {
  const prefix = mac.bits(tagBits + ticketBits, 48 - tagBits - ticketBits);
  return {
    tagged: node(prefix.eq(tagPrefix), { name: "is_tagged" }),
    managed: mac.bit(managedBit),
    session: mac.bits(0, sessionBits(p)),
    life: mac.bits(lifeBit, lifeBits),
    request: mac.bits(0, Math.log2(p.managed)),
    ticket: mac.bits(tagBits, ticketBits),
    part: mac.bit(partBit),
  };
}

function arrived(p: GbnTxParameters, { header, lastByte }: Frames["end"]): Val<ReturnType<typeof Arrived>> {
  const ethernet = cutFields(ethernetHeader, header),
    ip = cutFields(ipv4Header, header, frameOffsets.network),
    udp = cutFields(udpHeader, header, frameOffsets.transport);
  const tag = tagOf(p, ethernet.dst),
    written = contextBits(p);
  const isIp = ethernet.etherType.eq(etherType.ipv4);
  const isUdp = node(isIp.and(ip.protocol.eq(ipProtocol.udp)));
  const kind = priority(
    [isUdp.not(), GbnFrameKind.raw],
    [tag.tagged.not(), GbnFrameKind.loose],
    [tag.managed, GbnFrameKind.management],
    GbnFrameKind.session,
  );
  const ofManagement = tag.request.zext(written).add(p.sessions),
    bytes = lastByte.add(1 + gbnBytes);
  return literalOf(Arrived(p), {
    turn: { session: tag.session, life: tag.life, ticket: tag.ticket },
    queued: {
      kind,
      index: mux(tag.managed, ofManagement, tag.session.zext(written)),
      mac: ethernet.dst,
      bytes: bytes.resize(lengthBitsOf(p)),
      ipLength: ip.totalLength.add(gbnBytes),
      checksum: changedChecksum(ip.checksum, gbnBytes),
      udpLength: udp.length.add(gbnBytes),
    },
    ...(p.marksParts === true ? { part: tag.part } : {}),
  });
}

/** Half of the queue is for frames that are on their way when it fills. */
export function arrive(p: GbnTxParameters, frames: Frames, queue: ReturnType<typeof arrivedQueue>): void {
  const { end } = frames;
  const entry = reg(Arrived(p));
  const entryValid = reg(bit, { init: 0 });
  const whole = end.stored.andNot(end.bad.or(end.long));
  entryValid.set(frames.ends.and(whole));
  entry.set(arrived(p, end));
  queue.push.valid.set(entryValid);
  queue.push.payload.set(entry);
  const held = reg(bit, { init: 1 });
  held.set(queue.level.gt(8));
  frames.hold.set(held);
}
