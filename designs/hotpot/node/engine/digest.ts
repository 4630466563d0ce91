/** CRC-32 of beats as they pass: each is kept for a cycle, so that the parities stand alone in theirs. */
import { bit, constant, crc32Next, node, reg, uint, type UInt, when } from "../../../../hdl-dsl/index.ts";
import { lineBits } from "./types.ts";

const ones = constant(0xffff_ffff, 32);

/** `result` is there two cycles after the last `feed`. */
export function digestOf() {
  const crc = reg(uint(32), { name: "crc" }),
    fed = reg(uint(lineBits), { name: "crc_fed" }),
    full = reg(bit, { init: 0, name: "crc_full" });
  full.set(0);
  when(full, () => crc.set(crc32Next(crc, fed)));
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
