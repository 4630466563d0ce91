import { describe, expect, it } from "vitest";
import {
  assertAlways,
  assumeAlways,
  bit,
  cover,
  emit,
  input,
  module,
  output,
  reg,
  uint,
  when,
} from "../../../hdl-dsl/index.ts";
import { type Engine, engines, type Finding, holds, planted, prove, replay } from "../../../sim/index.ts";

/** Counts to `limit` and begins again: inductive as it stands, once the count is known to stay below. */
const Counter = module(
  "ProvedCounter",
  (p: { readonly limit: number; readonly width: number }) => ({ en: input(bit), count: output(uint(p.width)) }),
  (io, p) => {
    const count = reg(uint(p.width), { init: 0 });
    when(io.en, () => when(count.eq(p.limit), () => count.set(0)).otherwise(() => count.set(count.add(1))));
    io.count.set(count);
    assertAlways(count.le(p.limit), "count stays within its limit");
    cover(count.eq(p.limit), "the limit is reached");
  },
);
const counter = Counter({ limit: 5, width: 3 });
const late = { what: "it begins again one too late", from: "== 3'd5)", to: "== 3'd6)" };
const withFault = () => ({ ports: counter.ports, emitted: planted(emit(counter), late) });

/**
 * True from reset on, but not by itself: from 8 on, which is never reached, the count would run into 15. Only the state
 * that can be reached says no.
 */
const Unreachable = module(
  "ProvedUnreachable",
  () => ({ en: input(bit), count: output(uint(5)) }),
  io => {
    const count = reg(uint(5), { init: 0 });
    when(io.en, () => when(count.eq(7), () => count.set(0)).otherwise(() => count.set(count.add(1))));
    io.count.set(count);
    assertAlways(count.ne(31), "31 is never reached");
  },
);

const named = (name: string): Engine => engines.find(e => e.name === name) as Engine;

describe.each(engines.map(e => [e.name, e] as const))("%s by itself", (name, engine) => {
  it("proves what holds", async () => {
    const r = await prove(counter, { engines: [engine], depth: 10, induction: 3 });
    expect([r.finding.verdict, r.engine, holds(r)]).toEqual(["proved", name, true]);
  });
  it("refutes what fails, with a run that fails in the simulator too", async () => {
    const r = await prove(withFault(), { engines: [engine], depth: 10 });
    expect([r.finding.verdict, r.engine, r.counterexample?.property?.message]).toEqual([
      "failed",
      name,
      "count stays within its limit",
    ]);
    const stop = await replay(withFault(), r.counterexample!.inputs);
    expect(stop?.message).toContain("assertion failed: count stays within its limit");
    // Without the fault the same inputs do no harm.
    expect(await replay(counter, r.counterexample!.inputs)).toBeUndefined();
  });
});

describe("what an engine cannot do", () => {
  it.each(["smtbmc z3", "smtbmc cvc5", "yosys sat"])("%s does not claim what is not inductive", async name => {
    const r = await prove(Unreachable(), { engines: [named(name)], induction: 4, depth: 10 });
    expect(r.finding).toMatchObject({ verdict: "unknown" });
    expect(r.engine).toBeUndefined();
    expect((r.finding as { readonly holdsFor: number }).holdsFor).toBeGreaterThan(2);
    expect(holds(r)).toBe(false);
  });
  it("another engine of the portfolio can", async () => {
    const r = await prove(Unreachable(), { engines: [named("smtbmc z3"), named("abc pdr")], induction: 4, depth: 10 });
    expect([r.finding.verdict, r.engine]).toEqual(["proved", "abc pdr"]);
  });
});

/** One step wide of the truth: shows where a bounded answer ends. */
const Deep = module(
  "ProvedDeep",
  () => ({ en: input(bit), count: output(uint(6)) }),
  io => {
    const count = reg(uint(6), { init: 0 });
    when(io.en, () => count.set(count.add(1)));
    io.count.set(count);
    assertAlways(count.ne(40), "40 is never reached");
    cover(count.eq(30), "30 is reached");
  },
);

