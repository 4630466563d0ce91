/** What a model starts with: initial values, and for all that the design leaves open numbers from the seed. */
import { bytesOf } from "./memory-map.ts";
import type { Generated } from "./generate.ts";
import type { Netlist } from "./circuit/netlist.ts";

/** Words of a thing by its name: another design's change does not move them. */
function wordsFor(seed: number, name: string): () => number {
  let h = 0x811c9dc5 ^ seed;
  for (let i = 0; i < name.length; i++) h = Math.imul(h ^ name.charCodeAt(i), 0x01000193);
  return () => {
    h = (h + 0x9e3779b9) | 0;
    let z = h;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
}

/** Fills a model's memory. */
export function start(net: Netlist, { map, plan }: Generated, memory: ArrayBuffer, seed: number): void {
  const words = new Uint32Array(memory);
  words.fill(0);
  const put = (address: number, width: number, value: bigint): void => {
    if (value === 0n) return;
    for (let i = 0; i < bytesOf(width) / 4; i++)
      words[address / 4 + i] = Number((value >> BigInt(32 * i)) & 0xffff_ffffn);
  };
  const draw = (address: number, width: number, next: () => number): void => {
    let at = address / 4,
      left = width;
    for (; left > 32; left -= 32) words[at++] = next();
    words[at] = next() & (left === 32 ? -1 : ~(-1 << left));
  };
  for (const r of net.registers) {
    const places = [map.sources.get(r.source), map.shadows.get(r.source)].filter(a => a !== undefined);
    for (const at of places)
      if (r.style === "none" && r.init !== undefined) put(at, r.source.width, r.init);
      else draw(at, r.source.width, wordsFor(seed, r.source.name));
  }
  for (const s of net.stores) {
    const next = wordsFor(seed, s.name),
      base = map.stores.get(s) as number,
      bytes = bytesOf(s.width);
    for (let i = 0; i < s.depth; i++)
      if (s.init === undefined) draw(base + i * bytes, s.width, next);
      else put(base + i * bytes, s.width, s.init[i] ?? 0n);
  }
  let reads = 0;
  for (const [n, at] of map.beyond) draw(at, n.width, wordsFor(seed, `${n.store?.name ?? ""} beyond ${reads++}`));
  for (const flag of map.flagsOf(plan.all)) words[flag / 4] = 1;
}
