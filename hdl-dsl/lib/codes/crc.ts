import { sink, source } from "../../types/ports.ts";
import { struct, uint } from "../../types/shape.ts";
import type { UInt } from "../../types/value.ts";
import { module } from "../../build/module.ts";
import { cat, constant } from "../../build/value.ts";
import { axisBeat, lastLane, onlyKept } from "../axi/index.ts";
import { addressBits } from "../../types/bits.ts";
import { frameDigest } from "./frame-digest.ts";
import { linearMap } from "./linear.ts";

/** CRC-32 of IEEE 802.3, bits of a byte lowest first: its polynomial with the bits turned round. */
const reversed = 0xedb88320n;
const all = 0xffffffffn;

/**
 * The register of CRC-32 after the `count` lowest bits of `data`, bit 0 first, from its value `crc`; the same on
 * numbers. Start and end are to be inverted.
 */
export function crc32Step(crc: bigint, data: bigint, count: number): bigint {
  let r = crc;
  for (let i = 0; i < count; i++) r = (r >> 1n) ^ (((r ^ (data >> BigInt(i))) & 1n) * reversed);
  return r;
}

/**
 * The register of CRC-32 after all bits of `data` (any width, bit 0 first) from its value `crc`: one parity per bit.
 * Start and end are to be inverted.
 */
export function crc32Next(crc: UInt<32>, data: UInt): UInt<32> {
  return linearMap(cat(data, crc), 32, x => crc32Step(x & all, x >> 32n, data.width)).is(32);
}

/**
 * CRC-32 (Ethernet's FCS) of every frame of an AXI-Stream of `bytes` bytes, any number of 1 or more. The number goes
 * out as it stands in a frame, its lowest byte first. Latency 2 cycles from a frame's last beat to its CRC, initiation
 * interval 1 beat. Full (a CRC waits and the next frame's last beat is behind it): `from.ready` is 0. Taken and coming
 * in one cycle: both happen. Only a frame's last beat may have `keep` bits of 0.
 */
export const Crc32 = module(
  "Crc32",
  (p: { readonly bytes: number }) => ({ from: sink(axisBeat(p.bytes)), to: source(uint(32)) }),
  (io, p) => {
    const lanes = p.bytes,
      bits = 8 * lanes;
    // By linearity the bytes and the register go through the same map apart. A frame that ends early is moved up to
    // end on the last lane. Zeros before the first byte leave a register of zero alone, and the register's own share
    // is moved alike.
    const through = (v: UInt): UInt => linearMap(v, 32, x => crc32Step(0n, x, bits));
    const up = (v: UInt, last: UInt): UInt =>
      lanes === 1 ? v : v.shl(cat(constant(lanes - 1, last.width).sub(last), constant(0, 3)));
    frameDigest(io.from, io.to, {
      state: uint(32),
      init: all,
      partShape: struct({ crc: uint(32), last: uint(addressBits(lanes)) }),
      part: beat => {
        const last = lastLane(beat.keep);
        return { crc: through(up(onlyKept(beat.data, beat.keep), last)), last };
      },
      next: (state, part) => linearMap(state, 32, x => crc32Step(x, 0n, bits)).xor(part.crc),
      result: (state, part) => {
        const kept = cat(part.last.addGrow(1), constant(0, 3));
        const held = state.resize(bits);
        // The register's bytes that meet bytes of the frame; bytes beyond a short frame stay, shifted down.
        const met =
          lanes === 1
            ? held
            : up(
                held.and(
                  constant((1n << BigInt(bits)) - 1n, bits).shr(
                    cat(constant(lanes - 1, part.last.width).sub(part.last), constant(0, 3)),
                  ),
                ),
                part.last,
              );
        return through(met).xor(state.shr(kept)).xor(part.crc).not();
      },
    });
  },
);
