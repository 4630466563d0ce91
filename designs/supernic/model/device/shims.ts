/** What stands behind the MACs of frames that leave. */
import { decode, ethernetHeader } from "../../../shared/wire/index.ts";
import { encloseFrame, putShims, type Shims, snicKind, snicVersion, type TakenApart } from "../../wire/index.ts";

type Snic = NonNullable<Shims["snic"]>;
/** A sNIC shim that a device writes: what endpoints say of stage, origin and ingress does not count. */
const written = (uid: number, ttl: number): Snic => ({
  version: snicVersion,
  kind: snicKind.data,
  ttl,
  stage: 0,
  uid,
  origin: 0,
  ingress: 0,
  unused: 0,
  unprocessed: 0,
});

/** Of packets that leave the core with their shim: a sNIC has had its turn. */
export const keptShim = (uid: number, ttl: number): Snic => written(uid, (ttl - 1) & 15);

/** A frame that is only switched: as it came, but for the link shim. */
export const switchedFrame = (bytes: Uint8Array, taken: TakenApart): Uint8Array =>
  putShims(bytes, {
    ...(taken.vlan && { vlan: taken.vlan }),
    ...(taken.snic && { snic: written(taken.snic.uid, taken.snic.ttl) }),
  });

/** A frame on its way to a peer: whole, behind the MACs of both. */
export function redirectedFrame(
  bytes: Uint8Array,
  taken: TakenApart,
  macs: { readonly own: bigint; readonly peer: bigint },
  uid: number,
): Uint8Array {
  const ttl = taken.snic?.ttl ?? 1;
  return encloseFrame(
    { dst: macs.peer, src: macs.own },
    { ...written(uid, ttl), kind: snicKind.redirect },
    switchedFrame(bytes, taken),
  );
}
export const destinationOf = (frame: Uint8Array): bigint => decode(ethernetHeader, frame).dst;
