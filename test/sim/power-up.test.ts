/** What nobody has written begins with numbers of its own seed: traffic stays as it was. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { input, module, output, ram, reg, uint, when } from "../../hdl-dsl/index.ts";
import { runBench } from "../../sim/index.ts";

const Unwritten = module(
  "Unwritten",
  () => ({ address: input(uint(3)), word: output(uint(32)), kept: output(uint(32)) }),
  io => {
    const words = ram(uint(32), { depth: 8, collision: "undefined", style: "distributed" }),
      kept = reg(uint(32), { name: "kept_word" });
    words.write(kept.eq(0), io.address, kept);
    when(kept.eq(0), () => kept.set(1));
    io.word.set(words.readAsync(io.address));
    io.kept.set(kept);
  },
);

const seen = (): Promise<{ readonly word: number; readonly kept: number; readonly random: number }> =>
  runBench("unwritten", Unwritten(), { seed: 3, wave: false }, async b => {
    b.io.address.value = 5;
    await b.cycles(1);
    return { word: b.io.word.value, kept: b.io.kept.value, random: b.random.word() };
  });

describe("MNEMO_POWER_UP", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("changes registers and memories that have no initial value, and nothing else", async () => {
    const plain = await seen();
    expect(await seen()).toEqual(plain);
    vi.stubEnv("MNEMO_POWER_UP", "1");
    const other = await seen();
    expect(other.random).toBe(plain.random);
    expect(other.word).not.toBe(plain.word);
    expect(other.kept).not.toBe(plain.kept);
    expect(await seen()).toEqual(other);
    vi.stubEnv("MNEMO_POWER_UP", "2");
    expect((await seen()).word).not.toBe(other.word);
  });

  it("is in the line that runs a failure again", async () => {
    vi.stubEnv("MNEMO_POWER_UP", "4");
    const fails = runBench("unwritten", Unwritten(), { seed: 3, wave: false }, () => Promise.reject(new Error("no")));
    await expect(fails).rejects.toThrow("MNEMO_SEED=3 MNEMO_POWER_UP=4 runs it again");
  });

  it("that is no number is refused in one sentence", async () => {
    vi.stubEnv("MNEMO_POWER_UP", "soon");
    await expect(seen()).rejects.toThrow(
      'MNEMO_POWER_UP must be a whole number from 0 to 4294967295, got "soon"; unset it or give such a number',
    );
  });
});
