/** The rules by which a frame is refused, one after the other, on plain bytes. */
import type { Refusal } from "../../wire/index.ts";
import type { JudgedPortKind } from "./judge.ts";

const LINK = 0x88b6,
  SNIC = 0x88b5,
  VLAN = 0x8100,
  MAC_CONTROL = 0x8808,
  INSIDE = 0x6558;

/** A frame whose bytes behind its end read as 0. */
class Bytes {
  readonly #frame: Uint8Array;
  constructor(frame: Uint8Array) {
    this.#frame = frame;
  }
  get length(): number {
    return this.#frame.length;
  }
  byte(at: number): number {
    return this.#frame[at] ?? 0;
  }
  word(at: number): number {
    return this.byte(at) * 256 + this.byte(at + 1);
  }
}

/** Where the shims of a frame stand that begins at `base`; -1: there is none. `end`: its EtherType without them. */
function placesIn(b: Bytes, base: number) {
  let at = base + 12;
  const take = (type: number, bytes: number): number => {
    if (b.word(at) !== type) return -1;
    at += bytes;
    return at - bytes + 2;
  };
  const link = take(LINK, 8),
    vlan = take(VLAN, 4),
    snic = take(SNIC, 8);
  return { link, vlan, snic, end: at };
}

function wrongLink(b: Bytes, at: number, end: number): boolean {
  const kind = b.byte(at) >> 4,
    next = b.word(at + 6);
  if (kind < 1 || kind > 3 || (b.byte(at) & 15) > 7) return true;
  return (kind === 1) === (next === 0) || (end === at + 6 && next === MAC_CONTROL);
}
/** What is wrong with a sNIC shim: version, then the rest but ttl, then ttl. */
function wrongSnic(b: Bytes, at: number): Refusal | undefined {
  const kind = b.byte(at) & 15,
    next = b.word(at + 6);
  if (b.byte(at) >> 4 !== 1) return "version";
  if (kind < 1 || kind > 3 || (b.byte(at + 5) & 0x0e) !== 0 || (kind === 1) === (next === INSIDE)) return "shim";
  return b.byte(at + 1) >> 4 === 0 ? "ttl" : undefined;
}
function wrongInside(b: Bytes, base: number): boolean {
  const { link, snic, end } = placesIn(b, base);
  if (b.length < end + 2 || link >= 0 || [LINK, SNIC, MAC_CONTROL].includes(b.word(end))) return true;
  return snic >= 0 && ((b.byte(snic) & 15) !== 1 || wrongSnic(b, snic) !== undefined);
}
function wrongPfc(b: Bytes, shims: boolean): boolean {
  const address = [0x01, 0x80, 0xc2, 0, 0, 1].every((x, i) => b.byte(i) === x);
  return shims || !address || b.word(14) !== 0x0101 || b.byte(16) !== 0 || b.length < 34;
}

/**
 * The first rule that a frame with a right FCS breaks. Without a port, what every port refuses.
 * @param frameBytes bytes of the longest frame without shims
 */
export function contradiction(
  frame: Uint8Array,
  frameBytes: number,
  port: JudgedPortKind | undefined,
): Refusal | undefined {
  const b = new Bytes(frame),
    { link, vlan, snic, end } = placesIn(b, 0);
  const shims = [link, vlan, snic].some(at => at >= 0),
    off = end - 12,
    encloses = snic >= 0 && [2, 3].includes(b.byte(snic) & 15),
    inside = 14 + off;
  // As hardware measures: the EtherTypes that it finds behind the shims, whatever they say.
  const extra = encloses ? 14 + insideExtra(b, inside) : 0;
  if (frame.length - off > frameBytes + extra) return "long";
  if (frame.length < 14 + off) return "short";
  const pauses = b.word(end) === MAC_CONTROL;
  if (link >= 0 && (wrongLink(b, link, end) || port?.reliable === false)) return "link";
  if (link < 0 && port?.reliable === true && !(pauses && !shims)) return "link";
  const wrong = snic >= 0 ? wrongSnic(b, snic) : undefined;
  if (wrong !== undefined) return wrong;
  if (b.word(end) === LINK || b.word(end) === SNIC) return "order";
  if (encloses && wrongInside(b, inside)) return "enclosed";
  if (pauses && wrongPfc(b, shims)) return "pfc";
  return encloses && port?.peer === false ? "peer" : undefined;
}
/** Bytes of tag and shim of the frame inside. */
function insideExtra(b: Bytes, base: number): number {
  const tagged = b.word(base + 12) === VLAN,
    at = base + 12 + (tagged ? 4 : 0);
  return (tagged ? 4 : 0) + (b.word(at) === SNIC ? 8 : 0);
}
