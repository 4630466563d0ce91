import { describe, expect, test } from "vitest";
import { bench } from "../../bench.ts";
import {
  bit,
  Cam,
  clockDomain,
  decode,
  emit,
  encodeOnehot,
  encodePriority,
  fromGray,
  inDomain,
  input,
  instance,
  LevelSynchroniser,
  Lfsr,
  lfsrStep,
  lfsrTaps,
  Lru,
  module,
  output,
  PulseSynchroniser,
  reg,
  ResetSynchroniser,
  struct,
  synchronise,
  toGray,
  uint,
} from "../../../hdl-dsl/index.ts";
import { type Bench, runBench } from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { lint } from "../support/lint.ts";

const touch = (bits: number) => struct({ valid: bit, index: uint(bits) });
const Small = module(
  "SmallUnits",
  () => ({
    binary: input(uint(10)),
    gray: output(uint(10)),
    back: output(uint(10)),
    onehot: input(uint(11)),
    number: output(uint(4)),
    firstAny: output(bit),
    first: output(uint(4)),
    index: input(uint(4)),
    decoded: output(uint(11)),
    lfsrEn: input(bit),
    lfsr: output(uint(9)),
    lfsr5: output(uint(16)),
    lru2: input(touch(1)),
    lru2Victim: output(uint(1)),
    lru5: input(touch(3)),
    lru5Victim: output(uint(3)),
    lru16: input(touch(4)),
    lru16Victim: output(uint(4)),
  }),
  io => {
    const gray = toGray(io.binary);
    io.gray.set(gray.is(10));
    io.back.set(fromGray(gray).is(10));
    const first = encodePriority(io.onehot);
    io.number.set(encodeOnehot(io.onehot).is(4));
    io.firstAny.set(first.any);
    io.first.set(first.index.is(4));
    io.decoded.set(decode(io.index, 11).is(11));
    const one = instance(Lfsr({ width: 9 })),
      five = instance(Lfsr({ width: 16, steps: 5 }));
    one.en.set(io.lfsrEn);
    five.en.set(io.lfsrEn);
    io.lfsr.set(one.value);
    io.lfsr5.set(five.value);
    const two = instance(Lru({ entries: 2 })),
      odd = instance(Lru({ entries: 5 })),
      sixteen = instance(Lru({ entries: 16 }));
    two.touch.set(io.lru2);
    io.lru2Victim.set(two.victim);
    odd.touch.set(io.lru5);
    io.lru5Victim.set(odd.victim);
    sixteen.touch.set(io.lru16);
    io.lru16Victim.set(sixteen.victim);
  },
);
const small = Small();

describe("codes", () => {
  const gray = async (b: Bench<(typeof small)["ports"]>): Promise<void> => {
    let before: number | undefined;
    for (let i = 0; i <= 1024; i++) {
      b.io.binary.value = i % 1024;
      b.sim.settle();
      expect(b.io.back.value).toBe(i % 1024);
      if (before !== undefined) expect((before ^ b.io.gray.value).toString(2).replaceAll("0", "")).toBe("1");
      before = b.io.gray.value;
    }
  };
  bench("Gray: neighbours differ in one bit, and the number comes back", small, {}, gray);
  test("planted fault: the number itself instead of its code", () =>
    findsFault(
      runBench("gray", plant(small, "gray = binary ^ (binary >> 1)", "gray = binary"), { wave: false }, gray),
      /./,
    ));
  test("planted fault: a step of the way back is left out", () =>
    findsFault(runBench("gray", plant(small, /= (\w+) \^ \(\1 >> 4\)/, "= $1"), { wave: false }, gray), /./));
  const encoders = async (b: Bench<(typeof small)["ports"]>): Promise<void> => {
    for (let i = 0; i < 300; i++) {
      const one = b.random.between(0, 10),
        v = i === 0 ? 0 : b.random.between(0, 2047);
      b.io.onehot.value = 1 << one;
      b.sim.settle();
      expect(b.io.number.value).toBe(one);
      b.io.onehot.value = v;
      b.io.index.value = i % 16;
      b.sim.settle();
      expect([b.io.firstAny.value, b.io.first.value]).toEqual(v === 0 ? [0, 0] : [1, Math.log2(v & -v)]);
      expect(b.io.decoded.value).toBe(i % 16 < 11 ? 1 << (i % 16) : 0);
    }
  };
  bench("one-hot and priority encoders, decoder", small, {}, encoders);
  test.each([
    ["an encoder forgets a bit", "onehot[1] | onehot[3]", "onehot[1]"],
    ["the priority encoder prefers the highest", "~onehot + 11'd1", "~onehot"],
    ["any looks at all", "first_any = |onehot", "first_any = &onehot"],
    ["the decoder takes a neighbour", "index == 4'd7", "index == 4'd6"],
  ] as const)("planted fault: %s", (_name, from, to) =>
    findsFault(runBench("encoders", plant(small, from, to), { wave: false }, encoders), /./),
  );
});

