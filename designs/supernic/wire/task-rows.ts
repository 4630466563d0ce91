/** The words that configure network tasks: `at` and `data` of a write each. */
import { type Ternary, ternaryChunkBits, ternaryChunks, ternaryWords } from "./match.ts";

export interface ConfigWord {
  readonly at: number;
  readonly data: bigint;
}
const flag = (b: boolean, at: number): bigint => (b ? 1n << BigInt(at) : 0n);
const field = (n: number | bigint, at: number): bigint => BigInt(n) << BigInt(at);

/** Lowest bits of the fields of a load balancer's bucket. */
export const balancerRow = { mac: 0, user: 48, valid: 54 } as const;
export interface Bucket {
  readonly valid: boolean;
  readonly user: number;
  readonly mac: bigint;
}
export const bucketWord = (at: number, b: Bucket): ConfigWord => ({
  at,
  data: flag(b.valid, balancerRow.valid) | field(b.user, balancerRow.user) | field(b.mac, balancerRow.mac),
});

/** Ethernet, IPv4, UDP and VXLAN header: what stands in front of the inner frame (RFC 7348). */
export const tunnelBytes = 50;
export const tunnelPort = 4789;
/** Lowest bits of the fields of a tunnel's row. */
export const tunnelRow = { vni: 0, bytes: 24, user: 31, opens: 37, valid: 38 } as const;
export interface TunnelRow {
  readonly valid: boolean;
  readonly user: number;
  /** It takes frames out of the tunnel; else it puts the template of its number in front. */
  readonly opens: boolean;
  /** Bytes of that template. */
  readonly bytes: number;
  /** The network of what it opens. */
  readonly vni: number;
}
export const tunnelWord = (at: number, r: TunnelRow): ConfigWord => ({
  at,
  data:
    flag(r.valid, tunnelRow.valid) |
    flag(r.opens, tunnelRow.opens) |
    field(r.user, tunnelRow.user) |
    field(r.bytes, tunnelRow.bytes) |
    field(r.vni, tunnelRow.vni),
});

/** Rules of a firewall, in tables of as many as a configuration word has bits. */
export const firewallRules = 256;
export const firewallTableRules = 64;
/** What its rules look at: user, two addresses, protocol, two ports, and whether it has ports. */
export const firewallKeyBits = 6 + 32 + 32 + 8 + 16 + 16 + 1;
export const firewallChunks = ternaryChunks(firewallKeyBits);
/** Bits of a place: address of a word, chunk, table; above them which of these a write is for. */
export const firewallPlace = { address: 0, chunk: ternaryChunkBits, table: ternaryChunkBits + 5, kind: 12 } as const;
/** Kinds of writes: words of a table, rules that count, and rules that drop, a bit each. */
export const firewallKinds = { words: 0, enabled: 1, drops: 2 } as const;
export interface FirewallKey {
  readonly user: number;
  readonly src: number;
  readonly dst: number;
  readonly protocol: number;
  /** 0 of a packet without. */
  readonly srcPort: number;
  readonly dstPort: number;
  readonly hasPorts: number;
}
export const firewallKey = (k: FirewallKey): bigint =>
  [
    [6, k.user],
    [32, k.src],
    [32, k.dst],
    [8, k.protocol],
    [16, k.srcPort],
    [16, k.dstPort],
    [1, k.hasPorts],
  ].reduce((key, [bits, v]) => (key << BigInt(bits ?? 0)) | BigInt(v ?? 0), 0n);
/** A rule; `user` and the rest of its key are in value and mask. */
export interface FirewallRule extends Ternary {
  readonly enabled: boolean;
  readonly drops: boolean;
}
/** The words that put these rules into one table of 64, which is off meanwhile. */
export function firewallWords(table: number, rules: readonly (FirewallRule | undefined)[]): readonly ConfigWord[] {
  const place = (kind: keyof typeof firewallKinds, chunk = 0, address = 0): number =>
    (firewallKinds[kind] << firewallPlace.kind) |
    (table << firewallPlace.table) |
    (chunk << firewallPlace.chunk) |
    (address << firewallPlace.address);
  const bits = (has: (r: FirewallRule) => boolean): bigint =>
    rules.reduce((m, r, i) => (r && has(r) ? m | (1n << BigInt(i)) : m), 0n);
  return [
    { at: place("enabled"), data: 0n },
    ...ternaryWords(rules, firewallKeyBits).flatMap((words, chunk) =>
      words.map((data, address) => ({ at: place("words", chunk, address), data })),
    ),
    { at: place("drops"), data: bits(r => r.drops) },
    { at: place("enabled"), data: bits(r => r.enabled) },
  ];
}
