/** Clock enables: whatever is clocked keeps still while the enable is 0, and nothing else does. */
import { describe, expect, test } from "vitest";
import {
  assertAlways,
  bit,
  cat,
  clockEnable,
  constant,
  elaborate,
  emit,
  fsm,
  input,
  instance,
  module,
  output,
  ram,
  reg,
  type UInt,
  uint,
  when,
} from "../../../hdl-dsl/index.ts";
import { type Dut, Random, simulate } from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";

/** The same body under two enables, or without any: the model of the former, stepped in enabled cycles only. */
const Enabled = module(
  "Enabled",
  () => ({
    en: input(bit, { unused: true }),
    inner: input(bit),
    d: input(uint(8)),
    write: input(bit),
    count: output(uint(8)),
    twice: output(uint(8)),
    through: output(uint(8)),
    word: output(uint(8)),
    own: output(uint(8)),
    phase: output(uint(2)),
  }),
  (io, p: { readonly enabled: boolean }) => {
    const under = p.enabled ? clockEnable : (_: unknown, body: () => void): void => body();
    under(io.en, () => {
      const count = reg(uint(8), { init: 5 });
      count.set(count.add(1));
      io.count.set(count);
      // A wire beside a register under one condition stays a wire.
      io.through.set(0);
      const last = reg(uint(8), { init: 0 });
      when(io.write, () => {
        last.set(io.d);
        io.through.set(io.d);
      });
      const store = ram(uint(8), { depth: 4, collision: "old", init: [1, 2, 3, 4] });
      store.write(io.write, last.trunc(2), io.d);
      io.word.set(store.readSync(io.d.trunc(2), { en: io.write.not() }));
      const both = ram(uint(8), { depth: 4, collision: "old", init: [1, 2, 3, 4] });
      io.own.set(both.port({ address: io.d.trunc(2), write: io.write, data: io.d, reads: "new" }));
      const twice = (p.enabled ? clockEnable : (_: unknown, body: () => UInt<8>) => body())(io.inner, () => {
        const value = reg(uint(8), { init: 0, name: "twice_value" });
        when(p.enabled ? constant(1, 1).bit(0) : io.inner, () => value.set(value.add(2)));
        return value;
      });
      io.twice.set(twice);
      assertAlways(twice.bit(0).not(), "twice is even");
      const phase = fsm(["A", "B", "C"], "A", s => ({
        A: () => s.go("B"),
        B: () => s.after(3, "C"),
        C: () => s.go("A"),
      }));
      io.phase.set(cat(phase.is("A"), phase.is("B")));
    });
  },
);

const differences = async (
  design: Dut<ReturnType<typeof Enabled>["ports"]> = Enabled({ enabled: true }),
): Promise<string[]> => {
  using sim = await simulate(design);
  using model = await simulate(Enabled({ enabled: false }));
  const random = new Random(7),
    found: string[] = [];
  for (let step = 0; step < 400; step++) {
    const given = { en: random.below(2), inner: random.below(2), d: random.below(256), write: random.below(2) };
    for (const s of [sim, model]) for (const k of ["en", "inner", "d", "write"] as const) s.io[k].value = given[k];
    sim.step();
    if (sim.io.through.value !== (given.write === 1 ? given.d : 0)) found.push(`${step} through`);
    // A step shows the values that its edge takes.
    if (given.en === 0) continue;
    model.step();
    for (const n of ["count", "twice", "word", "own", "phase"] as const)
      if (step > 20 && sim.io[n].value !== model.io[n].value) found.push(`${step} ${n}`);
  }
  return found;
};

describe("clockEnable", () => {
  test("registers, memories, machines and times keep still without it", async () => {
    expect(await differences()).toEqual([]);
  });

  test("reset works without it", async () => {
    using sim = await simulate(Enabled({ enabled: true }));
    sim.io.en.value = 1;
    sim.step(3);
    sim.io.en.value = 0;
    sim.step(3);
    expect(sim.io.count.value).toBe(8);
    sim.reset();
    sim.step();
    expect(sim.io.count.value).toBe(5);
  });

  test("a check counts in enabled cycles only", async () => {
    const Checked = module(
      "Checked",
      () => ({ en: input(bit), bad: input(bit) }),
      io => clockEnable(io.en, () => assertAlways(io.bad.not(), "never bad")),
    );
    using sim = await simulate(Checked());
    sim.io.bad.value = 1;
    sim.step(3);
    sim.io.en.value = 1;
    expect(() => sim.step()).toThrow("never bad");
  });

  test("the text: one condition around what shares it", () => {
    const text = emit(Enabled({ enabled: true }))
      .files.map(f => f.text)
      .join("");
    expect(text.match(/if \(en\)/g)?.length).toBeLessThanOrEqual(6);
  });

  const faults: readonly (readonly [string, string])[] = [
    ["else if (en) begin", "else begin"],
    ["if (en & inner)", "if (inner)"],
  ];
  test.each(faults)("planted: %s becomes %s", async (from, to) => {
    await findsFault(
      differences(plant(Enabled({ enabled: true }), from, to)).then(found => {
        expect(found).toEqual([]);
      }),
    );
  });

  test("an instance with a clock is refused, one without is not", () => {
    const Clocked = module(
      "Clocked",
      () => ({ q: output(bit) }),
      io => {
        const q = reg(bit, { init: 0 });
        q.set(q.not());
        io.q.set(q);
      },
    );
    const Gate = module(
      "Gate",
      () => ({ a: input(bit), q: output(bit) }),
      io => io.q.set(io.a.not()),
    );
    const around = (inner: () => void): (() => unknown) => {
      const Around = module(
        "Around",
        () => ({ en: input(bit), q: output(bit) }),
        io => {
          clockEnable(io.en, inner);
          io.q.set(io.en);
        },
      );
      return () => elaborate(Around());
    };
    expect(around(() => void instance(Clocked()))).toThrow(
      /HDL132 in Around: instance `u_clocked` of Clocked has a clock, and stands under a clock enable/,
    );
    expect(around(() => instance(Gate()).a.set(0))).not.toThrow();
  });
});
