/** past, hasPast, stable, changed, rose, fell: against a model, in the interpreter, in both simulators, and proved. */
import { describe, expect, it } from "vitest";
import {
  assertAlways,
  assumeAlways,
  bit,
  changed,
  clockDomain,
  type Def,
  elaborate,
  emit,
  enumOf,
  fell,
  formatDiagnostic,
  hasPast,
  HdlError,
  inDomain,
  input,
  module,
  mux,
  output,
  past,
  Random,
  reg,
  rose,
  scope,
  sint,
  stable,
  struct,
  uint,
  vec,
  when,
  wire,
} from "../../../hdl-dsl/index.ts";
import { compileBuiltin, holds, planted, prove, simulate, verilatorBackend } from "../../../sim/index.ts";
import { Interpreter } from "../support/interpret.ts";

const Pair = struct({ flag: bit, level: sint(5) });
const ports = {
  x: input(uint(4)),
  b: input(bit),
  p: input(Pair),
  go: input(bit),
  was: output(uint(4)),
  was3: output(uint(4)),
  fromSeven: output(uint(4)),
  pair: output(Pair),
  sum: output(uint(4)),
  has: output(bit),
  has3: output(bit),
  still: output(bit),
  moved: output(bit),
  up: output(bit),
  down: output(bit),
  pairMoved: output(bit),
};
/** Everything at once, some of it within conditions, which do not matter to a past. */
const All = module(
  "PastAll",
  (_p: { readonly reset: "sync" | "async" }) => ({
    ...ports,
    idle: output(bit),
  }),
  (io, p) => {
    io.idle.set(0);
    const own = p.reset === "sync" ? undefined : clockDomain("own", { reset: "async" });
    const body = (): void => {
      io.was.set(0);
      when(io.go.or(io.go.not()), () => io.was.set(past(io.x)));
      io.was3.set(past(io.x, 3));
      io.fromSeven.set(past(io.x, 2, { init: 7 }));
      io.pair.set(past(io.p));
      io.sum.set(past(io.x.add(io.b.zext(4)), 2));
      io.has.set(hasPast());
      io.has3.set(hasPast(3));
      io.still.set(stable(io.x));
      io.moved.set(changed(io.x));
      io.up.set(rose(io.b));
      io.down.set(fell(io.b));
      io.pairMoved.set(changed(io.p));
    };
    if (own === undefined) body();
    else inDomain(own, body);
  },
);

interface Inputs {
  readonly x: number;
  readonly b: number;
  readonly flag: number;
  readonly level: number;
}
/** The definition, over the cycles since reset. */
function model(seen: readonly Inputs[]): Readonly<Record<string, number>> {
  const at = (n: number): Inputs | undefined => seen[seen.length - 1 - n];
  const now = at(0) as Inputs,
    one = at(1);
  return {
    was: one?.x ?? 0,
    was3: at(3)?.x ?? 0,
    from_seven: at(2)?.x ?? 7,
    pair_flag: one?.flag ?? 0,
    pair_level: one?.level ?? 0,
    sum: at(2) === undefined ? 0 : ((at(2) as Inputs).x + (at(2) as Inputs).b) & 15,
    has: one === undefined ? 0 : 1,
    has3: at(3) === undefined ? 0 : 1,
    still: one === undefined || one.x === now.x ? 1 : 0,
    moved: one !== undefined && one.x !== now.x ? 1 : 0,
    up: one !== undefined && one.b === 0 && now.b === 1 ? 1 : 0,
    down: one !== undefined && one.b === 1 && now.b === 0 ? 1 : 0,
    pair_moved: one !== undefined && (one.flag !== now.flag || one.level !== now.level) ? 1 : 0,
  };
}

/** Random inputs that often stay, and resets now and then. */
function stimulus(seed: number, cycles: number): { readonly in: Inputs; readonly reset: boolean }[] {
  const random = new Random(seed);
  let last: Inputs = { x: 9, b: 1, flag: 1, level: 17 };
  return Array.from({ length: cycles }, (_, n) => {
    if (random.chance(0.7))
      last = { x: random.below(16), b: random.below(2), flag: random.below(2), level: random.below(32) };
    return { in: last, reset: n < 2 || random.chance(0.1) };
  });
}

