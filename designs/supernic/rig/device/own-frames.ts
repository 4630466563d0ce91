import { decode, ethernetHeader } from "../../../shared/wire/index.ts";
import { macControlAddress, snicEtherType } from "../../wire/index.ts";

/** Frames that a port makes itself are no user's: PFC. */
export const isOwn = (frame: Uint8Array): boolean => {
  const { dst, etherType } = decode(ethernetHeader, frame);
  return dst === macControlAddress && etherType === snicEtherType.macControl;
};
