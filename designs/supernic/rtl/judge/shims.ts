/** Which shims stand behind a frame's MACs, and where. Wires only. */
import {
  bit,
  type Bit,
  cat,
  fromBits,
  mux,
  node,
  struct,
  uint,
  type UInt,
  type Val,
} from "../../../../hdl-dsl/index.ts";
import { headerOffsets } from "../../../shared/wire/index.ts";
import { linkShim, snicEtherType, snicShim, vlanTag } from "../../wire/index.ts";

/** Byte of the EtherType behind the MACs. */
export const etherTypeAt = headerOffsets.network - 2;

/** What stands there. */
export interface Found {
  readonly linked: Bit;
  readonly tagged: Bit;
  readonly shimmed: Bit;
}

/** The EtherType at a byte of a frame. */
export const etherTypeOf = (frame: UInt, at: number): UInt<16> =>
  cat(frame.bits(8 * at, 8), frame.bits(8 * at + 8, 8)).is(16);
/** Whether this EtherType stands at a byte of a frame. */
export const hasType = (frame: UInt, at: number, wanted: number): Bit => etherTypeOf(frame, at).eq(wanted);

/** A choice by whether there is a link shim, and a tag. */
export function byPlace<V>({ linked, tagged }: Pick<Found, "linked" | "tagged">, at: (byte: number) => V): V {
  const pick = mux as (c: Bit, a: V, b: V) => V;
  const behindLink = pick(tagged, at(linkShim.bytes + vlanTag.bytes), at(linkShim.bytes));
  return pick(linked, behindLink, pick(tagged, at(vlanTag.bytes), at(0)));
}

/** At which of the places of a beat an EtherType stands that each may have there. */
export const ShimPlaces = struct({ link: bit, tag: uint(2), snic: uint(4) });

/** The places where a shim or tag may begin, by what stands before it: nothing, a tag, a link shim, both. */
const places = [0, vlanTag.bytes, linkShim.bytes, linkShim.bytes + vlanTag.bytes];

/** EtherTypes of shims and tag in a beat; what stands behind its end is none. */
export function shimPlaces(beat: UInt, keep: UInt): Val<typeof ShimPlaces> {
  const is = (at: number, wanted: number): Bit => {
    const from = etherTypeAt + at;
    return hasType(beat, from, wanted).and(keep.bits(from, 2).all());
  };
  return {
    link: is(0, snicEtherType.linkShim),
    tag: fromBits([0, linkShim.bytes].map(at => is(at, snicEtherType.vlan))).is(2),
    snic: fromBits(places.map(at => is(at, snicEtherType.snicShim))).is(4),
  };
}

/** Link shim, tag, sNIC shim, in this order, each as it may be missing. */
export function findShims(at: Val<typeof ShimPlaces>): Found {
  const linked = node(at.link, { name: "finds_link" }),
    tagged = node(mux(linked, at.tag.bit(1), at.tag.bit(0)), { name: "finds_tag" });
  const shimmed = node(
    byPlace({ linked, tagged }, place => at.snic.bit(places.indexOf(place))),
    { name: "finds_shim" },
  );
  return { linked, tagged, shimmed };
}

/** Words of 4 bytes that they take: 0 to 5. */
export function wordsOf({ linked, tagged, shimmed }: Found): UInt<3> {
  // A tag is one word, each shim two.
  return cat(linked.and(shimmed), linked.xor(shimmed), tagged).is(3);
}
/** Bytes of a shim without its `next`, which stays as the frame's EtherType. */
export const ownBytes = { link: linkShim.bytes - 2, tag: vlanTag.bytes - 2, snic: snicShim.bytes - 2 } as const;
