/** Property-directed reachability of yosys-abc: finds the inductive invariant by itself. */
import type { Engine } from "../engine.ts";
import { runLimited } from "../process.ts";

export const pdr: Engine = {
  name: "abc pdr",
  needs: ["yosys-abc"],
  decide: async (model, budget) => {
    // `fold` turns assumptions into part of the property. abc's own limit is softer than ours: it ends in good order.
    const ended = await runLimited(
      "yosys-abc",
      ["-c", `read_aiger ${model.aiger}; fold; strash; pdr -T ${Math.ceil(budget.seconds)}`],
      { cwd: model.folder, seconds: budget.seconds + 2, ...(budget.signal ? { signal: budget.signal } : {}) },
    );
    const frame = /was asserted in frame (\d+)/.exec(ended.out)?.[1];
    // Assertions of clocked blocks are looked at one step after their cycle.
    if (frame !== undefined) return { verdict: "failed", cycles: Number(frame) + 2 };
    if (ended.out.includes("Property proved")) {
      const clauses = /Invariant F\[\d+\] : (\d+) clauses/.exec(ended.out)?.[1];
      return {
        verdict: "proved",
        how: clauses === undefined ? "inductive invariant" : `inductive invariant of ${clauses} clauses`,
      };
    }
    return {
      verdict: "unknown",
      why: ended.late ? "time is up" : (ended.out.trim().split("\n").at(-1) ?? ""),
      holdsFor: 0,
    };
  },
};