describe("Lfsr", () => {
  /** Product of two polynomials over GF(2) modulo the one with these taps. */
  const multiply = (a: bigint, b: bigint, poly: bigint, width: number): bigint => {
    let out = 0n;
    for (let i = width - 1; i >= 0; i--) {
      out <<= 1n;
      if (((out >> BigInt(width)) & 1n) === 1n) out ^= poly;
      if (((b >> BigInt(i)) & 1n) === 1n) out ^= a;
    }
    return out;
  };
  const primes = (n: bigint): bigint[] => {
    const out: bigint[] = [];
    for (let p = 2n; p * p <= n; p++)
      while (n % p === 0n) {
        if (out.at(-1) !== p) out.push(p);
        n /= p;
      }
    return n > 1n ? [...out, n] : out;
  };
  test.each(Object.entries(lfsrTaps).map(([w, taps]) => [Number(w), taps] as const))(
    "%i bits: the taps' polynomial is primitive, so the period is the longest",
    (width, taps) => {
      const poly = taps.reduce((p, t) => p | (1n << BigInt(t)), 1n),
        order = (1n << BigInt(width)) - 1n;
      const power = (e: bigint): bigint => {
        let out = 1n,
          x = 2n;
        for (; e > 0n; e >>= 1n) {
          if ((e & 1n) === 1n) out = multiply(out, x, poly, width);
          x = multiply(x, x, poly, width);
        }
        return out;
      };
      expect(power(order)).toBe(1n);
      for (const p of primes(order)) expect(power(order / p)).not.toBe(1n);
    },
  );
  const shifts = async (b: Bench<(typeof small)["ports"]>): Promise<void> => {
    const seen = new Set<number>();
    let want = 1n;
    for (let i = 0; i < 511; i++) {
      b.io.lfsrEn.value = 1;
      b.sim.settle();
      expect(BigInt(b.io.lfsr5.value)).toBe(want);
      seen.add(b.io.lfsr.value);
      await b.risingEdge();
      for (let k = 0; k < 5; k++) want = lfsrStep(16, want);
      b.io.lfsrEn.value = 0;
      b.sim.settle();
      const held = b.io.lfsr.value;
      await b.risingEdge();
      b.sim.settle();
      expect(b.io.lfsr.value).toBe(held);
    }
    expect(seen.size).toBe(511);
    expect(seen.has(0)).toBe(false);
    b.sim.settle();
    expect(b.io.lfsr.value).toBe(1);
  };
  bench(
    "9 bits: 511 states, each once; 16 bits by five steps a cycle as the step function says; neither moves without en",
    small,
    {},
    shifts,
  );
  test("planted fault: a tap less", () =>
    findsFault(runBench("shifts", plant(small, "state & 9'd272", "state & 9'd256"), { wave: false }, shifts), /./));
  test("planted fault: it moves without en", () =>
    findsFault(runBench("shifts", plant(small, "else if (en) begin", "else begin"), { wave: false }, shifts), /./));
  test("a width without known taps is refused", () => {
    expect(() => Lfsr({ width: 40 })).toThrow("Lfsr: no taps are known for 40 bits; choose a width of 3 to 32, or 64");
  });
});

describe("Lru", () => {
  const run = async (b: Bench<(typeof small)["ports"]>): Promise<void> => {
    for (const [entries, port, victim] of [
      [2, b.io.lru2, b.io.lru2Victim],
      [5, b.io.lru5, b.io.lru5Victim],
      [16, b.io.lru16, b.io.lru16Victim],
    ] as const) {
      let order = Array.from({ length: entries }, (_, i) => i);
      for (let i = 0; i < 600; i++) {
        const valid = b.random.chance(0.8),
          index = b.random.between(0, entries - 1);
        port.valid.value = valid ? 1 : 0;
        port.index.value = index;
        await b.risingEdge();
        expect(victim.value, `victim of ${entries}`).toBe(order[entries - 1]);
        if (valid) order = [index, ...order.filter(x => x !== index)];
      }
      port.valid.value = 0;
    }
  };
  bench("the victim is the least recently touched number, in every cycle", small, {}, run);
  test("planted fault: the victim is the one before", () =>
    findsFault(
      runBench("lru", plant(small, "assign victim = order_4", "assign victim = order_3"), { wave: false }, run),
      /victim of 5/,
    ));
});

