/**
 * What of a task's state moves with its chain (docs/supernic/state.md): a description for hardware, model and software.
 */

/** Words of one layout, the first field of each lowest; at most 64 bits together. */
export interface StatePart {
  readonly name: string;
  /** Place of its first word. */
  readonly first: number;
  readonly words: number;
  /** Bits of each field. */
  readonly fields: Readonly<Record<string, number>>;
}
/** Parts in the order in which they are read and written: that of their places. */
export interface StateSchema {
  readonly parts: readonly StatePart[];
}
/** A word of state and its place. */
export interface StateWord {
  readonly at: number;
  readonly data: bigint;
}
/** As wide as a word of configuration. */
export const stateBits = { at: 16, data: 64 } as const;

/** Bits of a word of a part. */
export const stateWidth = ({ fields }: Pick<StatePart, "fields">): number =>
  Object.values(fields).reduce((sum, bits) => sum + bits, 0);
/** The part that has a place; undefined: none has. */
export const statePartAt = ({ parts }: StateSchema, at: number): StatePart | undefined =>
  parts.find(p => at >= p.first && at < p.first + p.words);
/** A word of named fields. */
export function packState(part: StatePart, values: Readonly<Record<string, bigint>>): bigint {
  let word = 0n,
    at = 0n;
  for (const [name, bits] of Object.entries(part.fields)) {
    word |= BigInt.asUintN(bits, values[name] ?? 0n) << at;
    at += BigInt(bits);
  }
  return word;
}
/** The named fields of a word. */
export function unpackState(part: StatePart, word: bigint): Readonly<Record<string, bigint>> {
  let at = 0n;
  return Object.fromEntries(
    Object.entries(part.fields).map(([name, bits]) => {
      const value = BigInt.asUintN(bits, word >> at);
      at += BigInt(bits);
      return [name, value];
    }),
  );
}
/** What is wrong with a schema of a task, a sentence each. */
export function stateFaults(task: string, { parts }: StateSchema): readonly string[] {
  const faults: string[] = [];
  let next = 0;
  for (const p of parts) {
    const width = stateWidth(p);
    if (p.first < next)
      faults.push(`${task}: keeps ${p.name} from place ${p.first}: it must begin at ${next} or behind it`);
    if (p.words < 1 || p.first + p.words > 2 ** stateBits.at)
      faults.push(`${task}: keeps ${p.words} words of ${p.name}: give 1 or more, all below place ${2 ** stateBits.at}`);
    if (width < 1 || width > stateBits.data)
      faults.push(`${task}: a word of ${p.name} has ${width} bits: must be 1 to ${stateBits.data}`);
    next = p.first + p.words;
  }
  return faults;
}
/** FNV-1a, 32 bits, of what tasks of a chain keep, by name: an image of another chain has another one. */
export function stateDigest(
  tasks: readonly { readonly name: string; readonly keeps?: StateSchema | "cold" }[],
): number {
  const text = JSON.stringify(tasks.map(t => [t.name, t.keeps ?? "none"]));
  let h = 0x811c9dc5;
  for (const c of text) h = Math.imul(h ^ c.charCodeAt(0), 0x01000193) >>> 0;
  return h;
}
