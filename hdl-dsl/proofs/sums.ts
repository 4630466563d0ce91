/** Check sums taken many bits at a time: the same as their definitions bit by bit, or number by number. */
import { input, output } from "../types/ports.ts";
import { uint } from "../types/shape.ts";
import type { UInt } from "../types/value.ts";
import { module } from "../build/module.ts";
import { assertAlways, cover, mux } from "../build/statements.ts";
import { constant } from "../build/value.ts";
import { crc32Next, onesAdd } from "../lib/index.ts";
import type { Proof } from "./harness/proof.ts";

const BITS = 12;

/**
 * IEEE 802.3, 3.2.9, as a shift register: the lowest bit goes out, and with the data's bit decides whether the
 * polynomial comes in.
 */
const crcHarness = module(
  "Crc32NextProof",
  () => ({ crc: input(uint(32)), data: input(uint(BITS)), next: output(uint(32)) }),
  io => {
    io.next.set(crc32Next(io.crc, io.data));
    let serial: UInt<32> = io.crc;
    for (let i = 0; i < BITS; i++) {
      const shifted = serial.shr(1);
      serial = mux(serial.bit(0).xor(io.data.bit(i)), shifted.xor(constant(0xedb88320, 32)), shifted);
    }
    for (let i = 0; i < 32; i++)
      assertAlways(io.next.bit(i).eq(serial.bit(i)), `bit ${i} is that of ${BITS} single steps`);
    cover(io.next.eq(0), "a register of 0");
    cover(io.next.eq(0xdebb20e3), "the register after a frame with its own CRC");
  },
);

/** RFC 1071: addition modulo 2^16 - 1, where a sum of 0 comes of zeros only. */
const sumHarness = module(
  "OnesAddProof",
  () => ({ a: input(uint(16)), b: input(uint(16)), sum: output(uint(16)) }),
  io => {
    io.sum.set(onesAdd(io.a, io.b));
    const whole = io.a.addGrow(io.b),
      most = 0xffff;
    assertAlways(
      mux(whole.gt(most), io.sum.zext(17).add(most).eq(whole), io.sum.zext(17).eq(whole)),
      "the sum, or the sum less 2^16 - 1",
    );
    assertAlways(io.sum.ne(0).or(io.a.or(io.b).eq(0)), "0 comes of zeros only");
    assertAlways(onesAdd(io.b, io.a).eq(io.sum), "the order does not matter");
    cover(io.a.eq(most).and(io.b.eq(most)), "both numbers are all ones");
    cover(whole.gt(most), "a carry comes in again");
  },
);

export const sumProofs: readonly Proof[] = [
  {
    module: `crc32Next, ${BITS} bits at a time`,
    harness: crcHarness(),
    faults: [{ what: "one parity leaves out a bit", from: "44'h4d0000104d", to: "44'h4d0000104c" }],
  },
  {
    module: "onesAdd, 16 bits",
    harness: sumHarness(),
    faults: [{ what: "the carry is lost", from: /\+ \{15'd0, ([a-z_]+)\[16\]\}/, to: "+ {15'd0, $1[15]}" }],
  },
];
