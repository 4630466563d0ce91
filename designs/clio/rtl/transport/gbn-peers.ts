import {
  bit,
  connect,
  constant,
  input,
  module,
  node,
  output,
  ram,
  reg,
  sink,
  source,
  stage,
  stream,
  struct,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { ethernetHeader, etherType, ipProtocol, ipv4Header, udpHeader } from "../../../shared/wire/index.ts";
import { frameOffsets } from "../../wire/index.ts";
import { AxisBeat, cutFields } from "../../../shared/frame/index.ts";
import { sessionBits, tagBits, tagPrefix, ticketBits } from "../../../shared/go-back-n/rtl/index.ts";

export interface GbnPeersParameters {
  readonly beatBytes: number;
  readonly sessions: number;
}

/** Peer of a session from now on: `known` is 0 until its first packet has come. */
export const GbnPeerWrite = (p: Pick<GbnPeersParameters, "sessions">) =>
  struct({ en: bit, session: uint(sessionBits(p)), known: bit, ip: uint(32), port: uint(16) });

/** Bytes of a frame that are looked at: up to the UDP destination port. */
const seenBytes = frameOffsets.transport + udpHeader.at.dstPort.byteOffset + 2;

/**
 * Drops replies to a peer that is no longer at the other end of its session. An operation can take longer than its
 * client lives. By the time of its reply the session may be another client's. The reply would have the first client's
 * IPv4 address and a number of that session, where it would be missing for ever. A reply's receiver MAC is a session's
 * tag. A reply to another address or port than that session's peer leaves with `user` set on its last beat, as a
 * damaged frame does. The sender (gbn-tx.ts) drops it before it has a number. All other frames pass as they are.
 *
 * Latency 1 cycle; initiation interval 1 beat. Full: a beat is kept, the next one waits. `stale` is 1 for one cycle for
 * each such reply. Reset: no frame under way; the sessions' peers are unknown until they are written.
 */
export const GbnPeers = module(
  "GbnPeers",
  (p: GbnPeersParameters) => ({
    peer: input(GbnPeerWrite(p)),
    rx: sink(AxisBeat(p.beatBytes)),
    tx: source(AxisBeat(p.beatBytes)),
    stale: output(bit),
  }),
  (io, p) => {
    const { beatBytes } = p,
      beats = Math.ceil(seenBytes / beatBytes),
      Peer = struct({ known: bit, ip: uint(32), port: uint(16) });
    const rx = io.rx.payload,
      fires = node(io.rx.fire);
    const index = reg(uint(Math.ceil(Math.log2(beats + 1))), { init: 0 });
    const header = reg(uint(seenBytes * 8));
    when(fires, () => {
      when(rx.last, () => index.set(constant(0, index.width))).elseWhen(index.ne(beats), () => index.set(index.add(1)));
      for (let b = 0; b < beats; b++) {
        const bytes = Math.min(beatBytes, seenBytes - b * beatBytes);
        when(index.eq(b), () => header.setBits(b * beatBytes * 8, rx.data.bits(0, bytes * 8)));
      }
    });
    // The session stands in the first beat.
    const peers = ram(Peer, { depth: p.sessions, collision: "new", style: "block" });
    peers.write(io.peer.en, io.peer.session, { known: io.peer.known, ip: io.peer.ip, port: io.peer.port });
    const peer = peers.readSync(
      cutFields(ethernetHeader, rx.data.zext(Math.max(beatBytes, ethernetHeader.bytes) * 8)).dst.bits(
        0,
        sessionBits(p),
      ),
      { en: fires.and(index.eq(0)) },
    );

    const held = stage(io.rx, "forward", { name: "held" });
    const ethernet = cutFields(ethernetHeader, header),
      ip = cutFields(ipv4Header, header, frameOffsets.network),
      udp = cutFields(udpHeader, header.zext((frameOffsets.transport + udpHeader.bytes) * 8), frameOffsets.transport);
    const tagged = node(
      ethernet.dst
        .bits(tagBits + ticketBits, 48 - tagBits - ticketBits)
        .eq(tagPrefix)
        .and(ethernet.dst.bit(tagBits - 1).not()),
    );
    const reply = node(tagged.and(ethernet.etherType.eq(etherType.ipv4)).and(ip.protocol.eq(ipProtocol.udp)));
    const stale = node(reply.and(peer.known.not().or(peer.ip.ne(ip.dst)).or(peer.port.ne(udp.dstPort))));
    const out = stream(AxisBeat(beatBytes));
    out.valid.set(held.valid);
    held.ready.set(out.ready);
    const { data, keep, last, user } = held.payload;
    out.payload.set({ data, keep, last, user: user.or(last.and(stale)) });
    connect(out, io.tx);
    io.stale.set(held.fire.and(last).and(user.not()).and(stale));
  },
  { nameOf: p => `GbnPeers_b${p.beatBytes * 8}_s${p.sessions}` },
);
