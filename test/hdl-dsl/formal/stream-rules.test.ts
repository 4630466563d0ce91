/** streamRules: the direction decides who promises; every rule is broken once, in the simulator and in a proof. */
import { describe, expect, it } from "vitest";
import {
  bit,
  connect,
  constant,
  type Def,
  elaborate,
  emit,
  Fifo,
  instance,
  module,
  reg,
  sink,
  source,
  stage,
  stream,
  streamRules,
  struct,
  uint,
} from "../../../hdl-dsl/index.ts";
import { allStatements } from "../../../hdl-dsl/ir/walk.ts";
import { holds, planted, prove, simulate } from "../../../sim/index.ts";

const Word = struct({ tag: uint(2), last: bit });
const Held = module(
  "RulesHeld",
  () => ({ from: sink(Word), to: source(Word) }),
  io => {
    connect(stage(io.from, "full"), io.to);
    streamRules(io.from);
    streamRules(io.to);
  },
);

const properties = (def: Def): readonly string[] =>
  [...allStatements(elaborate(def).body)].flatMap(s => (s.kind === "property" ? [`${s.what} ${s.message}`] : []));

it("a sink's rules are the surroundings' promise, a source's the module's claim", () => {
  expect(properties(Held())).toEqual([
    "assume from: valid stays until ready",
    "assume from: the payload stays while it waits",
    "assert to: valid stays until ready",
    "assert to: the payload stays while it waits",
  ]);
});

it("inner streams and those of instances are claims; both can be said otherwise", () => {
  const Inner = module(
    "RulesInner",
    () => ({ from: sink(uint(4)), to: source(uint(4)) }),
    io => {
      const between = stream(uint(4));
      connect(io.from, between);
      const queue = instance(Fifo({ shape: uint(4), depth: 2 }));
      connect(between, queue.push);
      connect(queue.pop, io.to);
      streamRules(between);
      streamRules(queue.pop, { name: "out of the queue" });
      streamRules(io.to, { as: "assume", name: "another" });
    },
  );
  expect(properties(Inner()).filter((_, i) => i % 2 === 0)).toEqual([
    "assert between: valid stays until ready",
    "assert out of the queue: valid stays until ready",
    "assume another: valid stays until ready",
  ]);
});

describe("proofs", () => {
  it("what keeps the rules is proved", async () => {
    expect(holds(await prove(Held()))).toBe(true);
  });
  it("the source is refuted without the sink's promise", async () => {
    const Passed = module(
      "RulesPassed",
      () => ({ from: sink(Word), to: source(Word) }),
      io => {
        connect(io.from, io.to);
        streamRules(io.to);
      },
    );
    const r = await prove(Passed());
    expect([r.finding.verdict, r.counterexample?.property?.message]).toEqual([
      "failed",
      expect.stringMatching(/^to: (valid stays|the payload stays)/),
    ]);
  });
});

/** A source that breaks a rule: `drop` withdraws valid, the others change one field of the payload. */
const Wild = module(
  "RulesWild",
  (_p: { readonly fault: "none" | "drop" | "tag" | "last" }) => ({ from: sink(Word), to: source(Word) }),
  (io, { fault }) => {
    const odd = reg(bit, { init: 0 }),
      open = fault === "drop" ? odd : constant(1, 1),
      { tag, last } = io.from.payload;
    odd.set(odd.not());
    io.to.valid.set(io.from.valid.and(open));
    io.from.ready.set(io.to.ready.and(open));
    io.to.payload.tag.set(fault === "tag" ? tag.xor(odd.zext(2)) : tag);
    io.to.payload.last.set(fault === "last" ? last.xor(odd) : last);
    streamRules(io.from);
    streamRules(io.to);
  },
);

describe.each([
  { fault: "drop", says: "to: valid stays until ready" },
  { fault: "tag", says: "to: the payload stays while it waits" },
  { fault: "last", says: "to: the payload stays while it waits" },
] as const)("a source that breaks a rule: $fault", ({ fault, says }) => {
  it("fails in the simulator in the cycle in which it does", async () => {
    using sim = await simulate(Wild({ fault }));
    sim.io.from.payload.tag.value = 2;
    sim.io.from.valid.value = 1;
    sim.io.to.ready.value = 0;
    expect(() => sim.step(6)).toThrow(`assertion failed: ${says}`);
  });
  it("fails in a proof", async () => {
    const r = await prove(Wild({ fault }));
    expect([r.finding.verdict, r.counterexample?.property?.message]).toEqual(["failed", says]);
  });
});

it("a producer outside that breaks its promise is told by the simulator", async () => {
  using sim = await simulate(Held());
  sim.io.from.payload.tag.value = 1;
  sim.io.to.ready.value = 0;
  sim.io.from.valid.value = 1;
  sim.step(4);
  // Two words are inside, the third waits: it may not change.
  sim.io.from.payload.tag.value = 3;
  expect(() => sim.step(2)).toThrow("assumption failed: from: the payload stays while it waits");
});

it("nothing waits in the first cycle, whatever the payload", async () => {
  using sim = await simulate(Held(), { resetCycles: 3 });
  for (const tag of [1, 2, 3]) {
    sim.io.from.payload.tag.value = tag;
    sim.io.from.valid.value = 0;
    sim.step(1);
  }
});

it("a promise that is remembered too long is found: the fault stands in the history", async () => {
  const def = Wild({ fault: "none" }),
    fault = {
      what: "it waits although it was taken",
      from: "to_waiting <= to_valid & ~to_ready",
      to: "to_waiting <= to_valid",
    };
  expect(holds(await prove(def))).toBe(true);
  const r = await prove({ ports: def.ports, emitted: planted(emit(def), fault) });
  expect(r.finding.verdict).toBe("failed");
});
