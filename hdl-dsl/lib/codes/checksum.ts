import { sink, source } from "../../types/ports.ts";
import { bit, struct, uint } from "../../types/shape.ts";
import type { Bit, UInt } from "../../types/value.ts";
import { reg } from "../../build/declare.ts";
import { module } from "../../build/module.ts";
import { mux, when } from "../../build/statements.ts";
import { cat, constant } from "../../build/value.ts";
import { axisBeat, onlyKept } from "../axi/index.ts";
import { frameDigest } from "./frame-digest.ts";

/** One's complement sum of two 16-bit numbers: the carry comes in again below. */
export function onesAdd(a: UInt, b: UInt): UInt<16> {
  const sum = a.addGrow(b);
  return sum.trunc(16).add(sum.bit(16).zext(16));
}

/** One's complement sum of 16-bit numbers, as a balanced tree. */
function onesSum(words: readonly UInt[]): UInt {
  if (words.length === 1) return words[0] as UInt;
  const half = Math.ceil(words.length / 2);
  return onesAdd(onesSum(words.slice(0, half)), onesSum(words.slice(half)));
}
const swapped = (v: UInt): UInt => cat(v.bits(0, 8), v.bits(8, 8));

/**
 * Internet checksum (RFC 1071) of every frame of an AXI-Stream of `bytes` bytes, any number of 1 or more. The checksum
 * is the complement of the one's complement sum of the frame's 16-bit words, a word's first byte the higher one. A last
 * odd byte counts as followed by 0. Latency 2 cycles from a frame's last beat to its checksum, initiation interval 1
 * beat. Full (a checksum waits and the next frame's last beat is behind it): `from.ready` is 0. Taken and coming in one
 * cycle: both happen. Only a frame's last beat may have `keep` bits of 0.
 */
export const InternetChecksum = module(
  "InternetChecksum",
  (p: { readonly bytes: number }) => ({ from: sink(axisBeat(p.bytes)), to: source(uint(16)) }),
  (io, p) => {
    // With an odd number of lanes every other beat begins in the middle of a word. The bytes of its sum are swapped
    // (RFC 1071, section 2 B).
    let middle: Bit | undefined;
    if (p.bytes % 2 === 1) {
      const odd = reg(bit, { init: 0 });
      when(io.from.fire, () => odd.set(mux(io.from.payload.last, constant(0, 1), odd.not())));
      middle = odd;
    }
    const padded = p.bytes + (p.bytes % 2);
    frameDigest(io.from, io.to, {
      state: uint(16),
      init: 0n,
      partShape: struct({ sum: uint(16) }),
      part: beat => {
        const data = onlyKept(beat.data, beat.keep).zext(8 * padded);
        const sum = onesSum(Array.from({ length: padded / 2 }, (_, i) => swapped(data.bits(16 * i, 16))));
        return { sum: middle === undefined ? sum : mux(middle, swapped(sum), sum) };
      },
      next: (state, part) => onesAdd(state, part.sum),
      result: (state, part) => onesAdd(state, part.sum).not(),
    });
  },
);
