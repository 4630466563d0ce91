import { clioHeader } from "../../wire/index.ts";
import { gbnEnd } from "../../../shared/go-back-n/rtl/index.ts";

/** Byte of a frame with a Go-Back-N header where the Clio header's opcode stands. */
export const opcodeOffset = gbnEnd + clioHeader.at.opcode.byteOffset;
/** And where its status does, in the low bits. */
export const statusOffset = gbnEnd + clioHeader.at.status.byteOffset;
/** And its size, two bytes. */
export const sizeOffset = gbnEnd + clioHeader.at.size.byteOffset;
/** Bytes of a frame that the shims look at: up to that size. */
export const headerBytes = sizeOffset + 2;
