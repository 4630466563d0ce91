/** Frames as bytes, and what a filter does with them: written from the rules' words, byte by byte. */
import type { Random } from "mnemosyne/sim";

export interface Rule {
  enabled: number;
  drop: number;
  source: number;
  sourceMask: number;
  destination: number;
  destinationMask: number;
  anyProtocol: number;
  protocol: number;
  low: number;
  high: number;
}

const at = (frame: Uint8Array, from: number, bytes: number): number =>
  Array.from(frame.slice(from, from + bytes)).reduce((v, b) => v * 256 + b, 0);

function matches(frame: Uint8Array, r: Rule): boolean {
  if (r.enabled === 0 || frame.length < 38 || at(frame, 12, 2) !== 0x800 || frame[14] !== 0x45) return false;
  const protocol = at(frame, 23, 1),
    later = at(frame, 20, 2) % 0x2000 !== 0,
    port = (protocol === 6 || protocol === 17) && !later ? at(frame, 36, 2) : 0;
  return (
    ((at(frame, 26, 4) ^ r.source) & r.sourceMask) === 0 &&
    ((at(frame, 30, 4) ^ r.destination) & r.destinationMask) === 0 &&
    (r.anyProtocol === 1 || protocol === r.protocol) &&
    r.low <= port &&
    port <= r.high
  );
}

export function passes(frame: Uint8Array, rules: readonly Rule[], otherwise: "pass" | "drop"): boolean {
  const first = rules.find(r => matches(frame, r));
  return first === undefined ? otherwise === "pass" : first.drop === 0;
}

/** Few values for each field, so that rules and frames meet often. */
const addresses = [0x0a000001, 0x0a000002, 0x0a0000ff, 0xc0a80101, 0xffffffff],
  masks = [0, 0xffffffff, 0xffffff00, 0xff000000, 1],
  protocols = [1, 6, 17, 47],
  ports = [0, 1, 80, 443, 65535];

export function randomRule(random: Random): Rule {
  const low = random.pick(ports);
  return {
    enabled: Number(random.chance(0.8)),
    drop: random.below(2),
    source: random.pick(addresses),
    sourceMask: random.pick(masks),
    destination: random.pick(addresses),
    destinationMask: random.pick(masks),
    anyProtocol: random.below(2),
    protocol: random.pick(protocols),
    low,
    high: random.chance(0.7) ? 65535 : low,
  };
}

/** Mostly IPv4; of any length from 1 byte on, so that some end before what rules ask for. */
export function randomFrame(random: Random): Uint8Array {
  const frame = random.bytes(random.pick([random.between(1, 50), 36, 37, 38, 39, 40, 41, random.between(60, 140)]));
  const put = (from: number, value: number, bytes: number): void => {
    for (let i = 0; i < bytes; i++)
      if (from + i < frame.length) frame[from + i] = Math.floor(value / 256 ** (bytes - 1 - i)) % 256;
  };
  put(12, random.chance(0.9) ? 0x800 : random.pick([0x806, 0x801, 0x900]), 2);
  put(14, random.chance(0.9) ? 0x45 : random.pick([0x46, 0x65, 0x05]), 1);
  put(20, random.chance(0.8) ? random.pick([0, 0x2000, 0x4000]) : random.between(1, 0xffff), 2);
  put(23, random.pick(protocols), 1);
  put(26, random.pick(addresses), 4);
  put(30, random.pick(addresses), 4);
  put(36, random.pick(ports), 2);
  return frame;
}
