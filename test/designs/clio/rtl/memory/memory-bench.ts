/** Common part of the benches of the memory-access blocks: parameters, and requests with the places of their bytes. */
import type { AccessReadParameters } from "../../../../../designs/clio/rtl/memory/access-read.ts";
import type { AccessWriteParameters } from "../../../../../designs/clio/rtl/memory/access-write.ts";
import { dataOffset, replyWord, type Translated } from "../../../../../designs/clio/rtl/records/records.ts";
import type { AxiPorts, InputOf, Random } from "../../../../../sim/index.ts";

export type Parameters = AccessReadParameters & AccessWriteParameters;
export const widths = (beatBytes: number, pageShift: number, frameBytes = 1536): Parameters => ({
  beatBytes,
  pageShift,
  frameBytes,
  addressBits: 31,
  ppnBits: 31 - pageShift,
  pagesPerRequest: 1 + Math.ceil((frameBytes - dataOffset - 1) / 2 ** pageShift),
  idBits: 5,
  slots: 64,
  outstanding: 32,
  dataBeats: 32,
});
export const configurations: readonly Parameters[] = [
  ...[8, 16, 32, 64].flatMap(b => [widths(b, 12), widths(b, 22)]),
  widths(64, 12, 9018),
  widths(8, 12, 9018),
];
export const nameOf = (p: Parameters): string =>
  `${p.beatBytes * 8} bits, pages of 2^${p.pageShift}, frames of ${p.frameBytes}`;

export interface Request {
  readonly slot: number;
  readonly offset: number;
  readonly length: number;
  readonly silent: boolean;
  readonly ppns: readonly number[];
  readonly bytes: Uint8Array;
  readonly opcode: number;
  /** A pointer led to it. */
  readonly indirect: boolean;
}
/** A part of a request that lies together in physical memory: `from` is its first byte in the request. */
export interface Piece {
  readonly address: number;
  readonly from: number;
  readonly length: number;
}

export const value = (r: Request, p: Parameters, write: boolean): InputOf<ReturnType<typeof Translated>> => ({
  slot: r.slot,
  offset: r.offset,
  length: r.length,
  write: write ? 1 : 0,
  silent: r.silent ? 1 : 0,
  replyOpcode: r.opcode,
  op: 0,
  indirect: r.indirect ? 1 : 0,
  ppns: r.ppns.reduce((all, n, i) => all | (BigInt(n) << BigInt(i * p.ppnBits)), 0n),
});

/** Use of the word kept for a reply's slot. */
export const wordUse = (r: Request): number => (r.indirect ? replyWord.address : replyWord.none);

/** Cuts a request where `window` bytes end (a page, or what a burst may not cross). */
export function pieces(r: Request, p: Parameters, window = 2 ** p.pageShift): Piece[] {
  const out: Piece[] = [];
  for (let from = 0; from < r.length;) {
    const at = r.offset + from,
      length = Math.min(window - (at % window), r.length - from);
    out.push({
      address: (r.ppns[at >> p.pageShift] as number) * 2 ** p.pageShift + (at % 2 ** p.pageShift),
      from,
      length,
    });
    from += length;
  }
  return out;
}
/** Addresses that answer with an error. */
export interface Bad {
  readonly from: number;
  readonly to: number;
  readonly response?: "SLVERR" | "DECERR";
}
export const wholePage = (p: Parameters, page: number): readonly Bad[] => [
  { from: page * 2 ** p.pageShift, to: (page + 1) * 2 ** p.pageShift },
];
/** Whether a whole beat of a piece touches one of them. */
const touches = (x: Piece, p: Parameters, bad: readonly Bad[]): boolean => {
  const low = Math.floor(x.address / p.beatBytes) * p.beatBytes,
    high = Math.ceil((x.address + x.length) / p.beatBytes) * p.beatBytes;
  return bad.some(range => low < range.to && range.from < high);
};
/** Whether a beat that is read for a request answers with an error. */
export const readsBad = (r: Request, p: Parameters, bad: readonly Bad[]): boolean =>
  pieces(r, p).some(x => touches(x, p, bad));
