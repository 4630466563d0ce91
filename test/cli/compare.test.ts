import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { codeLines, lost } from "../../cli/compare/measure.ts";
import { pairs } from "../../cli/compare/pairs.ts";
import { emit, type EmittedDesign, Random } from "../../hdl-dsl/index.ts";
import { simulate } from "../hdl-dsl/support/icarus.ts";
import { pattern } from "../hdl-dsl/support/random.ts";

const handDesign = (ours: EmittedDesign, name: string, text: string): EmittedDesign => ({
  ...ours,
  top: name,
  files: [{ name: `${name}.v`, text }],
});

/**
 * Outputs of both for the same random inputs, cycle by cycle. @param stall cycles of a stall and of a drought: more
 * than it takes to fill the module
 */
function run(
  ours: EmittedDesign,
  hand: EmittedDesign,
  seed: number,
  stall = 100,
): readonly [Record<string, bigint | undefined>[], Record<string, bigint | undefined>[]] {
  const random = new Random(seed),
    inputs = ours.ports.filter(p => p.dir === "in" && p.role === "data");
  const steps = Array.from({ length: 6 * stall }, (_, n) =>
    Object.fromEntries(
      inputs.map(p =>
        // Long stalls and long droughts, so that full and empty are met.
        [
          p.name,
          p.width > 1
            ? pattern(random, p.width)
            : BigInt(random.chance(n % (2 * stall) < stall === p.name.endsWith("ready") ? 0.85 : 0.3)),
        ],
      ),
    ),
  );
  return [simulate(ours, steps), simulate(hand, steps)];
}

describe("a module of the library and the one written by hand", () => {
  test.each(pairs)("$name: the same outputs in every cycle", ({ name, ours, hand }) => {
    const emitted = emit(ours);
    const [a, b] = run(
      emitted,
      handDesign(emitted, name, readFileSync(hand, "utf8")),
      7,
      name === "Fifo_block" ? 1200 : 100,
    );
    expect(a).toEqual(b);
    expect(a.filter(x => x["to_valid"] === 1n || x["pop_valid"] === 1n).length).toBeGreaterThan(100);
    expect(
      a.filter(x => x["from_ready"] === 0n || x["push_ready"] === 0n || x["from0_ready"] === 0n).length,
    ).toBeGreaterThan(100);
  });

  test("a fault in one of them is seen", () => {
    const pair = pairs.find(p => p.name === "SkidBuffer") as (typeof pairs)[number];
    const emitted = emit(pair.ours),
      text = readFileSync(pair.hand, "utf8"),
      faulty = text.replace("if (~full) held", "if (from_valid) held");
    expect(faulty).not.toBe(text);
    const [a, b] = run(emitted, handDesign(emitted, pair.name, faulty), 7);
    expect(a).not.toEqual(b);
  });

  test("what is above the hand-written module is lost, what is level is not", () => {
    const cost = { lines: 10, lut: 20, ff: 30, levels: 2 };
    expect(lost({ name: "x", ours: cost, hand: cost })).toEqual([]);
    expect(lost({ name: "x", ours: { ...cost, lut: 21, levels: 3 }, hand: cost })).toEqual([
      "lut 21 > 20",
      "levels 3 > 2",
    ]);
  });

  test.each(pairs)("$name: no more lines than by hand", ({ ours, hand }) => {
    expect(emit(ours).files.reduce((n, f) => n + codeLines(f.text), 0)).toBeLessThanOrEqual(
      codeLines(readFileSync(hand, "utf8")),
    );
  });
});
