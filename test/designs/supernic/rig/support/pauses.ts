import { decode, ethernetHeader } from "../../../../../designs/shared/wire/index.ts";
import { macControlAddress } from "../../../../../designs/supernic/wire/index.ts";

/** A frame that a port makes itself, to pause its neighbour. */
export const isPause = (frame: Uint8Array): boolean => decode(ethernetHeader, frame).dst === macControlAddress;
