import { mux, type Num, type UInt } from "../../../../hdl-dsl/index.ts";
import { joinFields } from "../../../shared/frame/index.ts";
import { snicShim, snicVersion } from "../../wire/index.ts";

/** sNICs and passes that a packet may take which came without a shim. */
export const mostTtl = 15;

/** What a shim says that this sNIC writes. Its stage is 0: whoever is next begins anew. */
interface ShimFields {
  readonly kind: number | UInt;
  readonly ttl: UInt;
  readonly uid: UInt;
  readonly origin: UInt;
  readonly ingress: UInt;
}
const shimBits = 48;
/** All eight bytes behind the EtherType, byte 0 lowest. */
export const wholeShimOf = (fields: ShimFields, next: number): UInt =>
  joinFields(snicShim, { ...fields, version: snicVersion, stage: 0, unused: 0, unprocessed: 0, next });
/** The six bytes behind the EtherType, byte 0 lowest; `next` is not among them. */
export const shimOf = (fields: ShimFields): UInt => wholeShimOf(fields, 0).bits(0, shimBits).is(shimBits);
/** The ttl of a packet, as it has it or as it would begin. */
export const ttlOf = ({ shimmed, ttl }: { readonly shimmed: UInt; readonly ttl: UInt }): UInt =>
  mux(shimmed.bit(0), ttl, mostTtl as Num);
