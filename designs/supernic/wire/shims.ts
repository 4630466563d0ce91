/**
 * What may stand behind the two MACs, in this order, each at most once: link shim, 802.1Q tag, sNIC shim. Each begins
 * with an EtherType, which the layouts leave to the header in front, and ends with `next`: the EtherType that was there
 * before. So each adds its EtherType and all but two of its bytes.
 */
import { layout, num } from "../../shared/wire/index.ts";

/** Kinds of frames on a reliable link. 0 is none, so that zeros are no frame. */
export const linkKind = { data: 1, ack: 2, nack: 3 } as const;
/** Kinds of sNIC shims. 0 is none. */
export const snicKind = { data: 1, redirect: 2, onward: 3 } as const;
/** The version of the sNIC shim. */
export const snicVersion = 1;

const namesOf = (codes: Readonly<Record<string, number>>): Record<number, string> =>
  Object.fromEntries(Object.entries(codes).map(([name, code]) => [code, name]));

const next = num(16, "EtherType of what follows", "hex");

/** Link shim, on reliable ports only: the last hop loses and doubles nothing. */
export const linkShim = layout("link", "Link shim (EtherType 0x88B6)", "be", {
  kind: num(4, "1 data, 2 ACK, 3 NACK", "dec", namesOf(linkKind)),
  class: num(4, "priority class of the frame, 0 to 7, as in PFC"),
  flags: num(8, "0; a receiver ignores them", "hex"),
  sequence: num(16, "data: number of this frame, wraps; ACK, NACK: 0"),
  ack: num(16, "number of the next frame expected: all before it have come"),
  next: num(16, "EtherType of what follows; ACK, NACK: 0, nothing follows", "hex"),
});

/** 802.1Q tag. A sNIC takes it off, keeps it by context and puts it back. */
export const vlanTag = layout("vlan", "802.1Q tag (EtherType 0x8100)", "be", {
  priority: num(3, "priority class, where no link shim tells it"),
  dropEligible: num(1, "drop eligible indicator", "bool"),
  id: num(12, "VLAN"),
  next,
});

/** sNIC shim: which DAG a packet takes. Endpoints and sNICs write it. */
export const snicShim = layout("snic", "sNIC shim (EtherType 0x88B5)", "be", {
  version: num(4, `${snicVersion}`),
  kind: num(4, "1 data, 2 redirect, 3 onward: a redirect for a sNIC behind the next one", "dec", namesOf(snicKind)),
  ttl: num(4, "sNICs and passes that it may still take; 0 is refused"),
  stage: num(4, "stage of the DAG that comes next; a sNIC overwrites what an endpoint says"),
  uid: num(16, "the DAG; with redirect and onward the inner frame's", "hex"),
  origin: num(8, "number of the sNIC that sent it last; a sNIC overwrites what an endpoint says"),
  ingress: num(4, "port of that sNIC; a sNIC overwrites what an endpoint says"),
  unused: num(3, "0", "hex"),
  unprocessed: num(1, "no sNIC had room: the endpoint runs the DAG", "bool"),
  next: num(16, "EtherType of what follows; redirect, onward: 0x6558, a whole frame", "hex"),
});

/** The parts of a UID: a removed one comes back with the next generation, so late frames of the old one are known. */
export const uid = layout("uid", "UID", "be", {
  generation: num(6, "rises when the index is given anew, wraps"),
  index: num(10, "entry of the table; its high bits name the sNIC that gave it"),
});
