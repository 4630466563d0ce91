/** CRC-32 of beats as they pass: the parities of each stand alone in their cycle, and so do those of the CRC so far. */
import { bit, constant, crc32Next, node, reg, uint, type UInt, when } from "../../../../hdl-dsl/index.ts";
import { lineBits } from "./types.ts";

const ones = constant(0xffff_ffff, 32);

/** `result` is there three cycles after the last `feed`, and a `begin` comes no later than the first one. */
export function digestOf() {
  const crc = reg(uint(32), { name: "crc" }),
    fed = reg(uint(lineBits), { name: "crc_fed" }),
    full = reg(bit, { init: 0, name: "crc_full" }),
    parities = reg(uint(32), { name: "crc_parities" }),
    summed = reg(bit, { init: 0, name: "crc_summed" });
  full.set(0);
  summed.set(full);
  // A CRC is linear: what comes of a beat and of all before it is the sum of both.
  parities.set(crc32Next(constant(0, 32), fed));
  when(summed, () => crc.set(crc32Next(crc, constant(0, lineBits)).xor(parities)));
  return {
    result: node(crc.not(), { name: "crc_result" }),
    begin: (): void => crc.set(ones),
    feed: (beat: UInt): void => {
      fed.set(beat.is(lineBits));
      full.set(1);
    },
  };
}
export type Digest = ReturnType<typeof digestOf>;
