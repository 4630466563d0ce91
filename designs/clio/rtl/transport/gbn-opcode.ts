import { clioHeader } from "../../wire/index.ts";
import { gbnEnd } from "../../../shared/go-back-n/rtl/index.ts";

/** Byte of a frame with a Go-Back-N header where the Clio header's opcode stands. */
export const opcodeOffset = gbnEnd + clioHeader.at.opcode.byteOffset;
/** Bytes of a frame that the shims look at: up to that opcode. */
export const headerBytes = opcodeOffset + 1;
