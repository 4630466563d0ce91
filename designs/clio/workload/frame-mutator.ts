import {
  accessBody,
  clioHeader,
  frameOffsets,
  implementedFast,
  opcode,
  operationOf,
  operations,
} from "../wire/index.ts";
import {
  arpPacket,
  broadcastMac,
  concat,
  encodeInto,
  ethernetHeader,
  etherType,
  icmpHeader,
  internetChecksum,
  ipProtocol,
  ipv4Header,
  type Layout,
  type Placement,
  placementsOf,
  readPlacement,
  udpHeader,
  writePlacement,
} from "../../shared/wire/index.ts";
import type { Settings } from "../config/index.ts";
import type { FuzzFrame, FuzzGround, Stretch } from "./fuzz-seeds.ts";
import type { Random } from "../../../hdl-dsl/index.ts";

/**
 * Frames of a stretch: short, so that what it shows is its own; now and then one frame more often than a
 * node has slots.
 */
const usualFrames = 8,
  flood = 80;
/** Cycles between frames: enough for some of what came before to be done. */
const gaps = [0, 0, 1, 2, 5, 20, 60];
/** A header in a frame. */
interface Part {
  readonly layout: Layout;
  readonly at: number;
}

/**
 * Changes stretches of frames at random, knowing the wire format. Fields take values that are odd for them, or those of
 * another frame. Frames are cut, grown, repeated, reordered, or marked damaged. Lengths and checksums are put right
 * again, or not, so that the checks behind the first are reached too. The same random numbers give the same frames.
 */
export class FrameMutator {
  private readonly r: Random;
  private readonly settings: Settings;
  /** Values worth trying, by the name of the field. */
  private readonly dictionary: Readonly<Record<string, readonly bigint[]>>;

  constructor(settings: Settings, ground: FuzzGround, random: Random) {
    this.settings = settings;
    this.r = random;
    const { config, runtime } = settings,
      page = BigInt(config.pageSize),
      { start, words, pointers } = ground,
      big = (ns: readonly number[]): bigint[] => ns.map(BigInt);
    const addresses = [
      start,
      start + page - 1n,
      start + page - 8n,
      start + 2n * page - 33n,
      start + 3n * page - 1n,
      start + 3n * page,
      start + 4n * page - 1n,
      start + 4n * page,
      words,
      words + 4n,
      words + page - 8n,
      words + page - 4n,
      2n ** 50n - 1n,
      2n ** 50n,
      2n ** 64n - 8n,
      ...pointers,
    ];
    const mtu = config.mtuFrame,
      lengths = big([
        0,
        1,
        7,
        8,
        9,
        15,
        16,
        17,
        20,
        27,
        28,
        29,
        36,
        44,
        63,
        64,
        65,
        config.maxData - 1,
        config.maxData,
        config.maxData + 1,
        mtu - 58,
        mtu - 14,
        mtu,
        9000,
        0xffff,
      ]);
    const ports = big([
      runtime.nativePort,
      runtime.nativePort - 1,
      runtime.nativePort + 1,
      runtime.clientPort,
      runtime.clientPort - 1,
      runtime.clientPort + config.clientPorts - 1,
      runtime.clientPort + config.clientPorts,
    ]);
    this.dictionary = {
      va: addresses,
      addr: addresses,
      table: addresses,
      length: lengths,
      size: lengths,
      totalLength: lengths,
      valueSize: lengths,
      replySize: lengths,
      len: [1n, page, page + 1n, 3n * page, 2n ** 30n],
      opcode: operations.map(o => BigInt(o.code)),
      pid: big([0, 1, 2, 3, 4, 65535]),
      dst: [runtime.mac, broadcastMac, BigInt(runtime.ip), BigInt(runtime.ip + 1)],
      targetIp: [BigInt(runtime.ip)],
      src: [runtime.mac, BigInt(runtime.ip), broadcastMac, 0n, 0xffff_ffffn, 0xe000_0001n],
      srcPort: ports,
      dstPort: ports,
      protocol: big([ipProtocol.icmp, ipProtocol.udp]),
      etherType: big([etherType.ipv4, etherType.arp]),
      type: big([0, 8]),
    };
  }

