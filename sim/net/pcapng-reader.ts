/** Captures in the pcapng format (IETF draft-ietf-opsawg-pcapng): frames with the interface at which they came. */
import { type CapturedFrame, FCS_BYTES, LINKTYPE_ETHERNET, MOST_BYTES, withoutFcs } from "./pcap-format.ts";
import { CaptureError, readPcap } from "./pcap-reader.ts";

/** A frame of a capture with interfaces. */
export interface InterfaceFrame extends CapturedFrame {
  /** Number of its interface; undefined in a capture that has none. */
  readonly interface?: number;
}
export const pcapngBlock = { section: 0x0a0d0d0a, interface: 1, obsolete: 2, simple: 3, enhanced: 6 } as const;
export const pcapngMagic = 0x1a2b3c4d;
/** The CRC error of a packet's flags (option 2). */
export const crcError = 1 << 24;
/** The bytes of a packet's check sequence in its flags; 0: as its interface says. */
const fcsBytesIn = (flags: number): number => (flags >>> 5) & 15;
/** Options of packets and interfaces that are read, and the bytes of each. */
const options = { end: [0, 0], flags: [2, 4], fcs: [13, 1], resolution: [9, 1], offset: [14, 8] } as const;
type OptionName = keyof typeof options;
/** Bytes of a block's body that must be there. */
const least = { section: 16, interface: 8, simple: 4, enhanced: 20 } as const;

/** How an interface tells time: ticks of a second, counted from so many seconds. */
interface Interface {
  readonly ticks: bigint;
  readonly seconds: bigint;
  readonly snap: number;
  /** Its frames end in their check sequence. */
  readonly hasFcs: boolean;
}
/** A packet as its block tells it. */
interface Packet {
  readonly interface: number;
  readonly timeNs: bigint;
  readonly at: number;
  readonly length: number;
  readonly onLine: number;
  readonly hasFcs: boolean;
  readonly crcError: boolean;
}

class Reader {
  readonly frames: InterfaceFrame[] = [];
  readonly #file: Uint8Array;
  readonly #view: DataView;
  readonly #name: string;
  #little = true;
  /** Interfaces of this section, and the number of the first: sections count on. */
  #interfaces: Interface[] = [];
  #before = 0;

