import { cat, type UInt } from "../../../../hdl-dsl/index.ts";
import type { TableGeometry } from "../table/index.ts";

/**
 * The invertible mixing of a page's key (pid above vpn) into bucket index and tag, built from the same list of steps
 * that the software runs.
 */
export function locatePage(g: TableGeometry, key: UInt): { readonly index: UInt; readonly tag: UInt } {
  const index = g.mixing.map(step => cat(...step.from.map(b => key.bit(b))).parity());
  return { index: cat(...index.reverse()), tag: key.bits(g.indexBits, g.tagBits) };
}
