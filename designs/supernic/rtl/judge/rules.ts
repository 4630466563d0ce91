/** What a frame's first beat says, and the rules that it alone can break. Wires only. */
import {
  type Bit,
  cat,
  constant,
  linearMap,
  mux,
  node,
  orTree,
  priority,
  type UInt,
  type Val,
} from "../../../../hdl-dsl/index.ts";
import { cutFields, joinBytes } from "../../../shared/frame/index.ts";
import { ethernetHeader, headerOffsets, ipProtocol, ipv4Header, udpHeader } from "../../../shared/wire/index.ts";
import {
  flowHash,
  flowHashBits,
  flowKeyBits,
  linkKind,
  linkShim,
  macControlAddress,
  pfcHeader,
  pfcOpcode,
  snicEtherType,
  snicKind,
  snicShim,
  snicVersion,
  tcpProtocol,
  vlanTag,
} from "../../wire/index.ts";
import { JudgedKind, type JudgedPort } from "./records.ts";
import { etherTypeAt, etherTypeOf, hasType, wordsOf } from "./shims.ts";
import type { TakenOff } from "./strip.ts";

type Off = Val<typeof TakenOff>;
const afterEthernet = ethernetHeader.bytes;

/** A frame's headers without shims, and what was taken off. */
export function headersOf(data: UInt, off: Off) {
  const none = constant(0, 16);
  return {
    ethernet: cutFields(ethernetHeader, data),
    ip: cutFields(ipv4Header, data, headerOffsets.network),
    udp: cutFields(udpHeader, data, headerOffsets.transport),
    pfc: cutFields(pfcHeader, data, headerOffsets.network),
    // As one number: its first byte is the higher one.
    tag: { bits: cat(off.tag.bits(0, 8), off.tag.bits(8, 8)), priority: off.tag.bits(5, 3) },
    link: cutFields(linkShim, joinBytes(off.link, none)),
    snic: cutFields(snicShim, joinBytes(off.snic, none)),
  };
}
export type Headers = ReturnType<typeof headersOf>;

/** The link shim contradicts itself or the port. */
export function wrongLink({ link, ethernet }: Headers, off: Off, port: Val<typeof JudgedPort>): Bit {
  const isData = link.kind.eq(linkKind.data),
    known = link.kind.any().and(link.kind.le(linkKind.nack));
  // With nothing else behind it, the frame's EtherType is the link shim's `next`.
  const alone = node(off.tagged.or(off.shimmed).not()),
    nothingNext = node(alone.and(ethernet.etherType.eq(0)), { name: "link_nothing_next" });
  const wrongNext = node(nothingNext.eq(isData), { name: "link_wrong_next" }),
    pauses = node(ethernet.etherType.eq(snicEtherType.macControl), { name: "mac_control" });
  const wrong = orTree([known.not(), link.class.bit(3), wrongNext, alone.and(pauses), port.reliable.not()]);
  const plainPfc = alone.and(pauses);
  return node(mux(off.linked, wrong, port.reliable.andNot(plainPfc)), { name: "wrong_link" });
}

/** What may be wrong with a sNIC shim of which all but `next` is given. */
function wrongShimOf(snic: Headers["snic"], next: UInt): Readonly<Record<"version" | "ttl" | "shim", Bit>> {
  const isData = snic.kind.eq(snicKind.data),
    known = snic.kind.any().and(snic.kind.le(snicKind.onward));
  const wrongNext = next.eq(snicEtherType.frameInside).eq(isData);
  return {
    version: snic.version.ne(snicVersion),
    ttl: snic.ttl.eq(0),
    shim: orTree([known.not(), snic.unused.any(), wrongNext]),
  };
}
export function wrongShim({ snic, ethernet }: Headers, { shimmed }: Off) {
  const wrong = wrongShimOf(snic, ethernet.etherType);
  return {
    version: node(shimmed.and(wrong.version), { name: "wrong_version" }),
    ttl: node(shimmed.and(wrong.ttl), { name: "wrong_ttl" }),
    shim: node(shimmed.and(wrong.shim), { name: "wrong_shim" }),
  };
}
const isShim = (type: UInt): Bit => type.eq(snicEtherType.linkShim).or(type.eq(snicEtherType.snicShim));
export const wrongOrder = ({ ethernet }: Headers): Bit => node(isShim(ethernet.etherType), { name: "wrong_order" });

/**
 * The frame inside, by itself; `words` that its tag and shim take. Each place is judged by itself, and then the one
 * counts that is there: the path is shorter. Whether it ends too early is asked elsewhere.
 */
