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

/** A frame that is only switched, or for software: with its tag. Software is told its shim beside it. */
export const taggedFrame = (bytes: Uint8Array, { vlan }: TakenApart): Uint8Array =>
  putShims(bytes, { ...(vlan && { vlan }) });

/** @param far the peer is behind another one */
const kindFor = (far: boolean): number => (far ? snicKind.onward : snicKind.redirect);
/** A frame on its way to a peer: with its tag and shim, behind the MACs of both. Both shims name the UID it goes by. */
export function redirectedFrame(
  bytes: Uint8Array,
  taken: TakenApart,
  macs: { readonly own: bigint; readonly peer: bigint; readonly far: boolean },
  uid: number,
  at: Where,
): Uint8Array {
  const { vlan, snic } = taken,
    own = written(uid, ttlOf(taken), at),
    inner = putShims(bytes, { ...(vlan && { vlan }), ...(snic && { snic: own }) });
  return encloseFrame({ dst: macs.peer, src: macs.own }, { ...own, kind: kindFor(macs.far) }, inner);
}

/** A redirect that passes here: it has one sNIC less before it. What it says of UID stays. */
export const passedFrame = (bytes: Uint8Array, { snic }: TakenApart, far: boolean, at: Where): Uint8Array =>
  putShims(bytes, { snic: { ...written(snic?.uid ?? 0, ((snic?.ttl ?? 0) - 1) & 15, at), kind: kindFor(far) } });
