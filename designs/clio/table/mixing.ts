import type { TableGeometry } from "./geometry.ts";

/** Where a page's entry belongs. */
export interface Location { readonly index: number; readonly tag: bigint }

const parity = (v: bigint): bigint => {
  let x = v ^ (v >> 32n);
  for (const s of [16n, 8n, 4n, 2n, 1n]) x ^= x >> s;
  return x & 1n;
};

interface Compiled { readonly own: readonly bigint[]; readonly above: readonly bigint[] }
const compiled = new WeakMap<TableGeometry, Compiled>();
/** The steps as masks: over the whole word, and over the bits above the index only. */
function compile(g: TableGeometry): Compiled {
  const known = compiled.get(g);
  if (known) return known;
  const mask = (bits: readonly number[]): bigint => bits.reduce((m, b) => m | (1n << BigInt(b)), 0n);
  const made = { own: g.mixing.map(s => mask(s.from)), above: g.mixing.map(s => mask(s.from.filter(b => b >= g.indexBits))) };
  compiled.set(g, made);
  return made;
}

/** The word that is mixed: pid above vpn. */
export function wordOf(g: TableGeometry, pid: number, vpn: bigint): bigint { return (BigInt(pid) << BigInt(g.vpnBits)) | vpn; }

/** Bucket index and tag of a page: the parities that `g.mixing` lists. `pid` has 16 bits, `vpn` `g.vpnBits`. */
export function locate(g: TableGeometry, pid: number, vpn: bigint): Location {
  const word = wordOf(g, pid, vpn), { own } = compile(g);
  let index = 0;
  for (let i = 0; i < own.length; i++) if (parity(word & (own[i] ?? 0n))) index += 2 ** i;
  return { index, tag: word >> BigInt(g.indexBits) };
}

/** The page that belongs at (index, tag): the inverse of `locate`, for the slow path's audits. */
export function unlocate(g: TableGeometry, { index, tag }: Location): { readonly pid: number; readonly vpn: bigint } {
  const high = tag << BigInt(g.indexBits), { above } = compile(g);
  let word = high;
  for (let i = 0; i < above.length; i++) {
    const bit = (BigInt(index) >> BigInt(i)) & 1n;
    if (bit ^ parity(high & (above[i] ?? 0n))) word |= 1n << BigInt(i);
  }
  return { pid: Number(word >> BigInt(g.vpnBits)), vpn: word & ((1n << BigInt(g.vpnBits)) - 1n) };
}