  /** A stretch made from one, and perhaps from parts of another. */
  mutate(stretch: Stretch, other: Stretch): Stretch {
    const { r } = this,
      out = [...stretch];
    for (let n = r.chance(0.4) ? 1 + r.below(3) : 0; n > 0; n--) this.rearrange(out, other);
    out.length = Math.min(out.length, usualFrames);
    for (let n = 1 + r.below(1 + (out.length >> 1)); n > 0; n--) {
      const at = r.below(out.length);
      out[at] = this.frame(out[at] as FuzzFrame, out);
    }
    if (r.chance(0.005)) out.splice(r.below(out.length), 0, ...Array.from({ length: flood }, () => r.pick(out)));
    return out;
  }

  private rearrange(out: FuzzFrame[], other: Stretch): void {
    const { r } = this,
      at = r.below(out.length),
      some = out[at] as FuzzFrame;
    switch (r.below(6)) {
      case 0:
        out.splice(at, 0, some);
        return;
      case 1:
        if (out.length > 1) out.splice(at, 1);
        return;
      case 2: {
        const to = r.below(out.length);
        out[at] = out[to] as FuzzFrame;
        out[to] = some;
        return;
      }
      case 3:
        out.splice(at, 0, ...other);
        return;
      case 4:
        out.splice(at, out.length - at, ...other.slice(r.below(other.length)));
        if (out.length === 0) out.push(some);
        return;
      default:
        out.splice(at, 0, ...Array.from({ length: r.between(2, 8) }, () => some));
    }
  }

  private frame({ bytes, fcsBad, gap }: FuzzFrame, stretch: Stretch): FuzzFrame {
    const { r } = this;
    let frame: Uint8Array = bytes.slice();
    for (let n = 1 << r.below(3); n > 0; n--) frame = this.once(frame, r.pick(stretch).bytes);
    if (r.chance(0.3)) this.fitLengths(frame);
    if (r.chance(0.8)) this.fixChecksum(frame);
    return { bytes: frame, fcsBad: r.chance(0.03) ? !fcsBad : fcsBad, gap: r.chance(0.1) ? r.pick(gaps) : gap };
  }

  /** One change. Every frame has a byte at least. */
  private once(frame: Uint8Array, other: Uint8Array): Uint8Array {
    const { r } = this,
      { mtuFrame } = this.settings.config;
    switch (r.below(11)) {
      case 0:
        return frame.length > 1 ? frame.slice(0, r.between(1, frame.length - 1)) : frame;
      case 1:
        return frame.length > mtuFrame ? frame : concat(frame, r.bytes(r.between(1, r.chance(0.1) ? mtuFrame : 70)));
      case 2:
        for (let n = r.between(1, 4); n > 0; n--) {
          const at = r.below(frame.length);
          frame[at] = (frame[at] ?? 0) ^ (1 << r.below(8));
        }
        return frame;
      case 3: {
        const at = r.below(frame.length);
        frame.set(r.bytes(Math.min(r.between(1, 8), frame.length - at)), at);
        return frame;
      }
      case 4: {
        const at = r.below(Math.min(frame.length, other.length));
        frame.set(other.subarray(at, Math.min(at + r.between(1, 64), frame.length, other.length)), at);
        return frame;
      }
      case 5:
        this.repeats(frame, other);
        return frame;
      case 6:
        if (frame.length >= frameOffsets.body)
          writePlacement(frame, frameOffsets.clio, clioHeader.at.opcode, BigInt(opcode[r.pick(implementedFast)]));
        return frame;
      default:
        this.field(frame, other);
        return frame;
    }
  }

