import { emit } from "mnemosyne";
import {
  AxisSink,
  AxisSource,
  type Bench,
  bernoulli,
  BuildError,
  type Dut,
  never,
  runBench,
  StreamSource,
  withFault,
} from "mnemosyne/sim";
import { describe, expect, test } from "vitest";
import { PacketFilter } from "../src/packet-filter.ts";
import { passes, randomFrame, randomRule, type Rule } from "./model.ts";

const size = 8,
  depth = 32,
  filter = PacketFilter({ rules: size, depth, otherwise: "pass" });
type FilterBench = Bench<typeof filter.ports>;

const run = <T>(dut: Dut<typeof filter.ports>, seed: number, body: (b: FilterBench) => Promise<T>): Promise<T> =>
  runBench("packet filter", dut, { seed, wave: false, hangCycles: 1000 }, body);

function surroundings(b: FilterBench, pause: number) {
  const paused = (seed: number) => (pause === 0 ? never : bernoulli(pause, b.seed + seed));
  let dropped = 0;
  b.onEdge({
    sample: () => void (dropped += b.io.dropped.value),
    save: () => undefined,
    restore: () => undefined,
  });
  return {
    from: new AxisSource(b.sim, b.io.from, { pause: paused(1) }),
    to: new AxisSink(b.sim, b.io.to, { pause: paused(2) }),
    rule: new StreamSource(b.sim, b.io.rule),
    dropped: () => dropped,
  };
}

/** Random rules, random frames, several times anew in one run; nothing is left inside in between. */
const traffic = (
  dut: Dut<typeof filter.ports>,
  seed: number,
  pause: number,
  otherwise: "pass" | "drop" = "pass",
): Promise<void> =>
  run(dut, seed, async b => {
    const { from, to, rule, dropped } = surroundings(b, pause);
    let frames = 0,
      left = 0;
    for (let round = 0; round < 5; round++) {
      const rules = Array.from({ length: size }, () => randomRule(b.random));
      for (const [index, r] of b.random.shuffle([...rules.entries()])) rule.send({ index, rule: r });
      await rule.drained();
      const sent = Array.from({ length: 60 }, () => randomFrame(b.random)),
        expected = sent.filter(f => passes(f, rules, otherwise));
      for (const f of sent) from.send(f);
      await from.drained();
      await b.cycles(10);
      await b.until(() => b.io.to.valid.value === 0);
      await b.cycles(60);
      expect(to.frames.splice(0).map(f => [...f.bytes])).toEqual(expected.map(f => [...f]));
      frames += sent.length;
      left += expected.length;
      expect(dropped(), "frames that were said to be dropped").toBe(frames - left);
    }
    expect(left).toBeGreaterThan(20);
    expect(frames - left).toBeGreaterThan(20);
  });

/** Rules change while frames pass: each frame goes by rules that stood at some time while it came in. */
const changing = (dut: Dut<typeof filter.ports>): Promise<void> =>
  run(dut, 9, async b => {
    const { from, to, rule } = surroundings(b, 0.2),
      rules: Rule[] = Array.from({ length: size }, () => ({ ...randomRule(b.random), enabled: 0 }));
    const judged: { frame: Uint8Array; may: Set<boolean> }[] = [];
    const current = (): Rule[] => rules.map(r => ({ ...r }));
    for (let n = 0; n < 150; n++) {
      const frame = randomFrame(b.random),
        may = new Set([passes(frame, current(), "pass")]);
      from.send(frame);
      const index = b.random.below(size),
        changed = randomRule(b.random);
      await b.cycles(b.random.below(8));
      rule.send({ index, rule: changed });
      rules[index] = changed;
      await from.drained();
      await b.cycles(12);
      may.add(passes(frame, current(), "pass"));
      judged.push({ frame, may });
    }
    await b.cycles(100);
    const came = to.frames.map(f => [...f.bytes].join());
    for (const { frame, may } of judged) {
      const passed = came[0] === [...frame].join();
      if (passed) came.shift();
      expect([...may], "what the rules before and after say").toContain(passed);
    }
    expect(came).toEqual([]);
  });