it("the interpreter: the meaning of the language, from the first cycle on", () => {
  const circuit = elaborate(All({ reset: "sync" }));
  const machine = new Interpreter(circuit),
    seen: Inputs[] = [];
  for (const { in: i } of stimulus(1, 200)) {
    seen.push(i);
    const values = machine.step({
      x: BigInt(i.x),
      b: BigInt(i.b),
      p_flag: BigInt(i.flag),
      p_level: BigInt(i.level),
      go: 1n,
    });
    const got = Object.fromEntries([...values].map(([s, v]) => [s.name, Number(v)]));
    expect(got).toMatchObject(model(seen));
  }
});

describe.each(["sync", "async"] as const)("both simulators, %s reset", reset => {
  const design = emit(All({ reset }));
  it.each(["builtin", "verilator"] as const)("%s: as the model, also after later resets", async name => {
    const load =
      name === "builtin"
        ? compileBuiltin(design, {})
        : await verilatorBackend.load(design, { trace: false, brief: true });
    const m = load.create({ seed: 3, clocks: {} });
    const slots = new Map([...m.slots.values()].map(s => [s.port.name, s]));
    const put = (port: string, v: number): void => {
      const s = slots.get(port);
      if (s !== undefined) m.words[s.word] = v;
    };
    let seen: Inputs[] = [];
    let compared = 0;
    for (const { in: i, reset: resets } of stimulus(7, 300)) {
      for (const s of slots.values()) if (s.port.role === "reset") m.words[s.word] = resets ? 1 : 0;
      for (const [port, v] of Object.entries({ x: i.x, b: i.b, p_flag: i.flag, p_level: i.level, go: i.x & 1 }))
        put(port, v);
      if (resets) seen = [];
      else {
        seen.push(i);
        m.settle();
        const wanted = model(seen);
        const got = Object.fromEntries(
          Object.keys(wanted).map(k => {
            const s = slots.get(k);
            return [k, (m.words[s?.word ?? 0] ?? 0) & (2 ** (s?.port.width ?? 1) - 1)];
          }),
        );
        expect(got).toEqual(wanted);
        compared++;
      }
      m.step(1);
    }
    expect(compared).toBeGreaterThan(200);
  });
});

/** The same definitions, written out with registers by hand: equal in every run. */
const Equal = module(
  "PastEqual",
  () => ({ x: input(uint(3)), b: input(bit), y: output(bit) }),
  io => {
    const before = reg(uint(3), { init: 0, name: "hand_x" }),
      two = reg(uint(3), { init: 5, name: "hand_two_1" }),
      two2 = reg(uint(3), { init: 5, name: "hand_two_2" }),
      b = reg(bit, { init: 0, name: "hand_b" }),
      running = reg(bit, { init: 0, name: "hand_running" });
    before.set(io.x);
    two.set(io.x);
    two2.set(two);
    b.set(io.b);
    running.set(1);
    assertAlways(past(io.x).eq(before), "past");
    assertAlways(past(io.x, 2, { init: 5 }).eq(two2), "past of two cycles");
    assertAlways(hasPast().eq(running), "hasPast");
    assertAlways(stable(io.x).eq(running.not().or(io.x.eq(before))), "stable");
    assertAlways(changed(io.x).eq(running.and(io.x.ne(before))), "changed");
    assertAlways(rose(io.b).eq(running.and(io.b).and(b.not())), "rose");
    assertAlways(fell(io.b).eq(running.and(io.b.not()).and(b)), "fell");
    io.y.set(running);
  },
);

