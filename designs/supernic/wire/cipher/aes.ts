/** AES as numbers (FIPS-197): its table of bytes, and how counters and rows of keys are laid out for its tasks. */

/** Keys that a task has. */
export const aesKeys = 64;
/** Rounds of AES-256; AES-128 has four fewer. */
export const aesRounds = 14;
export const aesShortRounds = 10;
/** Bytes of a block. */
export const aesBlockBytes = 16;

/** Twice a byte, modulo x^8 + x^4 + x^3 + x + 1. */
export const aesDouble = (b: number): number => ((b << 1) ^ ((b & 0x80) === 0 ? 0 : 0x11b)) & 0xff;
function product(a: number, b: number): number {
  let sum = 0;
  for (let i = 0, x = a; i < 8; i++, x = aesDouble(x)) if ((b >> i) & 1) sum ^= x;
  return sum;
}
/** a^254 is the inverse, and 0 of 0. */
function inverse(a: number): number {
  let p = 1;
  for (let i = 0; i < 254; i++) p = product(p, a);
  return p;
}
const rotated = (b: number, by: number): number => ((b << by) | (b >> (8 - by))) & 0xff;
/** SubBytes: the inverse, and an affine map of its bits. */
export const aesSbox: readonly number[] = Array.from({ length: 256 }, (_, a) => {
  const b = inverse(a);
  return b ^ rotated(b, 1) ^ rotated(b, 2) ^ rotated(b, 3) ^ rotated(b, 4) ^ 0x63;
});

/** Parts of a row's configuration, each a word: four of its key, the row itself, and two MACs of one that decrypts. */
export const aesParts = { key: 0, row: 4, destination: 5, source: 6 } as const;
const partBits = 3;
export const aesPlace = { part: 0, row: partBits, launch: aesKeys << partBits } as const;
/** Lowest bits of the fields of a row. */
export const aesRow = { number: 0, user: 32, bytes: 38, template: 45, short: 53, valid: 54 } as const;
export interface AesRow {
  readonly valid: boolean;
  /** The key's number, as frames name it. */
  readonly number: number;
  readonly user: number;
  /** 16 bytes or 32. */
  readonly key: Uint8Array;
  /** Template that goes in front of what is encrypted, and its bytes. */
  readonly template?: number;
  readonly frontBytes?: number;
  /** MACs of what is decrypted. */
  readonly destination?: bigint;
  readonly source?: bigint;
}
/** Bits of a counter's fields: sNIC, launch, and the number of the packet. Together with the key's number a nonce. */
export const aesCounterBits = { snic: 4, launch: 24, number: 36 } as const;
/** Bytes of a nonce. */
export const aesNonceBytes = 12;

/** The words of a row; the row itself last, which begins the key's expansion. */
export function aesRowWords(at: number, r: AesRow): { readonly at: number; readonly data: bigint }[] {
  const place = (part: number): number => (at << aesPlace.row) | part,
    long = new Uint8Array(32);
  long.set(r.key);
  const view = new DataView(long.buffer),
    field = (n: number | bigint, bit: number): bigint => BigInt(n) << BigInt(bit);
  return [
    ...[0, 1, 2, 3].map(i => ({ at: place(aesParts.key + i), data: view.getBigUint64(8 * i, true) })),
    { at: place(aesParts.destination), data: r.destination ?? 0n },
    { at: place(aesParts.source), data: r.source ?? 0n },
    {
      at: place(aesParts.row),
      data:
        field(r.number, aesRow.number) |
        field(r.user, aesRow.user) |
        field(r.frontBytes ?? 0, aesRow.bytes) |
        field(r.template ?? 0, aesRow.template) |
        field(r.key.length === 16 ? 1 : 0, aesRow.short) |
        field(r.valid ? 1 : 0, aesRow.valid),
    },
  ];
}
/** A launch: nonces of this sNIC with this number, which no launch before had. */
export const aesLaunchWord = (snic: number, launch: number): { readonly at: number; readonly data: bigint } => ({
  at: aesPlace.launch,
  data: (BigInt(snic) << BigInt(aesCounterBits.launch)) | BigInt(launch),
});

/** Where what is encrypted begins: behind MACs and EtherType. In its place stands the nonce when it is encrypted. */
export const aesFrom = 14;
/** Bytes that leave in front of the nonce, of one that is encrypted and of one that is decrypted. */
export const aesDrops = { encrypt: aesFrom - aesNonceBytes, decrypt: 48 } as const;
/** Bytes in front of an encrypted frame's nonce: Ethernet, IPv4, UDP, and 8 bytes of the tunnel. */
export const aesFrontBytes = aesDrops.encrypt + aesDrops.decrypt;
