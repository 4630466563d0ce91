/** Frames with what may stand behind their MACs: put together and taken apart. */
import {
  concat,
  decode,
  type Decoded,
  encode,
  encodeInto,
  ethernetHeader,
  type FieldSet,
  type Layout,
  PacketError,
  padFrame,
  type Values,
} from "../../shared/wire/index.ts";
import { snicEtherType } from "./ether-types.ts";
import { macControlAddress, pfcClasses, pfcHeader, pfcOpcode } from "./pfc.ts";
import { linkKind, linkShim, snicKind, snicShim, snicVersion, vlanTag } from "./shims.ts";

const macsBytes = ethernetHeader.at.etherType.byteOffset,
  afterEthernet = ethernetHeader.bytes;

/** The shims and the tag of a frame, outermost first; `next` follows from what stands behind each. */
export interface Shims {
  readonly link?: Omit<Decoded<typeof linkShim>, "next">;
  readonly vlan?: Omit<Decoded<typeof vlanTag>, "next">;
  readonly snic?: Omit<Decoded<typeof snicShim>, "next">;
}
/** A frame without them, as it is inside a sNIC. */
export interface TakenApart extends Shims {
  /** MACs, EtherType and all that follows; of an ACK or NACK the MACs and 0. */
  readonly frame: Uint8Array;
}

/** Puts a header with `next` behind the MACs. */
function insert<F extends FieldSet>(
  frame: Uint8Array,
  etherType: number,
  l: Layout<F>,
  values: Partial<Values<F>>,
): Uint8Array {
  const { etherType: next } = decode(ethernetHeader, frame);
  const out = concat(frame.slice(0, afterEthernet), encode(l, { next, ...values }), frame.slice(afterEthernet));
  encodeInto(ethernetHeader, { etherType }, out);
  return out;
}

/** Puts shims and tag behind the MACs of a frame and pads it to 60 bytes. @throws PacketError for values too wide */
export function putShims(frame: Uint8Array, { link, vlan, snic }: Shims): Uint8Array {
  let out = frame;
  if (snic) out = insert(out, snicEtherType.snicShim, snicShim, snic);
  if (vlan) out = insert(out, snicEtherType.vlan, vlanTag, vlan);
  if (link) out = insert(out, snicEtherType.linkShim, linkShim, link);
  return padFrame(out);
}

/** An ACK or a NACK: a frame of 60 bytes with a link shim and nothing behind it. */
export function linkAnswer(
  macs: { readonly dst: bigint; readonly src: bigint },
  kind: "ack" | "nack",
  values: { readonly class: number; readonly ack: number },
): Uint8Array {
  const link = { kind: linkKind[kind], flags: 0, sequence: 0, ...values };
  return putShims(encode(ethernetHeader, { ...macs, etherType: 0 }), { link });
}

/** A whole frame inside another one, to a peer or back from it: 22 bytes more. */
export function encloseFrame(
  macs: { readonly dst: bigint; readonly src: bigint },
  snic: Omit<Decoded<typeof snicShim>, "next">,
  inner: Uint8Array,
): Uint8Array {
  const outer = encode(ethernetHeader, { ...macs, etherType: snicEtherType.frameInside });
  return putShims(concat(outer, inner), { snic });
}
/** The frame inside a redirect, whether it is for the next sNIC or goes onward. */
export const enclosedFrame = ({ frame }: TakenApart): Uint8Array => frame.slice(afterEthernet);

/** Pauses the classes for which a time is given, in quanta of 512 bit times; 0 lets one send. */
export function pfcFrame(src: bigint, times: Readonly<Record<number, number>>): Uint8Array {
  const given = Object.entries(times).map(([c, quanta]) => ({ class: Number(c), quanta }));
  const wrong = given.find(g => g.class >= pfcClasses);
  if (wrong) throw new PacketError(`pfc: class is ${wrong.class}; it must be 0 to ${pfcClasses - 1}`);
  const header = encode(pfcHeader, {
    opcode: pfcOpcode,
    enabled: given.reduce((v, g) => v | (1 << g.class), 0),
    ...Object.fromEntries(given.map(g => [`time${g.class}`, g.quanta])),
  });
  return padFrame(
    concat(encode(ethernetHeader, { dst: macControlAddress, src, etherType: snicEtherType.macControl }), header),
  );
}

/** The times of a PFC frame by class, of those that it tells. @throws PacketError in one sentence for another frame */
export function readPfc(frame: Uint8Array): Record<number, number> {
  const { dst, etherType } = decode(ethernetHeader, frame);
  if (etherType !== snicEtherType.macControl)
    throw new PacketError(`pfc: EtherType is ${hex(etherType)}; it must be 0x8808`);
  if (dst !== macControlAddress) throw new PacketError("pfc: destination must be 01:80:c2:00:00:01");
  const h = decode(pfcHeader, frame, afterEthernet);
  if (h.opcode !== pfcOpcode) throw new PacketError(`pfc: opcode is ${hex(h.opcode)}; it must be ${hex(pfcOpcode)}`);
  if (h.reserved !== 0) throw new PacketError(`pfc: reserved is ${hex(h.reserved)}; it must be 0`);
  const times = [h.time0, h.time1, h.time2, h.time3, h.time4, h.time5, h.time6, h.time7];
  return Object.fromEntries(times.flatMap((t, i) => ((h.enabled >> i) & 1 ? [[i, t]] : [])));
}

