/** Where frames go, under the names of docs/supernic/match.md. */

/** What a rule does with a frame: `port` names the port or the peer, `uid` the UID. */
export const matchActions = ["port", "software", "uid", "peer", "drop"] as const;
export type MatchActionName = (typeof matchActions)[number];
/** Where a frame goes. */
export const matchOutcomes = ["drop", "link", "software", "core", "redirect", "unwrap", "ports", "onward"] as const;
export type MatchOutcomeName = (typeof matchOutcomes)[number];
/** Why a frame goes nowhere. */
export const matchDrops = ["none", "refused", "stranger", "control", "rule", "uid", "nowhere"] as const;
export type MatchDropName = (typeof matchDrops)[number];

/** Entries of the table of UIDs: the low bits of a UID address it. */
export const uidEntries = 1024;

/** Bits of a key that address one word of a ternary table: what one lookup table of the FPGA holds. */
export const ternaryChunkBits = 5;
export const ternaryChunks = (keyBits: number): number => Math.ceil(keyBits / ternaryChunkBits);

/** A ternary entry: it matches a key that equals `value` in all bits that `mask` has. */
export interface Ternary {
  readonly value: bigint;
  readonly mask: bigint;
}
/**
 * The words of a ternary table: `[chunk][address]` has a bit for each entry, that tells whether the entry can match a
 * key with these bits. An entry that is undefined matches nothing.
 */
export function ternaryWords(entries: readonly (Ternary | undefined)[], keyBits: number): bigint[][] {
  const size = 2 ** ternaryChunkBits;
  return Array.from({ length: ternaryChunks(keyBits) }, (_, chunk) => {
    const from = BigInt(chunk * ternaryChunkBits);
    return Array.from({ length: size }, (_, at) =>
      entries.reduce((word, e, i) => {
        const matches =
          e !== undefined && (((BigInt(at) << from) ^ e.value) & e.mask & ((BigInt(size) - 1n) << from)) === 0n;
        return matches ? word | (1n << BigInt(i)) : word;
      }, 0n),
    );
  });
}

/** What a rule may look at, and what it reads as when a frame does not have it: 0. From the highest bits. */
export const ruleKeyBits = 48 + 16 + 32 + 8 + 16 + 2;
export interface RuleKey {
  readonly dst: bigint;
  readonly etherType: number;
  readonly ipDst: number;
  readonly protocol: number;
  readonly dstPort: number;
  readonly hasIp: number;
  readonly hasPorts: number;
}
export const ruleKey = (k: RuleKey): bigint =>
  [
    [48, k.dst],
    [16, k.etherType],
    [32, k.ipDst],
    [8, k.protocol],
    [16, k.dstPort],
    [1, k.hasIp],
    [1, k.hasPorts],
  ].reduce((key, [bits, v]) => (key << BigInt(bits ?? 0)) | BigInt(v ?? 0), 0n);