  /** A field of a header that the frame is long enough for. */
  private field(frame: Uint8Array, other: Uint8Array): void {
    const { r } = this,
      parts = partsOf(frame);
    if (parts.length === 0) return;
    const { layout, at } = r.pick(parts),
      place = r.pick(placementsOf(layout));
    if (layout.fields[place.name]?.kind === "raw") frame.set(r.bytes(place.byteLength), at + place.byteOffset);
    else
      writePlacement(
        frame,
        at,
        place,
        this.value(
          place,
          readPlacement(frame, at, place),
          other.length >= at + layout.bytes ? readPlacement(other, at, place) : 0n,
        ),
      );
  }

  private value({ name, width }: Placement, now: bigint, others: bigint): bigint {
    const { r } = this,
      known = this.dictionary[name];
    if (known !== undefined && r.chance(0.6)) return r.pick(known);
    switch (r.below(7)) {
      case 0:
        return 0n;
      case 1:
        return 2n ** BigInt(width) - 1n;
      case 2:
        return now + 1n;
      case 3:
        return now - 1n;
      case 4:
        return 1n << BigInt(r.below(width));
      case 5:
        return others;
      default:
        return r.bytes(8).reduce((n, b) => (n << 8n) | BigInt(b), 0n);
    }
  }

  /** Makes the frame a repetition of the other: same client (mostly it is), and that one's ID. */
  private repeats(frame: Uint8Array, other: Uint8Array): void {
    if (Math.min(frame.length, other.length) < frameOffsets.body) return;
    const { requestId, flagRetry, flagTracked, retryOf } = clioHeader.at;
    writePlacement(frame, frameOffsets.clio, retryOf, readPlacement(other, frameOffsets.clio, requestId));
    writePlacement(frame, frameOffsets.clio, flagRetry, 1n);
    writePlacement(frame, frameOffsets.clio, flagTracked, 1n);
  }

  /** All lengths as the frame's own length has it. */
  private fitLengths(frame: Uint8Array): void {
    if (frame.length >= frameOffsets.transport)
      encodeInto(ipv4Header, { totalLength: frame.length - frameOffsets.network }, frame, frameOffsets.network);
    if (frame.length >= frameOffsets.clio)
      encodeInto(udpHeader, { length: frame.length - frameOffsets.transport }, frame, frameOffsets.transport);
    if (frame.length >= frameOffsets.body && this.r.chance(0.7))
      encodeInto(clioHeader, { size: frame.length - frameOffsets.clio }, frame, frameOffsets.clio);
    const data = frame.length - frameOffsets.body - accessBody.bytes;
    if (data > 0 && this.r.chance(0.5)) encodeInto(accessBody, { length: data }, frame, frameOffsets.body);
  }
  private fixChecksum(frame: Uint8Array): void {
    if (frame.length < frameOffsets.transport) return;
    encodeInto(ipv4Header, { checksum: 0 }, frame, frameOffsets.network);
    encodeInto(
      ipv4Header,
      { checksum: internetChecksum(frame, frameOffsets.network, frameOffsets.transport) },
      frame,
      frameOffsets.network,
    );
  }
}

/** The headers that a frame holds whole, as far as its bytes say what they are. */
function partsOf(frame: Uint8Array): Part[] {
  const ethernet = { layout: ethernetHeader, at: 0 },
    whole = (parts: readonly Part[]): Part[] => parts.filter(p => frame.length >= p.at + p.layout.bytes);
  if (Number(readPlacement(frame, 0, ethernetHeader.at.etherType)) === etherType.arp)
    return whole([ethernet, { layout: arpPacket, at: frameOffsets.network }]);
  const ip = { layout: ipv4Header, at: frameOffsets.network };
  if (Number(readPlacement(frame, ip.at, ipv4Header.at.protocol)) === ipProtocol.icmp)
    return whole([ethernet, ip, { layout: icmpHeader, at: frameOffsets.transport }]);
  const body = operationOf(Number(readPlacement(frame, frameOffsets.clio, clioHeader.at.opcode)))?.body ?? accessBody;
  // The fields of the operation are changed more often than those of its delivery.
  const clio = { layout: clioHeader, at: frameOffsets.clio },
    inner = { layout: body, at: frameOffsets.body };
  return whole([ethernet, ip, { layout: udpHeader, at: frameOffsets.transport }, clio, clio, inner, inner]);
}