const hex = (v: number): string => `0x${v.toString(16).padStart(4, "0")}`;

/** A frame on its way through `takeApart`: what is left of it, and what has been taken off. */
interface Rest {
  readonly frame: Uint8Array;
  readonly etherType: number;
}
const restOf = (frame: Uint8Array): Rest => ({ frame, etherType: decode(ethernetHeader, frame).etherType });

/** Takes the header behind the MACs off, when it is this one. @throws PacketError when the frame ends in it */
function take<F extends FieldSet>({ frame, etherType }: Rest, l: Layout<F>, wanted: number) {
  if (etherType !== wanted) return { rest: { frame, etherType }, values: undefined };
  const values = decode(l, frame, afterEthernet),
    nextAt = afterEthernet + l.bytes - 2;
  return { rest: restOf(concat(frame.slice(0, macsBytes), frame.slice(nextAt))), values };
}

/** What is wrong with a link shim; undefined: nothing. */
function wrongLink(link: Decoded<typeof linkShim>): string | undefined {
  const isData = link.kind === linkKind.data;
  if (!Object.values<number>(linkKind).includes(link.kind))
    return `kind is ${link.kind}; it must be 1 (data), 2 (ACK) or 3 (NACK)`;
  if (link.class >= pfcClasses) return `class is ${link.class}; it must be 0 to ${pfcClasses - 1}`;
  if (isData && link.next === 0) return "next is 0 in a data frame; it must be an EtherType";
  if (!isData && link.next !== 0) return `next is ${hex(link.next)} in an ACK or NACK; it must be 0`;
  if (link.next === snicEtherType.macControl) return "next is 0x8808; PFC must come without a link shim";
  return undefined;
}

/** What is wrong with a sNIC shim; undefined: nothing. */
function wrongShim(snic: Decoded<typeof snicShim>): string | undefined {
  const encloses = snic.kind !== snicKind.data;
  if (snic.version !== snicVersion) return `version is ${snic.version}; it must be ${snicVersion}`;
  if (!Object.values<number>(snicKind).includes(snic.kind))
    return `kind is ${snic.kind}; it must be 1 (data), 2 (redirect) or 3 (onward)`;
  if (snic.ttl === 0) return "ttl is 0; it must be 1 or more";
  if (snic.unused !== 0) return `unused is ${snic.unused}; it must be 0`;
  if (encloses && snic.next !== snicEtherType.frameInside)
    return `next is ${hex(snic.next)} in a redirect; it must be 0x6558`;
  if (!encloses && snic.next === snicEtherType.frameInside)
    return "next is 0x6558 in a data frame; only a redirect holds a frame";
  return undefined;
}

/** A shim may not stand where none is left to come; MAC control not behind one: without it, it would pause a port. */
function wrongOrder({ etherType }: Rest, taken: boolean): string | undefined {
  if (etherType === snicEtherType.linkShim) return "a link shim must be the first behind the MACs, and the only one";
  if (etherType === snicEtherType.snicShim) return "a sNIC shim must come once";
  if (etherType === snicEtherType.macControl && taken) return "MAC control must come without a tag or shim";
  return undefined;
}

const refuse = (what: string, wrong: string | undefined): void => {
  if (wrong !== undefined) throw new PacketError(`${what}: ${wrong}`);
};

/** A redirect, of either kind, holds a frame, and that one no shim but its own sNIC shim of kind data. */
function checkEnclosed(taken: TakenApart): void {
  const inner = enclosedFrame(taken);
  if (inner.length < afterEthernet)
    throw new PacketError(`snic: the frame inside has ${inner.length} bytes; it must have ${afterEthernet} or more`);
  const { link, snic, frame } = takeApart(inner);
  if (restOf(frame).etherType === snicEtherType.macControl)
    throw new PacketError("snic: the frame inside is MAC control; it must not leave its link");
  if (link) throw new PacketError("snic: the frame inside has a link shim; it must be taken off first");
  if (snic && snic.kind !== snicKind.data)
    throw new PacketError("snic: the frame inside is a redirect itself; it must not be");
}

/**
 * Takes shims and tag off. Padding stays: only what follows knows its length.
 * @throws PacketError in one sentence for a frame that is cut short or contradicts itself
 */
export function takeApart(bytes: Uint8Array): TakenApart {
  const { rest: first, values: link } = take(restOf(bytes), linkShim, snicEtherType.linkShim);
  refuse("link", link && wrongLink(link));
  const { rest: second, values: vlan } = take(first, vlanTag, snicEtherType.vlan);
  const { rest: third, values: snic } = take(second, snicShim, snicEtherType.snicShim);
  refuse("snic", snic && wrongShim(snic));
  refuse("order", wrongOrder(third, vlan !== undefined || snic !== undefined));
  const answers = link && link.kind !== linkKind.data;
  const taken: TakenApart = {
    ...(link && { link: without(link) }),
    ...(vlan && { vlan: without(vlan) }),
    ...(snic && { snic: without(snic) }),
    frame: answers ? third.frame.slice(0, afterEthernet) : third.frame,
  };
  if (snic && snic.kind !== snicKind.data) checkEnclosed(taken);
  return taken;
}

function without<T extends { readonly next: number }>({ next: _next, ...rest }: T): Omit<T, "next"> {
  return rest;
}
