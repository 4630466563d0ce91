/** All that a frame's first beat, and what was taken off it, say of the frame. */
import { bit, mux, node, struct, uint, type Val } from "../../../../hdl-dsl/index.ts";
import { ethernetHeader } from "../../../shared/wire/index.ts";
import { linkKind, snicKind } from "../../wire/index.ts";
import { type JudgedPort, Known } from "./records.ts";
import {
  hashOf,
  headersOf,
  insideOf,
  kindOf,
  transportOf,
  wrongLink,
  wrongOrder,
  wrongPfc,
  wrongShim,
} from "./rules.ts";
import type { Stripped } from "./strip.ts";

export const Facts = struct({
  /** Rules that are broken, whatever comes behind. */
  link: bit,
  version: bit,
  shim: bit,
  ttl: bit,
  order: bit,
  enclosed: bit,
  pfc: bit,
  peer: bit,
  encloses: bit,
  /** Words that tag and shim of the frame inside take. */
  insideWords: uint(3),
  /** There are ports, by the header alone. */
  hasPorts: bit,
  /** The first byte behind the IPv4 packet. */
  ipEnd: uint(17),
  verdict: Known,
});

export function factsOf({ data, off }: Pick<Stripped, "data" | "off">, port: Val<typeof JudgedPort>) {
  const headers = headersOf(data, off),
    { link, tag, snic, ip } = headers;
  const kind = kindOf(headers, off),
    encloses = node(off.shimmed.and(snic.kind.eq(snicKind.redirect).or(snic.kind.eq(snicKind.onward))), {
      name: "encloses",
    }),
    inside = insideOf(data),
    transport = transportOf(headers);
  const ownClass = mux(off.tagged, tag.priority, port.class);
  return {
    link: wrongLink(headers, off, port),
    ...wrongShim(headers, off),
    order: wrongOrder(headers),
    enclosed: encloses.and(inside.wrong),
    pfc: wrongPfc(headers, off),
    peer: encloses.andNot(port.peer),
    encloses,
    insideWords: inside.words,
    hasPorts: transport.hasPorts.andNot(transport.tooShort),
    ipEnd: ip.totalLength.zext(17).add(ethernetHeader.bytes),
    verdict: {
      kind,
      linked: off.linked,
      link: { sequence: link.sequence, ack: link.ack, nack: link.kind.eq(linkKind.nack) },
      tagged: off.tagged,
      tag: tag.bits,
      shimmed: off.shimmed,
      snic: {
        ttl: snic.ttl,
        stage: snic.stage,
        uid: snic.uid,
        origin: snic.origin,
        ingress: snic.ingress,
        unprocessed: snic.unprocessed,
      },
      class: mux(off.linked, link.class.trunc(3), ownClass),
      flowHash: hashOf(headers, transport),
    },
  };
}
