/** AES in counter mode against the vectors of FIPS-197 and SP 800-38A, and against Node's AES. */
import { describe, expect, it, test } from "vitest";
import { bernoulli, bursts, type Random, runBench } from "../../../../../../sim/index.ts";
import { aesSbox } from "../../../../../../designs/supernic/wire/index.ts";
import { bench } from "../../../../../bench.ts";
import { findsFault, plant } from "../../../../../support/plant.ts";
import { AesRig, AesUnderTest, blockOf, counterBlock, hex, numberOf } from "./support/aes-rig.ts";

const dut = AesUnderTest();
const bytes = (r: Random, n: number): Uint8Array => Uint8Array.from({ length: n }, () => r.between(0, 255));

/** FIPS-197, appendix C: a block under a key of 128 and of 256 bits. */
const fips = [
  { key: "000102030405060708090a0b0c0d0e0f", cipher: "69c4e0d86a7b0430d8cdb78070b4c55a" },
  {
    key: "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
    cipher: "8ea2b7ca516745bfeafc49904b496089",
  },
] as const;
const fipsBlock = "00112233445566778899aabbccddeeff";
/** SP 800-38A, F.5.1 and F.5.5: four blocks in counter mode. */
const ctr = [
  {
    key: "2b7e151628aed2a6abf7158809cf4f3c",
    cipher: `874d6191b620e3261bef6864990db6ce 9806f66b7970fdff8617187bb9fffdff
      5ae4df3edbd5d35e5b4f09020db03eab 1e031dda2fbe03d1792170a0f3009cee`,
  },
  {
    key: "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
    cipher: `601ec313775789a5b7a7f504bbf3d228 f443e3ca4d62b59aca84e990cacaf5c5
      2b0930daa23de94ce87017ba2d84988d dfc9c58db67aada613c2dd08457941a6`,
  },
] as const;
const ctrPlain = `6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51
  30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710`;
const ctrCounter = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";
const startOf = (block: Uint8Array) => ({ iv: block.slice(0, 12), number: new DataView(block.buffer).getUint32(12) });

test("the table of bytes is FIPS-197's, figure 7: corners, and each byte once", () => {
  expect([aesSbox[0x00], aesSbox[0x53], aesSbox[0x9a], aesSbox[0xff]]).toEqual([0x63, 0xed, 0xb8, 0x16]);
  expect(new Set(aesSbox).size).toBe(256);
});

bench("the vectors of FIPS-197 and SP 800-38A", dut, { seed: 1 }, async b => {
  const rig = new AesRig(b);
  // The oracle itself: what the rig compares with has the vectors' numbers.
  for (const [at, { key, cipher }] of fips.entries()) {
    expect(Buffer.from(blockOf(hex(key), hex(fipsBlock))).toString("hex")).toBe(cipher);
    await rig.expand(at, hex(key));
    const { iv, number } = startOf(hex(fipsBlock));
    rig.ask(at, iv, number);
  }
  for (const [i, { key, cipher }] of ctr.entries()) {
    const { iv, number } = startOf(hex(ctrCounter)),
      plain = numberOf(hex(ctrPlain));
    const stream = [0, 1, 2, 3].flatMap(n => [...blockOf(hex(key), counterBlock(iv, number + n))]);
    expect(numberOf(Uint8Array.from(stream)) ^ plain).toBe(numberOf(hex(cipher)));
    await rig.expand(62 + i, hex(key));
    rig.ask(62 + i, iv, number);
  }
  await rig.end();
});
bench("64 keys of both lengths, in random order, under back-pressure", dut, { seed: 2 }, async b => {
  const rig = new AesRig(b, { from: bernoulli(0.2, 3), to: bursts({ go: 9, pause: 5 }, 4) }),
    { random: r } = b;
  for (let at = 0; at < 64; at++) await rig.expand(at, bytes(r, r.pick([16, 32])));
  for (let i = 0; i < 400; i++)
    rig.ask(r.between(0, 63), bytes(r, 12), r.pick([0, 1, 4, 0xffff_fffe, r.between(0, 2 ** 31)]));
  await rig.end();
});
bench("latency 15, a beat a cycle; a key takes 62 cycles", dut, { seed: 3 }, async b => {
  const rig = new AesRig(b),
    { random: r } = b;
  const cycles = [await rig.expand(0, bytes(r, 32)), await rig.expand(1, bytes(r, 16))];
  expect(new Set(cycles).size).toBe(1);
  expect(cycles[0]).toBeLessThanOrEqual(64);
  for (let i = 0; i < 100; i++) rig.ask(i % 2, bytes(r, 12), i);
  await rig.end();
  expect(new Set(rig.latencies)).toEqual(new Set([15]));
  expect((rig.cycles.at(-1) ?? 0) - (rig.cycles[0] ?? 0)).toBe(99);
});
bench(
  "a key that begins while another is expanded ends that one; a reset forgets beats, not keys",
  dut,
  { seed: 4 },
  async b => {
    const rig = new AesRig(b),
      { random: r } = b;
    rig.begin(5, bytes(r, 32));
    await b.cycles(20);
    let done = 0;
    b.onEdge({ sample: () => void (done += b.io.done.valid.value) });
    await rig.expand(6, bytes(r, 16));
    expect(done).toBe(1);
    for (let i = 0; i < 30; i++) rig.ask(6, bytes(r, 12), i);
    await b.cycles(20);
    rig.reset();
    for (let i = 0; i < 30; i++) rig.ask(6, bytes(r, 12), i);
    await rig.end();
  },
);

describe("a planted fault is found", () => {
  const run = (b: Parameters<typeof plant>[1], to: string) =>
    findsFault(
      runBench("aes fault", plant(AesUnderTest(), b, to), { seed: 9, wave: false, limitCycles: 5_000 }, async bench => {
        const rig = new AesRig(bench, { to: bernoulli(0.3, 5) }),
          { random: r } = bench;
        for (let at = 0; at < 4; at++) await rig.expand(at, bytes(r, at % 2 === 0 ? 16 : 32));
        for (let i = 0; i < 60; i++) rig.ask(i % 4, bytes(r, 12), i);
        await rig.end();
      }),
    );
  it("the key of a beat is that of the next one", () => run(/key_7 <= key_6/, "key_7 <= key_5"));
  it("AES-128 adds in a round that it skips", () => run(/at < 6'd16/, "at < 6'd12"));
});
