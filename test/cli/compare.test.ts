import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { codeLines, lost, told } from "../../cli/compare/measure.ts";
import { pairs } from "../../cli/compare/pairs.ts";
import { emit, type EmittedDesign, Random } from "../../hdl-dsl/index.ts";
import { simulate } from "../hdl-dsl/support/icarus.ts";
import { pattern } from "../hdl-dsl/support/random.ts";

const handDesign = (ours: EmittedDesign, name: string, text: string): EmittedDesign => ({
  ...ours,
  top: name,
  files: [{ name: `${name}.v`, text }],
});

/** Inputs that are no stream's: by name, in cycle `n`; others are random. Undefined: as it was. */
type Stimulus = (name: string, n: number, random: Random) => bigint | undefined;
const bitsOf = (random: Random, chance: number): bigint => BigInt(random.chance(chance));
/** A level that stays for a while. */
const held =
  (cycles: number): Stimulus =>
  (_name, n, random) =>
    n % cycles === 0 ? bitsOf(random, 0.5) : undefined;
const parityCodes = [0n, 4n, 5n, 6n, 7n];
const serial: Stimulus = (name, n, random) =>
  name === "divisor"
    ? 7n
    : n % 600 > 0
      ? undefined
      : name === "parity"
        ? parityCodes[random.below(5)]
        : bitsOf(random, 0.5);
const small: Stimulus = (name, n, random) =>
  n % 300 > 0 ? undefined : name === "prescale" ? BigInt(random.below(3)) : BigInt(random.below(20));
const spi: Stimulus = (name, n, random) =>
  name === "divisor" ? 2n : name === "miso" ? bitsOf(random, 0.5) : n % 500 > 0 ? undefined : bitsOf(random, 0.5);
/** A line of an open bus that is mostly high. */
const free: Stimulus = (_name, n, random) => (n % 13 === 0 ? bitsOf(random, 0.8) : undefined);
/** Inputs of the modules that are more than streams. */
const stimuli: Readonly<Record<string, Readonly<Record<string, Stimulus>>>> = {
  UartTransmitter: { divisor: serial, parity: serial, two_stops: serial },
  UartReceiver: { divisor: serial, parity: serial, rxd: held(8), to_ready: held(350) },
  CompareTimer: {
    start: (_name, _n, random) => bitsOf(random, 0.02),
    stop: (_name, _n, random) => bitsOf(random, 0.01),
    one_shot: held(150),
    prescale: small,
    limit: small,
    compare_0: small,
    compare_1: small,
  },
  InterruptController: Object.fromEntries([
    ["claim", (_name, _n, random) => bitsOf(random, 0.3)],
    ["lines", (_name, _n, random) => random.bits(16) & random.bits(16) & random.bits(16)],
    ["threshold", (_name, n, random) => (n % 50 === 0 ? random.bits(2) : undefined)],
  ] as readonly (readonly [string, Stimulus])[]),
  I2cMaster: { divisor: () => 4n, scl_in: free, sda_in: free, command_payload_start: held(170) },
  I2cSlave: {
    scl_in: (_name, n) => BigInt(n % 24 >= 12),
    // Bits change while the clock is low. Each 29th period begins with a start condition and the address, and ends with
    // a stop.
    sda_in: (_name, n, random) =>
      n % 24 === 5
        ? bitsOf(random, n % 696 < 8 * 24 ? 1 : 0.5)
        : n % 696 === 18
          ? 0n
          : n % 696 === 690
            ? 1n
            : undefined,
    address: () => 0x7fn,
  },
  AxisSwitch: Object.fromEntries(
    [0, 1, 2, 3].map(
      i =>
        [
          `from${i}_payload_dest`,
          (_name: string, n: number, random: Random) => (n % 16 === 4 * i ? bitsOf(random, 0.5) : undefined),
        ] as const,
    ),
  ),
  Divider: {},
  MultiplyAdd: {},
  SpiMaster: { cpol: spi, cpha: spi, divisor: spi, miso: spi },
  SpiSlave: {
    cpol: spi,
    cpha: spi,
    sck: held(5),
    to_send_valid: held(300),
    received_ready: (_name, n) => BigInt(n % 1200 > 700),
    cs_n: (_name, n, random) => (n % 200 === 0 ? bitsOf(random, 0.3) : undefined),
  },
};

/**
 * Outputs of both for the same random inputs, cycle by cycle. @param stall cycles of a stall and of a drought: more
 * than it takes to fill the module
 */
function run(
  ours: EmittedDesign,
  hand: EmittedDesign,
  seed: number,
  name = "",
  stall = 100,
): readonly [Record<string, bigint | undefined>[], Record<string, bigint | undefined>[]] {
  const random = new Random(seed),
    own = stimuli[name] ?? {},
    was = new Map<string, bigint>();
  const inputs = ours.ports.filter(p => p.dir === "in" && p.role === "data");
  const valueOf = (p: { readonly name: string; readonly width: number }, n: number): bigint => {
    const given = own[p.name];
    const value =
      given !== undefined
        ? (given(p.name, n, random) ?? was.get(p.name) ?? 0n)
        : p.width > 1
          ? pattern(random, p.width)
          : // Long stalls and long droughts, so that full and empty are met.
            BigInt(random.chance(n % (2 * stall) < stall === p.name.endsWith("ready") ? 0.85 : 0.3));
    was.set(p.name, value);
    return value;
  };
  const steps = Array.from({ length: name in stimuli ? 3000 : 6 * stall }, (_, n) =>
    Object.fromEntries(inputs.map(p => [p.name, valueOf(p, n)])),
  );
  return [simulate(ours, steps), simulate(hand, steps)];
}

/** A payload counts while it is valid: before that it may be anything. */
const meant = (step: Record<string, bigint | undefined>): Record<string, bigint | undefined> =>
  Object.fromEntries(
    Object.entries(step).map(([name, value]) => [
      name,
      step[name.replace(/_payload.*/, "_valid")] === 0n && name.includes("_payload") ? undefined : value,
    ]),
  );

describe("a module of the library and the one written by hand", () => {
  test.each(pairs)("$name: the same outputs in every cycle", ({ name, ours, hand }) => {
    const emitted = emit(ours);
    const [a, b] = run(
      emitted,
      handDesign(emitted, name, readFileSync(hand, "utf8")),
      7,
      name,
      name === "Fifo_block" ? 1200 : 100,
    );
    expect(a.map(meant)).toEqual(b.map(meant));
    for (const p of emitted.ports.filter(o => o.dir === "out"))
      if (p.name !== "dropped") expect(new Set(a.map(x => x[p.name])).size, `${p.name} moves`).toBeGreaterThan(1);
    if (name in stimuli) return;
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
    const longer = { name: "x", ours: { ...cost, lines: 11, ff: 31 }, hand: cost };
    expect([lost(longer), lost({ ...longer, unjudged: ["lines"] })]).toEqual([
      ["lines 11 > 10", "ff 31 > 30"],
      ["ff 31 > 30"],
    ]);
    expect([told(longer), told({ ...longer, unjudged: ["lines"] })]).toEqual([[], ["lines 11 > 10"]]);
  });

  test.each(pairs.filter(p => p.unjudged?.includes("lines") !== true))(
    "$name: no more lines than by hand",
    ({ ours, hand }) => {
      expect(emit(ours).files.reduce((n, f) => n + codeLines(f.text), 0)).toBeLessThanOrEqual(
        codeLines(readFileSync(hand, "utf8")),
      );
    },
  );
});
