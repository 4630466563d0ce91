/** Arithmetic and error correction. */
import type { Proof } from "../harness/proof.ts";
import { correctionProof } from "./correction.ts";
import { dividerProof } from "./divider.ts";
import { roundingProof } from "./rounding.ts";

/** Every proof of this group. */
export const arithmeticProofs: readonly Proof[] = [dividerProof, roundingProof, correctionProof];
