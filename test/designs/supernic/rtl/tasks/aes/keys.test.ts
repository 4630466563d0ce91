/** Key expansion alone: round keys of both lengths as FIPS-197 has them, each in its cycle, and none besides. */
import { describe, expect, test } from "vitest";
import { KeyExpansion } from "../../../../../../designs/supernic/rtl/tasks/aes/index.ts";
import { aesRounds, aesSbox } from "../../../../../../designs/supernic/wire/index.ts";
import { type Bench, type Dut, runBench } from "../../../../../../sim/index.ts";
import { bench } from "../../../../../bench.ts";
import { findsFault, plant } from "../../../../../support/plant.ts";
import { hex, numberOf } from "./support/aes-rig.ts";

const dut = () => KeyExpansion();
type Ports = ReturnType<typeof dut>["ports"];
type B = Bench<Ports>;

/** Rounds that AES-128 has not; nothing is added there. */
const skipped = 4;
/** A round key is whole in every fourth cycle of a key; the last one ends it. Each is shown in the next cycle. */
const between = 4,
  last = between * (aesRounds + 1);

/** FIPS-197, section 5.2: words of round keys, their first byte lowest. */
function expanded(key: Uint8Array): readonly number[] {
  const perKey = key.length / 4,
    rounds = perKey + 6,
    words = Array.from({ length: perKey }, (_, i) => Number(numberOf(key.slice(4 * i, 4 * i + 4))));
  const subs = (w: number): number =>
    [0, 8, 16, 24].reduce((sum, at) => sum + (aesSbox[(w >>> at) & 255] ?? 0) * 2 ** at, 0);
  let rcon = 1;
  for (let i = perKey; i < 4 * (rounds + 1); i++) {
    let last = words[i - 1] ?? 0;
    if (i % perKey === 0) {
      last = (subs(((last >>> 8) | (last << 24)) >>> 0) ^ rcon) >>> 0;
      rcon = ((rcon << 1) ^ (rcon & 128 ? 0x11b : 0)) & 255;
    } else if (perKey > 6 && i % perKey === 4) last = subs(last);
    words.push(((words[i - perKey] ?? 0) ^ last) >>> 0);
  }
  return words;
}
/** The round keys by the number of the round, of AES-256's rounds. */
function roundKeys(key: Uint8Array): readonly bigint[] {
  const words = [...(key.length === 16 ? Array<number>(4 * skipped).fill(0) : []), ...expanded(key)];
  return Array.from({ length: aesRounds + 1 }, (_, round) =>
    words.slice(4 * round, 4 * round + 4).reduceRight((sum, w) => (sum << 32n) | BigInt(w), 0n),
  );
}

interface Run {
  readonly at: number;
  readonly keys: readonly bigint[];
  /** Cycles since it began. */
  cycle: number;
}
class Rig {
  readonly b: B;
  #run: Run | undefined;
  /** What this cycle shows. */
  shown: { key?: readonly [at: number, round: number, value: bigint]; done?: boolean } = {};

  constructor(b: B) {
    this.b = b;
  }
  /** A cycle; with a key, which ends what is under way. */
  async cycle(given?: { readonly at: number; readonly key: Uint8Array }): Promise<void> {
    const { from, to, done } = this.b.io,
      { random: r } = this.b,
      run = this.#run;
    from.valid.value = given ? 1 : 0;
    from.key.value = given?.at ?? r.below(64);
    from.short.value = given ? (given.key.length === 16 ? 1 : 0) : r.below(2);
    // Of a short key nobody looks at what is behind it.
    from.value.value = given ? numberOf(given.key) | (given.key.length === 16 ? r.bits(128) << 128n : 0n) : r.bits(256);
    await this.b.cycles(1);
    const { shown } = this;
    expect([to.valid.num, done.valid.num], `cycle ${this.b.cycle}`).toEqual([shown.key ? 1 : 0, shown.done ? 1 : 0]);
    if (shown.key) expect([to.key.num, to.round.num, to.value.value]).toEqual(shown.key);
    if (shown.done) expect(done.key.num).toBe(shown.key?.[0]);
    this.shown = {};
    if (run && run.cycle <= last) {
      const round = run.cycle / between;
      if (Number.isInteger(round)) this.shown.key = [run.at, round - 1, run.keys[round - 1]!];
      // One that comes just then ends it, all the same.
      this.shown.done = run.cycle === last && given === undefined;
      run.cycle++;
    }
    if (given) this.#run = { at: given.at, keys: roundKeys(given.key), cycle: 1 };
  }
  reset(): void {
    this.b.io.from.valid.value = 1;
    this.b.sim.reset(1);
    this.#run = undefined;
    this.shown = {};
  }
}
const random = (b: B) => ({
  at: b.random.below(64),
  key: Uint8Array.from({ length: b.random.pick([16, 32]) }, () => b.random.below(256)),
});

async function all(b: B): Promise<void> {
  const rig = new Rig(b);
  for (let i = 0; i < 12; i++) {
    await rig.cycle(random(b));
    for (let n = 0; n < 61 + b.random.below(6); n++) await rig.cycle();
  }
}
/** A key ends the one before, at any time, and a reset all. */
async function ends(b: B): Promise<void> {
  const rig = new Rig(b);
  for (let i = 0; i < 40; i++) {
    await rig.cycle(random(b));
    for (let n = b.random.below(64); n > 0; n--) await rig.cycle();
    if (i % 4 === 3) {
      rig.reset();
      for (let n = 0; n < 8; n++) await rig.cycle();
    }
  }
  await rig.cycle(random(b));
  for (let n = 0; n < 70; n++) await rig.cycle();
}

describe("AES key expansion", () => {
  test("the vectors of FIPS-197, appendix A", () => {
    const short = expanded(hex("2b7e151628aed2a6abf7158809cf4f3c")),
      long = expanded(hex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"));
    const lastOf = (words: readonly number[]): string =>
      (words.at(-1) ?? 0).toString(16).padStart(8, "0").match(/../g)!.reverse().join("");
    expect([short.length, lastOf(short), long.length, lastOf(long)]).toEqual([44, "b6630ca6", 60, "706c631e"]);
  });
  bench("each round key of both lengths, in its cycle", dut(), { seed: 1 }, all);
  bench("a key ends the one before, and a reset all", dut(), { seed: 2 }, ends);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [i, run] of [all, ends].entries())
        await runBench(`${name} ${i}`, design, { wave: false, seed: 5 }, run);
    };
    test("and nothing without one", () => look("no fault", dut()));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["something is added in a round that AES-128 skips", /word = [^;]*;/, "word = window[31:0];"],
      ["a round key comes in every cycle", /whole = [^;]*;/, "whole = runs;"],
      ["a key that is ended is done", "& ~from_valid", ""],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut(), from, to)));
    });
  });
});
