/** GHASH against the hashes of the GCM specification's test cases, and against the standard's algorithm. */
import { createCipheriv } from "node:crypto";
import { describe, expect, it, test } from "vitest";
import { type Random, runBench } from "../../../../../../sim/index.ts";
import { powerCycles } from "../../../../../../designs/supernic/rtl/tasks/gcm/index.ts";
import { bench } from "../../../../../bench.ts";
import { findsFault, plant } from "../../../../../support/plant.ts";
import { testOfResets } from "../../../../../support/reset-any-time.ts";
import { blockOf, hex } from "../aes/support/aes-rig.ts";
import { GhashRig, GhashUnderTest, hashOf, numeral, someBlocks } from "./support/ghash-rig.ts";

const dut = GhashUnderTest();
const blocksOf = (text: string): Uint8Array[] => {
  const bytes = hex(text);
  return Array.from({ length: Math.ceil(bytes.length / 16) }, (_, i) => {
    const block = new Uint8Array(16);
    block.set(bytes.slice(16 * i, 16 * i + 16));
    return block;
  });
};
const lengths = (a: number, c: number): Uint8Array => {
  const block = new Uint8Array(16),
    view = new DataView(block.buffer);
  view.setUint32(4, 8 * a);
  view.setUint32(12, 8 * c);
  return block;
};
/** Test cases 2, 4 and 16 of the specification of GCM (McGrew, Viega), which became SP 800-38D. */
const cases = [
  {
    h: "66e94bd4ef8a2c3b884cfa59ca342b2e",
    a: "",
    c: "0388dace60b6a392f328c2b971b2fe78",
    hash: "f38cbb1ad69223dcc3457ae5b6b0f885",
  },
  {
    h: "b83b533708bf535d0aa6e52980d53b78",
    a: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
    c: `42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e
      21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091`,
    hash: "698e57f70e6ecc7fd9463b7260a9ae5f",
  },
  {
    h: "acbef20579b4b8ebce889bac8732dad7",
    a: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
    c: `522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
      8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662`,
    hash: "8bd0c4d8aacd391e67cca447e8c38f65",
  },
] as const;
const blocksOfCase = ({ a, c }: (typeof cases)[number]): Uint8Array[] => [
  ...blocksOf(a),
  ...blocksOf(c),
  lengths(hex(a).length, hex(c).length),
];

test("the model is the specification's, and Node's", () => {
  for (const one of cases) expect(hashOf(hex(one.h), blocksOfCase(one)).toString(16)).toBe(one.hash);
  const key = hex("feffe9928665731c6d6a8f9467308308"),
    iv = hex("cafebabefacedbaddecaf888"),
    cipher = createCipheriv("aes-128-gcm", key, iv),
    text = Buffer.concat([cipher.update(new Uint8Array(37)), cipher.final()]),
    counter = Uint8Array.from([...iv, 0, 0, 0, 1]),
    mask = numeral(blockOf(key, counter));
  const h = blockOf(key, new Uint8Array(16)),
    hash = hashOf(h, [...blocksOf(text.toString("hex")), lengths(0, 37)]);
  expect(hash ^ mask).toBe(numeral(cipher.getAuthTag()));
});

bench("the specification's hashes, cut in every way", dut, { seed: 1 }, async b => {
  const rig = new GhashRig(b);
  for (const [at, one] of cases.entries()) {
    expect(await rig.key(at, hex(one.h))).toBeLessThanOrEqual(powerCycles + 1);
    for (const n of [1, 2, 3, 4]) rig.message(at, blocksOfCase(one), () => n);
    rig.message(at, blocksOfCase(one), () => b.random.between(0, 4));
  }
  await rig.end();
});
async function many(rig: GhashRig, r: Random, messages: number): Promise<void> {
  for (let at = 0; at < 4; at++) await rig.key(at * 21, someBlocks(r, 1)[0] ?? new Uint8Array(16));
  for (let i = 0; i < messages; i++)
    rig.message(21 * r.between(0, 3), someBlocks(r, r.between(1, 30)), () => r.pick([0, 1, 2, 3, 4, 4, 4]));
  await rig.end();
}
bench("messages of four keys back to back, with words of no block", dut, { seed: 2 }, async b => {
  await many(new GhashRig(b), b.random, 150);
});
bench("the same with pauses in messages", dut, { seed: 3 }, async b => {
  await many(new GhashRig(b, 0.4), b.random, 80);
});
bench("latency 5, four blocks a cycle", dut, { seed: 4 }, async b => {
  const rig = new GhashRig(b);
  await rig.key(9, someBlocks(b.random, 1)[0] ?? new Uint8Array(16));
  for (let i = 0; i < 20; i++) rig.message(9, someBlocks(b.random, 40), () => 4);
  await rig.end();
  expect(new Set(rig.latencies)).toEqual(new Set([5]));
  expect((rig.cycles.at(-1) ?? 0) - (rig.cycles[0] ?? 0)).toBe(190);
});
testOfResets(dut, { seed: 5, most: 700, resets: 12 }, async b => {
  const rig = new GhashRig(b, 0.3);
  await rig.key(3, someBlocks(b.random, 1)[0] ?? new Uint8Array(16));
  for (let i = 0; i < 20; i++)
    rig.message(3, someBlocks(b.random, b.random.between(1, 9)), () => b.random.between(0, 4));
  await rig.end();
});

describe("a planted fault is found", () => {
  const finds = (name: string, from: RegExp | string, to: string) =>
    it(name, () =>
      findsFault(
        runBench(
          `ghash fault ${name}`,
          plant(GhashUnderTest(), from, to),
          { seed: 9, wave: false, limitCycles: 9_000 },
          b => many(new GhashRig(b), b.random, 20),
        ),
      ),
    );
  finds("a message goes on with the sum of the one before", /marks_4_first <= marks_3_first/, "marks_4_first <= 1'b0");
  finds("the powers are those of the word before", /powers_3\[came_key\]/, "powers_3[6'd0]");
  finds("it is idle with a hash on its way", / \| valid_5\)/, ")");
  finds("a word of no block changes the sum", /marks_4_any <= marks_3_any/, "marks_4_any <= 1'b1");
});