describe("depth", () => {
  it("a failure beyond the depth of the bounded check is found by a proof engine, and shown", async () => {
    const r = await prove(Deep(), { depth: 10, engines: [named("abc pdr")] });
    expect(r.finding.verdict).toBe("failed");
    expect(r.counterexample?.inputs.filter(i => i["en"] === 1n).length).toBeGreaterThanOrEqual(40);
    expect(r.counterexample?.vcd).toContain("$var");
  });
  it("a cover out of reach is told, and nothing holds then", async () => {
    const Never = module(
      "ProvedNever",
      () => ({ en: input(bit), held: output(bit) }),
      io => {
        const held = reg(bit, { init: 0 });
        when(io.en, () => held.set(0));
        io.held.set(held);
        assertAlways(held.not(), "held stays 0");
        cover(held, "held is 1");
      },
    );
    const r = await prove(Never());
    expect([r.finding.verdict, r.covers.map(c => c.cycle), holds(r)]).toEqual(["proved", [undefined], false]);
  });
});

describe("assumptions", () => {
  const Assumed = (promised: boolean) =>
    module(
      promised ? "ProvedPromise" : "ProvedNoPromise",
      () => ({ a: input(uint(3)), b: output(uint(3)) }),
      io => {
        const b = reg(uint(3), { init: 0 });
        b.set(io.a);
        io.b.set(b);
        if (promised) assumeAlways(io.a.lt(4), "a is small");
        assertAlways(b.lt(4), "b is small");
        cover(b.eq(3), "b is 3");
      },
    )();
  it.each(engines.map(e => [e.name, e] as const))(
    "%s takes them as given, and does not invent them",
    async (_name, engine) => {
      expect((await prove(Assumed(true), { engines: [engine] })).finding.verdict).toBe("proved");
      expect((await prove(Assumed(false), { engines: [engine] })).finding.verdict).toBe("failed");
    },
  );
  it("assumptions that contradict each other reach no cover", async () => {
    const Absurd = module(
      "ProvedAbsurd",
      () => ({ a: input(bit), b: output(bit) }),
      io => {
        const b = reg(bit, { init: 0 });
        b.set(io.a);
        io.b.set(b);
        assumeAlways(io.a, "a is 1");
        assumeAlways(io.a.not(), "a is 0");
        assertAlways(b, "b is 1");
        cover(b, "b is 1 some time");
      },
    );
    const r = await prove(Absurd());
    expect(r.covers.map(c => c.cycle)).toEqual([undefined]);
    expect(holds(r)).toBe(false);
  });
});

describe("the portfolio", () => {
  const patient: Engine = {
    name: "patient",
    needs: [],
    decide: (_model, budget) =>
      new Promise(resolve => {
        budget.signal?.addEventListener("abort", () => {
          resolve({ verdict: "unknown", why: "called off", holdsFor: 0 });
        });
      }),
  };
  const says = (finding: Finding, name = "says"): Engine => ({
    name,
    needs: [],
    decide: () => Promise.resolve(finding),
  });

  it("the first answer wins, and the others are called off", async () => {
    const r = await prove(counter, { engines: [patient, named("abc pdr")] });
    expect([r.finding.verdict, r.engine]).toEqual(["proved", "abc pdr"]);
  });
  it("an engine whose program is missing is left out; when none is left, one sentence says what to install", async () => {
    const absent: Engine = { ...patient, needs: ["no-such-prover"] };
    expect((await prove(counter, { engines: [absent, named("abc pdr")] })).engine).toBe("abc pdr");
    await expect(prove(counter, { engines: [absent] })).rejects.toThrow(
      "proofs need no-such-prover on the PATH: install them (Debian: apt install yosys z3 cvc5) and run again",
    );
  });
  it("a failure that no solver can show is no failure", async () => {
    const r = await prove(counter, { engines: [says({ verdict: "failed", cycles: 6 })] });
    expect(r.finding).toEqual({
      verdict: "unknown",
      why: "says finds a failure within 6 cycles that no SMT solver can show",
      holdsFor: 0,
    });
    expect(holds(r)).toBe(false);
  });
  it("without an answer: who gave up why, and how far it was checked", async () => {
    const r = await prove(counter, {
      engines: [
        says({ verdict: "unknown", why: "tired", holdsFor: 3 }),
        says({ verdict: "unknown", why: "lost", holdsFor: 7 }, "other"),
      ],
    });
    expect([r.finding, r.engine]).toEqual([
      { verdict: "unknown", why: "says: tired; other: lost", holdsFor: 7 },
      undefined,
    ]);
  });
});
