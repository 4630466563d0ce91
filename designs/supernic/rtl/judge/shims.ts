/** Which shims stand behind a frame's MACs, and where. Wires only. */
import { type Bit, cat, mux, node, type UInt } from "../../../../hdl-dsl/index.ts";
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

/** Link shim, tag, sNIC shim, in this order, each as it may be missing. */
export function findShims(frame: UInt): Found {
  const is = (at: number, wanted: number): Bit => hasType(frame, etherTypeAt + at, wanted);
  const linked = node(is(0, snicEtherType.linkShim), { name: "finds_link" });
  const tagged = node(mux(linked, is(linkShim.bytes, snicEtherType.vlan), is(0, snicEtherType.vlan)), {
    name: "finds_tag",
  });
  const shimmed = node(
    byPlace({ linked, tagged }, at => is(at, snicEtherType.snicShim)),
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
