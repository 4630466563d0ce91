/** What joins masters and slaves. */
import type { Proof } from "../harness/proof.ts";
import { crossbarProof } from "./crossbar.ts";

export { axi4WidthProofs } from "./axi4-widths.ts";
export { liteWidthProofs } from "./widths.ts";

/** Harnesses of this group that no run has decided. */
export const interconnectProofs: readonly Proof[] = [crossbarProof];
