import { expect } from "vitest";
import { Tlb } from "../../../../../../designs/shared/virtual-memory/rtl/tlb.ts";
import { type Bench, poke, type Random } from "../../../../../../sim/index.ts";

/** Widths of keys and frames by the entries that a bench asks for. */
export const parameterSets = {
  4: { keyBits: 26, ppnBits: 20 },
  8: { keyBits: 44, ppnBits: 9 },
  16: { keyBits: 31, ppnBits: 12 },
  64: { keyBits: 44, ppnBits: 9 },
} as const;
export type Entries = keyof typeof parameterSets;
export const tlbDut = (entries: Entries) => Tlb({ entries, ...parameterSets[entries] });
export type TlbPorts = ReturnType<typeof tlbDut>["ports"];

interface Mapping {
  readonly ppn: number;
  readonly write: number;
  readonly read: number;
}
interface Entry {
  readonly key: number;
  readonly mapping: Mapping;
}

/**
 * The reference: the valid entries, and the places in order of use. A cleared place is taken by the fill that
 * finds it oldest.
 */
class TlbModel {
  /** Least recently used first; a place without an entry is undefined. */
  places: (Entry | undefined)[];
  constructor(entries: number) {
    this.places = Array.from({ length: entries }, () => undefined);
  }
  find(key: number): Entry | undefined {
    return this.places.find(e => e?.key === key);
  }
  use(key: number): void {
    const at = this.places.findIndex(e => e?.key === key),
      [e] = this.places.splice(at, 1);
    this.places.push(e);
  }
  clear(key: number): void {
    this.places[this.places.findIndex(e => e?.key === key)] = undefined;
  }
  get evicts(): boolean {
    return this.places[0] !== undefined;
  }
  fill(entry: Entry): void {
    this.places.shift();
    this.places.push(entry);
  }
}

const randomMapping = (random: Random, ppnBits: number): Mapping => ({
  ppn: random.between(0, 2 ** ppnBits - 1),
  write: random.between(0, 1),
  read: random.between(0, 1),
});
function idle(b: Bench<TlbPorts>): void {
  b.io.touch.value = 0;
  b.io.clear.value = 0;
  b.io.advance.value = 0;
  b.io.fill.valid.value = 0;
}

/**
 * Random keys out of few, one advance after the other or with gaps. The outcome is held against the model; then the
 * entry is used or cleared, or a fill comes.
 */
export async function runTlb(b: Bench<TlbPorts>, entries: Entries, cycles: number): Promise<void> {
  const { keyBits, ppnBits } = parameterSets[entries],
    random = b.random.fork("tlb"),
    keys = Array.from({ length: entries * 2 }, () => Number(random.bits(keyBits)));
  // Keys that differ from another in one bit only: each bit takes part in the comparison.
  for (let i = 0; i < entries; i++)
    keys.push(Number(BigInt(keys[i] as number) ^ (1n << BigInt(random.between(0, keyBits - 1)))));
  let model = new TlbModel(entries);
  /** The key in the second stage, while its outcome still stands. */
  let second: number | undefined;
  idle(b);
  for (let i = 0; i < cycles; i++) {
    if (i % 2500 === 2499) {
      idle(b);
      b.sim.reset(1);
      model = new TlbModel(entries);
      second = undefined;
    }
    const key = random.pick(keys),
      advance = random.chance(0.8),
      entry = second === undefined ? undefined : model.find(second);
    const op = random.pick(
      entry ? (["use", "use", "use", "use", "clear", "none", "fill"] as const) : (["fill", "fill", "none"] as const),
    );
    // What a miss brings: its own key, or now and then the key that is being compared in this very cycle.
    const fills = random.chance(0.3) ? key : random.pick(keys),
      absent = model.find(fills) === undefined;
    const mapping = randomMapping(random, ppnBits);
    idle(b);
    b.io.key.value = key;
    b.io.advance.value = advance ? 1 : 0;
    if (op === "use") b.io.touch.value = 1;
    if (op === "clear") b.io.clear.value = 1;
    if (op === "fill" && absent) poke(b.io.fill, { valid: 1, key: fills, mapping });
    await b.risingEdge();
    if (second !== undefined) {
      expect(b.io.hit.value, `hit at cycle ${b.cycle}`).toBe(entry ? 1 : 0);
      if (entry)
        expect(
          { ppn: b.io.mapping.ppn.num, write: b.io.mapping.write.value, read: b.io.mapping.read.value },
          `mapping at cycle ${b.cycle}`,
        ).toEqual(entry.mapping);
    }
    expect(b.io.evicts.value, `evicts at cycle ${b.cycle}`).toBe(op === "fill" && absent && model.evicts ? 1 : 0);
    if (op === "use") model.use(second as number);
    if (op === "clear") model.clear(second as number);
    if (op === "fill" && absent) model.fill({ key: fills, mapping });
    if (advance) second = key;
    else if (op !== "none" && op !== "use") second = undefined;
  }
}

/** Looks a key up with nothing else going on; a hit counts as a use. @returns the frame. */
async function lookup(b: Bench<TlbPorts>, key: number): Promise<number | undefined> {
  idle(b);
  b.io.key.value = key;
  b.io.advance.value = 1;
  await b.risingEdge();
  b.io.advance.value = 0;
  b.sim.settle();
  const found = b.io.hit.value === 1 ? b.io.mapping.ppn.num : undefined;
  b.io.touch.value = found === undefined ? 0 : 1;
  await b.risingEdge();
  idle(b);
  return found;
}
/**
 * Fills page after page, far beyond the capacity: the last `entries` pages are there, and the one that went is gone.
 */
export async function fillMany(b: Bench<TlbPorts>, entries: number, pages: number): Promise<void> {
  idle(b);
  const key = (page: number): number => 0x123_0000 + page * 3;
  for (let page = 0; page < pages; page++) {
    idle(b);
    poke(b.io.fill, { valid: 1, key: key(page), mapping: { ppn: page % 512, write: 1, read: 0 } });
    await b.risingEdge();
    expect(b.io.evicts.value, `page ${page} evicts`).toBe(page >= entries ? 1 : 0);
    if (page >= entries)
      expect(await lookup(b, key(page - entries)), `page ${page - entries} after page ${page}`).toBe(undefined);
    // In order of age, so that using them leaves the order as it was.
    if (page % 97 === 0 || page === entries || page === entries + 1 || page === pages - 1) {
      for (let old = Math.max(0, page - entries + 1); old <= page; old++)
        expect(await lookup(b, key(old)), `page ${old} after page ${page}`).toBe(old % 512);
    }
  }
}
