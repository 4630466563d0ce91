/** SECDED: any word, any one or two wrong bits. */
import { input, output } from "../../types/ports.ts";
import { bit, uint } from "../../types/shape.ts";
import type { UInt } from "../../types/value.ts";
import { module } from "../../build/module.ts";
import { assertAlways, cover } from "../../build/statements.ts";
import { constant } from "../../build/value.ts";
import { secdedCheckBits, secdedDecode, secdedEncode } from "../../lib/index.ts";
import type { Proof } from "../harness/proof.ts";

const BITS = 11,
  WORD = BITS + secdedCheckBits(BITS);
/** One bit set, or none where the number is beyond the word. */
const at = (n: UInt): UInt => constant(1, WORD).shl(n);
const harness = module(
  "SecdedProof",
  () => ({
    data: input(uint(BITS)),
    one: input(uint(5)),
    other: input(uint(5)),
    read: output(uint(BITS)),
    corrected: output(bit),
  }),
  io => {
    const flips = at(io.one).xor(at(io.other)),
      word = secdedDecode(secdedEncode(io.data).xor(flips), BITS);
    io.read.set(word.data.is(BITS));
    io.corrected.set(word.corrected);
    const none = flips.eq(0),
      single = flips.and(flips.sub(1)).eq(0).andNot(none);
    const right = word.data.eq(io.data);
    assertAlways(none.not().or(right.andNot(word.corrected).andNot(word.uncorrectable)), "a whole word is as it was");
    assertAlways(single.not().or(right.and(word.corrected).andNot(word.uncorrectable)), "one wrong bit is put right");
    assertAlways(none.or(single).or(word.uncorrectable.andNot(word.corrected)), "two wrong bits are told");
    cover(none.or(single).not().and(right), "two wrong checks");
  },
);

export const correctionProof: Proof = {
  module: `secdedDecode, ${BITS} bits`,
  harness: harness(),
  faults: [
    {
      what: "every syndrome counts as one wrong bit",
      from: /wire syndrome_\w*parity = [^;]*;|\^syndrome/,
      to: "|syndrome",
    },
  ],
};
