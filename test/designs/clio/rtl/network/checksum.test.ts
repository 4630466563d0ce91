import { describe, expect, test } from "vitest";
import { bench } from "../../../../bench.ts";
import { checksumIsRight } from "../../../../../designs/clio/rtl/network/net-rx/checksum.ts";
import { frameOffsets } from "../../../../../designs/clio/wire/index.ts";
import { bit, cat, constant, input, module, output, uint } from "../../../../../hdl-dsl/index.ts";
import { type Bench, runBench } from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";

const words = 10,
  full = 0xffff;
const Checked = module(
  "Checked",
  () => ({ header: input(uint(words * 16)), right: output(bit) }),
  io => {
    io.right.set(checksumIsRight(cat(io.header, constant(0, frameOffsets.network * 8))));
  },
);
const checked = Checked();

async function checks(b: Bench<(typeof checked)["ports"]>): Promise<void> {
  let right = 0;
  const look = async (header: readonly number[]): Promise<void> => {
    const bytes = header.flatMap(w => [w >> 8, w & 255]);
    b.io.header.value = bytes.reduceRight((v, byte) => (v << 8n) | BigInt(byte), 0n);
    await b.cycles(1);
    const sum = header.reduce((s, w) => s + w, 0),
      want = sum > 0 && sum % full === 0;
    right += want ? 1 : 0;
    expect(b.io.right.value, `${header.join(" ")} of sum ${sum}`).toBe(want ? 1 : 0);
  };
  const all = Array.from({ length: words }, (_, i) => i);
  // Every multiple that there is, in every order of full words and none; and the same but for one.
  for (let set = 0; set < 2 ** words; set++) await look(all.map(i => ((set >> i) & 1) * full));
  for (let n = 0; n < 400; n++) {
    const some = all.map(() => b.random.below(b.random.chance(0.3) ? 4 : full + 1)),
      place = b.random.below(words),
      rest = some.reduce((s, w, i) => (i === place ? s : s + w), 0);
    const fits = full - (rest % full);
    for (const w of [fits, fits - 1, (fits + 1) & full, fits ^ (1 << b.random.below(16))])
      await look(some.map((v, i) => (i === place ? w : v)));
  }
  expect(right).toBeGreaterThan(1000);
}

describe("the checksum of a header", () => {
  bench("is right when the words add up to a multiple of 65535", checked, {}, checks);
  describe("a planted fault is found", () => {
    test.each([
      [
        "a carry out of the highest place is lost",
        /sum_joined_twos = \{.*\};/,
        "sum_joined_twos = {sum_joined_twos_xor[14:0], 1'b0};",
      ],
      [
        "two places' carries go one place",
        /sum_first_fours = \{.*\};/,
        "sum_first_fours = {sum_first_fours_or[14:0], sum_first_fours_or[15]};",
      ],
      ["the last word is not looked at", /sum_joined_ones = [^;]*;/, "sum_joined_ones = sum_joined_both_xor;"],
      ["zeros are right", /sum_right = [^;]*;/, "sum_right = (&(sum_ones ^ sum_twos)) | ~(|(sum_ones | sum_twos));"],
    ] as const)("%s", (_name, from, to) =>
      findsFault(runBench("checked", plant(checked, from, to), { wave: false, limitCycles: 9000 }, checks), /of sum/),
    );
  });
});