describe("in proofs", () => {
  it("equal to registers by hand, from reset on", async () => {
    const r = await prove(Equal());
    expect([r.finding.verdict, holds(r)]).toEqual(["proved", true]);
  });
  it.each([
    { what: "a past too old", from: "x_was_1_2 <= x_was_1;", to: "x_was_1_2 <= x;", fails: "past of two cycles" },
    {
      what: "no first cycle",
      from: "has_past <= 1'b0",
      to: "has_past <= 1'b1",
      fails: /stable|changed|rose|fell|hasPast/,
    },
  ])("$what is found", async fault => {
    const def = Equal();
    const r = await prove({ ports: def.ports, emitted: planted(emit(def), fault) });
    expect(r.finding.verdict).toBe("failed");
    expect(r.counterexample?.property?.message).toMatch(fault.fails);
  });
  it("an assertion over a past holds its promise in the first cycle too", async () => {
    const Rising = module(
      "PastRising",
      () => ({ up: input(bit), level: output(uint(4)) }),
      io => {
        const level = reg(uint(4), { init: 3 });
        when(io.up, () => level.set(level.add(1)));
        io.level.set(level);
        assumeAlways(io.up.and(level.eq(15)).not(), "never beyond 15");
        assertAlways(level.ge(past(level)), "the level never falls");
        assertAlways(changed(level).eq(past(io.up)), "it moves in the cycle after up, and only then");
      },
    );
    expect(holds(await prove(Rising()))).toBe(true);
  });
});

/** A past is kept in the clock of its value, wherever it is asked for. */
describe("several clock domains", () => {
  const Two = module(
    "PastTwo",
    () => ({
      a: input(uint(4)),
      b: input(uint(4), { domain: "slow" }),
      was: output(uint(4), { domain: "slow" }),
      moved: output(bit, { domain: "slow" }),
      wired: output(uint(4), { domain: "slow" }),
      here: output(uint(4)),
    }),
    io => {
      const slow = clockDomain("slow");
      const late = wire(uint(4));
      const kept = reg(uint(4), { init: 0 });
      kept.set(io.a);
      io.here.set(past(io.a).xor(kept));
      // Asked for in the default domain, of the other one's value; the wire is driven only below.
      io.was.set(past(io.b));
      io.moved.set(changed(io.b));
      io.wired.set(past(late, 2));
      inDomain(slow, () => {
        const held = reg(uint(4), { init: 1 });
        held.set(io.b);
        late.set(held.add(1));
      });
    },
  );
  it("the registers are the value's", () => {
    const circuit = elaborate(Two());
    const domains = Object.fromEntries(
      circuit.signals.filter(s => s.kind === "reg").map(s => [s.name, s.domain?.name]),
    );
    expect(domains).toMatchObject({
      a_was: "default",
      b_was: "slow",
      late_was: "slow",
      late_was_2: "slow",
      slow_has_past: "slow",
    });
    expect(circuit.signals.filter(s => s.name.endsWith("has_past")).length).toBe(1);
  });
  it.each(["builtin", "verilator"] as const)("%s: by its own clock's edges", async name => {
    const design = emit(Two());
    const load =
      name === "builtin"
        ? compileBuiltin(design, {})
        : await verilatorBackend.load(design, { trace: false, brief: true });
    const sim = load.create({
      seed: 3,
      clocks: { default: { periodPs: 2000, phasePs: 0 }, slow: { periodPs: 6000, phasePs: 1000 } },
    });
    const slot = (n: string): number => [...sim.slots.values()].find(s => s.port.name === n)?.word ?? 0;
    for (const s of sim.slots.values()) if (s.port.role === "reset") sim.words[s.word] = 1;
    sim.words[slot("b")] = 6;
    for (let i = 0; i < 12; i++) sim.step(1);
    for (const s of sim.slots.values()) if (s.port.role === "reset") sim.words[s.word] = 0;
    // A new value with every step of any clock; the slow clock's past is what stood there at its last edge.
    const random = new Random(5);
    const was = new Set<number>();
    for (let i = 0; i < 60; i++) {
      sim.words[slot("b")] = random.below(16);
      sim.step(1);
      was.add(sim.words[slot("was")] ?? 0);
    }
    expect(was.size).toBeGreaterThan(5);
  });
  it("is proved there too", async () => {
    const Proved = module(
      "PastSlow",
      () => ({ b: input(bit, { domain: "slow" }), y: output(bit, { domain: "slow" }), z: output(bit) }),
      io => {
        const own = reg(bit, { init: 0 });
        own.set(own.not());
        io.z.set(own);
        inDomain(clockDomain("slow"), () => {
          const held = reg(bit, { init: 0 });
          held.set(io.b);
          io.y.set(held);
          assertAlways(past(io.b).eq(held), "the past is what the register holds");
          assertAlways(rose(held).not().or(past(io.b)), "it rose since the input was 1");
        });
      },
    );
    const r = await prove(Proved());
    expect([r.finding.verdict, holds(r)]).toEqual(["proved", true]);
  });
});