describe("the filter", () => {
  test.each([
    [1, 0],
    [2, 0.3],
    [3, 0.6],
  ])("random rules and frames, seed %d, pauses %d", (seed, pause) => traffic(filter, seed, pause));
  test("frames that no rule matches can be dropped instead", () =>
    traffic(PacketFilter({ rules: size, depth: 16, otherwise: "drop" }), 4, 0.3, "drop"));
  test("rules change beside frames", () => changing(filter));

  test("latency 9 cycles, a beat a cycle, and room for `depth` beats", () =>
    run(filter, 5, async b => {
      const { from, to } = surroundings(b, 0);
      const frames = Array.from({ length: 20 }, () => from.send(b.random.bytes(128)));
      await from.drained();
      await b.until(() => to.frames.length === frames.length);
      for (const [i, f] of to.frames.entries()) expect(f.start - (frames[i]?.start ?? 0)).toBe(9);
      expect((to.frames.at(-1)?.end ?? 0) - (to.frames[0]?.start ?? 0)).toBe(20 * 16 - 1);

      to.pause = () => true;
      from.send(b.random.bytes(8 * (depth + 20)));
      await b.cycles(100);
      expect(from.pending).toBe(1);
      expect(b.io.from.ready.value).toBe(0);
      to.pause = never;
      await b.until(() => to.frames.length === frames.length + 1);
    }));

  test("a reset in the middle of a frame leaves nothing of it, and no rule", () =>
    run(filter, 6, async b => {
      const { from, to, rule } = surroundings(b, 0);
      for (let index = 0; index < size; index++)
        rule.send({ index, rule: { ...randomRule(b.random), enabled: 1, drop: 1, low: 0, high: 65535 } });
      await rule.drained();
      from.send(b.random.bytes(100));
      await b.cycles(4);
      from.forget();
      b.sim.reset(2);
      await b.cycles(20);
      expect(to.frames).toEqual([]);
      const after = Array.from({ length: 30 }, () => randomFrame(b.random));
      for (const f of after) from.send(f);
      await b.until(() => to.frames.length === after.length);
      expect(to.frames.map(f => [...f.bytes])).toEqual(after.map(f => [...f]));
    }));
  test("parameters that cannot be are refused", () => {
    expect(() => emit(PacketFilter({ rules: 2, depth: 8, otherwise: "pass" }))).toThrow("depth = 8: 16 beats or more");
  });
});

const drops = Array.from({ length: size }, (_, i) => `rules_${size - 1 - i}_drop`).join(", ");
describe("planted faults are found", () => {
  test.each([
    ["a later fragment is taken for one with a port", " & ~fragment)", ")"],
    ["a frame that ends before its port is known", " & from_payload_keep[5]", ""],
    ["any rule that matches decides", "s2_first_and & (~s2_first_and + 8'd1)", "s2_first_and"],
    ["long frames are judged again", "(index == 3'd5) ? index : index + 3'd1", "index + 3'd1"],
    [
      "a verdict counts for a beat",
      "verdicts_1_pop_ready = beats_pop_valid & to_payload_last",
      "verdicts_1_pop_ready = beats_pop_valid",
    ],
    ["a rule's halves are read apart", "s2_first & s2_drops", `s2_first & {${drops}}`],
  ])("a planted fault: %s", async (what, from, to) => {
    const faulty = withFault(filter, { what, from, to });
    const all = async (): Promise<void> => {
      for (const seed of [1, 2, 3]) await traffic(faulty, seed, 0.3);
      await changing(faulty);
    };
    const found = all();
    await expect(found).rejects.toThrow(/expected|no stream has moved/);
    await expect(found).rejects.not.toBeInstanceOf(BuildError);
  });
});