describe("Cam", () => {
  const cam = Cam({ entries: 6, keyBits: 4 });
  const run = async (b: Bench<(typeof cam)["ports"]>): Promise<void> => {
    const { io } = b,
      keys: (number | undefined)[] = Array.from({ length: 6 }, () => undefined);
    // All are empty after reset: nothing is found, whatever was asked before.
    let want = { hit: 0, index: 0, matches: 0 };
    for (let i = 0; i < 3000; i++) {
      const write = b.random.chance(0.4),
        index = b.random.between(0, 7),
        keep = b.random.chance(0.7),
        key = b.random.between(0, 9),
        asked = b.random.between(0, 9);
      io.write.valid.value = write ? 1 : 0;
      io.write.index.value = index;
      io.write.keep.value = keep ? 1 : 0;
      io.write.key.value = key;
      io.key.value = asked;
      await b.risingEdge();
      expect(
        { hit: io.found.hit.value, index: io.found.index.value, matches: io.found.matches.value },
        `cycle ${i}`,
      ).toEqual(want);
      const empty = keys.indexOf(undefined);
      expect([io.free.any.value, io.free.index.value], `free in cycle ${i}`).toEqual(empty < 0 ? [0, 0] : [1, empty]);
      if (write && index < 6) keys[index] = keep ? key : undefined;
      const matches = keys.reduce<number>((m, k, n) => (k === asked ? m | (1 << n) : m), 0);
      want = { hit: matches === 0 ? 0 : 1, index: Math.max(0, keys.indexOf(asked)), matches };
    }
  };
  bench(
    "lookups see the writes of their own cycle; free shows the lowest empty entry; full and empty happen",
    cam,
    {},
    run,
  );
  test.each([
    ["an entry that is emptied still matches", "taken[2] & (keys_2 == key)", "(keys_2 == key)"],
    ["the lookup does not see the write of its cycle", "write_keep & (write_key == key)", "1'b0"],
  ] as const)("planted fault: %s", (_name, from, to) =>
    findsFault(runBench("cam", plant(cam, from, to), { wave: false }, run), /cycle/),
  );
});

const Crossing = module(
  "SynchroniserUnits",
  () => ({
    pulse: input(bit, { domain: "a" }),
    busy: output(bit, { domain: "a" }),
    count: output(uint(16), { domain: "b" }),
    level: input(bit, { domain: "a" }),
    levelQ: output(bit, { domain: "b" }),
  }),
  io => {
    const a = clockDomain("a"),
      b = clockDomain("b");
    const pulses = instance(PulseSynchroniser(), { domains: { from: a, to: b } });
    pulses.pulse.set(io.pulse);
    io.busy.set(pulses.busy);
    const level = inDomain(a, () => reg(bit, { init: 0 }));
    inDomain(a, () => level.set(io.level));
    inDomain(b, () => {
      const count = reg(uint(16), { init: 0 });
      count.set(count.add(pulses.arrived.zext(16)));
      io.count.set(count);
      const three = instance(LevelSynchroniser({ stages: 3 }));
      three.d.set(level);
      io.levelQ.set(three.q);
    });
  },
);

const pulses = async (bn: Bench<ReturnType<typeof Crossing>["ports"]>): Promise<void> => {
  const a = bn.clock("a"),
    b = bn.clock("b");
  let sent = 0;
  for (let i = 0; i < 400; i++) {
    const pulse = bn.random.chance(0.5) ? 1 : 0;
    bn.io.pulse.value = pulse;
    await a.risingEdge();
    if (pulse === 1 && bn.io.busy.value === 0) sent++;
  }
  bn.io.pulse.value = 0;
  await b.cycles(10);
  await a.cycles(10);
  expect(sent).toBeGreaterThan(20);
  expect(bn.io.count.value).toBe(sent);
  expect(bn.io.busy.value).toBe(0);
};

/** Of equal clocks: a pulse is there after two cycles, and word of it is back after two more. */
const busyFor = async (bn: Bench<ReturnType<typeof Crossing>["ports"]>): Promise<void> => {
  const a = bn.clock("a");
  for (let sent = 1; sent < 4; sent++) {
    bn.io.pulse.value = 1;
    await a.risingEdge();
    bn.io.pulse.value = 0;
    const busy: number[] = [];
    for (let n = 0; n < 7; n++) {
      await a.risingEdge();
      busy.push(bn.io.busy.value);
    }
    expect(busy, `busy for pulse ${sent}`).toEqual([1, 1, 1, 1, 0, 0, 0]);
    expect(bn.io.count.value).toBe(sent);
  }
};
/** A reset while a pulse is on its way, or word of it: nothing arrives, and the next one does. */
const cutOff = async (bn: Bench<ReturnType<typeof Crossing>["ports"]>): Promise<void> => {
  const a = bn.clock("a");
  for (let after = 0; after < 10; after++) {
    bn.io.pulse.value = 1;
    await a.risingEdge();
    bn.io.pulse.value = 0;
    await a.cycles(after);
    bn.sim.reset(1);
    for (let n = 0; n < 8; n++) {
      await a.risingEdge();
      expect([bn.io.count.value, bn.io.busy.value], `arrived and busy, ${after} and ${n} cycles later`).toEqual([0, 0]);
    }
    bn.io.pulse.value = 1;
    await a.risingEdge();
    bn.io.pulse.value = 0;
    await a.cycles(12);
    expect([bn.io.count.value, bn.io.busy.value], "the next one").toEqual([1, 0]);
    bn.sim.reset(1);
  }
};

