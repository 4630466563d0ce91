/**
 * The judge's reference. The codec takes frames apart. Why a frame is refused is told by rules of its own, and both
 * must agree that it is.
 */
import { decode, ethernetHeader, ipProtocol, ipv4Header, PacketError, udpHeader } from "../../../shared/wire/index.ts";
import {
  flowHash,
  type JudgedKindName,
  linkKind,
  readPfc,
  type Refusal,
  snicEtherType,
  snicKind,
  takeApart,
  type TakenApart,
  tcpProtocol,
} from "../../wire/index.ts";
import { contradiction } from "./rules.ts";

/** What kind of port a frame comes in at. */
export interface JudgedPortKind {
  readonly reliable: boolean;
  readonly peer: boolean;
  readonly class: number;
}
export interface JudgedFrame {
  readonly reason: Refusal | "none";
  /** Of a frame that is not refused: all that the judge says of it. */
  readonly accepted?: {
    readonly kind: JudgedKindName;
    /** Without shims and tag. */
    readonly bytes: Uint8Array;
    readonly taken: TakenApart;
    readonly class: number;
    readonly noL4: boolean;
    readonly flowHash: number;
  };
}

const answers = ({ link }: TakenApart): boolean => link !== undefined && link.kind !== linkKind.data;
const encloses = ({ snic }: TakenApart): boolean => snic !== undefined && snic.kind !== snicKind.data;
const typeOf = (frame: Uint8Array): number => decode(ethernetHeader, frame).etherType;

function kindOf(taken: TakenApart): JudgedKindName {
  if (typeOf(taken.frame) === snicEtherType.macControl) return "pfc";
  if (answers(taken)) return "answer";
  if (taken.snic?.kind === snicKind.redirect) return "redirect";
  return taken.snic?.kind === snicKind.onward ? "onward" : "data";
}

/** The codec's answer; undefined: it refuses the frame. */
function tryTaking(frame: Uint8Array): TakenApart | undefined {
  try {
    const taken = takeApart(frame);
    if (kindOf(taken) === "pfc") readPfc(frame);
    return taken;
  } catch (error) {
    if (error instanceof PacketError) return undefined;
    throw error;
  }
}

/** The shims' bytes that the codec has taken off. */
const offBytes = ({ link, vlan, snic }: TakenApart): number => (link ? 8 : 0) + (vlan ? 4 : 0) + (snic ? 8 : 0);

/** A byte behind the frame's end reads as 0, as in hardware. */
const padded = (frame: Uint8Array): Uint8Array => {
  const out = new Uint8Array(Math.max(64, frame.length));
  out.set(frame);
  return out;
};

function flowOf(frame: Uint8Array): { readonly noL4: boolean; readonly flowHash: number } {
  const head = padded(frame),
    ethernet = decode(ethernetHeader, head);
  if (ethernet.etherType !== snicEtherType.ipv4)
    return { noL4: true, flowHash: Number(flowHash(((ethernet.dst << 48n) | ethernet.src) << 8n)) };
  const ip = decode(ipv4Header, head, ethernetHeader.bytes),
    udp = decode(udpHeader, head, ethernetHeader.bytes + ipv4Header.bytes);
  const transportBytes: Readonly<Record<number, number>> = {
    [tcpProtocol.number]: tcpProtocol.headerBytes,
    [ipProtocol.udp]: udpHeader.bytes,
  };
  const least = transportBytes[ip.protocol],
    plain = ip.version === 4 && ip.ihl === 5 && ip.moreFragments === 0 && ip.fragmentOffset === 0,
    hasPorts = plain && least !== undefined;
  const fits = ip.totalLength + ethernetHeader.bytes <= frame.length;
  const ports = hasPorts ? (BigInt(udp.srcPort) << 16n) | BigInt(udp.dstPort) : 0n;
  const key = (((BigInt(ip.src) << 32n) | BigInt(ip.dst)) << 40n) | (ports << 8n) | BigInt(ip.protocol);
  const whole = hasPorts && fits && ip.totalLength >= ipv4Header.bytes + least;
  return { noL4: !whole, flowHash: Number(flowHash(key)) };
}

/** What the port refuses, of a frame that is right by itself. */
function portRefuses(taken: TakenApart, port: JudgedPortKind): "link" | "peer" | undefined {
  const pauses = kindOf(taken) === "pfc";
  if (!pauses && (taken.link !== undefined) !== port.reliable) return "link";
  return encloses(taken) && !port.peer ? "peer" : undefined;
}

/** Judges a frame as it comes from the MAC, without FCS. @throws when codec and rules do not agree */
export function judgeFrame(frame: Uint8Array, badFcs: boolean, port: JudgedPortKind, frameBytes: number): JudgedFrame {
  const taken = tryTaking(frame),
    wrong = contradiction(frame, frameBytes, port);
  const structural = contradiction(frame, Infinity, undefined);
  if ((taken === undefined) !== (structural !== undefined))
    throw new Error(
      `the codec ${taken ? "accepts" : "refuses"} a frame, and the rules say "${structural ?? "none"}": ${Buffer.from(frame).toString("hex")}`,
    );
  if (badFcs) return { reason: "fcs" };
  if (wrong !== undefined) return { reason: wrong };
  if (taken === undefined) throw new Error("unreachable: the rules agree");
  const late = portRefuses(taken, port);
  if (late !== undefined) throw new Error(`the rules miss "${late}"`);
  const bytes = new Uint8Array(frame.length - offBytes(taken));
  bytes.set(frame.slice(0, 12));
  bytes.set(frame.slice(12 + offBytes(taken)), 12);
  const { link, vlan } = taken;
  return {
    reason: "none",
    accepted: {
      kind: kindOf(taken),
      bytes,
      taken,
      class: link?.class ?? vlan?.priority ?? port.class,
      ...flowOf(bytes),
    },
  };
}
