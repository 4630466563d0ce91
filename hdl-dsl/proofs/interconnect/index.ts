/** What joins masters and slaves. */
import type { Proof } from "../harness/proof.ts";
import { crossbarProof } from "./crossbar.ts";
import { axi4WidthProofs } from "./widths.ts";

export { liteWidthProofs } from "./widths.ts";

/** Every proof of this group. */
export const interconnectProofs: readonly Proof[] = [crossbarProof, ...axi4WidthProofs];
