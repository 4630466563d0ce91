import { type KeyedBit, toeplitzBits } from "../../hash/index.ts";
import { powersOfX, primitivePolynomial } from "./polynomial.ts";

/**
 * Page table entries of a bucket, and their bytes: one bucket is one 512-bit beat, so a translation is ONE memory
 * access (paper §4.4.2). The shape is no parameter: with it the walk, the audits and the memory's bursts would all
 * change, and no design asks for another.
 */
export const bucketSlots = 8;
export const entryBytes = 8;
export const bucketBytes = bucketSlots * entryBytes;

/** A table whose parts do not fit: one sentence naming the fields. */
export class TableError extends Error {
  override readonly name = "TableError";
}

/**
 * Bit `to` of the mixed word is the exclusive or of the bits `from` of the word (pid above vpn), and of those of
 * `keyed` that the key selects. Bits without a step stay as they are.
 */
export interface MixingStep {
  readonly op: "parity";
  readonly to: number;
  readonly from: readonly number[];
  readonly keyed: readonly KeyedBit[];
}

/** A field of a page table entry. */
export interface EntryField {
  readonly name: "valid" | "allocated" | "read" | "write" | "tag" | "ppn";
  readonly lsb: number;
  readonly width: number;
}

export interface TableGeometry {
  readonly vaBits: number;
  readonly pidBits: number;
  readonly pageShift: number;
  readonly vpnBits: number;
  readonly ppnBits: number;
  /** Bits of the word that is mixed: pid in the upper bits, vpn below. */
  readonly wordBits: number;
  /** The mixed word's low bits are the bucket index, the rest is the tag. */
  readonly indexBits: number;
  readonly tagBits: number;
  readonly buckets: number;
  readonly slots: number;
  /** Bytes from the start of physical memory, where the table lies. */
  readonly tableBase: number;
  readonly tableBytes: number;
  readonly physicalPages: number;
  /** Frames below this one hold the table. */
  readonly firstPpn: number;
  readonly usablePages: number;
  /** The whole mixing, as data: RTL and software both read this list. */
  readonly mixing: readonly MixingStep[];
  readonly entry: readonly EntryField[];
  /** Bits of an entry that are used, of 64. */
  readonly entryBits: number;
}

/** How processes address memory: one choice for all of a design. */
export interface AddressSpace {
  /** Bits of a virtual address, and of a process ID. */
  readonly vaBits: number;
  readonly pidBits: number;
}
export interface TableParameters extends AddressSpace {
  /** Bytes, a power of two. */
  readonly pageSize: number;
  /** Bytes, a power of two. */
  readonly physicalMemory: number;
  /** Table slots per physical page, a power of two. */
  readonly slotsFactor: number;
}

function log2(field: string, value: number): number {
  const n = Math.log2(value);
  if (!Number.isInteger(n))
    throw new TableError(`${field} = ${value} is not a power of two; the nearest is ${2 ** Math.round(n)}`);
  return n;
}

/**
 * The mixing of (pid, vpn) into bucket index and tag. The word is taken as a polynomial over GF(2); the index is its
 * residue modulo a primitive polynomial of degree `indexBits`, the tag the bits above. So:
 * - it is invertible (the residue's low bits are the word's low bits plus a function of the tag alone);
 * - any run of 2^j consecutive vpns, pids or regions that starts on a multiple of 2^j, j <= indexBits, goes to
 *   2^j different buckets;
 * - a bit is the parity of about half the word's bits: two levels of 6-input LUTs.
 *
 * A Toeplitz hash of the bits above the index is added, by a secret key. So nobody who lacks the key can choose pages
 * of one bucket: two pages of one tag never meet, two of different tags do with probability 1 / buckets. Pages that
 * follow one another keep apart under every key; pids and regions do under key 0, which adds nothing.
 */
function mixingSteps(indexBits: number, wordBits: number): MixingStep[] {
  const powers = powersOfX(wordBits, primitivePolynomial(indexBits), indexBits);
  const above = Array.from({ length: wordBits - indexBits }, (_, i) => indexBits + i),
    keyed = toeplitzBits(indexBits, above);
  return Array.from({ length: indexBits }, (_, to) => ({
    op: "parity" as const,
    to,
    from: powers.flatMap((x, bit) => ((x >> BigInt(to)) & 1n ? [bit] : [])),
    keyed: keyed[to] ?? [],
  }));
}

/**
 * Everything about the page table that follows from the configuration (paper §4.4.2, wire-format.md "Page table
 * entry and bucket").
 * @throws TableError when a size is not a power of two, a page fills the address space, no frame is left beside the
 * table, or an entry does not fit 64 bits.
 */
export function tableGeometry({
  pageSize,
  physicalMemory,
  slotsFactor,
  vaBits,
  pidBits,
}: TableParameters): TableGeometry {
  const pageShift = log2("pageSize", pageSize),
    memoryBits = log2("physicalMemory", physicalMemory);
  log2("slotsFactor", slotsFactor);
  const vpnBits = vaBits - pageShift,
    physicalPages = 2 ** (memoryBits - pageShift);
  if (physicalPages < 2) {
    throw new TableError(
      `physicalMemory = ${physicalMemory} holds no page of pageSize = ${pageSize} beside the page table; the least physicalMemory is ${2 * pageSize}`,
    );
  }
  if (vpnBits < 1) {
    throw new TableError(
      `vaBits = ${vaBits} has room for no page beside that of pageSize = ${pageSize}; the least vaBits is ${pageShift + 1}`,
    );
  }
  const ppnBits = memoryBits - pageShift;
  // At least two buckets, so that the index has a bit.
  const buckets = Math.max(2, (physicalPages * slotsFactor) / bucketSlots),
    indexBits = Math.log2(buckets);
  const wordBits = pidBits + vpnBits,
    tagBits = wordBits - indexBits;
  const tableBytes = buckets * bucketBytes,
    firstPpn = Math.ceil(tableBytes / pageSize),
    usablePages = physicalPages - firstPpn;
  const widths = [
    ["valid", 1],
    ["allocated", 1],
    ["read", 1],
    ["write", 1],
    ["tag", tagBits],
    ["ppn", ppnBits],
  ] as const;
  let lsb = 0;
  const entry = widths.map(([name, width]): EntryField => {
    const field = { name, lsb, width };
    lsb += width;
    return field;
  });
  if (tagBits < 1 || lsb > 64) {
    throw new TableError(
      `a page table entry of pageSize = ${pageSize}, physicalMemory = ${physicalMemory} and slotsFactor = ${slotsFactor} needs ${lsb} bits (tag ${tagBits}, ppn ${ppnBits}), ${
        bucketBytes
      } bytes a bucket leave 64; a slotsFactor of ${slotsFactor * 2 ** Math.max(1, lsb - 64)} would fit`,
    );
  }
  if (usablePages < 1) {
    throw new TableError(
      `slotsFactor = ${slotsFactor} makes a page table of ${tableBytes} bytes that fills physicalMemory = ${physicalMemory}; halve slotsFactor or double physicalMemory`,
    );
  }
  return {
    vaBits,
    pidBits,
    pageShift,
    vpnBits,
    ppnBits,
    wordBits,
    indexBits,
    tagBits,
    buckets,
    slots: buckets * bucketSlots,
    tableBase: 0,
    tableBytes,
    physicalPages,
    firstPpn,
    usablePages,
    mixing: mixingSteps(indexBits, wordBits),
    entry,
    entryBits: lsb,
  };
}
