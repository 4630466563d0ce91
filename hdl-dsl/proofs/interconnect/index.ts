/** What joins masters and slaves. */
import type { Proof } from "../harness/proof.ts";
import { axi4WidthProofs } from "./axi4-widths.ts";
import { clockConverterProofs } from "./clock-converters.ts";
import { crossbarReadProofs } from "./crossbar-reads.ts";
import { crossbarWriteProofs } from "./crossbar-writes.ts";
import { liteWidthProofs } from "./widths.ts";

export const interconnectProofs: readonly Proof[] = [
  ...liteWidthProofs,
  ...axi4WidthProofs,
  ...clockConverterProofs,
  ...crossbarReadProofs,
  ...crossbarWriteProofs,
];
