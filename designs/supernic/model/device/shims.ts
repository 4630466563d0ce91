/** What stands behind the MACs of frames that leave. */
import { encloseFrame, putShims, type Shims, snicKind, snicVersion, type TakenApart } from "../../wire/index.ts";

type Snic = NonNullable<Shims["snic"]>;
/** What a shim says of where a packet is: the number of the sNIC, and the port where it came in. */
export interface Where {
  readonly origin: number;
  readonly ingress: number;
}
/** sNICs and passes that a packet may take which came without a shim. */
const mostTtl = 15;
const ttlOf = ({ snic }: TakenApart): number => snic?.ttl ?? mostTtl;
/** A sNIC shim that a device writes: what endpoints say of stage, origin and ingress does not count. */
const written = (uid: number, ttl: number, { origin, ingress }: Where): Snic => ({
  ...{ version: snicVersion, kind: snicKind.data, ttl, stage: 0, uid, origin, ingress, unused: 0, unprocessed: 0 },
});

/** Of packets that leave the core with a shim: one that had one has taken this sNIC. */
export const keptShim = (uid: number, taken: TakenApart, at: Where): Snic =>
  written(uid, taken.snic ? (taken.snic.ttl - 1) & 15 : mostTtl, at);

/** A frame that is only switched: with its tag and shim. */
export const switchedFrame = (bytes: Uint8Array, taken: TakenApart, at: Where): Uint8Array =>
  putShims(bytes, {
    ...(taken.vlan && { vlan: taken.vlan }),
    ...(taken.snic && { snic: written(taken.snic.uid, taken.snic.ttl, at) }),
  });
/** A frame for software: its shim is told beside it. */
export const softwareFrame = (bytes: Uint8Array, { vlan }: TakenApart): Uint8Array =>
  putShims(bytes, { ...(vlan && { vlan }) });

/** A frame on its way to a peer: whole, behind the MACs of both. */
export function redirectedFrame(
  bytes: Uint8Array,
  taken: TakenApart,
  macs: { readonly own: bigint; readonly peer: bigint },
  uid: number,
  at: Where,
): Uint8Array {
  const outer = { ...written(uid, ttlOf(taken), at), kind: snicKind.redirect };
  return encloseFrame({ dst: macs.peer, src: macs.own }, outer, switchedFrame(bytes, taken, at));
}