  constructor(file: Uint8Array, name: string) {
    this.#file = file;
    this.#view = new DataView(file.buffer, file.byteOffset, file.byteLength);
    this.#name = name;
  }
  #fail(what: string): never {
    throw new CaptureError(`${this.#name} is damaged: ${what}; capture or copy it again`);
  }
  read(): InterfaceFrame[] {
    for (let at = 0; at < this.#file.length;) {
      const left = this.#file.length - at;
      if (left < 12) this.#fail(at === 0 ? `it has only ${left} bytes` : `${left} bytes stand behind its last block`);
      const type = this.#view.getUint32(at, this.#little);
      if (type === pcapngBlock.section) this.#section(at);
      const length = this.#view.getUint32(at + 4, this.#little);
      if (length < 12 || length % 4 !== 0 || at + length > this.#file.length)
        this.#fail(`a block at byte ${at} claims ${length} bytes`);
      const again = this.#view.getUint32(at + length - 4, this.#little);
      if (again !== length) this.#fail(`a block at byte ${at} claims ${length} bytes, and ${again} at its end`);
      this.#block(type, at + 8, at + length - 4);
      at += length;
    }
    return this.frames;
  }
  #section(at: number): void {
    const magic = this.#view.getUint32(at + 8, true);
    this.#little = magic === pcapngMagic;
    if (!this.#little && this.#view.getUint32(at + 8, false) !== pcapngMagic)
      this.#fail(`its section begins with 0x${magic.toString(16)}`);
    this.#before += this.#interfaces.length;
    this.#interfaces = [];
  }
  #block(type: number, from: number, to: number): void {
    for (const [kind, bytes] of Object.entries(least))
      if (type === pcapngBlock[kind as keyof typeof least] && to - from < bytes)
        this.#fail(
          `${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind} block behind frame ${this.frames.length} has ${to - from} of its ${bytes} bytes`,
        );
    if (type === pcapngBlock.obsolete)
      throw new CaptureError(
        `${this.#name} has frames in packet blocks, which are obsolete; convert it: editcap ${this.#name} converted.pcapng`,
      );
    if (type === pcapngBlock.interface) this.#interface(from, to);
    if (type === pcapngBlock.enhanced) this.#enhanced(from, to);
    if (type === pcapngBlock.simple) this.#simple(from, to);
  }
  #interface(from: number, to: number): void {
    const link = this.#view.getUint16(from, this.#little);
    if (link !== LINKTYPE_ETHERNET)
      throw new CaptureError(
        `${this.#name} holds frames of link type ${link}, not Ethernet (1); capture on an Ethernet interface`,
      );
    const at = this.#option(from + 8, to, "resolution"),
      since = this.#option(from + 8, to, "offset"),
      code = at === undefined ? 6 : (this.#file[at] ?? 6);
    this.#interfaces.push({
      ticks: code & 0x80 ? 2n ** BigInt(code & 0x7f) : 10n ** BigInt(code),
      seconds: since === undefined ? 0n : this.#view.getBigInt64(since, this.#little),
      snap: this.#view.getUint32(from + 4, this.#little),
      hasFcs: this.#hasFcs(from + 8, to),
    });
  }
  /** The draft counts a check sequence in bits, Wireshark in bytes: either way Ethernet's can be told. */
  #hasFcs(from: number, to: number): boolean {
    const at = this.#option(from, to, "fcs"),
      told = at === undefined ? 0 : (this.#file[at] ?? 0);
    if (![0, FCS_BYTES, 8 * FCS_BYTES].includes(told))
      throw new CaptureError(
        `${this.#name}: interface ${this.#before + this.#interfaces.length} has if_fcslen = ${told}, and Ethernet's is 32 bits, 4 bytes, or 0 for none; capture it again without check sequences`,
      );
    return told !== 0;
  }
  /** Where the value of an option stands, if it is there. */
  #option(from: number, to: number, wanted: OptionName): number | undefined {
    const [number, bytes] = options[wanted];
    for (let at = from; at + 4 <= to;) {
      const code = this.#view.getUint16(at, this.#little),
        length = this.#view.getUint16(at + 2, this.#little);
      if (code === options.end[0]) return undefined;
      if (code === number && (length !== bytes || at + 4 + length > to))
        this.#fail(`an option at byte ${at} has ${length} bytes, not ${bytes}`);
      if (code === number) return at + 4;
      at += 4 + Math.ceil(length / 4) * 4;
    }
    return undefined;
  }
  #enhanced(from: number, to: number): void {
    const number = this.#view.getUint32(from, this.#little),
      of = this.#interfaces[number];
    if (of === undefined) this.#fail(`frame ${this.frames.length + 1} is of interface ${number}, which is not told`);
    const time =
      (BigInt(this.#view.getUint32(from + 4, this.#little)) << 32n) |
      BigInt(this.#view.getUint32(from + 8, this.#little));
    const length = this.#view.getUint32(from + 12, this.#little),
      original = this.#view.getUint32(from + 16, this.#little);
    if (length > MOST_BYTES || from + 20 + length > to)
      this.#fail(`frame ${this.frames.length + 1} claims ${length} bytes`);
    const at = this.#option(from + 20 + Math.ceil(length / 4) * 4, to, "flags"),
      flags = at === undefined ? 0 : this.#view.getUint32(at, this.#little);
    const fcs = fcsBytesIn(flags);
    if (fcs !== 0 && fcs !== FCS_BYTES)
      throw new CaptureError(
        `${this.#name}: the flags of frame ${this.frames.length + 1} tell of a check sequence of ${fcs} bytes, and Ethernet's has ${FCS_BYTES}; capture it again without check sequences`,
      );
    this.#add({
      interface: number,
      timeNs: of.seconds * 1_000_000_000n + (time * 1_000_000_000n) / of.ticks,
      at: from + 20,
      length,
      onLine: original,
      hasFcs: of.hasFcs || fcs !== 0,
      crcError: (flags & crcError) !== 0,
    });
  }
  /** Without a time: it came with the one before. */
  #simple(from: number, to: number): void {
    const [only] = this.#interfaces,
      frame = `frame ${this.frames.length + 1}`;
    if (only === undefined) this.#fail(`${frame} is of interface 0, which is not told`);
    const original = this.#view.getUint32(from, this.#little),
      length = only.snap === 0 ? original : Math.min(original, only.snap);
    if (length > MOST_BYTES || from + 4 + length > to) this.#fail(`${frame} claims ${length} bytes`);
    this.#add({
      interface: 0,
      timeNs: this.frames.at(-1)?.timeNs ?? 0n,
      at: from + 4,
      length,
      onLine: original,
      hasFcs: only.hasFcs,
      crcError: false,
    });
  }
  #add(p: Packet): void {
    const record = new Uint8Array(this.#file.subarray(p.at, p.at + p.length)),
      frame = p.hasFcs ? withoutFcs(record, p.onLine) : { bytes: record, originalLength: p.onLine };
    this.frames.push({
      timeNs: p.timeNs,
      ...frame,
      interface: this.#before + p.interface,
      ...(p.crcError && { damaged: true }),
    });
  }
}

/** Reads a capture in either format. @throws CaptureError when it is none, not of Ethernet, or cut short */
export function readCapture(file: Uint8Array, name: string): InterfaceFrame[] {
  const isNg = file.length >= 4 && new DataView(file.buffer, file.byteOffset, 4).getUint32(0) === pcapngBlock.section;
  return isNg ? new Reader(file, name).read() : readPcap(file, name);
}
