/** Bounded checks: what they find, what they say, and that they never say more. */
import { describe, expect, it } from "vitest";
import { Command } from "commander";
import {
  assertAlways,
  bit,
  clockDomain,
  cover,
  inDomain,
  input,
  module,
  output,
  reg,
  uint,
  when,
} from "../../../hdl-dsl/index.ts";
import { boundedEngines, holds, noCounterexample, prove } from "../../../sim/index.ts";
import { check } from "../../../cli/prove/check.ts";
import { rows } from "../../../cli/prove/rows.ts";
import { proveVerb } from "../../../cli/verbs/prove.ts";

/** Fails in cycle 10 after reset at the earliest: the count is 0 in the first one, 9 in the tenth. */
const Late = module(
  "BoundedLate",
  () => ({ en: input(bit), count: output(uint(6)) }),
  io => {
    const count = reg(uint(6), { init: 0 });
    when(io.en, () => count.set(count.add(1)));
    io.count.set(count);
    assertAlways(count.ne(9), "9 is never reached");
    cover(count.eq(5), "5 is reached");
  },
);

describe.each(boundedEngines.map(e => [e.name, e] as const))("%s", (name, engine) => {
  it.each([1, 2, 9])("finds nothing within %i cycles, and says no more than that", async bounded => {
    const r = await prove(Late(), { bounded, engines: [engine] });
    expect([r.finding, r.engine]).toEqual([{ verdict: "bounded", cycles: bounded }, name]);
    expect([holds(r), noCounterexample(r)]).toEqual([false, true]);
  });
  it.each([10, 11, 30])("finds the failure within %i cycles, with a run of nine", async bounded => {
    const r = await prove(Late(), { bounded, engines: [engine] });
    expect([r.finding.verdict, r.counterexample?.property?.message]).toEqual(["failed", "9 is never reached"]);
    expect(r.counterexample?.inputs.filter(i => i["en"] === 1n).length).toBeGreaterThanOrEqual(9);
    expect(noCounterexample(r)).toBe(false);
  });
});

it("claims nothing for a design that claims nothing", async () => {
  const Silent = module(
    "BoundedSilent",
    () => ({ a: input(bit), y: output(bit) }),
    io => io.y.set(io.a),
  );
  const r = await prove(Silent(), { bounded: 5 });
  expect([r.finding.verdict, noCounterexample(r)]).toEqual(["unknown", false]);
});

it("goes through moments with several clocks", async () => {
  const Two = module(
    "BoundedTwo",
    () => ({ a: input(bit), y: output(bit, { domain: "slow" }) }),
    io => {
      const here = reg(bit, { init: 0 });
      here.set(io.a);
      assertAlways(here.and(io.a).not(), "never twice");
      inDomain(clockDomain("slow"), () => {
        const there = reg(bit, { init: 0 });
        there.set(there.not());
        io.y.set(there);
      });
    },
  );
  expect((await prove(Two(), { bounded: 1 })).finding).toEqual({ verdict: "bounded", cycles: 1 });
  expect((await prove(Two(), { bounded: 12 })).finding.verdict).toBe("failed");
});

it.each([0, -1, 1.5, NaN])("refuses %f cycles", async bounded => {
  await expect(prove(Late(), { bounded })).rejects.toThrow(
    `prove: bounded is ${bounded}: give a whole number of cycles, 1 or more`,
  );
});

it("the table says how far it looked, and never that it holds", async () => {
  const checked = await check(
    {
      module: "late",
      harness: Late(),
      by: "abc pdr",
      faults: [{ what: "it counts by two", from: "6'd1", to: "6'd2" }],
    },
    { seconds: 60, faults: false, bounded: 9 },
  );
  const text = rows(checked).flat().join(" ");
  expect(text).toContain("9 is never reached no counterexample");
  expect(text).toContain("up to 9 cycles");
  expect(text).not.toMatch(/proved|hold/);
});

it.each(["0", "x", "10001", "2.5"])("the command line refuses --bounded %s in one sentence", async text => {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  await proveVerb(program, {
    terminal: { print: () => undefined, progress: () => undefined },
    exit: () => undefined,
  } as never);
  for (const c of program.commands) c.exitOverride().configureOutput({ writeErr: () => undefined });
  await expect(program.parseAsync(["node", "mnemo", "prove", "--bounded", text])).rejects.toThrow(
    "It must be a whole number of cycles from 1 to 10000.",
  );
});