describe("synchronisers", () => {
  for (const clocks of [
    { a: { periodNs: 10 }, b: { periodNs: 3.1 } },
    { a: { periodNs: 3.1 }, b: { periodNs: 10, phaseNs: 2 } },
    { a: { periodNs: 4 }, b: { periodNs: 4 } },
  ]) {
    bench(
      `${clocks.a.periodNs} ns to ${clocks.b.periodNs} ns: every pulse while not busy arrives once; others do not`,
      Crossing(),
      { clocks, seed: 3 },
      pulses,
    );
  }
  const level = async (bn: Bench<ReturnType<typeof Crossing>["ports"]>): Promise<void> => {
    const a = bn.clock("a");
    bn.io.level.value = 1;
    const seen: number[] = [];
    for (let i = 0; i < 7; i++) {
      await a.risingEdge();
      seen.push(bn.io.levelQ.value);
    }
    // One edge for the register before the crossing, three for the chain; an edge samples what stood before it.
    expect(seen).toEqual([0, 0, 0, 0, 1, 1, 1]);
  };
  bench(
    "a level arrives after three edges of its new clock",
    Crossing(),
    { clocks: { a: { periodNs: 4 }, b: { periodNs: 4 } } },
    level,
  );
  const same = { clocks: { a: { periodNs: 4 }, b: { periodNs: 4 } }, wave: false as const };
  bench("a reset leaves no pulse under way", Crossing(), { clocks: same.clocks }, cutOff);
  bench("word of a pulse is back after two cycles of each clock", Crossing(), { clocks: same.clocks }, busyFor);
  test.each([
    ["a pulse is taken while one is under way", "pulse & ~busy_1", "pulse", pulses],
    ["an arrival is a level", "arrived = there_2 ^ before_", "arrived = there_2", pulses],
    ["a reset leaves a pulse under way", /if \(from_rst\) toggled <= 1'b0;\s*else/, "", cutOff],
    ["word of a pulse is back too late", "back_2 <= back_1;", "back_2 <= back_1 & back_2;", busyFor],
    ["a register of the chain is passed by", "level_3 <= level_2", "level_3 <= level_1", level],
  ] as const)("planted fault: %s", (_name, from, to, run) =>
    findsFault(runBench("crossing", plant(Crossing(), from, to), same, run), /./),
  );
  test("a reset rises at once and falls after as many edges as there are stages", () => {
    const emitted = emit(ResetSynchroniser({ stages: 3 }));
    expect(lint(emitted)).toBe("");
    expect(emitted.files[0]?.text).toContain("always @(posedge to_clk or posedge to_rst)");
  });
  const resets = async (bn: Bench<ReturnType<typeof ResetSynchroniser>["ports"]>): Promise<void> => {
    const to = bn.clock("to");
    await to.cycles(6);
    expect(bn.io.reset.value).toBe(0);
    bn.sim.reset(1);
    const seen: number[] = [];
    for (let i = 0; i < 5; i++) {
      await to.risingEdge();
      seen.push(bn.io.reset.value);
    }
    expect(seen.indexOf(0)).toBe(3);
    expect(seen).toEqual([1, 1, 1, 0, 0]);
  };
  bench(
    "ResetSynchroniser: after the reset has ended, three edges",
    ResetSynchroniser({ stages: 3 }),
    { clocks: { to: { periodNs: 4 } } },
    resets,
  );
  test("planted fault: a reset ends an edge early", () =>
    findsFault(
      runBench(
        "reset",
        plant(ResetSynchroniser({ stages: 3 }), "held_3 <= held_2", "held_3 <= held_1"),
        { clocks: { to: { periodNs: 4 } }, wave: false },
        resets,
      ),
      /./,
    ));
  test("one stage is refused", () => {
    const Bad = module(
      "OneStage",
      () => ({ d: input(bit), q: output(bit) }),
      io => io.q.set(synchronise(io.d, { stages: 1 }).is(1)),
    );
    expect(() => emit(Bad())).toThrow("synchronise: 1 stages do not settle a metastable bit; use 2 or more");
  });
});

test.each([Cam({ entries: 6, keyBits: 4 }), small, Crossing()].map(d => [d.name, d] as const))(
  "%s: Verilator, Icarus and Yosys accept it without a waiver",
  (_name, d) => {
    expect(lint(emit(d))).toBe("");
  },
);