export function insideOf(data: UInt) {
  const inner = data.shr(8 * afterEthernet),
    [tagBytes, shimBytes] = [vlanTag.bytes, snicShim.bytes];
  const badType = (at: number): Bit => {
    const type = etherTypeOf(inner, etherTypeAt + at);
    return node(isShim(type).or(type.eq(snicEtherType.macControl)), { name: `inside_bad_type_${at}` });
  };
  const badShim = (at: number): Bit => {
    const snic = cutFields(snicShim, inner, afterEthernet + at),
      wrong = wrongShimOf(snic, snic.next);
    return node(orTree([wrong.version, wrong.ttl, wrong.shim, snic.kind.ne(snicKind.data), badType(at + shimBytes)]), {
      name: `inside_bad_shim_${at}`,
    });
  };
  const wrongAt = (at: number): { readonly shimmed: Bit; readonly wrong: Bit } => {
    const shimmed = node(hasType(inner, etherTypeAt + at, snicEtherType.snicShim), { name: `inside_shim_${at}` });
    return { shimmed, wrong: mux(shimmed, badShim(at), badType(at)) };
  };
  const tagged = node(hasType(inner, etherTypeAt, snicEtherType.vlan), { name: "inside_tagged" }),
    behindTag = wrongAt(tagBytes),
    alone = wrongAt(0);
  const shimmed = mux(tagged, behindTag.shimmed, alone.shimmed);
  return {
    words: wordsOf({ linked: constant(0, 1), tagged, shimmed }),
    wrong: node(mux(tagged, behindTag.wrong, alone.wrong), { name: "inside_wrong" }),
  };
}

/** MAC control that is no PFC, or that stands behind a tag or shim. */
export function wrongPfc({ ethernet, pfc }: Headers, off: Off): Bit {
  const pauses = ethernet.etherType.eq(snicEtherType.macControl),
    known = pfc.opcode.eq(pfcOpcode).and(pfc.reserved.eq(0));
  const right = orTree([off.linked, off.tagged, off.shimmed])
    .not()
    .and(known.and(ethernet.dst.eq(macControlAddress)));
  return node(pauses.andNot(right), { name: "wrong_pfc" });
}

export const kindOf = ({ ethernet, link, snic }: Headers, off: Off): Val<typeof JudgedKind> =>
  priority(
    [ethernet.etherType.eq(snicEtherType.macControl), JudgedKind.pfc],
    [off.linked.and(link.kind.ne(linkKind.data)), JudgedKind.answer],
    [off.shimmed.and(snic.kind.eq(snicKind.redirect)), JudgedKind.redirect],
    [off.shimmed.and(snic.kind.eq(snicKind.onward)), JudgedKind.onward],
    JudgedKind.data,
  );

/** Of TCP and UDP: whether there is one by the header alone, and the least bytes of the IPv4 packet. */
export function transportOf({ ethernet, ip }: Headers) {
  const isIp = node(ethernet.etherType.eq(snicEtherType.ipv4), { name: "is_ip" }),
    plain = ip.version.eq(4).and(ip.ihl.eq(5)),
    whole = ip.moreFragments.or(ip.fragmentOffset.any()).not();
  const isTcp = ip.protocol.eq(tcpProtocol.number),
    isUdp = ip.protocol.eq(ipProtocol.udp);
  const hasPorts = node(isIp.and(plain).and(whole).and(isTcp.or(isUdp)), { name: "has_ports" });
  const least = mux(
    isTcp,
    constant(ipv4Header.bytes + tcpProtocol.headerBytes, 16),
    constant(ipv4Header.bytes + udpHeader.bytes, 16),
  );
  return { isIp, hasPorts, tooShort: ip.totalLength.lt(least) };
}

/** The hash of the frame's flow. It is linear: what may count is hashed by itself, and added when it does. */
export function hashOf({ ethernet, ip, udp }: Headers, { isIp, hasPorts }: ReturnType<typeof transportOf>): UInt {
  const none = (bits: number): UInt => constant(0, bits),
    hash = (name: string, ...key: readonly UInt[]): UInt =>
      node(linearMap(cat(...key).is(flowKeyBits), flowHashBits, flowHash), { name: `hash_of_${name}` });
  const packet = hash("packet", ip.src, ip.dst, none(32), ip.protocol),
    ports = hash("ports", none(64), udp.srcPort, udp.dstPort, none(8)),
    stations = hash("stations", ethernet.dst, ethernet.src, none(8));
  return mux(isIp, packet.xor(mux(hasPorts, ports, none(flowHashBits))), stations);
}