/** Whether a burst of writes is answered with an error: nothing of it is stored. */
export const writesBad = touches;
/** Places of which the memory reports errors: single bytes to a few beats, in the pages that requests go to. */
export const badPlaces = (random: Random, p: Parameters, pages: readonly number[], count: number): Bad[] =>
  Array.from({ length: count }, () => {
    const page = random.pick(pages),
      from = page * 2 ** p.pageShift + random.pick([random.between(0, 8191), random.between(3900, 4200)]);
    return {
      from,
      to: from + random.pick([1, random.between(1, 4 * p.beatBytes)]),
      response: random.pick(["SLVERR", "DECERR"] as const),
    };
  });

/** AXI bursts that a request takes: none crosses 4 KB or 256 beats. */
export const burstPieces = (r: Request, p: Parameters): readonly Piece[] =>
  pieces(r, p, Math.min(4096, 256 * p.beatBytes));
export const burstsOf = (r: Request, p: Parameters): number => burstPieces(r, p).length;
export const memoryBeats = (r: Request, p: Parameters): number =>
  Math.ceil(((r.offset % p.beatBytes) + r.length) / p.beatBytes);
/** Beats of the frame from the one that holds the data's first byte. */
export const frameBeats = (r: { readonly length: number }, p: Parameters): number =>
  Math.ceil(((dataOffset % p.beatBytes) + r.length) / p.beatBytes);

/** Random requests on a few pages: often at the end of a page or of 4 KB, of any length that a frame holds. */
export function randomRequest(random: Random, p: Parameters, pages: readonly number[]): Request {
  const page = 2 ** p.pageShift,
    longest = p.frameBytes - dataOffset;
  const length = random.pick([
    random.between(1, 8),
    random.between(1, 4 * p.beatBytes),
    random.between(1, longest),
    longest,
  ]);
  const near =
    random.pick([page, 4096 * random.between(1, page / 4096), 2048]) - random.between(1, Math.min(length + 8, 2048));
  const offset = random.pick([near, near, random.between(0, page - 1), random.between(0, 3) * p.beatBytes]);
  return {
    slot: random.between(0, p.slots - 1),
    offset,
    length,
    indirect: random.chance(0.2),
    silent: random.chance(0.25),
    opcode: random.between(0, 255),
    ppns: Array.from({ length: p.pagesPerRequest }, () => random.pick(pages)),
    bytes: random.bytes(length),
  };
}

/** A signal without a connection. */
const idle = (width: number) => ({ name: "idle", width, value: 0, num: 0, big: 0n, bytes: new Uint8Array(width / 8) });
const idleChannel = (fields: readonly string[], width = 8) => ({
  valid: idle(1),
  ready: idle(1),
  payload: Object.fromEntries(fields.map(f => [f, idle(f === "data" ? width : width / 8)])),
});
const addressFields = ["addr", "id", "len", "size", "burst"];
/** An AXI4 port of which only the write channels, or only the read channels, are there. */
export const writePorts = (io: Pick<AxiPorts, "aw" | "w" | "b">): AxiPorts =>
  ({
    aw: io.aw,
    w: io.w,
    b: io.b,
    ar: idleChannel(addressFields),
    r: idleChannel(["data", "id", "resp", "last"], io.w.payload.data.width),
  }) as unknown as AxiPorts;
export const readPorts = (io: Pick<AxiPorts, "ar" | "r">): AxiPorts =>
  ({
    ar: io.ar,
    r: io.r,
    aw: idleChannel(addressFields),
    w: idleChannel(["data", "strb", "last"], io.r.payload.data.width),
    b: idleChannel(["id", "resp"]),
  }) as unknown as AxiPorts;

export const toBig = (bytes: Uint8Array): bigint =>
  bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
