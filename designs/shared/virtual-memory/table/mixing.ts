import { toeplitzMask } from "../../hash/index.ts";
import type { TableGeometry } from "./geometry.ts";

/** Where a page's entry belongs. */
export interface Location {
  readonly index: number;
  readonly tag: bigint;
}

const parity = (v: bigint): bigint => {
  let x = v ^ (v >> 32n);
  for (const s of [16n, 8n, 4n, 2n, 1n]) x ^= x >> s;
  return x & 1n;
};

interface Compiled {
  readonly key: bigint;
  /** What each value of each byte of the word adds to the index (exclusive or): the mixing is linear. */
  readonly own: readonly Uint32Array[];
  /** The steps as masks over the bits above the index only. */
  readonly above: readonly bigint[];
}
/** Of each geometry the latest: a node has one key. */
const compiled = new WeakMap<TableGeometry, Compiled>();
function compile(g: TableGeometry, key: bigint): Compiled {
  const known = compiled.get(g);
  if (known?.key === key) return known;
  const unkeyed = (bits: readonly number[]): bigint => bits.reduce((m, b) => m | (1n << BigInt(b)), 0n);
  const masks = g.mixing.map(s => unkeyed(s.from) ^ toeplitzMask(s.keyed, key));
  const ofBit = Array.from({ length: 64 }, (_, bit) =>
    g.mixing.reduce((index, s, i) => (((masks[i] ?? 0n) >> BigInt(bit)) & 1n ? index | (1 << s.to) : index), 0),
  );
  const own = Array.from({ length: 8 }, (_, byte) =>
    Uint32Array.from({ length: 256 }, (_, value) =>
      Array.from({ length: 8 }, (_, bit) => ((value >> bit) & 1 ? (ofBit[8 * byte + bit] ?? 0) : 0)).reduce(
        (a, b) => a ^ b,
      ),
    ),
  );
  const made = { key, own, above: masks.map(m => (m >> BigInt(g.indexBits)) << BigInt(g.indexBits)) };
  compiled.set(g, made);
  return made;
}

/** The word that is mixed: pid above vpn. */
export function wordOf(g: TableGeometry, pid: number, vpn: bigint): bigint {
  return (BigInt(pid) << BigInt(g.vpnBits)) | vpn;
}

/**
 * Bucket index and tag of a page: the parities that `g.mixing` lists. `pid` has `g.pidBits`, `vpn` `g.vpnBits`.
 * @param key the node's key, 64 bits; 0 adds nothing
 */
export function locate(g: TableGeometry, pid: number, vpn: bigint, key = 0n): Location {
  const word = wordOf(g, pid, vpn),
    { own } = compile(g, key);
  let index = 0,
    low = Number(word & 0xffff_ffffn),
    high = Number(word >> 32n);
  for (let i = 0; i < 4; i++, low >>>= 8, high >>>= 8)
    index ^= (own[i]?.[low & 255] ?? 0) ^ (own[4 + i]?.[high & 255] ?? 0);
  return { index: index >>> 0, tag: word >> BigInt(g.indexBits) };
}

/** The page that belongs at (index, tag): the inverse of `locate`, for the slow path's audits. */
export function unlocate(
  g: TableGeometry,
  { index, tag }: Location,
  key = 0n,
): { readonly pid: number; readonly vpn: bigint } {
  const high = tag << BigInt(g.indexBits),
    { above } = compile(g, key);
  let word = high;
  for (let i = 0; i < above.length; i++) {
    const bit = (BigInt(index) >> BigInt(i)) & 1n;
    if (bit ^ parity(high & (above[i] ?? 0n))) word |= 1n << BigInt(i);
  }
  return { pid: Number(word >> BigInt(g.vpnBits)), vpn: word & ((1n << BigInt(g.vpnBits)) - 1n) };
}