const told = (def: Def): readonly string[] => {
  try {
    elaborate(def);
  } catch (e) {
    if (e instanceof HdlError)
      return e.diagnostics.map(d => formatDiagnostic(d).replace(/ \(past\.test\.ts[^)]*\)/, ""));
    throw e;
  }
  return [];
};

describe("what has no past", () => {
  it("a value of two clock domains", () => {
    const Mixed = module(
      "PastMixed",
      () => ({ a: input(bit), b: input(bit, { domain: "slow" }), y: output(bit) }),
      io => {
        const slow = clockDomain("slow");
        const here = reg(bit, { init: 0 }),
          there = inDomain(slow, () => reg(bit, { init: 0 }));
        here.set(io.a);
        inDomain(slow, () => there.set(io.b));
        io.y.set(past(here.and(there)));
      },
    );
    expect(told(Mixed())).toEqual([
      "HDL151 in PastMixed: the result of and has no past of its own: it comes from clock domains `default` and `slow`. Bring its parts into one clock domain first, with a synchroniser or an asynchronous FIFO",
    ]);
  });
  it("a domain without reset, asked for within and from without", () => {
    const within = module(
      "PastFree",
      () => ({ a: input(bit, { domain: "free" }), y: output(bit, { domain: "free" }) }),
      io => inDomain(clockDomain("free", { reset: "none" }), () => io.y.set(past(io.a))),
    );
    const without = module(
      "PastFreeFromHere",
      () => ({ a: input(bit, { domain: "free" }), y: output(bit, { domain: "free" }) }),
      io => {
        clockDomain("free", { reset: "none" });
        io.y.set(past(io.a));
      },
    );
    const message = (name: string): string =>
      `HDL151 in ${name}: \`a\` has no past in clock domain \`free\`, which has no reset: no cycle is its first. Give the domain a reset, or keep the value in a register of your own`;
    expect(told(within())).toEqual([message("PastFree")]);
    expect(told(without())).toEqual([message("PastFreeFromHere")]);
  });
  it.each([0, -1, 1.5, 1025])("%d cycles", n => {
    const Far = module(
      "PastFar",
      () => ({ a: input(bit), y: output(bit) }),
      io => io.y.set(past(io.a, n)),
    );
    expect(told(Far())).toEqual([
      `HDL150 in PastFar: past: ${n} cycles ago. Look back by a whole number of cycles, 1 to 1024`,
    ]);
  });
  it("an enumeration without a name for 0, unless one is given", () => {
    const Colour = enumOf("PastColour", { red: 1, green: 2 });
    const make = (init: "red" | undefined): Def =>
      module(
        "PastEnum",
        () => ({ a: input(Colour), y: output(Colour) }),
        io => io.y.set(past(io.a, 1, init === undefined ? {} : { init })),
      )();
    expect(told(make(undefined))[0]).toContain("HDL140");
    expect(told(make("red"))).toEqual([]);
  });
});

it("a past is one register however often it is asked for, and names follow the value", () => {
  const Shared = module(
    "PastShared",
    () => ({ x: input(uint(4)), v: input(vec(bit, 2)), y: output(uint(4)), z: output(bit) }),
    io => {
      io.y.set(mux(changed(io.x), past(io.x), past(io.x, 2)));
      io.z.set(scope("inner", () => rose(io.v.at(0))).or(stable(io.x)));
    },
  );
  const names = elaborate(Shared())
    .signals.filter(s => s.kind === "reg")
    .map(s => s.name);
  expect(names.sort()).toEqual(["has_past", "inner_v_0_was", "x_was", "x_was_2"]);
});

it("synthesis and simulation see an assertion over a past fail in the cycle in which it does", async () => {
  const Steady = module(
    "PastSteady",
    () => ({ x: input(uint(4)), y: output(uint(4)) }),
    io => {
      io.y.set(io.x);
      assertAlways(stable(io.x), "x never moves");
    },
  );
  for (const first of [0, 11]) {
    using sim = await simulate(Steady(), { resetCycles: 2 });
    sim.io.x.value = first;
    sim.step(3);
    sim.io.x.value = 12;
    expect(() => sim.step(2)).toThrow("assertion failed: x never moves");
  }
});
