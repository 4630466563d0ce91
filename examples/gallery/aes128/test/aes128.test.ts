import { createCipheriv } from "node:crypto";
import {
  type Bench,
  bernoulli,
  BuildError,
  type Dut,
  never,
  runBench,
  StreamSink,
  StreamSource,
  withFault,
} from "mnemosyne/sim";
import { describe, expect, test } from "vitest";
import { AesRound } from "../src/aes-round.ts";
import { Aes128 } from "../src/aes128.ts";

const aes = Aes128();
interface Block {
  readonly key: bigint;
  readonly block: bigint;
}

const hex = (v: bigint): string => v.toString(16).padStart(32, "0"),
  bytes = (v: bigint): Buffer => Buffer.from(hex(v), "hex"),
  number = (b: Uint8Array): bigint => BigInt(`0x${Buffer.from(b).toString("hex")}`);

/** Node's own AES, of OpenSSL. */
function reference({ key, block }: Block): bigint {
  const cipher = createCipheriv("aes-128-ecb", bytes(key), null).setAutoPadding(false);
  return number(Buffer.concat([cipher.update(bytes(block)), cipher.final()]));
}

/** FIPS 197, appendices B and C.1. */
const vectors = [
  {
    key: 0x2b7e151628aed2a6abf7158809cf4f3cn,
    block: 0x3243f6a8885a308d313198a2e0370734n,
    cipher: "3925841d02dc09fbdc118597196a0b32",
  },
  {
    key: 0x000102030405060708090a0b0c0d0e0fn,
    block: 0x00112233445566778899aabbccddeeffn,
    cipher: "69c4e0d86a7b0430d8cdb78070b4c55a",
  },
];

const run = <T>(
  dut: Dut<typeof aes.ports>,
  seed: number,
  body: (b: Bench<typeof aes.ports>) => Promise<T>,
): Promise<T> => runBench("aes", dut, { seed, wave: false, hangCycles: 1000 }, body);

/** Random blocks with random keys; few bits set, so that single bytes stand out, among them. */
const traffic = (dut: Dut<typeof aes.ports>, seed: number, pause: number): Promise<void> =>
  run(dut, seed, async b => {
    const paused = (n: number) => (pause === 0 ? never : bernoulli(pause, b.seed + n));
    const from = new StreamSource(b.sim, b.io.from, { pause: paused(1) }),
      to = new StreamSink(b.sim, b.io.to, { pause: paused(2) });
    const wide = (): bigint => (b.random.chance(0.2) ? 1n << BigInt(b.random.below(128)) : number(b.random.bytes(16)));
    const jobs = Array.from({ length: 60 }, () => ({ key: wide(), block: wide() }));
    for (const job of jobs) from.send(job);
    for (const job of jobs) expect(hex(await to.recv())).toBe(hex(reference(job)));
    await b.cycles(40);
    expect([to.received.length, b.io.to.valid.value], "nothing is left").toEqual([0, 0]);
  });

const standard = (dut: Dut<typeof aes.ports>): Promise<void> =>
  run(dut, 1, async b => {
    const from = new StreamSource(b.sim, b.io.from),
      to = new StreamSink(b.sim, b.io.to);
    for (const { key, block } of vectors) from.send({ key, block });
    for (const { cipher } of vectors) expect(hex(await to.recv())).toBe(cipher);
  });

describe("AES-128", () => {
  test("FIPS 197's vectors", () => standard(aes));
  test("FIPS 197's first round of appendix C.1", () =>
    runBench("round", AesRound({ last: false }), { wave: false }, async b => {
      const from = new StreamSource(b.sim, b.io.from),
        to = new StreamSink(b.sim, b.io.to);
      from.send({ state: 0x00102030405060708090a0b0c0d0e0f0n, key: vectors[1]?.key ?? 0n, constant: 1 });
      const { state, key } = await to.recv();
      expect([hex(state), hex(key)]).toEqual(["89d810e8855ace682d1843d8cb128fe4", "d6aa74fdd2af72fadaa678f1d6ab76fe"]);
    }));
  test.each([
    [2, 0],
    [3, 0.3],
    [4, 0.7],
  ])("random blocks and keys, seed %d, pauses %d", (seed, pause) => traffic(aes, seed, pause));

  test("latency 21, a block a cycle, room for 21", () =>
    run(aes, 5, async b => {
      const from = new StreamSource(b.sim, b.io.from),
        to = new StreamSink(b.sim, b.io.to);
      const sent = Array.from({ length: 50 }, (_, i) => from.send({ key: BigInt(i), block: 1n }));
      await b.until(() => to.received.length === sent.length);
      const came = to.received.splice(0).map(r => r.cycle);
      expect(came.map((c, i) => c - (sent[i]?.cycle ?? 0))).toEqual(sent.map(() => 21));
      expect((came.at(-1) ?? 0) - (came[0] ?? 0)).toBe(sent.length - 1);

      to.pause = () => true;
      for (let i = 0; i < 30; i++) from.send({ key: 0n, block: BigInt(i) });
      await b.cycles(60);
      expect(30 - from.pending).toBe(21);
      b.sim.reset(1);
      from.forget();
      to.pause = never;
      await b.cycles(60);
      expect(to.received, "reset has emptied it").toEqual([]);
    }));
});

describe("planted faults are found", () => {
  test.each([
    ["a substitution is wrong", /table_\[8'd83\] = 8'd\d+/, "table_[8'd83] = 8'd1"],
    ["the ninth round's constant overflows", /s1_constant\[7\] \? 8'h1b/, "1'b0 ? 8'h1b"],
    ["a stage takes a block while it holds one", "s1_ready = ~s1_valid | s2_ready", "s1_ready = 1'b1"],
    [
      "a key is that of the block behind",
      "s1_key <= from_payload_key",
      "if (from_valid) s1_key <= from_payload_key ^ 128'd1",
    ],
  ])("a planted fault: %s", async (what, from, to) => {
    const faulty = withFault(aes, { what, from, to });
    const found = traffic(faulty, 2, 0.3);
    await expect(found).rejects.toThrow(/expected/);
    await expect(found).rejects.not.toBeInstanceOf(BuildError);
  });
});
