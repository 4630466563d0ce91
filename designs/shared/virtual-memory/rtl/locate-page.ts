import { cat, type UInt } from "../../../../hdl-dsl/index.ts";
import type { TableGeometry } from "../table/index.ts";

/**
 * The invertible mixing of a page (pid above vpn) into bucket index and tag, built from the same list of steps that the
 * software runs.
 * @param hashKey the node's key, 64 bits; it stays as it is while the table has entries
 */
export function locatePage(g: TableGeometry, page: UInt, hashKey: UInt): { readonly index: UInt; readonly tag: UInt } {
  const index = g.mixing.map(step =>
    cat(...step.from.map(b => page.bit(b)), ...step.keyed.map(k => page.bit(k.bit).and(hashKey.bit(k.key)))).parity(),
  );
  return { index: cat(...index.reverse()), tag: page.bits(g.indexBits, g.tagBits) };
}
