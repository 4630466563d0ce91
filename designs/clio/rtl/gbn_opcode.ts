import { clioHeader } from "../../packets/index.ts";
import { gbnEnd } from "./gbn_types.ts";

/** Byte of a frame with a Go-Back-N header where the Clio header's opcode stands. */
export const opcodeOffset = gbnEnd + clioHeader.at.opcode.byteOffset;
/** Bytes of a frame that the shims look at: up to that opcode. */
export const headerBytes = opcodeOffset + 1;
